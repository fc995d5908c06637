import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { join } from 'node:path';
import type { EndRecord, ProfileRecord, SampleRecord } from '../../../../src/record/record.js';
import { training, type AscendDatabase } from '../../../support/ascend-database.js';
import { activity, any, diagnostics, ENGINE, kernel, launch, read, runtime, traceText, writeTrace, type EventText } from '../../../support/kineto-trace.js'; // prettier-ignore
import { globalTid, NsightDatabase } from '../../../support/nsight-database.js';
import { NvprofDatabase } from '../../../support/nvprof-database.js';
import { diagnosticsOf, recordsOf } from '../../../support/profile-records.js';
import { CALLED_COPIES_FACT } from '../../../../src/record/wait-calls.js';
import { ROOT } from '../../../support/shared.js';
import { propertyRuns } from '../../../support/property-runs.js';

const NAME = 'graph-launch-without-work';
const isMissing = (record: object): record is SampleRecord => 'metric' in record && record.metric === 'missing_work';
type Found = Pick<SampleRecord, 'start' | 'dur' | 'device' | 'value' | 'labels'>;
const of = ({ start, dur, device, value, labels }: SampleRecord): Found => ({ start, dur, device, value, labels }) as Found; // prettier-ignore
const missing = (events: readonly EventText[]): unknown[] => read(events).filter(isMissing).map(of);

/** A launch of a graph that takes 5 µs; times of records count from 0, the start of the first event. */
const graph = (corr: number, at: number, api = 'hipGraphLaunch', tid?: number): EventText =>
  runtime(api, corr, at, at + 5, tid);
const FIRST = [launch(1, 0), kernel('eager', 1, 20)];
const LATER = [launch(9, 200), kernel('later', 9, 300)];
/** Node `node` of graph 4. */
const node = (number: number, corr: number, at: number): EventText =>
  kernel(`node ${number}`, corr, at, { 'graph id': 4, 'graph node id': number });

/** Cases in which no launch of a kernel lacks its kernel either. */
const LAUNCHED = /the call of the|captures/;

describe('work that is missing after graph launches', () => {
  it('may have run from the launch to the next work of its thread', () => {
    const events = [...FIRST, graph(2, 50), ...LATER];
    const labels = { api: 'hipGraphLaunch' };
    expect(missing(events)).to.deep.equal([{ start: 50_000, dur: 250_000, device: 0, value: 1, labels }]);
    expect(diagnostics(events)).to.have.property(NAME, 1);
  });

  it('is one time after several such launches', () => {
    const events = [...FIRST, graph(2, 50), graph(3, 80), ...LATER, graph(4, 290), launch(5, 400), kernel('k', 5, 500)];
    const labels = { api: 'hipGraphLaunch' };
    expect(missing(events)).to.deep.equal([{ start: 50_000, dur: 450_000, device: 0, value: 3, labels }]);
    const apart = [...FIRST, graph(2, 50), ...LATER, graph(4, 350), launch(5, 400), kernel('k', 5, 500)];
    expect(missing(apart).map((found) => (found as Found).start)).to.deep.equal([50_000, 350_000]);
  });

  it('is that of kernels as well, of any call that launches one', () => {
    for (const api of ['cudaLaunchKernel', 'cuLaunchKernelEx', 'cudaLaunchKernelExC_v11060', 'hipExtModuleLaunchKernel', 'urEnqueueKernelLaunch']) {
      const events = [...FIRST, runtime(api, 2, 50, 55), ...LATER];
      expect(missing(events)).to.deep.equal([{ start: 50_000, dur: 250_000, device: 0, value: 1, labels: { api } }]);
      expect(diagnostics(events)).to.include({ 'launch-without-work': 1 }).and.not.to.have.property(NAME);
    }
  }); // prettier-ignore

  it('is counted at the end of a trace too, where a kernel may not have ended, and not twice for a call within one', () => {
    expect(diagnostics([...FIRST, launch(2, 50)])).to.include({ 'launch-without-work': 1 });
    const within = [runtime('cudaLaunchKernel', 2, 50, 60), runtime('cuLaunchKernel', 3, 51, 59)];
    expect(diagnostics([...FIRST, ...within, ...LATER])).to.include({ 'launch-without-work': 1 });
    expect(missing([...FIRST, ...within, kernel('k', 3, 70), ...LATER])).to.deep.equal([]);
  });

  it('is not counted for as many launches as kernels of unknown launch may be of', () => {
    const lacking = [launch(2, 50), launch(3, 60), launch(4, 70)];
    const count = (...events: EventText[]): unknown =>
      diagnostics([...FIRST, ...lacking, ...events, ...LATER])['launch-without-work'];
    // A kernel of 10 µs that states no correlation id.
    const unknown = (at: number): EventText =>
      any('kernel', 'k', at, at + 10, { pid: 0, tid: 7 }, { device: 0, stream: 7 });
    expect(count()).to.equal(3);
    expect(count(unknown(100))).to.equal(2);
    expect(count(unknown(100), unknown(120), unknown(140))).to.equal(undefined);
    expect(count(...[100, 120, 140, 160].map(unknown))).to.equal(undefined);
    // One that has the id of another launch, which the trace lacks, is of none of these.
    expect(count(kernel('k', 77, 100))).to.equal(3);
  });

  it('is that of launches before a kernel of unknown launch', () => {
    const db = (start: number | null): string =>
      new NsightDatabase()
        .call({ start: 0, end: 5 }, 1)
        .kernel({ start: 10, end: 20 }, 1)
        .kernel({ start: 0, end: 0 }, null, { start, end: start === null ? null : start + 10 })
        .call({ start: 1_000_000, end: 1_000_005 }, 2)
        .call({ start: 2_000_000, end: 2_000_005 }, 3)
        .write();
    const counts = [800_000, 1_100_000, 2_100_000, null].map((at) => diagnosticsOf(db(at))['launch-without-work']);
    expect(counts).to.deep.equal([2, 1, 1, 1]);
  });

  it('is not that of a launch whose id several kernels have', () => {
    const hip = (corr: number, at: number): EventText => runtime('hipLaunchKernel', corr, at, at + 5);
    // Two launches, two kernels with the id of the first: each may be of either.
    const shared = [hip(1, 0), hip(2, 10), kernel('a', 1, 20), kernel('b', 1, 40)];
    expect(diagnostics(shared)).to.include({ 'shared-launch': 2 }).and.not.to.have.property('launch-without-work');
    expect(diagnostics([...shared, hip(3, 60)])).to.include({ 'launch-without-work': 1 });
  });

  it('may be after the cut of a truncated trace: its launches are counted apart', () => {
    const text = traceText([...FIRST, launch(2, 50), graph(3, 60), ...LATER, kernel('late', 2, 70)]);
    const cut = recordsOf(writeTrace(text.slice(0, text.indexOf('"late"'))));
    expect((cut.at(-1) as EndRecord).diagnostics).to.deep.equal({ 'launch-cut': 2, 'truncated-input': 1 });
    // Until the later work, it is not known what ran.
    expect(cut.filter(isMissing).map(({ start, dur, value }) => [start, dur, value])).to.deep.equal([[50_000, 250_000, 2]]); // prettier-ignore
    const whole = diagnostics([...FIRST, launch(2, 50), graph(3, 60), ...LATER]);
    expect(whole).to.deep.equal({ 'launch-without-work': 1, [NAME]: 1 });
  });

  it('is found in databases of nvprof too', () => {
    const path = new NvprofDatabase().launch(1, []).call(200, 210, 2).launch(4, []).write();
    // The first launch is at 100 ns, the lost one 100 ns later, and the kernel of the last at 420 ns.
    expect(recordsOf(path).filter(isMissing).map(({ start, dur }) => [start, dur])).to.deep.equal([[100, 220]]); // prettier-ignore
    expect(diagnosticsOf(path)).to.deep.equal({ 'launch-without-work': 1 });
  });

  it('is found in databases of the Ascend profiler too, but not where a graph is captured', () => {
    const counted = (database: AscendDatabase): unknown => diagnosticsOf(database.write())['launch-without-work'];
    expect(counted(training())).to.equal(undefined);
    expect(counted(training().launch(502, 1300))).to.equal(1);
    const database = training();
    database.launch(600, 1290, { name: database.string('aclmdlRICaptureBegin'), type: 20000 }).launch(502, 1300);
    expect(counted(database.launch(601, 1320, { name: database.string('aclmdlRICaptureEnd'), type: 20000 }))).to.equal(
      undefined,
    );
  });

  it('is none where the profiler saw the launch add a node to a graph, though no capture begins in the profile', () => {
    const database = (births: readonly number[]): string => {
      const made = new NsightDatabase();
      for (const [corr, at] of [1000, 2000, 3000].entries()) made.call({ start: at, end: at + 100 }, corr + 1);
      const nameId = made.string('cudaGraphNode');
      births.forEach((start, id) => made.row('CUDA_GRAPH_NODE_EVENTS', { start, end: start + 1, globalTid: globalTid(), nameId, graphNodeId: id + 1, originalGraphNodeId: null })); // prettier-ignore
      return made.kernel({ start: 3200, end: 3300 }, 3).write();
    };
    const counts = [[], [1050], [1050, 2099], [1150, 2150]].map((births) => diagnosticsOf(database(births))['launch-without-work']); // prettier-ignore
    expect(counts).to.deep.equal([2, 1, undefined, 2]);
  });

  it('is none in the sample, where three launches without a kernel are captured, and two calls share one', () => {
    const path = join(ROOT, 'samples/transformer.nsys.sqlite');
    const database = new Database(path, { readonly: true });
    const lacking = database
      .prepare(
        `SELECT call.start AS start, call.end AS end FROM CUPTI_ACTIVITY_KIND_RUNTIME call JOIN StringIds name ON name.id = nameId
         WHERE name.value LIKE '%LaunchKernel%' AND NOT EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_KERNEL
           WHERE correlationId = call.correlationId AND globalPid >> 24 = call.globalTid >> 24)`,
      )
      .all() as { start: number; end: number }[];
    const births = database
      .prepare('SELECT start FROM CUDA_GRAPH_NODE_EVENTS WHERE originalGraphNodeId IS NULL')
      .pluck()
      .all() as number[];
    database.close();
    expect(lacking).to.have.length(3);
    expect(lacking.every(({ start, end }) => births.some((at) => at >= start && at < end))).to.equal(true);
    expect(diagnosticsOf(path)).to.not.have.property('launch-without-work');
  });

  const complete: readonly (readonly [what: string, events: readonly EventText[]])[] = [
    ['the launch has work', [graph(2, 50), kernel('in graph', 2, 60), ...LATER]],
    ['the work is a copy', [graph(2, 50), activity('gpu_memcpy', 'Memcpy DtoD', 2, 60), ...LATER]],
    ['the trace ends before the work', [...FIRST, graph(2, 50)]],
    ['only another thread launches more', [...FIRST, graph(2, 50), launch(9, 200, ENGINE), kernel('later', 9, 300)]],
    ['work of unknown launch runs there', [...FIRST, graph(2, 50), kernel('whose?', 77, 100), ...LATER]],
    ['a graph is captured', [...FIRST, runtime('hipStreamBeginCapture', 2, 40, 42), launch(3, 50), runtime('hipStreamEndCapture', 4, 60, 62), ...LATER]], // prettier-ignore
    ['a thread that works for the one that captures launches', [...FIRST, runtime('cudaStreamBeginCapture', 2, 40, 42), launch(3, 50, ENGINE), launch(4, 52, ENGINE), runtime('cudaStreamEndCapture', 5, 60, 62), launch(6, 100, ENGINE), kernel('k', 6, 120), ...LATER]], // prettier-ignore
    ['a graph is made ready', [...FIRST, runtime('cudaGraphUpload', 2, 40, 42), runtime('cudaGraphInstantiate', 3, 50, 60), ...LATER]], // prettier-ignore
    ['another call launches nothing', [...FIRST, runtime('cudaMemcpyAsync', 2, 50, 55), ...LATER]],
    ['the call of the runtime around has the work', [runtime('cudaGraphLaunch', 2, 50, 60), runtime('cuGraphLaunch', 3, 51, 59), kernel('in graph', 2, 70), ...LATER]], // prettier-ignore
    ['the call of the runtime around has the work, on a stream that graphs do not use', [runtime('cudaGraphLaunch', 2, 0, 5), kernel('in graph', 2, 20), runtime('cudaLaunchKernel', 3, 50, 60), runtime('cuLaunchKernel', 3, 51, 59), kernel('k', 3, 70, { stream: 19 }), launch(9, 200), kernel('later', 9, 300)]], // prettier-ignore
    ['the call of the driver within has the work', [runtime('cudaGraphLaunch', 2, 50, 60), runtime('cuGraphLaunch', 3, 51, 59), kernel('in graph', 3, 70), ...LATER]], // prettier-ignore
  ];
  for (const [what, events] of complete) {
    it(`is none where ${what}`, () => {
      expect(missing(events)).to.deep.equal([]);
      expect(diagnostics(events)).not.to.have.property(NAME);
      if (LAUNCHED.test(what)) expect(diagnostics(events)).not.to.have.property('launch-without-work');
    });
  }

  it('is none where later work is of another stream than graphs of the thread, which may run before them', () => {
    const launched = [graph(2, 0), kernel('in graph', 2, 20), graph(3, 50), launch(9, 200)];
    expect(missing([...launched, kernel('later', 9, 300, { stream: 8 })])).to.deep.equal([]);
    expect(missing([...launched, kernel('later', 9, 300, { stream: 7 })])).to.have.length(1);
  });

  describe('of a graph whose nodes are known', () => {
    const whole = (corr: number, at: number): EventText[] => [
      graph(corr, at, 'cudaGraphLaunch'),
      ...[1, 2, 3, 4, 5].map((number) => node(number, corr, at + 10 * number)),
    ];

    it('is missing where less than half of them ran', () => {
      const events = [...whole(2, 50), graph(3, 150, 'cudaGraphLaunch'), node(1, 3, 160), node(2, 3, 170), ...LATER];
      const labels = { api: 'cudaGraphLaunch' };
      // The first event is at 50 µs.
      expect(missing(events)).to.deep.equal([{ start: 100_000, dur: 150_000, device: 0, value: 1, labels }]);
    });

    it('is not where more did, and not at the end of the trace', () => {
      const most = [1, 2, 3].map((number) => node(number, 3, 150 + 10 * number));
      expect(missing([...whole(2, 50), graph(3, 150, 'cudaGraphLaunch'), ...most, ...LATER])).to.deep.equal([]);
      expect(missing([...whole(2, 50), graph(3, 150, 'cudaGraphLaunch'), node(1, 3, 160)])).to.deep.equal([]);
    });
  });

  it('is found in databases of Nsight Systems, but not where graphs are traced as a whole', () => {
    const db = (): NsightDatabase =>
      new NsightDatabase()
        .call({ start: 10, end: 20 }, 1)
        .kernel({ start: 30, end: 40 }, 1)
        .call({ start: 100, end: 120 }, 2, {}, 'cudaGraphLaunch_v10000')
        .call({ start: 200, end: 210 }, 3)
        .kernel({ start: 900, end: 950 }, 3);
    const lost = recordsOf(db().write()).filter(isMissing);
    expect(lost.map(of)).to.deep.equal([
      { start: 100, dur: 800, device: 0, value: 1, labels: { api: 'cudaGraphLaunch' } },
    ]);
    const traced = db().row('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', {
      ...{ start: 130, end: 890, deviceId: 0, contextId: 1, streamId: 7, correlationId: 2 },
      ...{ globalPid: (1n << 48n) | (1000n << 24n), graphId: 1, graphExecId: 2 },
    });
    expect(diagnosticsOf(traced.write())).not.to.have.property(NAME);
  });

  it('does not depend on the order of events', () => {
    const events = [...FIRST, graph(2, 50), graph(3, 80), ...LATER, graph(4, 350), launch(5, 400), kernel('k', 5, 500)];
    const expected = missing(events);
    expect(expected).to.have.length(2);
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (shuffled) => {
        expect(missing(shuffled)).to.deep.equal(expected);
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});

describe('copies that the CPU issued and the profile lacks', () => {
  const called = (...events: readonly EventText[]): unknown =>
    (read([...FIRST, ...events])[0] as ProfileRecord).facts?.[CALLED_COPIES_FACT];
  const copy = (api: string, corr: number, from: number, to: number): EventText => runtime(api, corr, from, to);

  it('are counted if the profile contains no copies, and once for a call within another', () => {
    const calls = [copy('hipMemcpy', 2, 50, 90), copy('cudaMemcpyAsync', 3, 100, 110), copy('cuMemcpyDtoH_v2', 4, 102, 108)];
    expect(called(...calls)).to.equal(2);
    // A wait has the id of its call too, which says nothing about the copy.
    expect(called(...calls, activity('cuda_sync', 'Context Sync', 2, 60))).to.equal(2);
    expect(called(...calls, activity('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 2, 60))).to.equal(undefined);
  }); // prettier-ignore

  it('are counted one by one beside copies in the profile, unless a copy of unknown launch may be theirs', () => {
    const recorded = (corr = 0): EventText =>
      activity('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', corr, 120);
    const calls = [copy('cudaMemcpy', 2, 50, 90), copy('cudaMemcpyAsync', 3, 100, 110), copy('cuMemcpyDtoH_v2', 4, 102, 108)];
    const lacking = (...events: EventText[]): unknown => diagnostics([...FIRST, ...calls, ...events])['call-without-copy'];
    // The call within another has the copy of that one, and the other way round.
    expect(lacking(recorded(2), recorded(4))).to.equal(undefined);
    expect(lacking(recorded(2))).to.equal(1);
    // The launch of this copy was before the profile.
    expect(lacking(recorded(77))).to.equal(2);
    expect(lacking(recorded(2), recorded())).to.equal(undefined);
    // Calls of other runtimes have copies with other ids.
    expect(lacking(recorded(2), recorded(4), copy('aclrtMemcpyAsync', 5, 150, 160))).to.equal(undefined);
  }); // prettier-ignore

  it('are none if a kernel copied, nothing was copied at once, or no device worked', () => {
    const call = copy('hipMemcpy', 2, 50, 90);
    expect(called(call, kernel('__amd_rocclr_copyBuffer', 2, 60))).to.equal(undefined);
    // The launch of this one is unknown: it may be either call, so that one copy is missing.
    const other = copy('hipMemcpyAsync', 3, 150, 160);
    expect(called(call, other, kernel('__amd_rocclr_copyBufferAligned', 77, 60))).to.equal(1);
    expect(called(call, kernel('__amd_rocclr_copyBuffer', 77, 60))).to.equal(undefined);
    expect(called(call, kernel('__amd_rocclr_fillBuffer', 77, 60))).to.equal(1);
    expect(called(copy('cudaGraphAddMemcpyNode', 2, 50, 90), copy('cudaMemset', 3, 95, 99))).to.equal(undefined);
    expect((read([call])[0] as ProfileRecord).facts?.[CALLED_COPIES_FACT]).to.equal(undefined);
  });
});
