import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { copyFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { READERS } from '../../src/parse/registry.js';
import { encodeLine } from '../../src/record/jsonl.js';
import { globalPid, globalTid, NsightDatabase } from '../support/nsight-database.js';
import { NvprofDatabase, threadObject } from '../support/nvprof-database.js';
import { freshPath } from '../support/fresh-path.js';
import type { Cells, ProfileDatabase } from '../support/profile-database.js';
import { recordsOf } from '../support/profile-records.js';
import { databaseSamples } from '../support/samples-by-format.js';
import { itEachShared } from '../support/shared.js';
import { propertyRuns } from '../support/property-runs.js';

/** Of markers, of graphs, with two calls a correlation id and samples of the CPU, of an old version, and of nvprof. */
const SAMPLED = [
  'nsys/vsr_a100_pyprof.sqlite',
  'nsys/cuda_graph_rtx3060.sqlite',
  'nsys/saxpy_double_runtime_rows.sqlite',
  'nsys/schema_2021.sqlite',
  'nsys/no_event_tables.sqlite',
  'nvprof/lm_v100.net.sql',
  'nvprof/nccl_8v100.nvvp',
];
const OTHERS = [
  'nsys/fsdp_2proc.sqlite',
  'nsys/h100_2gpu_orphans.sqlite',
  'nsys/rtx3080_with_target_info.sqlite',
  'nsys/nvfuser_h200.sqlite',
  'nsys/many_kernels_no_nvtx.sqlite',
  'nsys/nvtx_only.sqlite',
  'nvprof/empty_capture.net.sql',
  'pyprof/nsys_1000.sqlite',
  'pyprof/nvprof_1000.sql',
];
const inData = (files: readonly string[]): string[] => files.map((file) => `data/${file}`);

const ORDERS: Readonly<Record<string, string>> = {
  reversed: 'rowid DESC',
  shuffled: '(rowid * 2654435761 + 12345) % 1000003, rowid',
};

/** A copy with the rows of every table in another order. Tables keyed by other tables' references keep their ids. */
function reordered(path: string, order: string): string {
  const copy = freshPath();
  copyFileSync(path, copy);
  const db = new Database(copy);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  // Old exports declare foreign keys to tables that are not there.
  db.pragma('foreign_keys = OFF');
  db.pragma('legacy_alter_table = ON');
  db.exec('BEGIN');
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'ENUM_%'")
    .all() as { name: string; sql: string }[]; // prettier-ignore
  for (const { name, sql } of tables) {
    const columns = db.prepare(`PRAGMA table_info("${name}")`).all() as { name: string; pk: number }[];
    const isReferredTo = name.startsWith('String') || columns.some((column) => column.pk > 0 && column.name !== '_id_');
    if (isReferredTo) continue;
    // Row ids follow the new order: nothing refers to them.
    const list = columns.filter((column) => column.name !== '_id_').map((column) => `"${column.name}"`).join(); // prettier-ignore
    db.exec(`ALTER TABLE "${name}" RENAME TO old; ${sql};
      INSERT INTO "${name}" (${list}) SELECT ${list} FROM old ORDER BY ${order}; DROP TABLE old`);
  }
  db.exec('COMMIT');
  db.close();
  return copy;
}

/** A copy with the rows of every table in another order, and without keys: numbers of rows follow the new order. */
function withoutKeys(path: string, order: string): string {
  const copy = freshPath();
  copyFileSync(path, copy);
  const db = new Database(copy);
  db.pragma('journal_mode = OFF');
  db.pragma('legacy_alter_table = ON');
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all() as string[]; // prettier-ignore
  for (const name of tables) {
    db.exec(`ALTER TABLE "${name}" RENAME TO old;
      CREATE TABLE "${name}" AS SELECT * FROM old ORDER BY ${order}; DROP TABLE old`);
  }
  db.close();
  return copy;
}

const bytes = (path: string): string => recordsOf(path, { name: 'net.sqlite', ranges: true }).map(encodeLine).join('');

describe('the order of rows changes no record', () => {
  itEachShared(
    inData(SAMPLED),
    inData(OTHERS),
    (file) => `${file.replace('data/', '')}, ${Object.keys(ORDERS).join(', ')}`,
    (path) => {
      const expected = bytes(path);
      for (const [how, order] of Object.entries(ORDERS)) {
        const copy = reordered(path, order);
        expect(bytes(copy) === expected, how).to.equal(true);
        rmSync(copy);
      }
    },
  );

  for (const path of databaseSamples(READERS)) {
    it(`samples/${basename(path)}, without keys, ${Object.keys(ORDERS).join(', ')}`, () => {
      const expected = bytes(path);
      for (const [how, order] of Object.entries(ORDERS)) expect(bytes(withoutKeys(path, order)) === expected, how).to.equal(true); // prettier-ignore
    });
  }

  // Few values for every cell make rows that agree in many of them frequent.
  const time = fc.integer({ min: 1, max: 12 });
  const small = fc.integer({ min: 1, max: 4 });
  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 5 });
  const text = fc.constantFrom('layer:a', 'mm, seq = 1', 'aten::mm, seq = 2, op_id = 7', 'AddmmBackward0, seq = 1', 'x', 'y'); // prettier-ignore
  const machine = fc.constantFrom(1n << 48n, 2n << 48n, 1n << 56n);
  const process = fc.tuple(fc.constantFrom(10, 11), machine);
  const node = maybe(fc.constantFrom(5n, 6n));

  const span = fc.tuple(time, fc.nat({ max: 5 })).map(([start, dur]) => ({ start, end: start + dur }));
  const place = fc
    .record({ span, corr: maybe(small), device: fc.nat({ max: 1 }), stream: maybe(fc.constantFrom(7, 13)), process })
    .map(({ span: { start, end }, corr, device, stream, process: [pid, hardware] }) => ({
      ...{ start, end, correlationId: corr, deviceId: device, streamId: stream, globalPid: globalPid(pid, hardware) },
    }));
  const call = fc
    .record({ span, corr: maybe(small), tid: small, process, api: small, eventClass: fc.nat({ max: 1 }) })
    .map(({ span: { start, end }, corr, tid, process: [pid, hardware], api, eventClass }) => ({
      ...{ start, end, correlationId: corr, globalTid: globalTid(tid, pid, hardware), nameId: api, eventClass },
    }));
  const range = fc
    .record({ span, open: fc.nat({ max: 9 }), tid: small, process, text, domain: fc.nat({ max: 1 }) })
    .map(({ span: { start, end }, open, tid, process: [pid, hardware], text: own, domain }) => ({
      ...{ start, end: open === 0 ? null : end, eventType: 59, globalTid: globalTid(tid, pid, hardware), text: own },
      domainId: domain,
    }));
  const rows = {
    CUPTI_ACTIVITY_KIND_KERNEL: fc.record({ place, demangledName: small, gridX: small, graphNodeId: node, graphId: maybe(small) }),
    CUPTI_ACTIVITY_KIND_MEMCPY: fc.record({ place, bytes: small, copyKind: small, graphNodeId: node }),
    CUPTI_ACTIVITY_KIND_MEMSET: fc.record({ place, bytes: small, value: fc.nat({ max: 1 }) }),
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: fc.record({ place, syncType: small }),
    CUPTI_ACTIVITY_KIND_GRAPH_TRACE: fc.record({ place, graphId: small, graphExecId: small }),
    CUPTI_ACTIVITY_KIND_RUNTIME: call,
    NVTX_EVENTS: range,
  }; // prettier-ignore
  const tables = fc.record(
    Object.fromEntries(Object.entries(rows).map(([table, row]) => [table, fc.array(row as fc.Arbitrary<object>, { maxLength: 12 })])),
  ); // prettier-ignore

  const flat = (row: object): Cells => ('place' in row ? { ...(row.place as Cells), ...row, place: null } : { ...row });

  function build(database: ProfileDatabase, content: Readonly<Record<string, object[]>>, turned: boolean): string {
    for (const name of ['k1', 'k2', 'k3', 'k4']) database.string(name);
    for (const [table, list] of Object.entries(content)) for (const row of list) database.row(table, flat(row));
    return database.reordered((list) => (turned ? [...list].reverse() : list)).write();
  }

  it('of any Nsight Systems database', () => {
    fc.assert(
      fc.property(tables, (content) => {
        const paths = [false, true].map((turned) => build(new NsightDatabase(), content, turned));
        const [one, other] = paths.map(bytes);
        for (const path of paths) rmSync(path);
        expect(other).to.equal(one);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('of any nvprof database', () => {
    const tid = fc.constantFrom(100, 0xeadc3740);
    const event = fc.record({ span, corr: small, kind: fc.constantFrom('KERNEL', 'CONCURRENT_KERNEL'), stream: small });
    const calls = fc.record({ span, corr: small, tid, kind: fc.constantFrom('RUNTIME', 'DRIVER') });
    const markers = fc.record({ span, tid, text, open: fc.nat({ max: 9 }) });
    fc.assert(
      fc.property(fc.array(event), fc.array(calls), fc.array(markers), (events, launches, ranges) => {
        const [one, other] = [false, true].map((turned) => {
          const db = new NvprofDatabase();
          for (const { span: { start, end }, corr, kind, stream } of events) db.kernel(start, end, corr, { table: `CUPTI_ACTIVITY_KIND_${kind}`, streamId: stream });
          for (const { span: { start, end }, corr, kind, tid: thread } of launches) db.call(start, end, corr, { table: `CUPTI_ACTIVITY_KIND_${kind}`, threadId: thread | 0 });
          for (const { span: { start, end }, text: own, tid: thread, open } of ranges) db.range(own, start, open === 0 ? null : end, { objectId: threadObject(thread) });
          const path = db.reordered((list) => (turned ? [...list].reverse() : list)).write();
          const written = bytes(path);
          rmSync(path);
          return written;
        }); // prettier-ignore
        expect(other).to.equal(one);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});
