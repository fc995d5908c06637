/** Host ranges of real profiles beside the tables of the same run: api_statistic.csv, operator_details.csv, CANN_API. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryOf } from '../../../../src/containers/map-entry.js';
import { readProfile } from '../../../../src/parse/profile.js';
import type { RangeRecord } from '../../../../src/record/record.js';
import { itShared } from '../../../support/shared.js';

type Row = Readonly<Record<string, string>>;
const tableOf = (folder: string, name: string): Row[] =>
  parse(readFileSync(join(folder, name)), { columns: true, bom: true });

const rangesOf = (path: string): RangeRecord[] =>
  [...readProfile(path, { profile: 0, ranges: true })].filter((record) => record.type === 'range');

/** Calls by layer and name. */
function grouped(ranges: readonly RangeRecord[]): ReadonlyMap<string, RangeRecord[]> {
  const groups = new Map<string, RangeRecord[]>();
  for (const range of ranges) {
    if (range.kind === 'api') entryOf(groups, `${range.domain ?? ''} ${range.text}`, () => []).push(range);
  }
  return groups;
}
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const nsOf = (us: string | undefined): number => Math.round(Number(us) * 1000);

/** Of ranges of one thread at a time, which nest: by range, its time without the ranges directly within. */
function selfTimes(ranges: readonly RangeRecord[]): Map<RangeRecord, number> {
  const self = new Map(ranges.map((range) => [range, range.dur]));
  const open = new Map<number | null, RangeRecord[]>();
  for (const range of ranges) {
    const around = (open.get(range.tid) ?? []).filter(({ start, dur }) => start + dur > range.start);
    const parent = around.at(-1);
    if (parent !== undefined) self.set(parent, (self.get(parent) ?? NaN) - range.dur);
    open.set(range.tid, [...around, range]);
  }
  return self;
}

/** ns: of each op its name, time, and time without the ops within; sorted. */
const detailsOf = (rows: readonly Row[]): string[] =>
  rows.map((row) => `${row['Name'] ?? ''} ${nsOf(row['Host Total Duration(us)'])} ${nsOf(row['Host Self Duration(us)'])}`).sort(); // prettier-ignore

for (const rank of [0, 1]) {
  describe(`Ascend host of rank ${rank}`, () => {
    const name = `data/ascend/text_level1_rank${rank}/ASCEND_PROFILER_OUTPUT`;

    itShared('has the calls of api_statistic.csv', [name], ([folder = '']) => {
      const calls = grouped(rangesOf(join(folder, 'trace_view.json')));
      const rows = tableOf(folder, 'api_statistic.csv');
      expect(rows).to.have.length(57);
      expect([...calls.keys()]).to.have.members(rows.map((row) => `${row['Level'] ?? ''} ${row['API Name'] ?? ''}`));
      for (const row of rows) {
        const times = (calls.get(`${row['Level'] ?? ''} ${row['API Name'] ?? ''}`) ?? []).map(({ dur }) => dur);
        const mean = sum(times) / times.length;
        expect([times.length, sum(times), Math.min(...times), Math.max(...times)]).to.deep.equal(
          [Number(row['Count']), nsOf(row['Time(us)']), nsOf(row['Min(us)']), nsOf(row['Max(us)'])], // prettier-ignore
        );
        expect(mean / 1000).to.be.closeTo(Number(row['Avg(us)']), 5.01e-4);
        const variance = sum(times.map((time) => ((time - mean) / 1000) ** 2)) / times.length;
        // Their mean is rounded to a nanosecond.
        expect(variance).to.be.closeTo(Number(row['Variance']), 1e-3);
      }
    });

    itShared('has the ops of operator_details.csv', [name], ([folder = '']) => {
      const ranges = rangesOf(join(folder, 'trace_view.json'));
      const isOp = ({ kind, text }: RangeRecord): boolean => (kind === 'op' || kind === 'annotation') && !text.startsWith('ProfilerStep'); // prettier-ignore
      const ops = ranges.filter(isOp);
      const own = [...selfTimes(ops)].map(([{ text, dur }, self]) => `${text} ${dur} ${self}`).sort();
      expect(own).to.deep.equal(detailsOf(tableOf(folder, 'operator_details.csv')));
      expect(own).to.have.length(859);
    });
  });
}

describe('Ascend host of databases', () => {
  for (const [folder, file] of [
    ['db_level1_rank1', 'ascend_pytorch_profiler_1.db'],
    ['db_level2_rank1', 'ascend_pytorch_profiler_1.db'],
  ] as const) {
    itShared(
      `has the calls of CANN_API: ${folder}`,
      [`data/ascend/${folder}/ASCEND_PROFILER_OUTPUT/${file}`],
      ([path = '']) => {
        // prettier-ignore
        const database = new Database(path, { readonly: true });
        try {
          const expected = database.prepare(`
          SELECT t.name || ' ' || value AS api, count(*) AS n, sum(endNs - startNs) AS ns FROM CANN_API a
          JOIN STRING_IDS s ON s.id = a.name JOIN ENUM_API_TYPE t ON t.id = type GROUP BY api ORDER BY api`).all(); // prettier-ignore
          const calls = [...grouped(rangesOf(path))].map(([api, ranges]) => ({ api, n: ranges.length, ns: sum(ranges.map(({ dur }) => dur)) })); // prettier-ignore
          expect(calls.sort((a, b) => (a.api < b.api ? -1 : 1))).to.deep.equal(expected);
          // One a kernel and one a collective.
          const launched = [...grouped(rangesOf(path)).entries()].filter(([api]) => api.startsWith('node '));
          expect(sum(launched.flatMap(([, ranges]) => ranges.map((range) => range.launched ?? 0)))).to.equal(191);
        } finally {
          database.close();
        }
      },
    );
  }
});
