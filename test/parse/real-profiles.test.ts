import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { KernelRecord, ProfileLine } from '../../src/record/record.js';
import { ofType } from '../support/kineto.js';
import { recordsOf } from '../support/profile-records.js';
import { itShared } from '../support/shared.js';

interface Real {
  readonly file: string;
  readonly kernels: number;
  /** Kernels whose launch is not in the profile. */
  readonly orphans?: number;
  readonly graphs?: number;
}

const REAL: readonly Real[] = [
  { file: 'nsys/vsr_a100_pyprof.sqlite', kernels: 328 },
  { file: 'nsys/fsdp_2proc.sqlite', kernels: 4010, orphans: 24 },
  { file: 'nsys/h100_2gpu_orphans.sqlite', kernels: 3442, orphans: 1810 },
  { file: 'nsys/rtx3080_with_target_info.sqlite', kernels: 2 },
  { file: 'nsys/cuda_graph_rtx3060.sqlite', kernels: 3, graphs: 2 },
  { file: 'nsys/saxpy_double_runtime_rows.sqlite', kernels: 5 },
  { file: 'nsys/nvfuser_h200.sqlite', kernels: 18 },
  { file: 'nsys/many_kernels_no_nvtx.sqlite', kernels: 9359 },
  { file: 'nsys/schema_2021.sqlite', kernels: 12 },
  { file: 'nsys/nvtx_only.sqlite', kernels: 0 },
  { file: 'nsys/no_event_tables.sqlite', kernels: 0 },
  { file: 'nvprof/lm_v100.net.sql', kernels: 160 },
  { file: 'nvprof/empty_capture.net.sql', kernels: 0 },
  { file: 'nvprof/nccl_8v100.nvvp', kernels: 24 },
];

const CUPTI = 'CUPTI_ACTIVITY_KIND_';
/** Tables of each kind of record, of both formats. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  kernel: ['KERNEL', 'CONCURRENT_KERNEL'],
  copy: ['MEMCPY', 'MEMCPY2'],
  set: ['MEMSET'],
  sync: ['SYNCHRONIZATION'],
  graph: ['GRAPH_TRACE'],
};

function withDatabase<T>(path: string, body: (one: (sql: string) => bigint, has: (table: string) => boolean) => T): T {
  const db = new Database(path, { readonly: true });
  try {
    const has = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").pluck();
    return body(
      (sql) => db.prepare<[], bigint | null>(sql).safeIntegers().pluck().get() ?? 0n,
      (table) => has.get(table) !== undefined,
    );
  } finally {
    db.close();
  }
}

/** Sum of a value over all tables of a kind. */
function total(path: string, kind: string, value: string): number {
  return withDatabase(path, (one, has) => {
    const tables = (TABLES[kind] ?? []).map((table) => CUPTI + table).filter(has);
    return Number(tables.reduce((sum, table) => sum + one(`SELECT ${value} FROM ${table}`), 0n));
  });
}

describe('real profiles', () => {
  for (const { file, kernels, orphans = 0, graphs = 0 } of REAL) {
    itShared(`${file}: every activity once, as SQL counts them`, [`data/${file}`], ([path = '']) => {
      const records = recordsOf(path);
      expect(ofType(records, 'kernel')).to.have.length(kernels);
      expect(ofType(records, 'graph')).to.have.length(graphs);
      for (const kind of ['kernel', 'copy', 'set', 'sync', 'graph'] as const) {
        const found = ofType(records, kind);
        expect(found, kind).to.have.length(total(path, kind, 'count(*)'));
        const busy = found.reduce((sum, { dur }) => sum + (dur ?? NaN), 0);
        expect(busy, kind).to.equal(total(path, kind, 'sum(end - start)'));
      }
      for (const kind of ['copy', 'set'] as const) {
        const bytes = ofType(records, kind).reduce((sum, record) => sum + (record.bytes ?? NaN), 0);
        expect(bytes, kind).to.equal(total(path, kind, 'sum(bytes)'));
      }
      const found = ofType(records, 'kernel');
      expect(found.filter(({ launch }) => launch === null)).to.have.length(orphans);
      expect(ofType(records, 'end')[0]?.diagnostics['kernel-without-launch'] ?? 0).to.equal(orphans);
    });

    itShared(`${file}: lines are in order and numbered`, [`data/${file}`], ([path = '']) => {
      const records = recordsOf(path, { profile: 3 });
      expect(records[0]).to.include({ type: 'profile', v: 1, profile: 3 });
      expect(records.at(-1)?.type).to.equal('end');
      expect(new Set(records.map(({ profile }) => profile))).to.deep.equal(new Set([3]));
      const activities = records.slice(1, -1) as KernelRecord[];
      // Samples of the whole profile have no start and come first.
      const starts = activities.map(({ start }: { readonly start: number | null }) => start ?? -Infinity);
      starts.forEach((start, i) => expect(start).to.be.at.least(starts[i - 1] ?? -Infinity));
      const found = ofType(records, 'kernel');
      expect(found.map(({ id }) => id)).to.deep.equal(found.map((_, i) => i + 1));
      for (const { name, short } of found) {
        expect(name).not.to.equal('');
        expect(short.length).to.be.within(1, name.length);
      }
    });
  }

  itShared('launches of two processes are those of an SQL join on process and correlation id', ['data/nsys/fsdp_2proc.sqlite'], ([path = '']) => {
    const sql = `SELECT k.start AS start, k.correlationId AS corr, (k.globalPid >> 24) & 0xFFFFFF AS pid,
        r.globalTid & 0xFFFFFF AS tid, r.start AS launched, r.end - r.start AS dur, s.value AS api
      FROM CUPTI_ACTIVITY_KIND_KERNEL k
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
      JOIN StringIds s ON s.id = r.nameId ORDER BY 1, 2, 3`;
    const db = new Database(path, { readonly: true });
    const joined = db.prepare<[], Record<string, number | string>>(sql).all();
    db.close();
    const ours = ofType(recordsOf(path), 'kernel')
      .filter(({ launch }) => launch !== null)
      .map(({ start, corr, pid, tid, launch }) => ({ start, corr, pid, tid, launched: launch?.start, dur: launch?.dur, api: launch?.api })) // prettier-ignore
      .sort((a, b) => a.start - b.start || (a.corr ?? 0) - (b.corr ?? 0) || (a.pid ?? 0) - (b.pid ?? 0));
    expect(ours).to.deep.equal(joined.map((row) => ({ ...row, api: String(row['api']).replace(/_v\d+$/, '') })));
    expect(joined).to.have.length(4010 - 24);
    expect(new Set(ours.map(({ pid }) => pid)).size).to.equal(2);
  }); // prettier-ignore

  itShared('kernels inside PyProf markers have their call, stack and module', ['data/nsys/vsr_a100_pyprof.sqlite'], ([path = '']) => {
    const kernels = ofType(recordsOf(path), 'kernel');
    const called = kernels.filter(({ calls }) => calls.length > 0);
    // Counted by SQL over the ranges around each launch: markers of ops, not of look-ups of names.
    const sql = `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
      WHERE EXISTS (SELECT 1 FROM NVTX_EVENTS n WHERE n.globalTid = r.globalTid AND n.start <= r.start
        AND n.end >= r.end AND n.text LIKE '{''mod''%' AND n.text NOT LIKE '%__getattr__%')`;
    expect(called).to.have.length(Number(withDatabase(path, (one) => one(sql))));
    expect(called).to.have.length(148);
    for (const { calls, op, mod, dir } of called) {
      expect(dir).to.equal('fprop');
      expect(op).to.deep.equal(calls.map((call) => call.op));
      expect(mod).to.deep.equal(calls.map((call) => call.mod));
    }
  }); // prettier-ignore

  itShared('a call recorded by runtime and driver is one launch', ['data/nsys/saxpy_double_runtime_rows.sqlite'], ([path = '']) => {
    const records = recordsOf(path);
    const doubled = withDatabase(path, (one) =>
      one(`SELECT sum(n - 1) FROM (SELECT count(*) AS n FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId > 0
        GROUP BY correlationId, globalTid >> 24)`),
    );
    expect(ofType(records, 'end')[0]?.diagnostics['duplicate-launch-row']).to.equal(Number(doubled));
    for (const { launch } of ofType(records, 'kernel')) expect(launch?.api).to.match(/^cuda/);
  }); // prettier-ignore
});

describe('profile lines of real profiles', () => {
  const header = (path: string): ProfileLine | undefined => recordsOf(path)[0];

  itShared('Nsight Systems with a device record', ['data/nsys/rtx3080_with_target_info.sqlite'], ([path = '']) => {
    expect(header(path)).to.deep.include({
      format: 'nsight',
      file: 'rtx3080_with_target_info.sqlite',
      tool: 'Nsight Systems 2026.1.1.204',
      startUnixNs: '1776781226557295056',
    });
    expect(header(path)).to.have.deep.property('devices', [
      {
        id: 0,
        vendor: 'nvidia',
        name: 'NVIDIA GeForce RTX 3080',
        arch: 'sm86',
        units: 68,
        clockHz: 1_710_000_000,
        memBytesPerS: 760_080_000_000,
        memBytes: 10_736_893_952,
      },
    ]);
  });

  itShared('nvprof: a V100, clock and bandwidth from thousands', ['data/nvprof/lm_v100.net.sql'], ([path = '']) => {
    const start = withDatabase(path, (one) =>
      [
        one('SELECT min(start) FROM CUPTI_ACTIVITY_KIND_RUNTIME'),
        one('SELECT min(start) FROM CUPTI_ACTIVITY_KIND_DRIVER WHERE start > 0'),
        one('SELECT min(timestamp) FROM CUPTI_ACTIVITY_KIND_MARKER'),
      ]
        .filter((time) => time > 0n)
        .reduce((a, b) => (a < b ? a : b)),
    );
    expect(header(path)).to.deep.include({ format: 'nvprof', startUnixNs: String(start) });
    expect(header(path)).to.have.nested.property('devices[0].arch', 'sm70');
    expect(header(path)).to.have.nested.property('devices[0].units', 80);
  });

  itShared('files without device records still name the devices used', ['data/nsys/h100_2gpu_orphans.sqlite'], ([path = '']) => {
    expect(header(path)).to.have.nested.property('devices.length', 2);
    expect(header(path)).to.have.nested.property('devices[1].name', null);
  }); // prettier-ignore
});
