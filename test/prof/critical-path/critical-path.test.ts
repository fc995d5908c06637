/** Made traces whose longest path is worked out by hand. Times are ns. */
import { expect } from 'chai';
import { CriticalPaths, type PathChoice } from '../../../src/prof/critical-path/critical-path.js';
import { replayError, type StepPath } from '../../../src/prof/critical-path/step-paths.js';
import { WhatIf } from '../../../src/prof/critical-path/what-if.js';
import { Annotator } from '../../../src/prof/report/report.js';
import type { KernelRecord, ProfileLine, RangeRecord, SampleRecord, SyncRecord } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { openedRecordsOf } from '../../support/profile-records.js';
import { itShared, sharedFile } from '../../support/shared.js';

const PLACE = { profile: 0, pid: 10, tid: 100 } as const;

const step = (number: number, start: number, end: number): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, dur: end - start, device: null, metric: 'step', value: number, unit: null },
  labels: { pid: 10, tid: 100 },
});
const range = (text: string, start: number, end: number, kind: RangeRecord['kind'] = 'op', tid = 100): RangeRecord => ({
  ...{ ...PLACE, tid, type: 'range', kind, start, dur: end - start, domain: null, text },
});
/** A kernel from `start` to `end`, by a call from `called` to `returned`. */
const work = (
  [called, returned]: readonly [number, number],
  [start, end]: readonly [number, number],
  more: Partial<KernelRecord> = {},
): KernelRecord =>
  kernel({
    ...{ start, dur: end - start, step: 1, launch: { api: 'cudaLaunchKernel', start: called, dur: returned - called } },
    ...more,
  });
const sync = (kind: string, [start, end]: readonly [number, number], more: Partial<SyncRecord> = {}): SyncRecord => ({
  ...{ ...PLACE, type: 'sync', kind, start, dur: end - start, device: 0, stream: 7, corr: 9 },
  launch: { api: 'cudaStreamSynchronize', start, dur: end - start },
  ...more,
});

function pathsOf(records: readonly ProfileLine[], choice: PathChoice = {}): readonly StepPath[] {
  const paths = new CriticalPaths(choice);
  const annotator = new Annotator(null, false);
  for (const record of records) annotator.pass(record, (item) => paths.take(item));
  return paths.finish().facts.flatMap(({ steps }) => steps);
}
/** The only step: its duration, its replay, and the kinds of time that are not 0. */
function onlyPath(records: readonly ProfileLine[], choice?: PathChoice): object {
  const [path, ...rest] = pathsOf(records, choice);
  expect(rest).to.deep.equal([]);
  const { measured, replayed, bounds } = path ?? { measured: NaN, replayed: NaN, bounds: {} };
  return { measured, replayed, ...Object.fromEntries(Object.entries(bounds).filter(([, time]) => time > 0)) };
}

describe('critical path of made traces', () => {
  it('host bound: the device waits for each launch', () => {
    // The last event is the end of the step on the host, so the path never leaves it: 2 calls of 5, and the rest.
    const records = [step(1, 0, 100), work([10, 15], [20, 25]), work([50, 55], [60, 65])];
    expect(onlyPath(records)).to.deep.equal({ measured: 100, replayed: 100, launch: 10, host: 90 });
  });

  it('device bound: the queue is never empty', () => {
    // From the end: 49 + 39 + 30 of kernels, 1 between each two, 10 from the first call to its kernel.
    const records = [step(1, 0, 10), work([0, 2], [10, 40]), work([3, 5], [41, 80]), work([6, 8], [81, 130])];
    expect(onlyPath(records)).to.deep.equal({ measured: 130, replayed: 130, compute: 118, switch: 2, launch: 10 });
  });

  it('a wait in the middle: the path leads through the device and back', () => {
    // 3 of the host, 2 after the kernel, 24 kernel, 6 launch, 7 op, 3 after the kernel, 45 kernel, 5 launch.
    const records = [
      step(1, 0, 95),
      range('aten::add', 53, 60),
      work([0, 2], [5, 50]),
      sync('stream', [4, 53]),
      work([60, 62], [66, 90]),
      sync('stream', [63, 92]),
    ];
    const bounds = { compute: 69, launch: 11, host: 10, sync: 5 };
    expect(onlyPath(records)).to.deep.equal({ measured: 95, replayed: 95, ...bounds });
  });

  it('a call that waits without a record of what for: the work that ended last before it returned', () => {
    const records = [step(1, 0, 60), work([0, 2], [5, 50]), range('cudaDeviceSynchronize', 4, 53, 'api')];
    expect(onlyPath(records)).to.deep.equal({ measured: 60, replayed: 60, compute: 45, launch: 5, host: 7, sync: 3 });
  });

  /** Two streams; the kernel of the second waits for that of the first, which was launched 6 ms earlier. */
  const twoStreams = (wait: Partial<SyncRecord>): ProfileLine[] => [
    step(1, 0, 10_000),
    work([0, 2000], [5000, 6_000_000], { stream: 1 }),
    sync('stream-wait-event', [4000, 5000], { stream: 2, ...wait }),
    work([6000, 8000], [6_002_000, 8_000_000], { stream: 2 }),
  ];

  it('two streams with an event', () => {
    const event = { stream: 1, recorded: 3000 };
    expect(onlyPath(twoStreams({ event }))).to.deep.equal({
      ...{ measured: 8_000_000, replayed: 8_000_000 },
      ...{ compute: 5_995_000 + 1_998_000, switch: 2000, launch: 5000 },
    });
  });

  it('an event that the profile does not identify is presumed, unless no stream waits', () => {
    expect(onlyPath(twoStreams({}))).to.deep.include({ replayed: 8_000_000, switch: 2000 });
    const [without] = pathsOf(twoStreams({}).filter(({ type }) => type !== 'sync'));
    // The second kernel began 5,996,000 after its call. The usual time is that of the first, 5000.
    expect(without?.missing).to.deep.equal(new Map([['wait', 5_991_000]]));
  });

  it('a wait that a device recorded was for other work of the device, however short the gap', () => {
    // A program of one launch: an op of 20, a copy of 10,000 that the program starts, a wait for it, and an op of 18.
    const launched = { step: null, launch: { api: 'Execute', start: 0, dur: 10 } };
    const op = (start: number, end: number, more: Partial<KernelRecord> = {}): KernelRecord =>
      kernel({ start, dur: end - start, stream: 3, ...launched, ...more });
    const copy: ProfileLine = {
      ...{ type: 'copy', profile: 0, kind: 'HtoD', bytes: 4, start: 41, dur: 10_000, device: 0, stream: 4 },
      ...{ pid: 10, tid: 100, corr: 5, launch: launched.launch },
    };
    const wait = op(41, 10_041, { labels: { category: 'copy-done' } });
    const program = [op(20, 40), copy, op(10_042, 10_060)];
    // The launch takes 20; 1 between the op and the copy, and 1 after it.
    const bounds = { launch: 20, compute: 38, switch: 2, copy: 10_000 };
    expect(onlyPath([...program, wait])).to.deep.equal({ measured: 10_060, replayed: 10_060, ...bounds });
    // A gap of more than 2 us after the end of the copy has another cause.
    const late = (gap: number): ProfileLine[] => [...program.slice(0, 2), wait, op(10_041 + gap, 20_000)];
    expect(onlyPath(late(2000))).to.deep.include({ copy: 10_000, switch: 2001 });
    expect(onlyPath(late(2001))).not.to.have.property('copy');
    // Without the wait, nothing says that the op waited for the copy.
    expect(onlyPath(program)).to.deep.include({ launch: 20, compute: 38, switch: 10_002 });
  });

  it('without steps, the path ends when the CPU knew that the last work had ended', () => {
    const records = [work([0, 2], [10, 40], { step: null }), range('other', 900_000, 990_000, 'annotation')];
    expect(onlyPath(records)).to.deep.include({ measured: 40, compute: 30 });
    const waits = [...records, sync('stream', [4, 53])];
    expect(onlyPath(waits)).to.deep.include({ measured: 53, compute: 30, sync: 13 });
  });

  it('without steps, the path begins with the first launch', () => {
    const records = [
      range('setup', 0, 900_000, 'annotation'),
      work([900_000, 900_002], [900_010, 900_040], { step: null }),
    ];
    expect(onlyPath(records)).to.deep.equal({ measured: 40, replayed: 40, launch: 10, compute: 30 });
  });

  it('communication waits for other streams even if no call is recorded', () => {
    const nccl = { name: 'ncclDevKernel_AllReduce', short: 'ncclDevKernel_AllReduce', stream: 2 };
    // 8 and 2 ms of kernels, 3 ms of communication between them, 1000 from each to the next, 5000 from the first call.
    const records = [
      step(1, 0, 10_000),
      work([0, 2000], [5000, 8_005_000]),
      work([2000, 4000], [8_006_000, 11_006_000], nccl),
      work([4000, 6000], [11_007_000, 13_007_000]),
    ];
    expect(onlyPath(records)).to.deep.equal({
      ...{ measured: 13_007_000, replayed: 13_007_000 },
      ...{ compute: 10_000_000, communication: 3_000_000, switch: 2000, launch: 5000 },
    });
  });

  it('waits only for streams of the same device, as those of others share no event', () => {
    const nccl = { name: 'ncclDevKernel_AllReduce', short: 'ncclDevKernel_AllReduce', stream: 2 };
    const recordsOn = (device: number): ProfileLine[] => [
      step(1, 0, 10_000),
      work([0, 2000], [5000, 8_005_000], { device }),
      work([2000, 4000], [8_006_000, 11_006_000], nccl),
    ];
    expect(onlyPath(recordsOn(0))).to.include({ switch: 1000, launch: 5000 });
    // 8,006,000 after the start of the call, of which 5000 are usual.
    const [apart] = pathsOf(recordsOn(1));
    expect(apart?.missing).to.deep.equal(new Map([['wait', 8_004_000 - 5000]]));
  });

  it('a thread without any call, which goes on when the work that it had launched ends, is presumed to wait', () => {
    const records = [step(1, 0, 9_000_000), work([0, 2000], [5000, 8_000_000]), range('item', 8_010_000, 9_000_000)];
    const bounds = { compute: 7_995_000, launch: 5000, host: 990_000, sync: 10_000 };
    expect(onlyPath(records)).to.deep.equal({ measured: 9_000_000, replayed: 9_000_000, ...bounds });
    // If it goes on 30 us later, it was busy.
    const busy = [step(1, 0, 9_000_000), work([0, 2000], [5000, 8_000_000]), range('item', 8_030_000, 9_000_000)];
    expect(onlyPath(busy)).to.deep.include({ host: 8_998_000, launch: 2000 });
  });

  it('a call that takes longer than others hands its work over when it returns, unless it waits for it', () => {
    // The first kernel ends at 1,000,000; the call of the second returns 400,000 later, and its kernel begins then.
    const slow = [step(1, 0, 20), work([0, 5], [10, 1_000_000]), work([10, 1_400_000], [1_400_005, 1_500_000])];
    expect(onlyPath(slow)).to.deep.include({ compute: 99_995, launch: 1_399_995 + 5, replayed: 1_500_000 });
    const copy: ProfileLine = {
      ...{
        ...PLACE,
        type: 'copy',
        kind: 'DtoH',
        bytes: 4,
        hostMemory: 'pageable',
        device: 0,
        stream: 7,
        corr: 3,
        step: 1,
      },
      ...{ start: 1_000_002, dur: 98, launch: { api: 'hipMemcpyWithStream', start: 10, dur: 1_000_100 } },
    };
    const blocking = [step(1, 0, 1_000_120), work([0, 5], [10, 1_000_000]), copy];
    expect(onlyPath(blocking)).to.deep.include({ compute: 999_990, copy: 98, switch: 2, launch: 10 });
  });

  it('a graph launch: branches join where the latest ends', () => {
    const node = (stream: number, number: number, times: readonly [number, number]): KernelRecord =>
      work([0, 10], times, { stream, graph: { id: 1, node: number } });
    // 8 of the last node, 2, 49 of the branch that ended last, 1, 20 of the first node, 20 from the call to it.
    const records = [step(1, 0, 12), node(1, 1, [20, 40]), node(1, 2, [41, 60]), node(2, 3, [41, 90]), node(1, 4, [92, 100])]; // prettier-ignore
    expect(onlyPath(records)).to.deep.equal({ measured: 100, replayed: 100, compute: 77, switch: 3, launch: 20 });
  });

  it('a blocking copy holds its call', () => {
    const copy: ProfileLine = {
      ...{ ...PLACE, type: 'copy', kind: 'DtoH', bytes: 4, hostMemory: 'pageable', device: 0, stream: 7, corr: 3 },
      ...{ start: 30, dur: 20, step: 1, launch: { api: 'cudaMemcpyAsync', start: 10, dur: 45 } },
    };
    // 5 after the call, 5 from the copy to the end of the call, 20 copy, 20 from the call to the copy, 10 before it.
    expect(onlyPath([step(1, 0, 60), copy])).to.deep.equal({ measured: 60, replayed: 60, copy: 20, launch: 20, host: 15, sync: 5 }); // prettier-ignore
  });

  it('a thread that works for the thread of the step', () => {
    const forward = { mod: 'aten', op: 'mm', tid: 100, start: 0 };
    const records = [
      step(1, 0, 100_000),
      range('aten::mm', 0, 10_000),
      range('MmBackward0', 15_000, 85_000, 'op', 200),
      work([20_000, 25_000], [30_000, 40_000], { tid: 200, forward }),
      range('aten::add', 90_000, 100_000),
    ];
    const [path] = pathsOf(records);
    // Main thread 10,000 + 10,000; hand-overs 5000 + 5000; the worker's op without its call 65,000, the call 5000.
    expect(path?.parts.map(({ bound, name, time }) => [bound, name, time])).to.deep.equal([
      ['host', 'MmBackward0', 65_000],
      ['host', 'aten::add', 10_000],
      ['host', 'aten::mm', 10_000],
      ['host', 'hand-over between threads', 10_000],
      ['launch', 'cudaLaunchKernel', 5000],
    ]);
  });

  it('a thread works for the thread of the step in its own process, if several processes have the step', () => {
    // The other process runs the same step until 60,000, without another thread.
    const other = { ...step(1, 0, 60_000), labels: { pid: 20, tid: 100 } };
    const records = [
      step(1, 0, 100_000),
      other,
      range('aten::mm', 0, 10_000),
      range('MmBackward0', 15_000, 85_000, 'op', 200),
      work([20_000, 25_000], [30_000, 40_000], { tid: 200 }),
      range('aten::add', 90_000, 100_000),
    ];
    const [path] = pathsOf(records);
    // Main thread 10,000 + 10,000; hand-overs 5000 + 5000; the worker's op without its call 65,000, the call 5000.
    expect(path?.parts.map(({ name, time }) => [name, time])).to.deep.equal([
      ['MmBackward0', 65_000],
      ['aten::add', 10_000],
      ['aten::mm', 10_000],
      ['hand-over between threads', 10_000],
      ['cudaLaunchKernel', 5000],
    ]);
  });

  it('a thread that begins late, but fills most of the time of the one that waits', () => {
    const forward = { mod: 'aten', op: 'mm', tid: 100, start: 0 };
    const records = [
      step(1, 0, 10_000_000),
      range('aten::mm', 0, 10_000),
      range('MmBackward0', 3_000_000, 9_990_000, 'op', 200),
      work([4_000_000, 4_005_000], [4_010_000, 4_020_000], { tid: 200, forward }),
    ];
    const [path] = pathsOf(records);
    // 10,000 each of the op and of the return to the step; 2,990,000 until the worker began.
    expect(path?.parts.map(({ name, time }) => [name, time])).to.deep.equal([
      ['MmBackward0', 6_985_000],
      ['hand-over between threads', 3_000_000],
      ['aten::mm', 10_000],
      ['cudaLaunchKernel', 5000],
    ]);
  });

  it('loading of data and communication are apart from other code and kernels', () => {
    const records = [
      step(1, 0, 30),
      range('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 0, 20, 'annotation'),
      range('aten::stack', 5, 10),
      work([20, 22], [25, 80], { short: 'ncclDevKernel_AllReduce', name: 'ncclDevKernel_AllReduce' }),
    ];
    expect(onlyPath(records)).to.deep.equal({ measured: 80, replayed: 80, loading: 20, launch: 5, communication: 55 });
  });

  it('all calls of an op are one part of the path, also where ranges have the numbers of each call', () => {
    const [path] = pathsOf([
      step(1, 0, 100),
      range('aten::add, seq = 5, op_id = 7', 0, 20),
      range('aten::add, op_id = 8', 30, 70),
      range('FSDP::forward (block), op_id = 9', 70, 80, 'annotation'),
    ]);
    expect(path?.parts.map(({ name, time, runs }) => [name, time, runs])).to.deep.equal([
      ['aten::add', 60, 2],
      ['step', 30, 2],
      ['FSDP::forward (block)', 10, 1],
    ]);
  });

  it('names what is missing where a replay is too short', () => {
    const [path] = pathsOf([step(1, 0, 10), work([0, 0], [50, 100], { launch: null })]);
    expect(path).to.deep.include({ measured: 100, replayed: 50, missing: new Map([['launch', 50]]) });
    expect(path === undefined ? NaN : replayError(path)).to.equal(-0.5);
  });

  it('steps whose host runs ahead follow each other', () => {
    // The host is done at 20; the devices work until 300. The second step lasts from the end of the first one's work.
    const records = [step(1, 0, 10), step(2, 10, 20), work([0, 2], [5, 100]), work([11, 12], [100, 300], { step: 2 })];
    expect(pathsOf(records).map(({ from, measured, bounds }) => [from, measured, bounds.compute])).to.deep.equal([
      [0, 100, 95],
      [100, 200, 200],
    ]);
    expect(pathsOf(records, { steps: new Set([2]) }).map((path) => path.step)).to.deep.equal([2]);
    expect(onlyPath(records, { windowOf: () => ({ from: 50, to: 200 }) })).to.deep.equal({
      measured: 50,
      replayed: 50,
      compute: 50,
    });
  });
});

describe('critical path of a job', () => {
  /** Work from `start` to `end` of a rank whose clock is ahead. */
  interface RankWork {
    readonly ahead: number;
    /** When its step begins. */
    readonly begin?: number;
    readonly compute: readonly [start: number, end: number];
    readonly operation: readonly [start: number, end: number];
    readonly collective: Partial<NonNullable<KernelRecord['collective']>>;
  }

  /** A step of one rank: a product, launched at 0, then an operation with the other rank. */
  function rankRecords(rank: number, { ahead, begin = 0, compute, operation, collective }: RankWork): ProfileLine[] {
    const shifted = <R extends { start: number | null }>(record: R): R => ({
      ...record,
      profile: rank,
      start: (record.start ?? 0) + ahead,
    });
    const called = (one: KernelRecord): KernelRecord => ({
      ...shifted(one),
      launch: one.launch === null ? null : { ...one.launch, start: one.launch.start + ahead },
    });
    const nccl = { name: 'ncclDevKernel_AllReduce', short: 'ncclDevKernel_AllReduce', op: ['all_reduce'] };
    const sizes = { dtype: 'float32', bytesIn: 64, bytesOut: 64, groupSize: 2, ranks: [0, 1], ordinal: 0 };
    const group = { op: 'allreduce', group: 'g', ...sizes };
    const header = { type: 'profile', v: 1, profile: rank, format: 'kineto', tool: '', file: `rank${rank}.json`, rank };
    return [
      { ...header, worldSize: 2, startUnixNs: '1700000000000000000', dur: null, devices: [] } as unknown as ProfileLine,
      shifted(step(1, begin, begin + 5)),
      // Both ranks begin and end it together, which sets their clocks.
      called(
        work([begin, begin + 2], [begin + 3, 29], { ...nccl, stream: 9, collective: { ...group, group: 'first' } }),
      ),
      called(work([begin, begin + 2], compute, { op: ['mm'] })),
      called(work([begin + 3, begin + 5], operation, { ...nccl, collective: { ...group, ...collective } })),
      { type: 'end', profile: rank, counts: {}, diagnostics: {} },
    ];
  }

  const rankJob = (ahead: number): ProfileLine[] => [
    ...rankRecords(0, { ahead: 0, compute: [10, 40], operation: [41, 110], collective: {} }),
    ...rankRecords(1, { ahead, compute: [10, 90], operation: [91, 110], collective: {} }),
  ];

  for (const ahead of [0, 7000])
    it(`leads to the rank that joined last, if the clock of that rank is ${ahead} ns ahead`, () => {
      const [path, ...rest] = pathsOf(rankJob(ahead));
      expect(rest).to.deep.equal([]);
      // Both end at 110. From there: 19 of transfer since rank 1 joined, 1 to switch, 80 of its product, 10 of its launch.
      expect(path).to.deep.include({ step: 1, measured: 110, replayed: 110 });
      expect(path?.parts.map(({ member, bound, time }) => [member, bound, time])).to.deep.include.members([
        [1, 'compute', 80],
        [1, 'switch', 1],
      ]);
      expect(path?.bounds).to.deep.include({ compute: 80, switch: 1, launch: 10, communication: 19 });
    });

  it('predicts when all have joined with a change on one rank', () => {
    const predicted = (change: string): unknown =>
      pathsOf(rankJob(7000), { whatIf: new WhatIf([change]) }).map((path) => path.predicted);
    // The product of rank 1 takes 40: it joins at 51, and 19 later the operation ends.
    expect(predicted('rank==1 && op==mm: 0.5')).to.deep.equal([70]);
    // It takes 8: rank 0 now joins last, at 41.
    expect(predicted('rank==1 && op==mm: 0.1')).to.deep.equal([60]);
    // Both products take 30, as on the faster of two ranks: both ranks join at 41.
    expect(predicted('ranks: equal')).to.deep.equal([60]);
    expect(predicted('communication: 0')).to.deep.equal([91]);
    // The first rank may be slower by 50 before it matters.
    expect(predicted('rank==0 && op==mm: 2')).to.deep.equal([110]);
    expect(predicted('rank==0 && op==mm: 3')).to.deep.equal([10 + 90 + 1 + 19]);
  });

  it('the processes of one profile are equal ranks if it states ranks of its devices', () => {
    const host = (pid: number, end: number): ProfileLine[] => [
      { ...step(1, 0, end), labels: { pid, tid: 100 } },
      { ...range('aten::mm', 0, end), pid },
    ];
    const header = (ranks: readonly (number | null)[]): ProfileLine => {
      const devices = ranks.map((rank, id) => ({ id, rank }));
      return { type: 'profile', v: 1, profile: 0, format: 'kineto', file: 'merged.json', rank: null, devices } as unknown as ProfileLine; // prettier-ignore
    };
    const predicted = (ranks: readonly (number | null)[]): unknown =>
      pathsOf([header(ranks), ...host(10, 100), ...host(20, 40)], { whatIf: new WhatIf(['ranks: equal']) }).map(
        (path) => path.predicted,
      );
    // The op takes 100 in one process and 40 in the other, which is the faster of two ranks.
    expect(predicted([0, 1])).to.deep.equal([40]);
    expect(predicted([null])).to.deep.equal([100]);
  });

  it('a rank may begin its first step later than others, for a reason before the profiles', () => {
    const [path] = pathsOf([
      ...rankRecords(0, { ahead: 0, compute: [10, 40], operation: [41, 110], collective: {} }),
      ...rankRecords(1, { ahead: 0, begin: 20, compute: [30, 90], operation: [91, 110], collective: {} }),
    ]);
    // 19 of transfer, 1 to switch, 60 of the product, 10 of its launch; rank 1 began 20 after rank 0.
    expect(path).to.deep.include({ measured: 110, replayed: 110 });
    expect(path?.bounds).to.deep.include({ communication: 19, switch: 1, compute: 60, launch: 10, unknown: 20 });
  });

  it('a sender of little data does not wait for its receiver', () => {
    const send = { op: 'send', peer: 1 };
    const records = [
      ...rankRecords(0, { ahead: 0, compute: [10, 40], operation: [41, 50], collective: send }),
      ...rankRecords(1, { ahead: 0, compute: [10, 20], operation: [21, 110], collective: { op: 'recv', peer: 0 } }),
    ];
    const [path] = pathsOf(records, { whatIf: new WhatIf(['rank==0 && op==mm: 0.5']) });
    // The message ends 69 after the sender joined, which would be at 26.
    expect(path).to.deep.include({ measured: 110, replayed: 110, predicted: 26 + 69 });
    const [other] = pathsOf(records, { whatIf: new WhatIf(['rank==1 && op==mm: 6']) });
    // The receiver joins at 71.
    expect(other?.predicted).to.equal(71 + 69);
  });

  it('profiles without a common operation are not one job', () => {
    const withoutFirst = rankJob(0).filter((record) => record.type !== 'kernel' || record.stream !== 9);
    const apart = withoutFirst.map((record) =>
      record.type === 'kernel' && record.profile === 1 && record.collective !== undefined
        ? { ...record, collective: { ...record.collective, group: 'h', ranks: [1, 2] } }
        : record,
    );
    expect(pathsOf(apart).map(({ bounds }) => bounds.communication)).to.deep.equal([69, 19]);
  });
});

describe("critical path of HTA's examples", () => {
  const EVENTS = 'data/kineto/critical_path/event_sync.json.gz';

  itShared('a wait for an event, a pageable copy', [EVENTS], async () => {
    const [path] = pathsOf(await openedRecordsOf(sharedFile(EVENTS) ?? '', { ranges: true }));
    // cudaEventSynchronize returns 8 us after spin_kernel (36), launched 10 before; the copy of 2 us began 18 after its
    // call, which returned 9 after it. Calls on the path: launches of 36, 10 and 12, waits of 6 and 8 for idle devices.
    expect(path).to.deep.include({ step: 100, measured: 3_154_000, replayed: 3_154_000 });
    expect(path?.bounds).to.deep.include({ compute: 36_000, copy: 2000, launch: 86_000, sync: 31_000, unknown: 0 });
  });

  const STREAMS = 'data/kineto/critical_path/event_sync_multi_stream.json.gz';
  itShared('the stream that waits is idle by then: only the last product is on the path', [STREAMS], async () => {
    const [path] = pathsOf(await openedRecordsOf(sharedFile(STREAMS) ?? '', { ranges: true }));
    // cudaDeviceSynchronize returns 13 us after the third product (123), whose call began 15 before it. The event of
    // stream 20 was reached 18 ms before stream 24 waited for it.
    expect(path?.bounds).to.deep.include({ compute: 123_000, switch: 0, unknown: 0 });
    expect(path?.parts.find(({ name }) => name === 'from the call to its work')?.time).to.equal(15_000);
    expect(path?.parts.find(({ name }) => name === 'from the end of awaited work to the CPU')?.time).to.equal(13_000);
  });
});
