import { expect } from 'chai';
import { limitsOf } from '../../../src/prof/limits.js';
import { Checker, type CheckedProfile } from '../../../src/prof/check/profile-check.js';
import { DIAGNOSTICS } from '../../../src/record/diagnostics.js';
import type { KernelRecord, ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { GRAPH_CAPTURE_FACT } from '../../../src/record/fields/graph-node.js';
import { CALLED_COPIES_FACT } from '../../../src/record/wait-calls.js';
import { copy, findingsOf } from '../../support/advice.js';
import { A100, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';
import { instruction, neuronProfile } from '../../support/neuron.js';
import { takeAll } from '../../support/rows.js';

const US = 1000;
const A100_PROFILE = profileOn(A100);
const end = (diagnostics: Record<string, number> = {}): ProfileLine => ({
  ...{ type: 'end', profile: 0, counts: {}, diagnostics },
});

const CALL: RangeRecord = {
  ...{ type: 'range', profile: 0, kind: 'api', start: 0, dur: 5, pid: 1, tid: 1, domain: null, text: 'cudaMalloc' },
};

function checked(records: readonly ProfileLine[]): CheckedProfile {
  const checker = new Checker();
  takeAll(records, checker);
  const [only] = checker.profiles;
  if (only === undefined) throw new Error('no profile');
  return only;
}

/** A kernel about which everything is known. */
const known = (fields: Partial<KernelRecord>): KernelRecord => {
  const { start = 0 } = fields;
  const launch = { api: 'cudaLaunchKernel', start: start - US, dur: 10 };
  return kernel({
    launch,
    layer: ['l'],
    trace: ['a.py:1'],
    op: ['mm'],
    mod: ['torch'],
    calls: [mm(64, 64, 64)],
    step: 1,
    dur: 10 * US,
    ...fields,
  });
};
const namesOf = (records: readonly ProfileLine[]): string[] => checked(records).reasons.map(({ check }) => check);
const whole = [A100_PROFILE, known({ start: 0 }), known({ start: 20 * US, id: 2 }), end()];

describe('check', () => {
  it('finds nothing in a whole profile', () => {
    expect(checked(whole)).to.deep.include({ verdict: 'complete', reasons: [] });
  });

  it('says of each loss, doubt and limit of a reader what it affects, and of no note', () => {
    for (const [name, [severity, text]] of Object.entries(DIAGNOSTICS)) {
      const { verdict, reasons } = checked([...whole.slice(0, -1), end({ [name]: 3 })]);
      expect(verdict, name).to.equal({ note: 'complete', limit: 'complete', doubt: 'doubtful', loss: 'incomplete' }[severity]); // prettier-ignore
      expect(reasons.map(({ check, what }) => [check, what])).to.deep.equal(
        severity === 'note' ? [] : [[name, `${text}: 3`]],
      );
    }
  });

  it('says of a fault that leaves the figures of the host right what it affects', () => {
    const affected = (name: string): unknown => checked([A100_PROFILE, CALL, end({ [name]: 1 })]).reasons[0]?.affects;
    expect(affected('work-not-recorded')).to.equal('everything except CPU times');
    expect(affected('call-failed')).to.equal('the work that these calls would have done or launched');
  });

  it('says how far kernels start before their launch', () => {
    const launch = { api: 'cudaLaunchKernel', start: 27 * US, dur: 10 };
    const records = [A100_PROFILE, known({ start: 20 * US, launch }), end({ 'launch-after-kernel': 1 })];
    expect(checked(records).reasons[0]?.what).to.match(/: 1, by up to 7 us$/);
  });

  it('says in how much time missing work may have run', () => {
    const sample: ProfileLine = {
      ...{ type: 'sample', profile: 0, start: 30 * US, dur: 5 * US, device: 0, metric: 'missing_work', value: 2 },
      ...{ unit: null, labels: { api: 'cudaLaunchKernel' } },
    };
    // The device is idle from 30 us, when the first lost launch was made, to 40 us.
    const records = [
      ...whole.slice(0, -1),
      sample,
      known({ start: 40 * US, id: 3 }),
      end({ 'launch-without-work': 2 }),
    ];
    const [reason] = checked(records).reasons;
    expect(reason?.what).to.match(/: 2, lost work may have run during 10 us$/);
    expect(reason?.remedy).to.match(/^profile fewer steps/);
    // Behind all work: it had not ended when the profiler stopped.
    const [late] = checked([...whole.slice(0, -1), end({ 'launch-without-work': 2 })]).reasons;
    expect(late?.remedy).to.match(/^synchronize the device before the profiler stops/);
  });

  it('says by how much work of one stream overlaps', () => {
    // The second begins 4 us before the first has ended, the copy 1 us before the second has: too little.
    const work = [
      known({ start: 0 }),
      known({ start: 6 * US, id: 2 }),
      copy({ start: 15 * US, dur: 2 * US }),
      known({ start: 15 * US, stream: 8, id: 3 }),
    ];
    expect(checked([A100_PROFILE, ...work, end({ 'stream-overlap': 1 })]).reasons[0]).to.deep.include({
      ...{ check: 'stream-overlap', level: 'doubt', count: 1 },
      what: 'pieces of work that began before the previous work on the same stream had ended: 1, by 4 us in total, 4 us at most',
    });
  });

  it('passes on messages of the vendor about the profile', () => {
    const notice = (text: string): ProfileLine => ({ type: 'notice', profile: 0, category: 'Missing Data', text });
    expect(checked([A100_PROFILE, known({}), notice('no a.'), notice('no b.'), end()]).reasons).to.deep.equal([
      {
        ...{ check: 'tool-notice', level: 'limit', count: 2, what: '2 messages of the profiler, the first: no a.' },
        ...{ affects: 'whatever the messages describe', remedy: 'dprof summary --all lists them' },
      },
    ]);
  });

  it('finds kernels faster than their device', () => {
    // 2 · 4096³ FLOPs in 10 us are 13,744 TFLOP/s.
    const records = [A100_PROFILE, known({ start: 0, calls: [mm(4096, 4096, 4096)] }), end()];
    expect(checked(records).reasons[0]).to.deep.include({ check: 'above-peak', level: 'doubt', count: 1 });
    expect(checked(records).reasons[0]?.what).to.equal('1 kernel above a peak of the device (10 us in all)');
    // The same work takes 2 ms in two other runs: 69 TFLOP/s.
    const run = (id: number, dur: number): KernelRecord =>
      known({ id, start: id * 10_000 * US, dur, calls: [mm(4096, 4096, 4096)] });
    const [short] = checked([A100_PROFILE, run(1, 2000 * US), run(2, 10 * US), run(3, 2000 * US), end()]).reasons;
    expect(short).to.deep.include({
      ...{ check: 'above-peak', count: 1 },
      what: '1 kernel recorded as too short: other runs of the same work take longer (10 us in all)',
      remedy: 'the times of these kernels in the profile are wrong: leave them out of comparisons',
    });
  });

  it('finds a last step that was cut off, and a first one that warmed up', () => {
    const steps = (counts: readonly number[], durs: readonly number[] = []): ProfileLine[] => [
      A100_PROFILE,
      ...counts.flatMap((count, step) =>
        Array.from({ length: count }, (_, i) =>
          known({ start: (100 * step + i) * 20 * US, step, dur: (durs[step] ?? 10) * US }),
        ),
      ),
      end(),
    ];
    expect(checked(steps([10, 10, 10, 7])).reasons[0]).to.deep.include({
      ...{ check: 'step-cut', level: 'doubt', remedy: 'leave it out: --step 0-2' },
      what: 'step 3 has 7 kernels on device 0, the others 10: the profile ends within it',
    });
    expect(checked(steps([10, 10, 10, 10], [19, 10, 10, 10])).reasons[0]).to.deep.include({
      ...{ check: 'warm-up', level: 'limit', remedy: 'leave it out: --step 1-3' },
      what: 'kernels of step 0 take 1.9 times those of a median step on device 0',
    });
    expect(namesOf(steps([10, 10, 10, 10]))).to.deep.equal([]);
    // Steps of a server differ, and three are too few to compare.
    expect(namesOf(steps([10, 20, 12, 7]))).to.deep.equal([]);
    expect(namesOf(steps([10, 10, 7]))).to.deep.equal([]);
  });

  it('adds up what the profiler took between the first and the last work', () => {
    const overhead = (start: number): ProfileLine => ({
      ...{
        type: 'range',
        profile: 0,
        kind: 'overhead',
        start,
        dur: 3 * US,
        self: 3 * US,
        pid: 10,
        tid: 100,
        domain: null,
      },
      text: 'Buffer Flush',
    });
    const records = [
      A100_PROFILE,
      overhead(0),
      known({ start: 10 * US }),
      overhead(30 * US),
      known({ start: 50 * US }),
    ];
    expect(checked([...records, overhead(70 * US), end()]).reasons[0]).to.deep.include({
      ...{ check: 'profiler-overhead', level: 'limit', count: 1 },
      // 3 us of 10 to 60 us.
      what: 'the profiler or driver blocked the CPU 1 time for 3 us, 6.0 % of the time from first to last work',
    });
    // Two that overlap from 30 to 34 us.
    const nested = [...records.slice(0, 4), overhead(31 * US), ...records.slice(4), end()];
    expect(checked(nested).reasons[0]?.what).to.include('2 times for 4 us, 8.0 %');
  });

  it('says that stacks of Python slow the CPU, and how the profiler of the program leaves them out', () => {
    const frame: ProfileLine = {
      ...{ type: 'range', profile: 0, kind: 'frame', domain: null, text: 'train', start: 0, dur: US, self: US },
      ...{ pid: 10, tid: 100 },
    };
    const remedyIn = (format: string) =>
      checked([{ ...A100_PROFILE, format }, frame, ...whole.slice(1)]).reasons.map(({ check, remedy }) => [check, remedy]); // prettier-ignore
    expect(remedyIn('kineto')).to.deep.equal([
      ['recorded-stacks', 'to measure times, profile once without with_stack=True'],
    ]);
    expect(remedyIn('xplane')).to.deep.equal([
      ['recorded-stacks', 'to measure times, profile once without the Python tracer (python_tracer_level=0)'],
    ]);
  });

  it('says what the profile does not know of the program, and how it can be recorded', () => {
    const { verdict, reasons } = checked([A100_PROFILE, kernel({ launch: null }), end()]);
    expect(verdict).to.equal('complete');
    expect(reasons.map(({ check, level }) => `${level} ${check}`)).to.deep.equal([
      ...['limit no-op', 'limit no-layer', 'limit no-lines', 'limit no-steps'],
    ]);
    const remedyOf = (format: string, ...kernels: KernelRecord[]) =>
      checked([{ ...A100_PROFILE, format }, ...kernels, end()]).reasons.find(({ check }) => check === 'no-op')?.remedy;
    expect(remedyOf('nsight', kernel({ launch: null }))).to.equal(
      'trace API calls too: without them the op of a kernel is unknown',
    );
    expect(remedyOf('nsight', kernel())).to.equal(
      'nsys profile --pytorch=autograd-nvtx, or emit_nvtx(), records them, for a program in PyTorch',
    );
    expect(remedyOf('rocpd', kernel())).to.equal('emit_nvtx() records them, for a program in PyTorch');
    // Where other kernels have an op, ops were recorded.
    expect(remedyOf('nsight', known({}), kernel({ start: 20 * US, id: 2, dur: 10 * US, launch: null }))).to.equal(
      'record all API calls: these kernels come after others of their stream whose launches are recorded, so calls between them must have been left out',
    );
    expect(namesOf([A100_PROFILE, end()])).to.deep.equal(['no-work']);
    const emptyReason = (diagnostics: Record<string, number>): unknown =>
      checked([A100_PROFILE, end(diagnostics)]).reasons[0];
    expect(emptyReason({})).to.deep.include({ level: 'loss', what: 'the profile has no events' });
    expect(emptyReason({ 'event-not-read': 18 })).to.deep.include({
      level: 'loss',
      what: 'none of 18 events was read',
    });
    expect(checked([A100_PROFILE, CALL, end()]).reasons[0]).to.deep.include({ check: 'no-work', level: 'limit' });
    expect(namesOf([A100_PROFILE, end({ 'no-device-activity': 1 })])).to.deep.equal(['no-work']);
    expect(namesOf([A100_PROFILE, end({ 'work-not-recorded': 1, 'launch-without-work': 9 })])).to.deep.equal([
      'work-not-recorded',
    ]);
    expect(namesOf([A100_PROFILE, CALL, end({ 'profiler-saw-no-device': 1 })])).to.deep.equal([
      'profiler-saw-no-device',
      'no-work',
    ]);
  });

  it('says that a profile shows the capture of a graph, unless its work or a run of the graph is there', () => {
    const facts = { [GRAPH_CAPTURE_FACT]: String(15 * US) };
    const capture = (...records: readonly ProfileLine[]) => namesOf([{ ...A100_PROFILE, facts }, ...records, end()]);
    expect(capture(known({ dur: 10 * US }))).to.deep.equal(['graph-capture']);
    expect(capture(known({ dur: 10 * US }), known({ start: 20 * US, id: 2, dur: 6 * US }))).to.deep.equal([]);
    expect(capture(known({ dur: 10 * US, graph: { id: 1, node: 2 } }))).to.deep.equal([]);
  });

  it('has the share of the time of kernels that compute, and the words of the advice', () => {
    const allReduce = known({
      start: 40 * US,
      id: 3,
      name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
      op: [],
      calls: [],
    });
    const nameless = kernel({ start: 20 * US, id: 2, dur: 20 * US });
    const records = [A100_PROFILE, known({}), nameless, allReduce, end()];
    // 20 us of 10 + 20, beside 10 of a collective.
    const [limit] = checked(records).reasons.filter(({ check }) => check === 'no-op');
    expect(limit?.what).to.equal('66.7 % of kernel time (excluding collectives) has no op');
    const [found] = findingsOf('unattributed', records);
    expect(found?.what).to.equal(`${limit?.what}, 20 us in 1 kernel: no op call around the launch 20 us`);
    expect(found?.action).to.equal(limit?.remedy);
  });

  it('says how much kernel time has no launch call, where other kernels have one', () => {
    // Kernels of 10 and of 30 us.
    const [first, second] = [known({}), known({ start: 20 * US, id: 2, dur: 30 * US, launch: null })];
    expect(checked([A100_PROFILE, first, second, end()]).reasons).to.deep.include({
      ...{
        check: 'no-launch',
        level: 'limit',
        count: null,
        what: '75.0 % of kernel time has no launch call in the profile',
      },
      affects: 'launch delays, causes of idle time, and the ops of these kernels',
      remedy:
        'record all API calls: these kernels come after others of their stream whose launches are recorded, so calls between them must have been left out',
    });
    expect(namesOf([A100_PROFILE, second, end()])).not.to.include('no-launch');
  });

  it('counts in instructions where the device runs them, and leaves waits out', () => {
    const work = instruction('MATMUL', 'Tensor', 0, 3 * US);
    const wait = instruction('EVENT_SEMAPHORE', 'Tensor', 0, 3 * US);
    const named = { op: ['dot'], trace: ['a.py:1'] };
    expect(checked([neuronProfile(), { ...work, ...named }, wait, end()]).reasons).to.deep.equal([]);
    const { reasons } = checked([neuronProfile(), { ...work, ...named }, work, wait, end()]);
    expect(reasons[0]).to.deep.include({
      what: '50.0 % of instruction time has no op',
      affects: 'FLOPs, bytes and rates of these instructions',
    });
  });

  it('misses copies that the CPU issued when there is none', () => {
    const called = { ...A100_PROFILE, facts: { [CALLED_COPIES_FACT]: 2 } };
    expect(checked([called, known({}), end()]).reasons).to.deep.include({
      ...{ check: 'copies-not-recorded', level: 'limit', count: 2 },
      what: 'the CPU issued 2 copies, but the profile contains none',
      ...{ affects: 'copies, busy time and idle time', remedy: null },
    });
    expect(namesOf([A100_PROFILE, known({}), end()])).not.to.include('copies-not-recorded');
  });

  it('misses copies that instructions of a device started', () => {
    const start = (on: number): KernelRecord => known({ device: on, labels: { category: 'copy-start', copy: 'HtoD' } });
    const records = [
      A100_PROFILE,
      start(0),
      copy({ device: 0 }),
      start(2),
      start(1),
      start(1),
      end({ 'copies-not-recorded': 3 }),
    ];
    const { verdict, reasons } = checked(records);
    expect(verdict).to.equal('incomplete');
    expect(reasons[0]).to.deep.include({
      ...{ check: 'copies-not-recorded', level: 'loss', count: 3 },
      what: 'copies that devices started, without any copy of these devices in the profile: 3, on devices 1 2',
    });
    expect(namesOf([A100_PROFILE, start(0), copy({ device: 0 }), end()])).to.deep.equal([]);
  });

  it('notes which ranks of a job are missing where it is given several', () => {
    const notesOf = (...ranks: readonly (number | null)[]): unknown => {
      const checker = new Checker();
      for (const [profile, rank] of ranks.entries())
        takeAll(
          [
            { ...A100_PROFILE, profile, rank, worldSize: 6 },
            { ...end(), profile },
          ],
          checker,
        );
      return checker
        .finish()
        .notes?.flatMap((note) => limitsOf(note, 'the check'))
        .map(({ what, why }) => `${what}: ${why}`);
    };
    expect(notesOf(0, 3)).to.deep.equal(['ranks 1-2, 4-5 of the job: profiles of 2 of its 6 ranks are given']);
    expect(notesOf(1)).to.deep.equal([]);
    expect(notesOf(0, null)).to.deep.equal([]);
    expect(notesOf(0, 1, 2, 3, 4, 5)).to.deep.equal([]);
  });
});
