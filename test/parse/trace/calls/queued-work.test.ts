import { expect } from 'chai';
import { adviserOf, verdictOf } from '../../../support/advice.js';
import { any, annotation, kernels, launch, read, type EventText } from '../../../support/kineto-trace.js';
import { overviewOf } from '../../../support/overviews.js';

const US = 1000;

/** A kernel of a stream. */
const on = (stream: number, corr: number, from: number, to: number): EventText =>
  any('kernel', `k${corr}`, from, to, { pid: 0, tid: stream }, { device: 0, stream, correlation: corr });

/**
 * Stream 7 gets a kernel of 10 µs at 0, 3000 and 6000 µs, each right after its launch; that of stream 9 was launched at
 * 5 µs and starts after them, at 6020 µs.
 */
const steps = (launched: number): EventText[] => [
  ...[launch(1, 0), launch(9, launched), launch(2, 2990), launch(3, 5990)],
  ...[on(7, 1, 1, 11), on(7, 2, 3000, 3010), on(7, 3, 6000, 6010), on(9, 9, 6020, 6120)],
];
const waitsOf = (events: readonly EventText[]): unknown => kernels(events).map(({ othersWait }) => othersWait);
/** Idle 11 to 3000, 3010 to 6000, and 6010 to 6020 µs, which the queue ends. */
const [FIRST, SECOND, LAST] = [2989 * US, 2990 * US, 10 * US];

describe('launched work that waits', () => {
  it('is stated by late work that starts before it: since its launch returned', () => {
    expect(waitsOf(steps(5))).to.deep.equal([undefined, (3000 - 6) * US, (6000 - 6) * US, undefined]);
  });

  it('is none where it was launched later, or only while the device was idle', () => {
    // While the first kernel runs, and one gap later.
    expect(waitsOf(steps(100))).to.deep.equal([undefined, undefined, (6000 - 101) * US, undefined]);
    expect(waitsOf(steps(5995))).to.deep.equal([undefined, undefined, undefined, undefined]);
    // A launch that has not returned is none yet.
    expect(waitsOf(steps(10.5))).to.deep.equal([undefined, undefined, (6000 - 11.5) * US, undefined]);
  });

  it('is none of another device', () => {
    const other = any('kernel', 'k9', 6020, 6120, { pid: 1, tid: 9 }, { device: 1, stream: 9, correlation: 9 });
    expect(waitsOf([...steps(5).slice(0, -1), other])).to.deep.equal([undefined, undefined, undefined, undefined]);
  });

  it('is why the device is idle: no late launch, whatever the host does meanwhile', () => {
    const { gaps } = overviewOf(read(steps(5))).devices[0] ?? {};
    expect(gaps).to.include({ host: 0, queue: FIRST + SECOND + LAST });
    const loading = annotation('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 20, 2980);
    for (const events of [steps(5), [...steps(5), loading]]) {
      const records = read(events, { ranges: true });
      const parts = verdictOf(records).parts.filter(({ part }) => part === 'idle');
      expect(parts.map(({ cause, time }) => [cause, time])).to.deep.equal([['queue', FIRST + SECOND + LAST]]);
      expect(adviserOf(records).findings.map(({ rule }) => rule)).not.to.include('launch-gaps');
    }
    expect(overviewOf(read(steps(5995))).devices[0]?.gaps).to.include({ host: FIRST + SECOND, queue: LAST });
    const late = verdictOf(read(steps(5995))).parts.filter(({ part }) => part === 'idle');
    expect(late.map(({ cause, time }) => [cause, time])).to.deep.equal([['host', FIRST + SECOND], ['queue', LAST]]); // prettier-ignore
  });

  it('leaves a call of the driver that blocks the CPU for most of the time', () => {
    const events = steps(5).with(2, any('cuda_runtime', 'cudaLaunchKernel', 20, 2999, {}, { correlation: 2 }));
    const parts = verdictOf(read(events)).parts.filter(({ part }) => part === 'idle');
    expect(parts.map(({ cause, time }) => [cause, time])).to.deep.equal([['queue', SECOND + LAST], ['call', FIRST]]); // prettier-ignore
  });
});
