/** What answers say where the profiler lost the work of graph launches. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { KernelRecord, ProfileLine, SampleRecord } from '../../../src/record/record.js';
import { STEP_COLUMNS } from '../../../src/prof/steps/step-columns.js';
import { Steps } from '../../../src/prof/steps/steps.js';
import { adviserOf, findingsOf, silenceOf } from '../../support/advice.js';
import { A100, profileOn } from '../../support/devices.js';
import { collective, kernel, mm } from '../../support/kernels.js';
import { recordsOf } from '../../support/profile-records.js';
import { writeTrace } from '../../support/kineto-trace.js';
import { overviewOf } from '../../support/overviews.js';
import { itShared } from '../../support/shared.js';

/** A product that is launched by a call of 5 ns. */
const work = (id: number, start: number, launched: number, step: number | null = null): KernelRecord =>
  kernel({ id, start, dur: 100, step, name: 'ampere_fp16_s16816gemm_fp16_64x64', calls: [mm(64, 64, 64)], launch: { api: 'cudaLaunchKernel', start: launched, dur: 5 } }); // prettier-ignore

const missing = (start: number, end: number, launches = 1, device = 0): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, dur: end - start, device },
  ...{ metric: 'missing_work', value: launches, unit: 'count', labels: { api: 'cudaGraphLaunch' } },
});

const step = (number: number, start: number, dur: number): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, dur, device: null, metric: 'step', value: number, unit: null },
});

/** Busy [0, 100), [1000, 1100), [1200, 1300); work is missing in [150, 1000). */
const RECORDS: readonly ProfileLine[] = [
  profileOn(A100),
  work(1, 0, -20),
  missing(150, 1000, 2),
  work(2, 1000, 900),
  work(3, 1200, 1150),
];

describe('missing work', () => {
  it('is neither busy nor idle in the summary, and leaves no MFU', () => {
    const { devices, kernels } = overviewOf(RECORDS);
    expect(devices).to.have.length(1);
    // The host was late by 50 ns for the graph, and by 100 for the last kernel.
    expect(devices[0]).to.deep.include({
      ...{ span: 1300, busy: 300, idle: 150 },
      missing: { launches: 2, api: 'cudaGraphLaunch', time: 850, start: 150, end: 1000 },
      gaps: { count: 2, longest: 100, host: 150, queue: 0, unknown: 0 },
    });
    expect(kernels?.work.mfu).to.equal(null);
    const complete = overviewOf(RECORDS.filter((record) => record.type !== 'sample'));
    expect(complete.devices[0]).to.deep.include({ idle: 1000, missing: null });
    expect(complete.kernels?.work.mfu).to.be.a('number');
  });

  it('is all kernels where none is recorded: the time without operations between ranks is not known', () => {
    const operation = (start: number): ProfileLine => collective({ start, dur: 100, device: 0 });
    const unrecorded = { ...missing(0, 1100), value: null, labels: {} };
    const marked = [profileOn(A100), unrecorded, operation(0), operation(1000)];
    expect(overviewOf(marked).devices[0]).to.deep.include({
      ...{ span: 1100, busy: 200, idle: 0 },
      missing: { launches: 0, api: null, time: 900, start: null, end: null },
    });
    expect(adviserOf(marked).verdicts[0]?.text).to.match(/^GPU unknown 81\.8 %: the trace lacks kernels\./);
    expect(findingsOf('launch-gaps', marked)).to.deep.equal([]);
  });

  describe('of no duration', () => {
    /** Busy [0, 100), [300, 400) on another stream, [1000, 1100); a kernel that begins at 150 has no duration. */
    const untimed: readonly ProfileLine[] = [
      ...[profileOn(A100), step(1, 0, 500), step(2, 500, 600)],
      ...[work(1, 0, -20, 1), { ...work(2, 150, 120, 1), dur: null }, { ...work(3, 300, 280, 1), stream: 9 }],
      work(4, 1000, 900, 2),
    ];

    it('is neither busy nor idle until the next work of its stream', () => {
      // Idle [100, 150); not known [150, 300) and [400, 1000).
      expect(overviewOf(untimed).devices[0]).to.deep.include({
        ...{ span: 1100, busy: 300, idle: 50 },
        missing: { launches: 0, untimed: 1, api: null, time: 750, start: null, end: null },
      });
      const [verdict] = adviserOf(untimed).verdicts;
      expect(verdict?.parts.find(({ part }) => part === 'missing')).to.include({ time: 750 });
      expect(verdict?.text).to.match(/^GPU unknown 68\.2 %: the trace lacks the time of 1 piece of work\./);
    });

    it('leaves free and idle time of its step unknown, and of no other', () => {
      const steps = new Steps();
      for (const record of untimed) steps.take(record);
      const [number, idle] = ['step', 'idle'].map((key) => STEP_COLUMNS.find((each) => each.key === key));
      const rows = steps.profiles.flatMap((profile) => profile.rows);
      const cells = rows.map((row) => [number?.value(row), idle?.value(row)]);
      expect(cells).to.deep.equal([[1, null], [2, 0], ['all', null]]); // prettier-ignore
    });

    it('makes idle time an upper bound where it is that of much work', () => {
      const late = work(5, 2000, 1990);
      expect(adviserOf([...untimed, late]).verdicts[0]?.text).to.match(
        /^GPU idle at most 45\.2 %: 1 of 5 pieces of work have no duration\./,
      );
    });

    it('leaves rules without a gap to speak of where it is that of much work', () => {
      const late = [work(5, 2000, 1990), work(6, 3000, 2990)];
      const timed = late.concat(work(7, 4000, 3990), work(8, 5000, 4990), work(9, 6000, 5990), work(10, 7000, 6990));
      // Late launches after 1100, 2100, …: 900 ns each; a gap that holds work without a duration is none.
      const gaps = (records: readonly ProfileLine[]): unknown =>
        findingsOf('launch-gaps', records).map(({ evidence }) => evidence['idleNs']);
      expect(gaps([...untimed, ...timed])).to.deep.equal([6 * 900]);
      expect(gaps([...untimed, ...late])).to.deep.equal([]);
      for (const rule of ['launch-gaps', 'input-pipeline', 'long-calls'])
        expect(silenceOf(rule, [...untimed, ...late]), rule).to.equal('1 of 6 pieces of work have no duration: idle time is unknown'); // prettier-ignore
    });
  });

  it('of another device, and where the device works anyway, takes nothing from idle time', () => {
    const elsewhere = RECORDS.map((record) => (record.type === 'sample' ? missing(150, 1000, 2, 1) : record));
    expect(overviewOf(elsewhere).devices[0]).to.deep.include({ idle: 1000, missing: null });
    const within = [RECORDS[0], work(1, 0, -20), missing(10, 90), work(2, 150, 120)] as ProfileLine[];
    expect(overviewOf(within).devices[0]).to.deep.include({
      idle: 50,
      missing: { launches: 1, api: 'cudaGraphLaunch', time: 0, start: 10, end: 90 },
    });
  });

  it('leaves free and idle time of its step unknown, and of no other', () => {
    const steps = new Steps();
    const records = [
      ...[step(1, 0, 140), work(1, 10, 5, 1), step(2, 140, 1000), missing(150, 1000)],
      ...[work(2, 1000, 900, 2), step(3, 1140, 200), work(3, 1200, 1150, 3), work(4, 1400, 1160, 3)],
    ];
    for (const record of records) steps.take(record);
    const idle = steps.profiles.flatMap(({ rows }) => rows.map(({ step, times }) => [step, times.free, times.idle]));
    expect(idle).to.deep.equal([[1, 0, 0], [2, null, null], [3, 100, 100], ['all', null, null]]); // prettier-ignore
  });

  it('leaves a step of which all work is missing, with its time on the host alone', () => {
    const steps = new Steps();
    const records = [
      ...[step(1, 0, 140), work(1, 10, 5, 1), step(2, 140, 300), missing(150, 1000), step(3, 440, 300)],
      ...[step(4, 740, 300), work(2, 1000, 900, 4)],
    ];
    for (const record of records) steps.take(record);
    const rows = steps.profiles.flatMap((profile) => profile.rows);
    const shown = ['step', 'kernels', 'computing', 'busy', 'idle', 'iteration'].map((key) => STEP_COLUMNS.find((each) => each.key === key));
    const cells = rows.map((row) => shown.map((column) => column?.value(row)));
    expect(cells).to.deep.equal([
      [1, 1, 100, 100, 0, 140],
      [2, null, null, null, null, 300],
      [3, null, null, null, null, 300],
      [4, 1, 100, 100, null, 300],
      ['all', 2, 200, 200, null, null],
    ]);
  }); // prettier-ignore

  it('is no gap of the host that is worth advice', () => {
    const late = (records: readonly ProfileLine[]): unknown =>
      findingsOf('launch-gaps', records).map(({ evidence }) => evidence['idleNs']);
    expect(late(RECORDS)).to.deep.equal([100]);
    expect(late(RECORDS.filter((record) => record.type !== 'sample'))).to.deep.equal([1000]);
  });

  const FILE = 'data/kineto/mi300_hipgraph_decode.json.gz';

  itShared('is found in a real trace whose graph has lost its kernels, by its own numbers', [FILE], ([path]) => {
    interface Event {
      readonly cat?: string;
      readonly name: string;
      readonly ts: number;
      readonly tid?: number | string;
      readonly args?: { readonly correlation?: number };
    }
    const trace = JSON.parse(gunzipSync(readFileSync(String(path))).toString()) as { traceEvents: Event[] };
    const call = trace.traceEvents.find(({ name }) => name === 'hipGraphLaunch');
    const isLost = ({ cat, args }: Event): boolean => cat === 'kernel' && args?.correlation === call?.args?.correlation;
    const traceEvents = trace.traceEvents.filter((event) => !isLost(event));
    expect(trace.traceEvents.length - traceEvents.length).to.equal(544);
    const all = recordsOf(writeTrace(JSON.stringify({ ...trace, traceEvents })));
    const found = all.filter((record) => record.type === 'sample' && record.metric === 'missing_work');
    // Until the first work of the thread's next call that launched any: a stream runs one after the other.
    const later = (event: Event): boolean => event.cat === 'cuda_runtime' && event.tid === call?.tid && event.ts > (call?.ts ?? NaN); // prettier-ignore
    const workOf = (event: Event): Event[] => traceEvents.filter(({ cat, args }) => (cat === 'kernel' || cat === 'gpu_memcpy') && args?.correlation === event.args?.correlation); // prettier-ignore
    const [next] = traceEvents.filter((event) => later(event) && workOf(event).length > 0).sort((a, b) => a.ts - b.ts);
    const after = Math.min(...(next === undefined ? [] : workOf(next)).map(({ ts }) => ts));
    expect(found).to.have.length(1);
    expect((found[0] as SampleRecord).dur).to.be.closeTo(1000 * (after - (call?.ts ?? NaN)), 2);
    expect(overviewOf(all).devices[0]?.missing?.launches).to.equal(1);
  });
});

describe('work that waited long after its launch', () => {
  const MS = 1e6;
  const gapsOf = (launched: number, start: number): unknown => {
    const late = kernel({ id: 2, start, dur: 100, launch: { api: 'hipLaunchKernel', start: launched, dur: 5 } });
    const { devices } = overviewOf([work(1, 0, -20), late]);
    return devices[0]?.gaps;
  };

  it('did not wait for its launch, unless that came later still', () => {
    const gaps = { count: 1, longest: 400 * MS, host: 0, queue: 0, unknown: 0 };
    // 38 ns late, then 400 ms in the queue: work from before the profile holds it up.
    expect(gapsOf(138, 100 + 400 * MS)).to.deep.equal({ ...gaps, queue: 400 * MS });
    // 300 ms late, then 100 ms in the queue.
    expect(gapsOf(100 + 300 * MS, 100 + 400 * MS)).to.deep.equal({ ...gaps, host: 400 * MS });
    // 38 ns late, then less in the queue than a launch may take.
    expect(gapsOf(138, 100 + MS)).to.deep.equal({ ...gaps, longest: MS, host: MS });
  });
});
