import { expect } from 'chai';
import { adviserOf, copy, findingsOf, silenceOf } from '../../support/advice.js';
import { A100, profileOn } from '../../support/devices.js';
import { kernel } from '../../support/kernels.js';
import type { KernelRecord, Labels, ProfileLine } from '../../../src/record/record.js';

/** A kernel from `start` that was launched at `called` by a call of 10 ns. */
const at = (start: number, dur: number, called: number | null, change: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({
    start,
    dur,
    launch: called === null ? null : { api: 'cudaLaunchKernel', start: called, dur: 10 },
    ...change,
  });
const PROFILE = profileOn(A100);

describe('the rule launch-gaps', () => {
  it('adds up idle time that a late launch ended', () => {
    // Works 1000-1005; idle 1005-1100, launched at 1050: late. Works to 1200; idle to 1230, launched at 1150: queued.
    const records = [
      PROFILE,
      at(1000, 5, 900, { id: 1 }),
      at(1100, 100, 1050, { id: 2 }),
      at(1230, 50, 1150, { id: 3 }),
      // Idle 1280-1300, launched in the very moment in which the device ran dry.
      at(1300, 3, 1280, { id: 4 }),
    ];
    const [found, ...more] = findingsOf('launch-gaps', records);
    expect(more).to.deep.equal([]);
    expect(found).to.include({ stake: 95 + 20, count: 2 });
    expect(found?.gain).to.include({ ns: 115, isBound: true });
    expect(found?.at).to.deep.equal({ start: 1005, end: 1100 });
    expect(found?.kernels).to.deep.equal(['0:2', '0:4']);
    // Kernels of 5 and 3 ns, launched by calls of 10 ns.
    expect(found?.evidence).to.include({ kernels: 4, kernelsShorterThanLaunch: 2, kernelsShorterThanLaunchNs: 8 });
    expect(found?.action).to.include('CUDA graph');
  });

  it('asks for no graph where graphs are launched, but for launches ahead of the device', () => {
    const replay = (start: number, id: number): KernelRecord =>
      at(start, 5, start - 20, { id, graph: { id: 1, node: id }, launch: { api: 'cudaGraphLaunch', start: start - 20, dur: 10 } });
    const adviser = adviserOf([PROFILE, replay(1000, 1), replay(1100, 2), replay(1200, 3)]);
    const [found] = adviser.findings.filter(({ rule }) => rule === 'launch-gaps');
    expect(found?.action).to.match(/^launch graphs ahead of the device/);
    expect(found?.evidence).to.include({ idleNs: 190, beforeGraphsNs: 190 });
    expect(adviser.verdicts[0]?.text).to.include('launching graphs ahead would recover').and.not.to.include('a graph could');
  }); // prettier-ignore

  it('asks for no graph where most kernels already run from graphs', () => {
    // Idle 1015-1100, before a kernel that is launched alone, at 1090; two kernels run from a graph.
    const graph = { api: 'cudaGraphLaunch', start: 980, dur: 10 };
    const inGraph = (start: number, id: number): KernelRecord => at(start, 5, 0, { id, graph: { id: 1, node: id }, launch: graph });
    const records = [PROFILE, inGraph(1000, 1), inGraph(1005, 2), inGraph(1010, 3), at(1100, 5, 1090, { id: 4 })];
    const adviser = adviserOf(records);
    const [found] = adviser.findings.filter(({ rule }) => rule === 'launch-gaps');
    expect(found?.action).to.match(/^most kernels already run from graphs: launch fewer, larger kernels/);
    expect(found?.evidence).to.include({ idleNs: 85, kernels: 1, kernelsInGraphs: 3 });
    expect(adviser.verdicts[0]?.text).to.include('fewer, larger kernels would recover').and.not.to.include('a graph would');
    // A single kernel from a graph is not most of two.
    const [other] = findingsOf('launch-gaps', [PROFILE, inGraph(1010, 3), at(1100, 5, 1090, { id: 4 })]);
    expect(other?.action).to.match(/^capture the work in a CUDA graph/);
  }); // prettier-ignore

  it('separates gaps that no launch explains, and claims no gain', () => {
    const records = [PROFILE, at(0, 5, null, { id: 1 }), at(2_000_000, 5, 1_999_000, { id: 2 })];
    const [found, ...more] = findingsOf('launch-gaps', records);
    expect(more).to.deep.equal([]);
    expect(found).to.include({ stake: 1_999_995, gain: null });
    expect(found?.at).to.deep.equal({ start: 5, end: 2_000_000 });
  });

  it('says to load ahead where data is loaded in most of the long gaps', () => {
    const loader: ProfileLine = {
      ...{ type: 'range', profile: 0, start: 100, dur: 1_500_000, pid: 1, tid: 1, domain: null },
      text: 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__',
    };
    const gap = [at(0, 5, -50, { id: 1 }), loader, at(2_000_000, 5, 1_999_000, { id: 2 })];
    // 1500000 of 1999995.
    expect(findingsOf('launch-gaps', [PROFILE, ...gap])[0]?.action).to.match(/^load batches ahead/);
    const short = { ...loader, dur: 500_000 };
    expect(findingsOf('launch-gaps', [PROFILE, ...gap.with(1, short)])[0]?.action).to.match(/^find out what the CPU/);
  });

  it('names what the host did in long gaps, and what to do about it', () => {
    const call = (text: string, dur: number): ProfileLine => ({
      ...{ type: 'range', kind: 'api', profile: 0, start: 100, dur, pid: 10, tid: 100, domain: null, text },
    });
    const found = (one: ProfileLine) =>
      findingsOf('launch-gaps', [PROFILE, at(0, 5, -50, { id: 1 }), one, at(2_000_000, 5, 1_999_000, { id: 2 })])[0];
    expect(found(call('cudaMalloc', 1_500_000))?.details).to.equal('the CPU was in cudaMalloc 1.500 ms');
    expect(found(call('cudaMalloc', 1_500_000))?.action).to.match(/^allocate memory before/);
    expect(found(call('aclopCompileAndExecute', 1_500_000))?.action).to.match(/^profile after the steps that compile/);
    expect(found(call('cudaMalloc', 900_000))?.details).to.equal(undefined);
  });

  it('says to measure without stacks where the profiler records each call of Python', () => {
    const frame: ProfileLine = {
      ...{
        type: 'range',
        kind: 'frame',
        profile: 0,
        start: 0,
        dur: 9,
        pid: 1,
        tid: 1,
        domain: null,
        text: 'a.py(1): f',
      },
    };
    const records = [at(1000, 5, 900, { id: 1 }), at(1100, 100, 1050, { id: 2 })];
    expect(findingsOf('launch-gaps', [PROFILE, frame, ...records])[0]?.action).to.match(
      /^profile once without with_stack=True/,
    );
    expect(findingsOf('launch-gaps', [PROFILE, ...records])[0]?.action).to.match(/^capture the work/);
  });

  it('names the graph of the device that waits', () => {
    const launched = (device: number, api: string) => [
      at(1000, 5, 900, { device, launch: { api, start: 900, dur: 10 } }),
      at(1100, 5, 1050, { device, id: 2, launch: { api, start: 1050, dur: 10 } }),
    ];
    const found = findingsOf('launch-gaps', [PROFILE, ...launched(0, 'cudaLaunchKernel'), ...launched(1, 'hipLaunchKernel')]);
    expect(found.map(({ action }) => /CUDA|HIP/.exec(action)?.[0])).to.deep.equal(['CUDA', 'HIP']);
  }); // prettier-ignore

  it('is silent where the device is never waited for, and says where it cannot look', () => {
    expect(silenceOf('launch-gaps', [PROFILE, at(1000, 5, 900), at(1010, 50, 950)])).to.equal('nothing');
    expect(silenceOf('launch-gaps', [PROFILE, at(1000, 5, null), at(1100, 5, null)])).to.equal(
      'no launches in the profile',
    );
    // Idle for 3 ns of 1008.
    expect(silenceOf('launch-gaps', [PROFILE, at(1000, 5, 900), at(1008, 1000, 1006)])).to.match(/^below 1\.0 %/);
  });
});

describe('the rule queued-gaps', () => {
  // Kernels of 3 us every 5 us, all launched in the beginning: three gaps of 2 us in 18 us.
  const queued = (called: number): KernelRecord[] =>
    [0, 5000, 10_000, 15_000].map((start, i) => at(start, 3000, called, { id: i + 1, short: i === 3 ? 'b' : 'a' }));

  it('adds up short gaps between kernels that were launched in time', () => {
    const adviser = adviserOf([PROFILE, ...queued(-1000)]);
    const [found, ...more] = adviser.findings.filter(({ rule }) => rule === 'queued-gaps');
    expect(more).to.deep.equal([]);
    expect(found).to.deep.include({ stake: 6000, count: 3, details: 'most before a 4 us, b 2 us' });
    expect(found?.gain).to.include({ ns: 6000, isBound: true });
    expect(found?.what).to.match(/^3 short gaps .* idle for 6 us \(2 us each\)/);
    expect(found?.action).to.include('fewer, larger kernels').and.not.to.include('graph');
    expect(adviser.findings.filter(({ rule }) => rule === 'launch-gaps')).to.deep.equal([]);
    expect(adviser.verdicts[0]?.text).to.include('2 us on average; fewer, larger kernels would recover up to 33.3 %');
  });

  it('is silent on late launches, on long waits, and where gaps are little', () => {
    const late = [0, 5000, 10_000].map((start) => at(start, 3000, start - 100));
    expect(silenceOf('queued-gaps', [PROFILE, ...late])).to.equal('nothing');
    expect(silenceOf('queued-gaps', [PROFILE, at(0, 3000, -1000), at(25_000, 3000, -900)])).to.equal('nothing');
    expect(silenceOf('queued-gaps', [PROFILE, at(0, 97_000, -1000), at(99_000, 1000, -900)])).to.equal('nothing');
    expect(silenceOf('queued-gaps', [PROFILE, at(0, 5, null), at(7, 5, null)])).to.equal('no launches in the profile');
  });
});

describe('the rule garbage-collection', () => {
  const collection = (start: number, dur: number): ProfileLine => ({
    ...{ type: 'range', profile: 0, kind: 'annotation', start, dur, pid: 1, tid: 1, domain: null, text: 'GC' },
  });
  const [first, second] = [at(0, 100, -50, { id: 1 }), at(200, 100, 190, { id: 2 })];

  it('adds up the idle time within collections', () => {
    // Idle from 100 to 200: 20 ns of the first collection, 10 of the second.
    const records = [PROFILE, first, collection(80, 40), collection(150, 10), second, collection(210, 5)];
    const [found, ...more] = findingsOf('garbage-collection', records);
    expect(more).to.deep.equal([]);
    expect(found).to.include({ stake: 20 + 10, count: 3 });
    expect(found?.gain).to.include({ ns: 30, isBound: true });
    expect(found?.evidence).to.deep.equal({ collections: 3, collectionsNs: 55, idleNs: 30 });
    expect(found?.action).to.include('gc.freeze()');
  });

  it('is silent where the device works meanwhile, and without collections', () => {
    expect(silenceOf('garbage-collection', [PROFILE, collection(10, 20), first, second])).to.equal('nothing');
    expect(silenceOf('garbage-collection', [PROFILE, first, second])).to.match(/no garbage collections$/);
  });
});

describe('the rule input-pipeline', () => {
  const step = (start: number, dur: number, called: number, number: number, id: number): KernelRecord =>
    at(start, dur, called, { step: number, id });
  const loading: ProfileLine = {
    type: 'range',
    profile: 0,
    start: 120,
    dur: 300,
    pid: 1,
    tid: 1,
    domain: null,
    text: 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__',
  };
  // Step 1 ends at 100. A copy from 300 to 310, step 2 from 500 to 600, step 3 from 900.
  const steps = (copied: boolean): ProfileLine[] => [
    PROFILE,
    step(0, 100, -50, 1, 1),
    loading,
    ...(copied ? [copy({ kind: 'HtoD', start: 300, dur: 10, launch: { api: 'cudaMemcpyAsync', start: 290, dur: 5 } })] : []),
    step(500, 100, 480, 2, 2),
    step(900, 100, 880, 3, 3),
  ]; // prettier-ignore

  it('adds up idle time before steps, whatever small work lies within', () => {
    const [found] = findingsOf('input-pipeline', steps(true));
    // 100-300, 310-500, 600-900; loading 120-300 and 310-420.
    expect(found).to.include({ stake: 200 + 190 + 300, count: 2 });
    expect(found?.gain?.ns).to.equal(690);
    expect(found?.evidence).to.include({ steps: 2, idleSteps: 2, loadingNs: 180 + 110 });
    expect(found?.kernels).to.deep.equal(['0:2', '0:3']);
    expect(found?.action).to.include('more DataLoader workers');
    expect(findingsOf('launch-gaps', steps(true))).to.deep.equal([]);
  });

  it('is silent where the next step was launched in time, and without steps', () => {
    expect(silenceOf('input-pipeline', [PROFILE, step(0, 100, -50, 1, 1), step(105, 100, 90, 2, 2)])).to.equal('nothing');
    expect(silenceOf('input-pipeline', [PROFILE, at(0, 5, 0), at(500, 5, 400)])).to.equal('no two steps in the profile');
  }); // prettier-ignore
});

describe('the rule copies', () => {
  it('finds copies for which the host waited', () => {
    const records = [
      PROFILE,
      at(0, 100, -50),
      // Returned at 210, after the copy's end at 205: exposed 100-205 but for the idle 100-195, then idle to 300.
      copy({ start: 195, dur: 10, launch: { api: 'cudaMemcpyAsync', start: 60, dur: 150 } }),
      at(300, 100, 280, { id: 2 }),
      // Synchronous by its name; half of it under a kernel that runs until 400.
      copy({ kind: 'HtoD', bytes: 40, start: 390, dur: 20, launch: { api: 'cudaMemcpy_v3020', start: 380, dur: 5 } }),
    ];
    const found = findingsOf('copies', records);
    const [back, forth] = found;
    expect(found).to.have.length(2);
    expect(back?.gain?.ns).to.equal(10 + 95);
    expect(back?.evidence).to.include({
      copies: 1,
      waitedNs: 150,
      exposedNs: 10,
      idleAfterNs: 95,
      synchronousCalls: 0,
    });
    expect(forth?.evidence).to.include({ synchronousCalls: 1, bytes: 40, exposedNs: 10, idleAfterNs: 0 });
    expect(findingsOf('launch-gaps', records)).to.deep.equal([]);
  });

  it('states no size of copies whose size the profile lacks', () => {
    const unsized = copy({ kind: 'DtoH', bytes: null, start: 390, dur: 20, launch: { api: 'cudaMemcpy', start: 380, dur: 30 } }); // prettier-ignore
    const [found] = findingsOf('copies', [PROFILE, at(0, 100, -50), unsized]);
    expect(found?.what).to.match(/^the CPU waits for 1 DtoH copy: 20 ns with nothing else running/);
    expect(found?.evidence).not.to.have.property('bytes');
  });

  it('takes the memory that the profile records, else says that it infers', () => {
    const called = { api: 'cudaMemcpyAsync', start: 190, dur: 20 };
    const loaded = copy({ kind: 'HtoD', start: 195, dur: 50, launch: called });
    const of = (one: ProfileLine) => findingsOf('copies', [PROFILE, at(0, 100, -50), one])[0];
    // Through pageable memory the call copies piece by piece: until 210, while the copy runs until 245.
    const recorded = of({ ...loaded, hostMemory: 'pageable' });
    expect(recorded?.evidence).to.include({ copies: 1, pageable: 1, inferred: 0, exposedNs: 50 });
    expect(recorded?.details).to.match(/; 1 with pageable memory$/);
    expect(recorded?.action).to.match(/^pin the host's memory/);
    // Nothing is known of the memory: only a call that returned after the copy shows it.
    expect(of(loaded)).to.equal(undefined);
    const inferred = of({ ...loaded, launch: { ...called, dur: 60 } });
    expect(inferred?.evidence).to.include({ copies: 1, pageable: 0, inferred: 1 });
    expect(inferred?.details).to.match(/; 1 inferred from calls that returned after the copy$/);
    // The call had returned before a small pageable copy began; a call with pinned memory was slow by itself.
    expect(of({ ...loaded, hostMemory: 'pageable', launch: { ...called, dur: 4 } })).to.equal(undefined);
    expect(of({ ...loaded, hostMemory: 'pinned', launch: { ...called, dur: 60 } })).to.equal(undefined);
    // A synchronous call waits, whatever the memory; pinning it would not help.
    const pinned = of({ ...loaded, hostMemory: 'pinned', launch: { ...called, api: 'cudaMemcpy' } });
    expect(pinned?.details).to.match(/; 1 by synchronous calls$/);
    expect(pinned?.action).to.match(/^copy asynchronously/);
  });

  it('counts a call once that copies in pieces, also where pieces of two threads alternate', () => {
    // Two calls of 100 and 90 ns, each with two pieces of 10 ns.
    const [first, second] = [{ api: 'hipMemcpyAsync', start: 100, dur: 100 }, { api: 'hipMemcpyAsync', start: 105, dur: 90 }];
    const piece = (start: number, launch: typeof first, tid: number) => copy({ kind: 'HtoD', start, dur: 10, launch, tid });
    const pieces = [piece(110, first, 1), piece(120, second, 2), piece(130, first, 1), piece(140, second, 2)];
    const [found, ...more] = findingsOf('copies', [PROFILE, at(0, 100, -50), ...pieces]);
    expect(more).to.deep.equal([]);
    expect(found?.what).to.match(/^the CPU waits in 2 calls for 4 HtoD copies/);
    expect(found?.details).to.equal('the calls took 190 ns; 2 inferred from calls that returned after the copy');
    expect(found?.evidence).to.include({ copies: 4, calls: 2, waitedNs: 190, copyNs: 40, inferred: 2 });
  }); // prettier-ignore

  it('is silent on asynchronous copies, and says where launches are not known', () => {
    const pinned = copy({ start: 195, dur: 50, launch: { api: 'cudaMemcpyAsync', start: 60, dur: 5 } });
    expect(silenceOf('copies', [PROFILE, at(0, 100, -50), pinned])).to.equal('nothing');
    expect(silenceOf('copies', [PROFILE, at(0, 100, -50), copy({ start: 200 })])).to.match(/^no copy between host/);
  });
});

describe('the rule clock-shift', () => {
  const saidOf = (facts: Labels) =>
    findingsOf('clock-shift', [
      { ...profileOn(A100), facts },
      kernel({ start: 0, dur: 10 }),
      kernel({ id: 2, start: 40, dur: 10 }),
    ]);

  it('says how far a clock was moved, how sure that is, and how much idle time rests on it', () => {
    const [found] = saidOf({ device_0_clock_shift_ns: -2_000_000, device_0_clock_bound_ns: 3000 });
    expect(found).to.deep.include({ device: 0, stake: 30, gain: null });
    const [sure] = saidOf({ device_0_clock_shift_ns: -2_000_000, device_0_clock_bound_ns: 4 });
    expect(sure?.stake).to.equal(8);
    expect(found?.what).to.equal("its clock ran 2 ms ahead of the CPU's; its times were aligned, to within 3 us");
    expect(saidOf({ device_0_clock_shift_ns: 5000, device_0_clock_bound_ns: 'na' })[0]?.what).to.match(
      /5 us behind the CPU's; its times were aligned, with unknown accuracy/,
    );
    expect(saidOf({ device_0_clock_shift_ns: 'na' })[0]?.what).to.match(/no launch is known/);
  });

  it('is silent on others, and on devices without work', () => {
    expect(saidOf({})).to.deep.equal([]);
    expect(saidOf({ device_1_clock_shift_ns: 7 })).to.deep.equal([]);
  });
});
