/** Waits of a program for transfers that it started itself: the cause of idle time, the rule, and the summary. */
import { expect } from 'chai';
import { linesOf } from '../../support/notes.js';
import type { Arg, KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { copy, findingsOf, silenceOf, verdictOf } from '../../support/advice.js';
import { device, profileOn } from '../../support/devices.js';
import { kernel } from '../../support/kernels.js';
import { overviewOf } from '../../support/overviews.js';
import { STEP_TIME_COLUMNS } from '../../../src/prof/steps/step-columns.js';
import { countedWaitsText } from '../../../src/prof/steps/transfers.js';
import { Steps } from '../../../src/prof/steps/steps.js';
import { MISSING_WORK_METRIC } from '../../../src/record/sample-metrics.js';
import { CALLED_COPIES_FACT } from '../../../src/record/wait-calls.js';

const TPUS = profileOn(...[0, 1].map((id) => device('TPU v6 Lite', { id, vendor: 'google', arch: 'tpu-v6e' })));

const instruction = (start: number, dur: number, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({
    ...{ id: start + 1, name: 'fusion', short: 'fusion', start, dur, op: ['add'], grid: null, block: null },
    ...{ launch: { api: 'DoEnqueueProgram', start: -10, dur: 5 }, labels: { category: 'loop fusion' }, ...fields },
  });

const OUT: Arg = { name: 'out', type: 'tensor', shape: [2, 512], dtype: 'float32' };
const done = (start: number, dur: number, direction: string | null = 'HtoD'): KernelRecord =>
  instruction(start, dur, {
    ...{ name: 'copy-done', short: 'copy-done', op: ['copy-done'], counters: { bytes_accessed: 4096 } },
    calls: [{ mod: 'hlo', op: 'copy-done', args: [OUT] }],
    labels: { category: 'copy-done', ...(direction === null ? {} : { copy: direction }) },
  });

/** 100 ns of computing, 300 of waiting for copies to the device and 40 for copies to the host, 60 more, 100 of computing. */
const WAITING = [instruction(0, 100), done(100, 300), done(400, 40, 'DtoH'), instruction(500, 100)];

const stepsOf = (records: readonly ProfileLine[]): Steps => {
  const steps = new Steps();
  for (const record of records) steps.take(record);
  return steps;
};

const whyOf = (...records: ProfileLine[]): string | undefined =>
  /: (.*?)\. /.exec(verdictOf([TPUS, ...records]).text)?.[1];

describe('waits of a program for transfers', () => {
  it('are the cause of a gap that they fill for the most part, whatever ended it', () => {
    expect(verdictOf([TPUS, ...WAITING]).parts).to.deep.include({
      ...{ part: 'idle', cause: 'transfer', detail: 'HtoD copies', time: 400 },
    });
    expect(whyOf(...WAITING)).to.equal('the program waits for HtoD copies');
    const launchedInIt = instruction(500, 100, { launch: { api: 'DoEnqueueProgram', start: 450, dur: 5 } });
    expect(whyOf(...WAITING.slice(0, 2), launchedInIt)).to.equal('the program waits for HtoD copies');
    expect(whyOf(...WAITING.slice(0, 3), instruction(500, 100, { launch: null }))).to.equal(
      'the program waits for HtoD copies',
    );
    expect(whyOf(instruction(0, 100), done(100, 300, null), instruction(500, 100))).to.equal(
      'the program waits for copies',
    );
    const gather = { ...done(100, 300), labels: { category: 'all-gather-done' } };
    expect(whyOf(instruction(0, 100), gather, instruction(500, 100))).to.equal('the program waits for all-gather');
  });

  it('are not where they fill less than half', () => {
    // 190 of 400 ns.
    const records = [TPUS, instruction(0, 100), done(100, 190), instruction(500, 100)];
    expect(verdictOf(records).parts).to.deep.include({ part: 'idle', cause: 'queue', detail: null, time: 400 });
    expect(overviewOf(records).devices[0]?.gaps).to.deep.equal({
      ...{ count: 1, longest: 400, host: 0, queue: 400, unknown: 0 },
    });
  });

  it('are a part of the idle time in the summary', () => {
    const { devices } = overviewOf([TPUS, ...WAITING, instruction(650, 50), { ...instruction(0, 700), device: 1 }]);
    expect(devices.map(({ gaps }) => gaps)).to.deep.equal([
      { count: 2, longest: 400, host: 0, queue: 50, transfer: 400, unknown: 0 },
      { count: 0, longest: 0, host: 0, queue: 0, unknown: 0 },
    ]);
  });

  it('are counted beside the work in the summary, because --by has rows for them', () => {
    // Of the 600 ns, 340 in two waits.
    const { kernels } = overviewOf([TPUS, ...WAITING]);
    expect(kernels).to.deep.include({ count: 2, time: 200, waits: { count: 2, time: 340 } });
    expect(countedWaitsText(kernels)).to.equal('waits (2 instructions, 340 ns) count only in dprof --by op');
    expect(countedWaitsText({})).to.equal(null);
  });

  it('do not make busy and idle known where the profile lacks the copies that a device started', () => {
    // Each device: 100 ns of an instruction that starts a copy, 300 ns of waiting, 100 ns of computing.
    const on = (at: number): KernelRecord[] =>
      [
        instruction(0, 100, { labels: { category: 'copy-start', copy: 'HtoD' } }),
        done(100, 300),
        instruction(400, 100),
      ].map((record) => ({ ...record, device: at }));
    const records = [TPUS, ...on(0), copy({ device: 0, start: 100, dur: 300 }), ...on(1)].sort(
      (a, b) => ('start' in a ? a.start : -1) - ('start' in b ? b.start : -1),
    );
    const times = overviewOf(records).devices.map(({ memory, copiesAlone }) => [memory, copiesAlone]);
    expect(times).to.deep.equal([[300, 300], [null, null]]); // prettier-ignore
    const steps = stepsOf(records);
    const columns = ['copies', 'busy', 'idle', 'span'].map((key) =>
      STEP_TIME_COLUMNS.find((column) => column.key === key),
    );
    expect(steps.profiles[0]?.rows.map((row) => columns.map((column) => column?.value(row)))).to.deep.equal([
      [300, 500, 0, 500],
      [null, null, null, 500],
    ]);
    expect(verdictOf(records).text).to.match(
      /^2 TPUs idle at most 30\.0 % \(the profile has copies of only 1\): .* Copying 60\.0 % on 1 of 2 TPUs without overlap/,
    );
  });

  it('are found with what is copied, also where the copies themselves are recorded', () => {
    // On device 1 the copies are recorded, so that it is not idle.
    const recorded = WAITING.map((record) => ({ ...record, device: 1 }));
    const copying = copy({ ...{ kind: 'HtoD', bytes: 4096, start: 90, dur: 350, device: 1 } });
    const records = [...WAITING, ...recorded, copying].toSorted((a, b) => a.start - b.start);
    const found = findingsOf('transfer-waits', [TPUS, ...records]);
    expect(found.map(({ device, stake, gain, count }) => [device, stake, gain?.ns, count])).to.deep.equal([
      [0, 340, 340, 2],
      [1, 340, 340, 2],
    ]);
    // 340 of 600 ns; 200 of computing.
    expect(found[0]?.what).to.equal(
      'the program waits 56.7 % of the time for transfers that it started: 340 ns in 2 waits, while nothing is computed',
    );
    expect(found[0]?.details).to.equal(
      '300 ns in 1 wait for HtoD copies of float32 (2,512) (4.096 kB); 40 ns in 1 wait for DtoH copies of float32 (2,512) (4.096 kB); all computing takes 200 ns, so overlap cannot hide more',
    );
    expect(found[0]?.action).to.match(/^copy less between host and device/);
    expect(found[0]?.evidence).to.deep.equal({ waits: 2, waitNs: 340, aloneNs: 340, computingNs: 200, bytes: 8192 });
    expect(found[0]?.kernels).to.deep.equal(['0:101', '0:401']);
  });

  it('are only those while nothing else runs', () => {
    const under = instruction(150, 100, { stream: 9 });
    const [found] = findingsOf('transfer-waits', [
      TPUS,
      instruction(0, 100),
      done(100, 300),
      under,
      instruction(500, 100),
    ]);
    expect(found).to.deep.include({ stake: 200 });
    expect(found?.details).not.to.match(/cannot hide/);
    expect(silenceOf('transfer-waits', [TPUS, instruction(0, 100)])).to.equal('no instruction waits for a transfer');
  });
});

describe('copies that the CPU issued and the profile lacks', () => {
  const launched = (start: number, dur: number): KernelRecord =>
    kernel({ ...{ id: start + 1, start, dur }, launch: { api: 'hipLaunchKernel', start: start - 5, dur: 5 } });
  // 100 us of work, 3 ms without any, 900 us of work.
  const work = [launched(0, 100_000), launched(3_100_000, 900_000)];
  const known = profileOn(device('AMD Instinct MI300X', { vendor: 'amd' }));
  const called = { ...known, facts: { [CALLED_COPIES_FACT]: 2 } };

  it('make busy time a lower bound and idle time an upper bound', () => {
    const [bounded] = overviewOf([called, ...work]).devices;
    expect(bounded).to.include({ span: 4_000_000, busy: null, idle: null, gaps: null, compute: 1_000_000 });
    expect(bounded?.bounds).to.deep.equal({ busy: 1_000_000, idle: 3_000_000 });
    const [exact] = overviewOf([known, ...work]).devices;
    expect(exact).to.include({ busy: 1_000_000, idle: 3_000_000 }).and.not.to.have.property('bounds');
    const columns = ['busy', 'idle', 'copies', 'computing'].map((key) =>
      STEP_TIME_COLUMNS.find((column) => column.key === key),
    );
    const [row] = stepsOf([called, ...work]).profiles[0]?.rows ?? [];
    expect(row && columns.map((column) => column?.value(row))).to.deep.equal([null, null, null, 1_000_000]);
  });

  it('leave the cause of idle time open, in the verdict and in advice', () => {
    const { text, parts } = verdictOf([called, ...work]);
    expect(text).to.match(
      /^GPU idle at most 75\.0 %: the CPU issued 2 copies, but the profile contains none\. Computing 25\.0 %/,
    );
    expect(parts[0]).to.deep.equal({ part: 'idle', cause: 'unknown', detail: null, time: 3_000_000 });
    expect(silenceOf('launch-gaps', [called, ...work])).to.equal(
      'the CPU issued 2 copies, but the profile contains none: idle time is unknown',
    );
    const [found] = findingsOf('unrecorded-copies', [called, ...work]);
    expect(found).to.include({ stake: 3_000_000, gain: null, action: 'record copies too' });
    expect(verdictOf([known, ...work]).text).to.match(/^GPU idle 75\.0 %: the CPU is doing other work\./);
    expect(findingsOf('launch-gaps', [known, ...work])).to.have.length(1);
  });

  it('do not count time in which lost work may have run', () => {
    const lost = { type: 'sample', profile: 0, metric: MISSING_WORK_METRIC, value: 1, unit: 'count', device: 0, start: 1_100_000, dur: 2_000_000 } as const; // prettier-ignore
    const records = [called, work[0], lost, work[1]].flatMap((record) => record ?? []);
    const [found] = findingsOf('unrecorded-copies', records);
    expect(found).to.include({ stake: 1_000_000 });
    expect(overviewOf(records).devices[0]?.bounds).to.deep.equal({ busy: 1_000_000, idle: 1_000_000 });
  });

  it('do not hide memsets', () => {
    // 900 of 4000 us.
    const fill = { type: 'set', value: 0, bytes: 64, profile: 0, start: 200_000, dur: 900_000, device: 0, stream: 7, pid: 10, tid: 100, corr: 5, launch: null } as const; // prettier-ignore
    const records = [called, work[0], fill, work[1]].flatMap((record) => record ?? []);
    expect(verdictOf(records).text).to.contain('. Filling memory 22.5 % without overlap. ');
    expect(verdictOf(records.map((record) => (record === called ? known : record))).text).to.contain(
      '. Copying 22.5 % without overlap',
    );
  });

  it('are noted where a table has no busy and idle time for them', () => {
    const note = '1 device whose busy and idle are unknown: copies are not in the profile';
    expect(linesOf(stepsOf([called, ...work]).finish().notes)).to.include(note);
    expect(linesOf(stepsOf([known, ...work]).finish().notes)).to.not.include(note);
  });
});
