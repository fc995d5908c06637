/** Overviews of Nsight Systems databases against plain SQL. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readProfile } from '../../../src/parse/profile.js';
import type { CpuSummary } from '../../../src/prof/summary/summary-data.js';
import { overviewOf } from '../../support/overviews.js';
import { itShared } from '../../support/shared.js';

const CAPTURES = ['vsr_a100_pyprof', 'rtx3080_with_target_info', 'h100_2gpu_orphans', 'nvfuser_h200', 'fsdp_2proc', 'many_kernels_no_nvtx', 'saxpy_double_runtime_rows', 'schema_2021'] as const; // prettier-ignore

type Row = readonly [name: string, count: number, time: number];

/** Of CUPTI's copy kinds, those that captures here have. */
const COPY_KINDS: Readonly<Record<number, string>> = { 1: 'HtoD', 2: 'DtoH', 8: 'DtoD', 10: 'PtoP' };

class Tables {
  readonly #db: Database.Database;
  readonly #names: ReadonlySet<string>;

  constructor(path: string) {
    this.#db = new Database(path, { readonly: true });
    const rows = this.#db.prepare<[], { name: string }>('SELECT name FROM sqlite_master').all();
    this.#names = new Set(rows.map(({ name }) => name));
  }

  /** Count and summed length of a table's rows, by a key; nothing of a table that is not there. */
  sums(table: string, key: string, join = ''): Row[] {
    if (!this.#names.has(table)) return [];
    const sql = `SELECT ${key} AS name, count(*) AS count, sum("end" - start) AS time FROM ${table} ${join} GROUP BY 1`;
    const rows = this.#db.prepare<[], { name: string | number; count: number; time: number }>(sql).all();
    return rows.map(({ name, count, time }) => [String(name), count, time] as const);
  }

  close(): void {
    this.#db.close();
  }
}

const inOrder = (rows: readonly Row[]): Row[] => rows.toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('overview of Nsight Systems databases', () => {
  for (const capture of CAPTURES) {
    itShared(capture, [`data/nsys/${capture}.sqlite`], ([path = '']) => {
      const overview = overviewOf(readProfile(path, { profile: 0, name: capture }));
      const tables = new Tables(path);
      const byDevice = tables.sums('CUPTI_ACTIVITY_KIND_KERNEL', 'deviceId');
      const devices = overview.devices.filter(({ kernelSum }) => kernelSum > 0);
      expect(devices.map(({ device, counts, kernelSum }) => [String(device), counts.kernels + counts.communications, kernelSum])).to.deep.equal(byDevice); // prettier-ignore
      const total = byDevice.reduce((sum, [, , time]) => sum + time, 0);
      expect(overview.kernels?.time ?? 0).to.equal(total);

      const copies = tables.sums('CUPTI_ACTIVITY_KIND_MEMCPY', 'copyKind').map(([kind, ...rest]) => [COPY_KINDS[Number(kind)] ?? kind, ...rest] as const); // prettier-ignore
      const sets = tables.sums('CUPTI_ACTIVITY_KIND_MEMSET', "'set'");
      const operations = overview.memory.map(({ kind, count, time }) => [kind, count, time ?? 0] as const);
      expect(inOrder(operations)).to.deep.equal(inOrder([...copies, ...sets]));
      tables.close();
    });
  }

  const SCHEDULED = ['nvfuser_h200', 'many_kernels_no_nvtx', 'saxpy_double_runtime_rows'] as const;
  for (const capture of SCHEDULED) {
    itShared(`cores and processes of ${capture}`, [`data/nsys/${capture}.sqlite`], ([path = '']) => {
      const { cpu } = overviewOf(readProfile(path, { profile: 0, name: capture }));
      const db = new Database(path, { readonly: true });
      // Each thread is put onto a core and off it in turn in these files: ends less starts.
      const sums = (key: string): unknown[] =>
        db
          .prepare(
            `SELECT ${key} AS id, sum(CASE isSchedIn WHEN 0 THEN start ELSE -start END) AS time,
              sum(isSchedIn) AS switches FROM SCHED_EVENTS GROUP BY 1 ORDER BY 2 DESC, 1`,
          )
          .all();
      const bare = (tallies: CpuSummary['cores'] = []): unknown[] =>
        tallies.map(({ id, time, switches }) => ({ id, time, switches }));
      expect(bare(cpu?.cores)).to.deep.equal(sums('cpu'));
      expect(bare(cpu?.processes)).to.deep.equal(sums('((globalTid >> 24) & 0xFFFFFF)'));
      const traced = db.prepare('SELECT max(start) - min(start) FROM SCHED_EVENTS').pluck().get();
      expect(cpu?.traced).to.equal(traced);
      const hasSamples = capture !== 'nvfuser_h200';
      const samples = hasSamples ? db.prepare('SELECT count(*) FROM COMPOSITE_EVENTS').pluck().get() : null;
      expect(cpu?.samples).to.equal(samples);
      db.close();
    });
  }
});
