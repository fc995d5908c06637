/** Conditions of the timeline's search are those of `dprof --where`: the same one finds the same kernels. */
import { expect } from 'chai';
import { join } from 'node:path';
import { openSource } from '../../../../src/sources/sources.js';
import { loadEvents, type TimelineEvents } from '../../../../src/page/timeline/events/events.js';
import { ELSEWHERE, insteadOf, CONDITION_KEYS } from '../../../../src/page/timeline/model/condition-columns.js';
import { search } from '../../../../src/page/timeline/model/search.js';
import type { Annotated } from '../../../../src/prof/annotate.js';
import { COLUMNS } from '../../../../src/prof/columns/columns.js';
import { PAGE_TYPES } from '../../../../src/prof/html/page-builder.js';
import { parseWhere } from '../../../../src/prof/query/kernel-query.js';
import { Annotator } from '../../../../src/prof/report/report.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { isNumeric } from '../../../../src/table/column.js';
import { pageContentsOf, pieceOf } from '../../../support/pages.js';
import { itEachShared, ROOT } from '../../../support/shared.js';
import { eventsOf } from '../fixture.js';

async function recordsOf(path: string): Promise<ProfileLine[]> {
  const { batches, close } = await openSource(path, {}, { types: PAGE_TYPES });
  const records: ProfileLine[] = [];
  for await (const batch of batches) records.push(...batch);
  close();
  return records;
}

async function wholeOf(records: readonly ProfileLine[]): Promise<TimelineEvents> {
  const { parts } = pageContentsOf(records);
  const whole = pieceOf(parts, 0, 0);
  if (whole === null) throw new Error('no timeline');
  const events = await loadEvents(whole);
  expect(events.merged).to.equal(null);
  return events;
}

function rowsOf(records: readonly ProfileLine[]): Annotated[] {
  const annotator = new Annotator();
  const rows = records.flatMap((record) => [...annotator.take(record)]);
  return [...rows, ...annotator.rest()].filter(({ record: { start, dur } }) => Number.isFinite(start + (dur ?? NaN)));
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** In a timeline the group of lanes, such as a device; a collective's process group is not among its events. */
const OTHER_MEANING = 'group';

/** Some conditions on each column that both know: of values that rows have, and of unknown ones. */
function conditionsOn(rows: readonly Annotated[]): string[] {
  const shared = COLUMNS.filter(({ key }) => CONDITION_KEYS.includes(key) && key !== OTHER_MEANING);
  return shared.flatMap((column) => {
    const { key } = column;
    const values = [0.1, 0.5, 0.9].map((part) => rows[Math.floor(part * rows.length)]);
    const known = values.flatMap((row) => (row === undefined ? [] : [column.value(row)])).filter((one) => one !== null);
    const entries = known.map((value) => (typeof value === 'object' ? (value[0] ?? '') : value));
    const isNumber = isNumeric(column);
    return [
      `${key}==na`,
      `${key}!=0`,
      ...entries.flatMap((entry) => {
        const value = quoted(String(entry));
        const signs = isNumber ? ['==', '!=', '>', '<='] : ['==', '!=', '~', '!~'];
        return signs.map((sign) => `${key}${sign}${isNumber ? String(entry) : value}`);
      }),
    ];
  });
}

const MIXED = [
  'op==mm && tflops<50',
  'kernel=~*gemm* || op~conv',
  'dir==bprop && sil>10000',
  '(tc==1 || tc==0) && gbps>100 && stream!=na',
  'sil>5000, bound==memory',
  'rank==na && step==na && seq!=na',
];

function expectSame(events: TimelineEvents, rows: readonly Annotated[], condition: string): void {
  const wanted = rows.filter(parseWhere(condition)).map(({ record }) => record.id);
  const { list, problem } = search(events, condition) ?? expect.fail(condition);
  const found = [...list].map((event) => events.id[event] ?? 0).filter((id) => id > 0);
  const only = (ids: readonly number[], others: readonly number[]): number[] => {
    const known = new Set(others);
    return ids.filter((id) => !known.has(id)).slice(0, 5);
  };
  const differences = { problem, missed: only(wanted, found), more: only(found, wanted) };
  expect(differences, condition).to.deep.equal({ problem: null, missed: [], more: [] });
}

async function expectSameKernels(path: string): Promise<void> {
  const records = await recordsOf(path);
  const [events, rows] = [await wholeOf(records), rowsOf(records)];
  for (const condition of [...conditionsOn(rows), ...MIXED]) expectSame(events, rows, condition);
}

describe('conditions of a search', () => {
  it('find the kernels that dprof --where finds: a sample', async () => {
    await expectSameKernels(join(ROOT, 'samples', 'lenet.pt.trace.json.gz'));
  });

  itEachShared(
    ['data/kineto/mi300_norm_layers_training.json.gz', 'data/nsys/vsr_a100_pyprof.sqlite'],
    ['data/kineto/h100_vit.json.gz', 'data/kineto/mi300_resnet_training.json.gz'],
    (name) => `find the kernels that dprof --where finds: ${name.replace('data/', '')}`,
    expectSameKernels,
  );

  it('know each column of dprof, or say what to use in its place', () => {
    const unknown = COLUMNS.map(({ key }) => key).filter(
      (key) => !CONDITION_KEYS.includes(key) && insteadOf(key) === null,
    );
    expect(unknown).to.deep.equal([]);
    const keys = new Set(COLUMNS.map(({ key }) => key));
    expect(ELSEWHERE.filter((key) => !keys.has(key) || CONDITION_KEYS.includes(key))).to.deep.equal([]);
  });
});

const EVENTS = eventsOf([
  { start: 0, dur: 10, lane: 0, kind: 'launch', name: 'cudaLaunchKernel' },
  { start: 20, dur: 30, lane: 1, name: 'gemm<float>', op: 'mm', id: 1, flops: 3e6, bytes: 600, dir: 'fprop', launcher: 0 },
  { start: 60, dur: 30, lane: 1, name: 'gemm<float>', op: 'mm', id: 2, flops: 3e5, step: 4, corr: 9, layer: 'net/Block' },
]); // prettier-ignore

describe('fields of a search', () => {
  const found = (query: string): number[] => [...(search(EVENTS, query)?.list ?? [])];
  const problem = (query: string): string | null => search(EVENTS, query)?.problem ?? null;

  it('are rates, ids, direction, step and launch', () => {
    expect(found('op==mm && tflops<50')).to.deep.equal([2]);
    expect(found('gbs>=20')).to.deep.equal([1]);
    expect(found('gbps>=20 && ai>1')).to.deep.equal([1]);
    expect(found('dir==fprop')).to.deep.equal([1]);
    expect(found('dir==na && id!=na')).to.deep.equal([2]);
    expect(found('step==4 && corr==9')).to.deep.equal([2]);
    expect(found('api==cudaLaunchKernel')).to.deep.equal([1]);
    expect(found('queue==10ns')).to.deep.equal([1]);
    expect(found('end<=1050')).to.deep.equal([0, 1]);
    expect(found('layer==net:Block')).to.deep.equal([2]);
    expect(found('layer==net/Block')).to.deep.equal([2]);
  });

  it('that the timeline lacks lead to one that it has', () => {
    expect(problem('peak<50')).to.equal('the timeline has no peak: use tflops here, or dprof --where');
    expect(problem('counter:cycles>1')).to.match(/^the timeline has no counter:cycles: use /);
    expect(problem('opp==mm')).to.equal("unknown field 'opp': did you mean op?");
    expect(problem('nosuchthing==1')).to.equal("unknown field 'nosuchthing': see Keys for the fields");
    expect(problem('op==mm && ')).to.match(/^search: expected a column at 11/);
    expect(problem('sil>fast && op==mm')).to.match(/^search: sil takes a number/);
    expect(found('peak<50')).to.deep.equal([]);
  });

  it('with a single sign are asked back where no event has the words', () => {
    const remark = (query: string): string | null => search(EVENTS, query)?.remark ?? null;
    expect(remark('op=mm')).to.equal('did you mean op==mm?');
    expect(remark('step = 4')).to.equal('did you mean step==4?');
    expect(remark('nosuch=mm')).to.equal(null);
    expect(remark('gemm')).to.equal(null);
    expect(remark('op==mm')).to.equal(null);
  });

  it('are none in names that look like them', () => {
    for (const name of ['floor<float>', 'gemm<float>', 'vector<int, 4>', 'dur>10 gemm']) {
      expect(problem(name), name).to.equal(null);
    }
    expect(found('gemm<float>')).to.deep.equal([1, 2]);
    expect(found('dur>20 gemm')).to.deep.equal([1, 2]);
  });

  it('of merged bars are those that bars have', () => {
    const merged = { count: Float64Array.of(1, 5, 1), time: EVENTS.dur };
    const bars = { ...EVENTS, merged };
    expect(search(bars, 'tflops>=0')).to.deep.include({
      problem: null,
      remark: '1 bars of several events have no tflops',
    });
    expect([...(search(bars, 'tflops>=0')?.list ?? [])]).to.deep.equal([2]);
    expect(search(bars, 'bound==memory')?.problem).to.equal('bars of merged events have no bound: zoom into a step');
    expect(search(bars, 'op==mm')).to.deep.include({ problem: null, remark: null });
  });
});
