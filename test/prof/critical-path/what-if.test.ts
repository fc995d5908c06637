/** Predictions against the same made program, run again with the change made. */
import { expect } from 'chai';
import { linesOf } from '../../support/notes.js';
import { CriticalPaths } from '../../../src/prof/critical-path/critical-path.js';
import type { StepPath } from '../../../src/prof/critical-path/step-paths.js';
import { WhatIf } from '../../../src/prof/critical-path/what-if.js';
import { Annotator } from '../../../src/prof/report/report.js';
import { UsageError } from '../../../src/record/errors.js';
import type { ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { itSlow } from '../../support/sets.js';
import type { Injections } from '../../../samples/programs/job/options.js';
import { jobRecords } from '../../../samples/programs/job/records.js';
import { simulateJob, type SimulatedJob } from '../../../samples/programs/job/simulate.js';
import { kernel, mm } from '../../support/kernels.js';

/** What a program does next. Times in ns. */
type Command =
  | { readonly is: 'op'; readonly op: string; readonly stream: number; readonly dur: number; readonly host: number }
  /** Stream 2 waits for stream 1, or the other way round. */
  | { readonly is: 'event'; readonly from: number; readonly to: number }
  | { readonly is: 'wait' }
  | { readonly is: 'step' };

/** How long kernels of each op take, compared with the program as written. */
type Factors = Readonly<Record<string, number>>;

const [CALL, LAUNCH, SWITCH, RETURN, EVENT] = [4000, 8000, 1000, 3000, 2000];
const PLACE = { profile: 0, pid: 10, tid: 100 } as const;

/** Runs a program on one thread and two streams, and records it. No code of the tools is used. */
function recorded(program: readonly Command[], factors: Factors = {}): ProfileLine[] {
  const records: ProfileLine[] = [];
  const ended = [0, 0, 0];
  const held = [0, 0, 0];
  let [host, step, begun] = [0, 0, 0];
  const range = (kind: NonNullable<RangeRecord['kind']>, text: string, start: number, end: number): void => {
    records.push({ ...PLACE, type: 'range', kind, text, start, dur: end - start, domain: null });
  };
  for (const command of program) {
    if (command.is === 'op') {
      const { op, stream, host: time } = command;
      const called = host + 1000;
      const start = Math.max(called + LAUNCH, Number(ended[stream]) + SWITCH, Number(held[stream]));
      const dur = command.dur * (factors[op] ?? 1);
      range('op', `aten::${op}`, host, host + time);
      range('api', 'cudaLaunchKernel', called, called + CALL);
      const name = op === 'all_reduce' ? 'ncclDevKernel_AllReduce' : `${op}_kernel`;
      const launch = { api: 'cudaLaunchKernel', start: called, dur: CALL };
      records.push(kernel({ start, dur, stream, launch, step, name, short: name, op: [op] }));
      ended[stream] = start + dur;
      host += time;
    } else if (command.is === 'event') {
      const { from, to } = command;
      const launch = { api: 'cudaStreamWaitEvent', start: host + EVENT, dur: EVENT };
      const event = { stream: from, recorded: host };
      records.push({ ...PLACE, type: 'sync', kind: 'stream-wait-event', start: host + EVENT, dur: EVENT, device: 0, stream: to, corr: 1, launch, event }); // prettier-ignore
      held[to] = Math.max(Number(held[to]), Number(ended[from]) + SWITCH);
      host += 2 * EVENT;
    } else if (command.is === 'wait') {
      const end = Math.max(host + 2000, Math.max(...ended) + RETURN);
      range('api', 'cudaDeviceSynchronize', host, end);
      host = end;
    } else {
      if (step > 0) records.push(stepOf(step, begun, host));
      [step, begun] = [step + 1, host];
    }
  }
  return [...records, stepOf(step, begun, host)];
}

const stepOf = (value: number, start: number, end: number): ProfileLine => ({
  ...{ type: 'sample', profile: 0, start, dur: end - start, device: null, metric: 'step', value, unit: null },
  labels: { pid: 10, tid: 100 },
});

function pathsOf(records: Iterable<ProfileLine>, ...changes: string[]): readonly StepPath[] {
  const paths = new CriticalPaths(changes.length === 0 ? {} : { whatIf: new WhatIf(changes) });
  const annotator = new Annotator(null, false);
  for (const record of records) annotator.pass(record, (item) => paths.take(item));
  return paths.finish().facts.flatMap(({ steps }) => steps);
}

/** Numbers that only a seed decides. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A training run of 6 steps: products and elementwise ops, gradients reduced on a second stream, waits now and then. */
function trainingRun(seed: number): Command[] {
  const next = random(seed);
  const program: Command[] = [];
  const scale = 5000 + next(60_000);
  for (let step = 0; step < 6; step++) {
    program.push({ is: 'step' });
    for (let layer = 0; layer < 10; layer++) {
      program.push({ is: 'op', op: 'mm', stream: 1, dur: 2 * (scale + next(scale)), host: 8000 + next(12_000) });
      program.push({ is: 'op', op: 'relu', stream: 1, dur: 2 * (2000 + next(6000)), host: 8000 + next(4000) });
      if (layer % 3 !== 2) continue;
      program.push({ is: 'event', from: 1, to: 2 });
      program.push({ is: 'op', op: 'all_reduce', stream: 2, dur: 2 * (scale + next(3 * scale)), host: 9000 });
    }
    program.push({ is: 'event', from: 2, to: 1 });
    program.push({ is: 'op', op: 'adam', stream: 1, dur: 2 * (20_000 + next(20_000)), host: 20_000 });
    if (next(2) === 0) program.push({ is: 'wait' });
  }
  return [...program, { is: 'wait' }];
}

const total = (steps: readonly StepPath[], of: (step: StepPath) => number): number =>
  steps.reduce((sum, step) => sum + of(step), 0);

const CHANGES: readonly (readonly [changes: readonly string[], factors: Factors])[] = [
  [['op==mm: 0.5'], { mm: 0.5 }],
  [['communication: 0.5'], { all_reduce: 0.5 }],
  [['op==all_reduce: 0.01'], { all_reduce: 0.01 }],
  [['op==mm: 2'], { mm: 2 }],
  [['op==mm: 0.5', 'op=~*educe: 0.5'], { mm: 0.5, all_reduce: 0.5 }],
];

/** A simulated job with something wrong, what undoes it, and the rank whose profile is given; all ranks without one. */
interface JobCase {
  readonly title: string;
  readonly ranks: { readonly tp: number; readonly dp: number; readonly pp?: number };
  readonly inject: Injections;
  readonly change: string;
  readonly rank?: number;
}

const JOBS: readonly JobCase[] = [
  {
    title: 'a slow layer, on one rank alone',
    ...{ ranks: { tp: 1, dp: 1 }, inject: { slowLayer: { rank: 0, layer: 1, factor: 2 } }, rank: 0 },
    change: 'layer==TransformerLayer_1: 0.5',
  },
  {
    title: 'a straggler among four ranks',
    ...{ ranks: { tp: 2, dp: 2 }, inject: { slowLayer: { rank: 2, layer: 1, factor: 1.5 } }, rank: 2 },
    change: 'layer==TransformerLayer_1: 0.666667',
  },
  {
    title: 'all kernels, on all ranks',
    ...{ ranks: { tp: 2, dp: 2 }, inject: { slowNode: { node: 0, factor: 2 } }, rank: 2 },
    change: 'compute: 0.5',
  },
  {
    title: 'slow links',
    ...{ ranks: { tp: 1, dp: 4 }, inject: { slowLink: { rank: 0, factor: 3, kind: 'data' } }, rank: 0 },
    change: 'communication: 0.333333',
  },
  {
    title: 'all kernels, in a pipeline of four stages',
    ...{ ranks: { tp: 1, pp: 4, dp: 1 }, inject: { slowNode: { node: 0, factor: 2 } } },
    change: 'compute: 0.5',
  },
  {
    title: 'a straggler in a pipeline, with the profiles of all ranks',
    ...{ ranks: { tp: 2, pp: 2, dp: 2 }, inject: { slowLayer: { rank: 4, layer: 1, factor: 1.5 } } },
    change: 'rank==4 && layer==TransformerLayer_1: 0.666667',
  },
  {
    title: 'a straggler that is found by comparison',
    ...{ ranks: { tp: 1, pp: 2, dp: 2 }, inject: { slowLayer: { rank: 2, layer: 1, factor: 1.5 } } },
    change: 'ranks: equal',
  },
  {
    title: 'a rank that loads its data slowly',
    ...{ ranks: { tp: 2, dp: 2 }, inject: { dataLoading: { rank: 0, ns: 20_000_000 } } },
    change: 'ranks: equal',
  },
];

/** The records of one rank, or of all. */
function* recordsOf(job: SimulatedJob, rank?: number): Generator<ProfileLine> {
  const ranks = rank === undefined ? job.ranks : job.ranks.filter((one) => one.rank === rank);
  for (const one of ranks) yield* jobRecords(job, one.rank);
}

describe('what if, on simulated jobs', () => {
  for (const { title, ranks, inject, change, rank } of JOBS) {
    it(`${title}: the step of the job without it takes as long as predicted, to 1 %`, () => {
      const options = { pp: 1, ...ranks, layers: 3, microBatches: 4, steps: 4 };
      const before = pathsOf(recordsOf(simulateJob({ ...options, inject }), rank), change);
      const after = pathsOf(recordsOf(simulateJob(options), rank));
      expect(before).to.have.length(4);
      const truth = total(after, ({ measured }) => measured);
      expect(total(before, ({ predicted }) => predicted ?? NaN) / truth).to.be.closeTo(1, 0.01);
    });
  }
});

describe('what if', () => {
  for (const [changes, factors] of CHANGES) {
    itSlow(`${changes.join(', ')}: 40 runs take as long as predicted, to 1 %`, () => {
      const errors = Array.from({ length: 40 }, (_, index) => {
        const program = trainingRun(index + 1);
        const before = pathsOf(recorded(program), ...changes);
        const after = pathsOf(recorded(program, factors));
        expect(before.every(({ predicted }) => predicted !== null)).to.equal(true);
        const truth = total(after, ({ measured }) => measured);
        return Math.abs(total(before, ({ predicted }) => predicted ?? NaN) / truth - 1);
      });
      expect(Math.max(...errors)).to.be.below(0.01);
    });
  }

  it('fused kernels have one launch and no gap', () => {
    const op = (name: string) => ({ is: 'op', op: name, stream: 1, dur: 20_000, host: 8000 }) as const;
    // On the device: 1000 of the op and 8000 of the launch, three kernels of 20,000, 1000 between each two, 3000 to return.
    const records = recorded([{ is: 'step' }, op('mm'), op('relu'), op('mm'), { is: 'wait' }]);
    const predicted = (...changes: string[]) => pathsOf(records, ...changes).map((path) => path.predicted);
    expect(predicted('fuse: mm+relu')).to.deep.equal([9000 + 40_000 + 1000 + 20_000 + 3000]);
    expect(predicted('fuse: mm + relu + mm')).to.deep.equal([9000 + 60_000 + 3000]);
    expect(predicted('fuse: relu+relu')).to.deep.equal([9000 + 62_000 + 3000]);
    // On the CPU, kernels of 10: the second is called after 8000 + 1000. Without its call of 4000, it runs after the first.
    const short = { is: 'op', stream: 1, dur: 10, host: 20_000 } as const;
    const bound = recorded([{ is: 'step' }, { ...short, op: 'mm' }, { ...short, op: 'relu' }, { is: 'wait' }]);
    const [path] = pathsOf(bound, 'fuse: mm+relu');
    expect(path?.predicted).to.equal((path?.measured ?? NaN) - 4000);
    for (const text of ['fuse: mm', 'fuse: mm+']) expect(() => new WhatIf([text])).to.throw(UsageError);
  });

  it('without launches, work waits only for other work', () => {
    // Two kernels of 20,000 whose launch took 8000 each, after 1000 of the op; the wait returns 3000 later.
    const op = { is: 'op', op: 'mm', stream: 1, dur: 20_000, host: 8000 } as const;
    const records = recorded([{ is: 'step' }, op, { is: 'wait' }, op, { is: 'wait' }]);
    const [path] = pathsOf(records, 'launch: 0');
    expect(path).to.deep.include({
      measured: 2 * (1000 + 8000 + 20_000 + 3000),
      predicted: 2 * (1000 + 20_000 + 3000),
    });
  });

  it('predicts nothing from a replay that is too far from its step', () => {
    const records = [stepOf(1, 0, 10), kernel({ start: 50, dur: 50, step: 1, launch: null, op: ['mm'] })];
    expect(pathsOf(records, 'op==mm: 0.5').map(({ predicted }) => predicted)).to.deep.equal([null]);
  });

  /** A step of a product whose kernel takes 880,000 and, on the same stream, a kernel without an op, on an A100. */
  const onA100 = (): ProfileLine[] => {
    const device = { id: 0, vendor: 'nvidia', name: 'NVIDIA A100-SXM4-40GB', arch: 'sm80', units: 108, clockHz: null };
    const header = { type: 'profile', v: 1, profile: 0, format: 'kineto', tool: '', file: 'a.json', rank: 0 } as const;
    const launch = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 1000 });
    const name = 'ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn';
    return [
      {
        ...header,
        startUnixNs: null,
        dur: null,
        devices: [{ ...device, memBytesPerS: null, memBytes: 42_505_273_344 }],
      },
      stepOf(1, 0, 5000),
      kernel({ start: 10_000, dur: 880_000, step: 1, launch: launch(0), name, short: name, op: ['mm'], calls: [mm(4096, 4096, 4096)] }), // prettier-ignore
      kernel({ id: 2, start: 891_000, dur: 9000, step: 1, launch: launch(2000), corr: 6 }),
      { type: 'end', profile: 0, counts: {}, diagnostics: {} },
    ];
  };

  it('roof: kernels take their minimum time, others keep their time and are counted', () => {
    const predicted = (...changes: string[]) => {
      const paths = new CriticalPaths({ whatIf: new WhatIf(changes) });
      const annotator = new Annotator(null, true);
      for (const record of onA100()) annotator.pass(record, (item) => paths.take(item));
      annotator.passRest((item) => paths.take(item));
      const { facts, notes } = paths.finish();
      return { times: facts.flatMap(({ steps }) => steps.map((step) => step.predicted)), notes: linesOf(notes) };
    };
    // 2 · 4096³ FLOPs at 312 TFLOP/s.
    const minimum = (2 * 4096 ** 3) / 312e3;
    const { times, notes } = predicted('op==mm: roof');
    expect(times).to.have.length(1);
    expect(times[0]).to.be.closeTo(10_000 + minimum + 1000 + 9000, 1);
    expect(notes).to.deep.equal([]);
    // A second roof changes nothing more. On an H100, arithmetic takes 312 / 989 of the time.
    expect(predicted('op==mm: roof', 'op==m*: roof').times).to.deep.equal(times);
    const onH100 = predicted('op==mm: roof', 'device: H100 SXM');
    expect(onH100.times[0]).to.be.closeTo(10_000 + (minimum * 312) / 989 + 1000 + 9000, 1);
    const all = predicted('sil>0: roof', 'op==mm: 2');
    expect(all.times[0]).to.be.closeTo(10_000 + 2 * minimum + 1000 + 9000, 1);
    expect(all.notes).to.deep.equal([
      "1 kernel (1.0% of the time to change) unchanged by 'sil>0: roof': minimum time unknown",
    ]);
    expect(() => new WhatIf(['communication: roof'])).to.throw(
      UsageError,
      "roof takes a filter of kernels, not 'communication'",
    );
  });

  it('another device: kernels are as far from its roofline, others keep their time and are counted', () => {
    const paths = new CriticalPaths({ whatIf: new WhatIf(['device: H100 SXM', 'fuse: mm+relu']) });
    const annotator = new Annotator(null, true);
    for (const record of onA100()) annotator.pass(record, (item) => paths.take(item));
    annotator.passRest((item) => paths.take(item));
    const { facts, notes } = paths.finish();
    // 2 · 4096³ FLOPs take 440.5 us at 312 TFLOP/s, half of 880 us, so arithmetic bounds it; an H100 does 989 TFLOP/s.
    const [path] = facts.flatMap(({ steps }) => steps);
    expect(path).to.deep.include({ measured: 900_000, replayed: 900_000 });
    expect(path?.predicted).to.be.closeTo(10_000 + (880_000 * 312) / 989 + 1000 + 9000, 1);
    expect(linesOf(notes)).to.deep.equal([
      "'fuse' changes nothing: no kernels follow each other in that order on a stream",
      '1 kernel (1.0% of the time to change) unchanged on H100 SXM: work unknown, or bound by neither arithmetic nor memory',
    ]);
    expect(() => new WhatIf(['device: no such'])).to.throw(UsageError, "unknown device 'no such'");
    expect(() => new WhatIf(['device: H100 SXM', 'device: T4'])).to.throw(UsageError, 'one device');
  });

  it('the same device changes nothing, also in a job whose kernels come late', () => {
    const job = simulateJob({ tp: 2, pp: 1, dp: 1, layers: 1, microBatches: 1, steps: 2 });
    const paths = new CriticalPaths({ whatIf: new WhatIf(['device: H100 SXM']) });
    const annotator = new Annotator(null, true);
    for (const record of recordsOf(job)) annotator.pass(record, (item) => paths.take(item));
    annotator.passRest((item) => paths.take(item));
    const [found, ...others] = paths.finish().facts;
    expect(others).to.deep.equal([]);
    expect(found?.members).to.have.length(2);
    const plain = pathsOf(recordsOf(job));
    expect(found?.steps.map(({ predicted }) => predicted)).to.deep.equal(plain.map(({ measured }) => measured));
  });

  for (const [change, note] of [
    ['ranks: equal', "'ranks: equal' changes nothing: it needs the profiles of several ranks"],
    ['fuse: mm+relu', "'fuse' changes nothing: no kernels follow each other in that order on a stream"],
  ] as const)
    it(`${change}: says that it changes nothing`, () => {
      const paths = new CriticalPaths({ whatIf: new WhatIf([change]) });
      paths.take(stepOf(1, 0, 10));
      expect(linesOf(paths.finish().notes)).to.deep.equal([note]);
    });

  it('takes a filter or a kind of time, and a factor', () => {
    for (const text of ['op==mm', 'op==mm: x', 'op==mm: -1', ': 2', 'nosuch==1: 2'])
      expect(() => new WhatIf([text]), text).to.throw(UsageError);
    expect(() => new WhatIf(['comunication: 0'])).to.throw(
      UsageError,
      /kind of time .* \(did you mean communication\?\)/,
    );
    expect(() => new WhatIf(['mm: 0.5'])).to.throw(UsageError, /unknown kind of time 'mm' \(for an op: op==mm\)/);
    expect(new WhatIf(['collective: 0.5', 'communication: 0.5']).factorOfBound('communication')).to.equal(0.25);
  });
});
