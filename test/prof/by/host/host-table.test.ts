/** What the host did by name, beside plain SQL and JSON. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { join } from 'node:path';
import { parseHostGrouping, sortedRows, type HostGrouping } from '../../../../src/prof/by/host/host-table-columns.js';
import {
  HOST_TABLES,
  HostTable,
  type HostTableKind,
  type HostTableRow,
} from '../../../../src/prof/by/host/host-table.js';
import { readProfile } from '../../../../src/parse/profile.js';
import { openInput } from '../../../../src/parse/source.js';
import type { ProfileLine, RangeRecord } from '../../../../src/record/record.js';
import { kernel } from '../../../support/kernels.js';
import {
  correlationOf,
  fileOf,
  groupBy,
  isCall,
  isKernel,
  isOp,
  opsAround,
  rawTraceOf,
  type RawEvent,
} from '../../../support/kineto.js';
import { recordsOf as databaseRecords } from '../../../support/profile-records.js';
import { itShared, ROOT } from '../../../support/shared.js';

const range = (
  kind: RangeRecord['kind'],
  text: string,
  dur: number,
  fields: Partial<RangeRecord> = {},
): RangeRecord => ({
  ...{ type: 'range', profile: 0, start: 0, dur, self: dur, pid: 1, tid: 2, domain: null, text },
  ...(kind === undefined ? {} : { kind }),
  ...fields,
});

function groupingOf(by: string): HostGrouping {
  const grouping = parseHostGrouping({ by, columns: undefined, sort: undefined, top: undefined });
  if (grouping === null) throw new Error(`${by} is no table of the host`);
  return grouping;
}

const tableOf = (by: string): HostTable => new HostTable(groupingOf(by).kind);

function rowsBy(by: string, records: Iterable<ProfileLine>): HostTableRow[] {
  const grouping = groupingOf(by);
  const table = new HostTable(grouping.kind);
  for (const record of records) table.take(record);
  return [...sortedRows(table, grouping)];
}

/** Count and time by name. */
const timesOf = (rows: readonly HostTableRow[]): unknown =>
  Object.fromEntries(rows.map(({ name, host, spread: { count } }) => [name, [count, host]]).sort());

describe('what the host did by name', () => {
  it('counts work of unknown time, whose sum is unknown', () => {
    const untimed = [kernel({ ranges: ['step'], dur: 7 }), kernel({ ranges: ['step'], dur: null })];
    const grouping = parseHostGrouping({ by: 'range', columns: 'kernels,device', sort: undefined, top: undefined });
    const table = new HostTable(HOST_TABLES['range'] as HostTableKind);
    for (const record of [range('annotation', 'step', 10), ...untimed]) table.take(record);
    const [row] = [...table.rows()];
    expect(row && grouping?.columns.map((column) => column.value(row))).to.deep.equal(['step', 2, null]);
  });

  it('counts an op within one of its own name once, by the outer one', () => {
    const op = (text: string, start: number, dur: number, self: number): RangeRecord =>
      range('op', text, dur, { start, self });
    const records = [op('aten::detach', 0, 10, 6), op('detach', 2, 4, 4), op('aten::detach', 10, 5, 5)];
    const [row] = rowsBy('hostop', [...records, range('op', 'detach', 4, { start: 2, tid: 3 })]);
    expect(row?.spread).to.include({ count: 3, total: 19 });
    expect(row?.host).to.equal(19);
    expect(row?.self).to.equal(19);
  });

  it('counts calls that PyProf describes among the ops, as their kernels name them', () => {
    const call = (op: string, dur: number, start: number): RangeRecord =>
      range('marker', `{'mod': 'torch', 'op': '${op}', 'args': []}`, dur, { start });
    const records = [
      ...[
        call('mm', 3, 0),
        call('mm', 4, 5),
        call('__getattr__', 9, 10),
        range('marker', "{'traceMarker': ['a.py:1']}", 9),
      ],
      kernel({ calls: [{ mod: 'torch', op: 'mm', args: [] }], dur: 2 }),
    ];
    const rows = rowsBy('hostop', records);
    expect(timesOf(rows)).to.deep.equal({ mm: [2, 7] });
    expect(rows[0]?.work).to.include({ count: 1, time: 2 });
  });

  it('has the times, their spread, and the device work within', () => {
    const [row, ...others] = rowsBy('range', [
      ...[10, 20, 30, 40].map((dur) => range('annotation', 'step', dur, { start: 100 * dur })),
      range('op', 'aten::mm', 5),
      kernel({ ranges: ['step', 'step'], dur: 7 }),
      kernel({ ranges: [], callerRanges: ['step'], dur: 8 }),
      kernel({ ranges: ['other'], dur: 9 }),
    ]);
    expect(others).to.deep.equal([]);
    expect(row?.spread).to.include({ count: 4, total: 100, mean: 25, median: 25, min: 10, max: 40 });
    expect(row).to.include({ name: 'step', self: 100, whole: 100 });
    expect(row?.work).to.include({ count: 2, time: 15 });
  });

  it('names ops as kernels name them, and counts the work of a nested call once', () => {
    const calls = ['linear', 'addmm', 'addmm'].map((op) => ({ mod: 'aten', op, args: [] }));
    const rows = rowsBy('hostop', [
      range('op', 'aten::linear', 9),
      range('op', 'addmm, seq = 4', 6),
      range('op', 'AddmmBackward0, seq = 4', 3),
      kernel({ calls, dur: 5 }),
      kernel({ calls: [], seqMarker: ['AddmmBackward0, seq = 4'], dur: 4 }),
    ]);
    expect(rows.map(({ name, work: { count, time } }) => [name, count, time])).to.deep.equal([
      ...[['linear', 1, 5]],
      ...[['addmm', 1, 5]],
      ...[['AddmmBackward0', 1, 4]],
    ]);
  });

  for (const by of ['range', 'hostop']) {
    it(`is of all profiles, whose threads may have the same numbers: ${by}`, () => {
      const kind = by === 'range' ? 'annotation' : 'op';
      const ranks = [0, 1].flatMap((profile) => [
        range(kind, 'a', 100, { profile }),
        range(kind, 'a', 10, { profile, start: 200 }),
      ]);
      const [row] = rowsBy(by, ranks);
      expect(row?.spread).to.include({ count: 4, total: 220 });
    });
  }

  it('is refused beyond a bound of names', () => {
    const table = tableOf('range');
    const long = 'x'.repeat(1024 * 1024);
    expect(() => {
      for (let i = 0; i < 100; i++) table.take(range('annotation', long + String(i), 1));
    }).to.throw('too many distinct CPU range names: more than 63');
  });

  it('leaves ranges of unknown times out, and counts them', () => {
    const table = tableOf('api');
    for (const dur of [NaN, 3]) table.take(range('api', 'cudaMalloc', dur));
    expect([...table.rows()].map(({ name, host }) => [name, host])).to.deep.equal([['cudaMalloc', 3]]);
    expect(table.untimed).to.equal(1);
  });
});

/** [count, ns] by name, of rows of a database; of rows of one name and thread that overlap each moment counts once. */
function bySql(path: string, sql: string, nameOf: (text: string) => string = (text) => text): unknown {
  const database = new Database(path, { readonly: true });
  try {
    const sums: Record<string, [number, number]> = {};
    const ends = new Map<string, number>();
    for (const [text, tid, from, to] of database.prepare(sql).raw().all() as [string, number, number, number][]) {
      const name = nameOf(text);
      const before = ends.get(`${tid} ${name}`) ?? 0;
      const sum = (sums[name] ??= [0, 0]);
      sum[0]++;
      sum[1] += Math.max(0, to - Math.max(from, before));
      ends.set(`${tid} ${name}`, Math.max(before, to));
    }
    return Object.fromEntries(Object.entries(sums).sort());
  } finally {
    database.close();
  }
}

const RUNTIME =
  'SELECT s.value, c.globalTid % 1000000000, c.start, c.end FROM CUPTI_ACTIVITY_KIND_RUNTIME c ' +
  'JOIN StringIds s ON s.id = c.nameId ORDER BY c.start';
const RANGES =
  'SELECT coalesce(n.text, s.value), n.globalTid % 1000000000, n.start, n.end FROM NVTX_EVENTS n ' +
  'LEFT JOIN StringIds s ON s.id = n.textId WHERE n.eventType IN (59, 60) ORDER BY n.start';
/** CUDA writes the version of its interface behind a function's name. */
const withoutVersion = (name: string): string => name.replace(/(?:_v\d+)+$/, '');

const NSIGHT = ['nvfuser_h200', 'saxpy_double_runtime_rows', 'rtx3080_with_target_info', 'cuda_graph_rtx3060'];

describe('what the host did by name, on real profiles', () => {
  it("has the calls of a sample's rows", () => {
    const path = join(ROOT, 'samples/lenet.nsys.sqlite');
    const rows = rowsBy('api', databaseRecords(path, { ranges: true }));
    expect(timesOf(rows)).to.deep.equal(bySql(path, RUNTIME, withoutVersion));
  });

  for (const name of NSIGHT) {
    itShared(`has the calls of the rows: ${name}`, [`data/nsys/${name}.sqlite`], ([path = '']) => {
      const isOfSystem = (record: ProfileLine): boolean => record.type === 'range' && record.domain === 'OSRT';
      const rows = rowsBy(
        'api',
        databaseRecords(path, { ranges: true }).filter((record) => !isOfSystem(record)),
      );
      expect(timesOf(rows)).to.deep.equal(bySql(path, RUNTIME, withoutVersion));
    });
  }

  itShared('has the annotations of the rows', ['data/nsys/nvtx_only.sqlite'], ([path = '']) => {
    const ours = timesOf(rowsBy('range', databaseRecords(path, { ranges: true }))) as Record<string, unknown>;
    const theirs = bySql(path, RANGES) as Record<string, unknown>;
    // Ranges of a domain have its name in front.
    const names = Object.keys(ours).filter((name) => !name.includes(':'));
    expect(names.length).to.be.above(0);
    for (const name of names) expect(ours[name], name).to.deep.equal(theirs[name]);
  });

  for (const trace of ['h100_bert_small', 'a100_alexnet_seq', 'mi300_bert_small', 'h100_vit'] as const) {
    const what = `has the calls and ops of the events, and what was launched in them: ${trace}`;
    itShared(what, [fileOf(trace)], async ([path = '']) => {
      const source = await openInput(path);
      const records = [...readProfile(source.path, { profile: 0, ranges: true })];
      source.dispose();
      const raw = rawTraceOf(trace);
      expect(countsOf(rowsBy('api', records))).to.deep.equal(countsOfEvents(raw.traceEvents.filter(isCall)));
      const rows = rowsBy('hostop', records);
      expect(countsOf(rows)).to.deep.equal(
        countsOfEvents(raw.traceEvents.filter((event) => isOp(event) && !isRecordedTwice(event))),
      );
      const launched = new Map<string, number>();
      const around = opsAround(raw);
      const calls = groupBy([...around.keys()], correlationOf);
      for (const kernelEvent of raw.traceEvents.filter(isKernel)) {
        const [call] = calls.get(correlationOf(kernelEvent)) ?? [];
        const open = (op: RawEvent): boolean => call !== undefined && op.ts + (op.dur ?? 0) >= call.ts;
        const ops = call === undefined ? [] : (around.get(call) ?? []).filter(open);
        const names = ops.map(({ name }) => nameOf(name));
        for (const name of new Set(names)) launched.set(name, (launched.get(name) ?? 0) + 1);
      }
      const withWork = rows.filter(({ work }) => work.count > 0).map(({ name, work }) => [name, work.count]);
      expect(withWork.sort()).to.deep.equal([...launched].sort());
    });
  }
});

/** Autograd's `detach` within each `aten::detach`. */
const isRecordedTwice = ({ name }: RawEvent): boolean => name === 'detach' || name === 'detach_';

/** Ops without the dispatcher's module. */
const nameOf = (name: string): string => name.replace(/^(?!autograd::engine::)\w+::/, '');
const countsOf = (rows: readonly HostTableRow[]): unknown =>
  Object.fromEntries(rows.map(({ name, spread }) => [name, spread.count]).sort());
const countsOfEvents = (events: readonly RawEvent[]): unknown =>
  Object.fromEntries([...groupBy(events, ({ name }) => nameOf(name))].map(([name, of]) => [name, of.length]).sort());
