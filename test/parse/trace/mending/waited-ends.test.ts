import { expect } from 'chai';
import { any, kernel, kernels, launch, runtime } from '../../../support/kineto-trace.js';
import { globalPid, NsightDatabase } from '../../../support/nsight-database.js';
import { diagnosticsOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

const US = 1000;
const MS = 1000 * US;

/** A launch that takes 5 µs, and its kernel, which starts 20 µs after it. */
interface Work {
  readonly at: number;
  readonly dur: number;
  readonly cells?: Parameters<NsightDatabase['kernel']>[2];
  readonly latency?: number;
}
interface Wait {
  readonly from: number;
  readonly to: number;
  readonly api?: string;
  readonly cells?: Parameters<NsightDatabase['call']>[2];
}

function databaseOf(works: readonly Work[], waits: readonly Wait[]): NsightDatabase {
  const db = new NsightDatabase();
  works.forEach(({ at, dur, cells, latency = 20 * US }, n) => {
    db.call({ start: at, end: at + 5 * US }, n + 1);
    db.kernel({ start: at + latency, end: at + latency + dur }, n + 1, cells);
  });
  waits.forEach(({ from, to, api = 'cudaDeviceSynchronize_v3020', cells }, n) =>
    db.call({ start: from, end: to }, 100 + n, cells, api),
  );
  return db;
}
const lastOf = (...db: Parameters<typeof databaseOf>): unknown => {
  const last = kernelsOf(databaseOf(...db).write()).at(-1);
  return [last?.dur, last?.cut === true];
};

const FIRST: Work = { at: 0, dur: 100 * US };
/** Starts at 520 µs, and ends 600 s late. */
const DAMAGED: Work = { at: 500 * US, dur: 600_000 * MS };
const WAIT: Wait = { from: 510 * US, to: 1020 * US };
const CUT = [500 * US, true];
const AS_IT_IS = [600_000 * MS, false];

describe('the last work of a stream', () => {
  it('lasts until a wait for it returned, which began after its launch and returned before its end', () => {
    expect(lastOf([FIRST, DAMAGED], [WAIT])).to.deep.equal(CUT);
    expect(lastOf([FIRST, DAMAGED], [{ ...WAIT, to: 2020 * US }, WAIT])).to.deep.equal(CUT);
    expect(diagnosticsOf(databaseOf([FIRST, DAMAGED], [WAIT]).write())).to.deep.equal({ 'end-not-believed': 1 });
  });

  it('lasts as recorded where nothing shows that it has ended', () => {
    expect(lastOf([FIRST, DAMAGED], [])).to.deep.equal(AS_IT_IS);
    // Begun before the launch returned, returned before the work began, failed, a wait for something else.
    for (const wait of [
      { from: 504 * US, to: 1020 * US },
      { from: 510 * US, to: 515 * US },
      { ...WAIT, cells: { returnValue: 700 } },
      { ...WAIT, api: 'cudaEventSynchronize_v3020' },
      { ...WAIT, cells: { globalTid: globalPid(1001) } },
    ])
      expect(lastOf([FIRST, DAMAGED], [wait])).to.deep.equal(AS_IT_IS);
  });

  it('may end a little after the wait, as clocks are', () => {
    const ends = (dur: number): unknown =>
      lastOf(
        [
          { ...FIRST, dur: 10 * US },
          { ...DAMAGED, dur },
        ],
        [WAIT],
      );
    expect(ends(600 * US)).to.deep.equal([600 * US, false]);
    expect(ends(600 * US + 1)).to.deep.equal(CUT);
  });

  it('lasts as recorded where it is as long as others, or the host waited until it ended: the stream of the wait had no work', () => {
    const ends = (dur: number): unknown => lastOf([FIRST, { ...DAMAGED, dur }], [WAIT]);
    expect(ends(1000 * US)).to.deep.equal([1000 * US, false]);
    expect(ends(1000 * US + 1)).to.deep.equal(CUT);
    // It ends at 9,020 µs.
    const waited = (to: number, api?: string): unknown =>
      lastOf([FIRST, { ...DAMAGED, dur: 8500 * US }], [WAIT, { from: 2000 * US, to, ...(api === undefined ? {} : { api }) }]);
    expect(waited(9120 * US)).to.deep.equal([8500 * US, false]);
    expect(waited(9030 * US, 'cudaEventSynchronize_v3020')).to.deep.equal([8500 * US, false]);
    expect(waited(9121 * US)).to.deep.equal(CUT);
    expect(waited(9030 * US, 'cudaFree_v3020')).to.deep.equal(CUT);
  }); // prettier-ignore

  it('is waited for by its own stream, device and context', () => {
    const wait = { ...WAIT, api: 'cudaStreamSynchronize_v3020' };
    const other = (cells: Work['cells']): Work[] => [{ ...FIRST, cells }, DAMAGED];
    expect(lastOf([FIRST, DAMAGED], [wait])).to.deep.equal(CUT);
    expect(lastOf(other({ streamId: 8 }), [wait])).to.deep.equal(AS_IT_IS);
    expect(lastOf(other({ deviceId: 1 }), [WAIT])).to.deep.equal(AS_IT_IS);
    expect(lastOf(other({ contextId: 2 }), [WAIT])).to.deep.equal(AS_IT_IS);
    // Rows of waits state which it is.
    const stated = (streamId: number): unknown => {
      const db = databaseOf(other({ streamId: 8 }), [wait]);
      const place = { deviceId: 0, contextId: 1, globalPid: globalPid(), correlationId: 100, syncType: 3 };
      db.row('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', { ...place, start: 511 * US, end: 1019 * US, streamId });
      return kernelsOf(db.write()).at(-1)?.dur;
    };
    expect([7, 8].map(stated)).to.deep.equal([500 * US, 600_000 * MS]);
  });

  it('is believed where clocks may differ: work starts before its launch or long after, or other waits are broken', () => {
    const clock = (latency: number): unknown => lastOf([{ ...FIRST, latency }, { ...DAMAGED, latency: Math.abs(latency) }], [WAIT]);
    // It starts at 600 µs.
    expect(clock(-100 * US)).to.deep.equal([420 * US, true]);
    expect(clock(-101 * US)).to.deep.equal(AS_IT_IS);
    expect(clock(101 * US)).to.deep.equal(AS_IT_IS);
    const earlier = { from: 30 * US, to: 40 * US };
    expect(lastOf([{ ...FIRST, dur: 121 * US }, DAMAGED], [earlier, WAIT])).to.deep.equal(AS_IT_IS);
    expect(lastOf([{ ...FIRST, dur: 120 * US }, DAMAGED], [earlier, WAIT])).to.deep.equal(CUT);
  }); // prettier-ignore

  it('that is a copy to the host has ended when its call returns', () => {
    const copy = (api: string): unknown => {
      const db = databaseOf([FIRST], []).call({ start: 500 * US, end: 700 * US }, 9, {}, api);
      const place = { streamId: 7, globalPid: globalPid(), correlationId: 9, copyKind: 2, bytes: 4 };
      db.row('CUPTI_ACTIVITY_KIND_MEMCPY', { ...place, start: 600 * US, end: 9000 * US });
      const record = recordsOf(db.write()).find(({ type }) => type === 'copy');
      return record?.type === 'copy' ? [record.dur, record.cut === true] : null;
    };
    expect(copy('cudaMemcpy_v3020')).to.deep.equal([100 * US, true]);
    expect(copy('cudaMemcpyAsync_v3020')).to.deep.equal([8400 * US, false]);
  });

  it('is so in traces too', () => {
    const damaged = any('kernel', 'k', 520, 600_000_000, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: 2 });
    const trace = [launch(1, 0), kernel('k', 1, 20), launch(2, 500), damaged];
    const events = [...trace, runtime('hipDeviceSynchronize', 3, 510, 1020)];
    expect(kernels(events).at(-1)).to.include({ dur: 500 * US, cut: true });
  });

  it("is so by Intel's waits: for a queue, not for an event or a fence, of which nobody records whose it is", () => {
    const at = { pid: 0, tid: 7 };
    const args = { device: 0, 'sycl queue': 7, stream: 7 };
    const call = (name: string, corr: number, from: number, to: number): string =>
      any(name.startsWith('ze') ? 'xpu_driver' : 'xpu_runtime', name, from, to, {}, { correlation: corr });
    const trace = [
      call('urEnqueueKernelLaunch', 1, 0, 5),
      any('kernel', 'k', 20, 120, at, { ...args, correlation: 1 }),
      call('urEnqueueKernelLaunch', 2, 500, 505),
      any('kernel', 'k', 520, 600_000_520, at, { ...args, correlation: 2 }),
    ];
    const lasts = (wait: string): unknown => {
      const last = kernels([...trace, call(wait, 3, 510, 1020)]).at(-1);
      return [last?.dur, last?.cut === true];
    };
    for (const wait of ['urQueueFinish', 'piQueueFinish', 'zeCommandQueueSynchronize', 'zeCommandListHostSynchronize'])
      expect(lasts(wait), wait).to.deep.equal(CUT);
    for (const wait of [
      'urEventWait',
      'piEventsWait',
      'zeEventHostSynchronize',
      'zeFenceHostSynchronize',
      'urQueueFlush',
    ])
      expect(lasts(wait), wait).to.deep.equal(AS_IT_IS);
  });
});
