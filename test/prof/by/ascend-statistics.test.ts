/** Kernels by operator's type and core beside op_statistic.csv of the same profile. */
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProfile } from '../../../src/parse/profile.js';
import { groupsOf, valuesOf } from '../../support/groups.js';
import { itShared } from '../../support/shared.js';

type Row = Readonly<Record<string, string>>;

const PROFILES = [
  'text_level1_rank0/ASCEND_PROFILER_OUTPUT/trace_view.json',
  'text_level1_rank1/ASCEND_PROFILER_OUTPUT/trace_view.json',
  'text_qwen_level2_rank0/ASCEND_PROFILER_OUTPUT/kernel_details.csv',
];

/** Theirs by ours; us. */
const TIMES = { total: 'Total Time(us)', min: 'Min Time(us)', mean: 'Avg Time(us)', max: 'Max Time(us)' } as const;

describe('kernels by operator type', () => {
  for (const name of PROFILES) {
    itShared(`as op_statistic.csv has them: ${name}`, [`data/ascend/${name}`], ([path = '']) => {
      const rows: Row[] = parse(readFileSync(join(dirname(path), 'op_statistic.csv')), { columns: true });
      const by = groupsOf(readProfile(path, { profile: 0 }), {
        by: 'optype,engine',
        columns: 'optype,engine,count,total,min,mean,max,share',
      });
      const keyed = valuesOf(by).map((row) => [`${String(row['optype'])} ${String(row['engine'])}`, row] as const);
      const ours = new Map(keyed);
      expect([...ours.keys()]).to.have.members(rows.map((row) => `${row['OP Type'] ?? ''} ${row['Core Type'] ?? ''}`));
      for (const row of rows) {
        const group = ours.get(`${row['OP Type'] ?? ''} ${row['Core Type'] ?? ''}`);
        expect(group?.['count']).to.equal(Number(row['Count']));
        for (const [key, column] of Object.entries(TIMES)) {
          // A trace rounds each duration to a nanosecond, where the table adds up exact ones.
          const within = key === 'total' ? 1e-3 * Number(row['Count']) : 1e-3;
          expect(Number(group?.[key]) / 1000, `${column} of ${row['OP Type'] ?? ''}`).to.be.closeTo(Number(row[column]), within); // prettier-ignore
        }
        expect(group?.['share']).to.be.closeTo(Number(row['Ratio(%)']), 6e-4);
      }
    });
  }
});
