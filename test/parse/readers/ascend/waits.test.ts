/** How long kernels waited: `Wait Time(us)` of kernel_details.csv, and the same rule where a database lacks it. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Activities } from '../../../../src/parse/trace/trace-columns.js';
import { waitTimes } from '../../../../src/parse/readers/ascend/database/database-trace.js';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import { kernelsOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

type Row = Readonly<Record<string, string>>;
const nsOf = (us: string | undefined): number => Math.round(Number(us) * 1000);
const isKernel = (row: Row): boolean => !/HCCL|COMMUNICATION/.test(row['Accelerator Core'] ?? '');
const detailsIn = (folder: string): Row[] =>
  parse(readFileSync(join(folder, 'kernel_details.csv')), { columns: true, bom: true });

const waitsOf = (path: string): (number | undefined)[] =>
  recordsOf(path).flatMap((one) => (one.type === 'kernel' ? [completeKernel(one).counters?.['waitNs']] : []));

const TEXTS = [
  ['text_level1_rank0', 'trace_view.json'],
  ['text_level1_rank1', 'trace_view.json'],
  ['text_qwen_level2_rank0', 'kernel_details.csv'],
] as const;
const DATABASES = [
  ['db_level0_rank0', 'ascend_pytorch_profiler_0.db'],
  ['db_level1_rank1', 'ascend_pytorch_profiler_1.db'],
  ['db_level2_rank1', 'ascend_pytorch_profiler_1.db'],
] as const;

/** From the end of the kernel or collective whose start is the latest before. */
const SQL = `
  WITH work AS (
    SELECT startNs, endNs, 1 AS isKernel FROM COMPUTE_TASK_INFO JOIN TASK USING (globalTaskId)
    UNION ALL SELECT startNs, endNs, 0 FROM COMMUNICATION_OP)
  SELECT wait FROM (SELECT *, max(0, startNs - lag(endNs) OVER (ORDER BY startNs)) AS wait FROM work)
  WHERE isKernel = 1 ORDER BY startNs`;

describe('Ascend waits', () => {
  for (const [folder, file] of TEXTS) {
    const name = `data/ascend/${folder}/ASCEND_PROFILER_OUTPUT`;
    itShared(`are those of kernel_details.csv: ${folder}`, [name], ([path = '']) => {
      const expected = detailsIn(path).filter(isKernel).map((row) => nsOf(row['Wait Time(us)'])); // prettier-ignore
      expect(waitsOf(join(path, file))).to.deep.equal(expected);
    });
  }

  for (const [folder] of TEXTS.slice(0, 2)) {
    const name = `data/ascend/${folder}/ASCEND_PROFILER_OUTPUT`;
    itShared(`follow the rule by which the profiler has them: ${folder}`, [name], ([path = '']) => {
      const rows = detailsIn(path);
      const activities = new Activities();
      const [origin] = rows.map((row) => BigInt((row['Start Time(us)'] ?? '').trim().replace('.', '')));
      for (const row of rows) {
        const start = Number(BigInt((row['Start Time(us)'] ?? '').trim().replace('.', '')) - (origin ?? 0n));
        const end = start + nsOf(row['Duration(us)']);
        const cells = { start, end, device: 0, stream: 2, process: 0, corr: NaN, node: NaN };
        if (isKernel(row)) activities.addKernel(cells, 0, NaN);
        else activities.addCollective(cells);
      }
      const [first, ...waits] = waitTimes(activities);
      expect(first).to.deep.equal(NaN);
      // Starts and durations of the file are cut off to nanoseconds.
      const off = waits.map((wait, i) => Math.abs(wait - nsOf(rows[i + 1]?.['Wait Time(us)'])));
      expect(off).to.have.length(190);
      expect(Math.max(...off)).to.be.at.most(1);
    });
  }

  for (const [folder, file] of DATABASES) {
    itShared(
      `follow it in databases: ${folder}`,
      [`data/ascend/${folder}/ASCEND_PROFILER_OUTPUT/${file}`],
      ([path = '']) => {
        // prettier-ignore
        const database = new Database(path, { readonly: true });
        try {
          const expected = (database.prepare(SQL).all() as { wait: number | null }[]).map(({ wait }) => wait ?? undefined); // prettier-ignore
          expect(expected).to.have.length(187);
          expect(kernelsOf(path).map(({ counters }) => counters?.['waitNs'])).to.deep.equal(expected);
        } finally {
          database.close();
        }
      },
    );
  }
});
