import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { STEP_TIME_COLUMNS, type StepRow } from '../../../src/prof/steps/step-columns.js';
import { MOST_STEPS } from '../../../src/prof/steps/host-steps.js';
import { Steps } from '../../../src/prof/steps/steps.js';
import type { CollectiveRecord, CopyRecord, ProfileLine, SampleRecord } from '../../../src/record/record.js';
import { exactTimes } from '../../support/exact-timelines.js';
import { kernel } from '../../support/kernels.js';
import { fileOf, recordsOf, TRACES } from '../../support/kineto.js';
import { instruction } from '../../support/neuron.js';
import { itShared } from '../../support/shared.js';

const stepsOf = (records: readonly ProfileLine[]): Steps => {
  const steps = new Steps();
  for (const record of records) steps.take(record);
  return steps;
};
const rowsOf = (records: readonly ProfileLine[]): StepRow[] => stepsOf(records).profiles.flatMap(({ rows }) => rows);
const values = (row: StepRow | undefined): Record<string, number | null> =>
  Object.fromEntries(
    STEP_TIME_COLUMNS.map((column) => [column.key, row === undefined ? null : (column.value(row) as number | null)]),
  );

const collective = (name: string, start: number, dur: number, change: Partial<CollectiveRecord> = {}) =>
  ({ ...kernel(), type: 'collective', kind: null, bytes: null, dtype: null, group: null, groupSize: null, ranks: null,
    algorithm: null, link: null, ...change, name, start, dur }) as unknown as CollectiveRecord; // prettier-ignore
const copy = (start: number, dur: number, number: number | null): CopyRecord => ({
  type: 'copy',
  profile: 0,
  start,
  dur,
  device: 0,
  stream: 7,
  pid: 10,
  tid: 100,
  corr: 6,
  launch: null,
  ...(number === null ? {} : { step: number }),
  kind: 'HtoD',
  bytes: 8,
});
const step = (number: number, start: number, dur: number): SampleRecord => ({
  type: 'sample',
  profile: 0,
  start,
  dur,
  device: null,
  metric: 'step',
  value: number,
  unit: null,
  labels: { text: `step ${number}`, pid: 10, tid: 100 },
});
const compute = (start: number, dur: number, number?: number | null, device = 0) =>
  kernel({ start, dur, device, ...(number === undefined ? {} : { step: number }) });

describe('breakdown of steps', () => {
  it('takes overlaps once, and separates communication under computing from communication alone', () => {
    // Computing [100, 150) and [140, 200): 100. Communication [180, 260) and [250, 300): 120, of it [180, 200) under it.
    const [row] = rowsOf([
      compute(100, 50, 3),
      compute(140, 60, 3),
      collective('hcom_allReduce__1', 180, 80, { step: 3 }),
      collective('hcom_receive__2', 250, 50, { step: 3 }),
      collective('hcom_batchSendRecv__3', 260, 40, { step: 3, kind: 'batchSendRecv' }),
      compute(400, 10, 3),
    ]);
    expect(row?.step).to.equal(3);
    // Stage 100 to 410 less the receive operation's 50; free 310 − (100 + 100 + 10).
    expect(values(row)).to.deep.include({
      kernels: 3, collectives: 3, computing: 110, communication: 120, overlapped: 20, not_overlapped: 100, free: 100,
      span: 310, stage: 260, bubble: 50, not_overlapped_no_receive: 50, preparing: null, copies: null, busy: null,
    }); // prettier-ignore
  });

  it('knows kernels of NCCL, RCCL and process groups', () => {
    const collective = { op: 'recv', bytesIn: 8, bytesOut: 8, dtype: null, group: null, groupSize: 2, ranks: null };
    const [row] = rowsOf([
      kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', start: 0, dur: 10 }),
      kernel({ name: 'rcclGenericKernel', start: 20, dur: 10 }),
      kernel({ name: 'multimem', collective: { ...collective, op: 'allreduce' }, start: 40, dur: 10 }),
      kernel({ name: 'ncclDevKernel_SendRecv', collective, start: 60, dur: 10 }),
      kernel({ name: 'ncclDevKernel_SendRecv', start: 80, dur: 10 }),
      kernel({ name: 'gemm', start: 100, dur: 10 }),
    ]);
    expect(values(row)).to.deep.include({ kernels: 1, collectives: 5, communication: 50, bubble: 10 });
  });

  it('has a row for each step and device, one for the rest, one for all', () => {
    const rows = rowsOf([
      compute(0, 10, 2),
      compute(10, 10, 1),
      compute(20, 10, null),
      compute(30, 10, 1, 1),
      compute(40, 20, undefined, 1),
    ]);
    expect(rows.map((row) => [row.device, row.step, row.times.computing])).to.deep.equal([
      [0, 1, 10],
      [0, 2, 10],
      [0, '-', 10],
      [0, 'all', 30],
      [1, 1, 10],
      [1, '-', 20],
      [1, 'all', 30],
    ]);
    expect(rowsOf([compute(0, 10)]).map((row) => row.step)).to.deep.equal(['all']);
  });

  it('states preparing and the copies of a step where the host records its steps', () => {
    const rows = rowsOf([
      step(7, 50, 100),
      copy(90, 20, 7),
      compute(100, 50, 7),
      step(8, 150, 100),
      copy(170, 10, 8),
      copy(185, 5, null),
      compute(200, 10, 8),
    ]);
    expect(rows.map((row) => [row.step, row.preparing, values(row)['copies']])).to.deep.equal([
      [7, 50, 20],
      [8, 50, 10],
      ['all', null, 35],
    ]);
    // Busy: [90, 150) and [170, 180), [185, 190), [200, 210); from 90 to 210.
    expect(values(rows[2])).to.deep.include({ busy: 85, idle: 35, exposed: 0 });
    expect(values(rows[0])).to.deep.include({ busy: 60, idle: 0, stage: 50, free: 0 });
  });

  it('takes as idle of a step what the device is idle, not what it works for another step', () => {
    // Step 1 spans [0, 50) and works for 20; step 2 works in [15, 35): idle [10, 15) and [35, 40).
    const rows = rowsOf([
      step(1, 0, 20),
      compute(0, 10, 1),
      compute(15, 20, 2),
      copy(30, 5, 2),
      compute(40, 10, 1),
      step(2, 20, 20),
    ]);
    expect(rows.map((row) => [row.step, values(row)['span'], values(row)['busy'], values(row)['idle']])).to.deep.equal([
      [1, 50, 20, 10],
      [2, 20, 20, 0],
      ['all', 50, 40, 10],
    ]);
  });

  it('counts communication under a copy as exposed', () => {
    // Communication [0, 100), computing [20, 30), a copy [50, 90).
    const [row] = rowsOf([collective('all-reduce', 0, 100), compute(20, 10), copy(50, 40, null)]);
    expect(values(row)).to.deep.include({ exposed: 90, not_overlapped: 90, busy: 100 });
  });

  it('takes an iteration from begin to begin, the last to its end, and tells its own thread from others', () => {
    const own = { pid: 10, tid: 100 };
    const rows = rowsOf([
      ...[step(7, 50, 60), kernel({ start: 100, dur: 50, step: 7, ...own })],
      kernel({ start: 110, dur: 30, step: 7, pid: 10, tid: 200 }),
      ...[step(8, 150, 90), kernel({ start: 200, dur: 10, step: 8, pid: null, tid: null })],
    ]);
    expect(rows.map((row) => [row.step, row.iteration, row.kernelTimes.all, row.kernelTimes.own])).to.deep.equal([
      [7, 100, 80, 50],
      [8, 90, 10, null],
      ['all', null, 90, null],
    ]);
  });

  it('takes picoseconds, and no time for waits of engines', () => {
    const [row] = rowsOf([
      instruction('MATMUL', 'Tensor', 10, 5, { ps: [250, 500] }),
      instruction('EVENT_SEMAPHORE', 'Vector', 10, 500),
      instruction('COPY', 'Vector', 12, 7, { ps: [0, 1] }),
    ]);
    // 10.250 to 19.001
    expect(values(row)).to.deep.include({ kernels: 2, computing: 8.751, idle: 0 });
  });

  it('counts what has no time, and what is out of order', () => {
    const steps = stepsOf([compute(NaN, 10), kernel({ dur: null }), compute(100, 10), compute(50, 10)]);
    expect({ ...steps.counts, late: steps.late }).to.include({ untimed: 2, activities: 2, late: 1 });
  });

  it('keeps a bounded number of steps', () => {
    const steps = new Steps();
    const all = (): void => {
      for (let i = 0; i <= MOST_STEPS; i++) steps.take(compute(i, 1, i));
    };
    expect(all).to.throw(`more than ${MOST_STEPS} steps, counted on each device`);
  });
});

const REFERENCE = 'reference/exact-timelines.md';

describe('breakdown of whole traces', () => {
  for (const trace of TRACES) {
    itShared(trace, [fileOf(trace), REFERENCE], async ([, reference = '']) => {
      const row = rowsOf(await recordsOf(trace)).find((one) => one.step === 'all');
      const { computing, communication, copies, busy, idle, exposed, not_overlapped: alone } = values(row);
      const [, , , , ...cells] = exactTimes(readFileSync(reference, 'utf8'), trace);
      const [busyTold, idleTold, computingTold, commTold, copiesTold, , , exposedTold] = cells;
      const ms = [busy, idle, computing, communication, copies, exposed, alone].map((ns) => ((ns ?? NaN) / 1e6).toFixed(3)); // prettier-ignore
      expect(ms).to.deep.equal([busyTold, idleTold, computingTold, commTold, copiesTold, exposedTold, exposedTold]);
    });
  }
});
