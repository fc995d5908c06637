import { expect } from 'chai';
import fc from 'fast-check';
import { any, kernel, launch, read, traceText, writeTrace, type EventText } from '../../../support/kineto-trace.js';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { diagnosticsOf, headerOf, kernelsOf } from '../../../support/profile-records.js';
import { propertyRuns } from '../../../support/property-runs.js';

const HOUR = 3_600_000_000_000;
const KERNELS = 20;
const FIRST = 7 * HOUR;
/** Start of a kernel, ns: a call at 0, 1, 2 … ms takes 1 µs, its kernel starts 20 µs after it began and takes 10. */
const kernelAt = (n: number): number => FIRST + n * 1_000_000 + 20_000;
const LENGTH = (KERNELS - 1) * 1_000_000 + 30_000;

/** A trace with these further kernels, none of which has a launch. */
function withKernels(others: readonly number[], hasHost = true): string {
  const events: EventText[] = [];
  for (let n = 0; n < KERNELS; n++) {
    const at = kernelAt(n) / 1000;
    if (hasHost) events.push(launch(n + 1, at - 20));
    events.push(kernel('k', n + 1, at));
  }
  others.forEach((at, n) => events.push(kernel('far', 1000 + n, at / 1000)));
  return writeTrace(traceText(events));
}

const lengthOf = (path: string): number | null => headerOf(path).dur;

describe('work of a device far from everything else', () => {
  it('sets neither the start nor the length of a profile, wherever it is', () => {
    const far = fc.integer({ min: 61, max: 25_000 });
    fc.assert(
      fc.property(far, fc.boolean(), (seconds, isBefore) => {
        const at = isBefore ? FIRST - seconds * 1e9 : kernelAt(KERNELS) + seconds * 1e9;
        const path = withKernels([at]);
        const kernels = kernelsOf(path);
        expect(lengthOf(path)).to.equal(LENGTH);
        expect(kernels.length).to.equal(KERNELS + 1);
        expect(kernels.filter(({ dur }) => dur === null).map(({ start }) => start)).to.deep.equal([0]);
        expect(kernels.find(({ launch }) => launch !== null)?.start).to.equal(20_000);
        expect(diagnosticsOf(path)).to.include({ 'time-far-away': 1, 'row-without-time': 1 });
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it('leaves times as they are where the profile itself says when it began', () => {
    const db = new NsightDatabase();
    for (let n = 1; n <= KERNELS; n++) db.launch(n, []);
    db.kernel({ start: HOUR, end: HOUR + 10 }, 1000);
    const path = db.write();
    expect(kernelsOf(path).find(({ corr }) => corr === 1)?.start).to.equal(120);
    expect([lengthOf(path), diagnosticsOf(path)['time-far-away']]).to.deep.equal([100 * KERNELS + 30, 1]);
  });

  it('is placed at its launch, where that is known', () => {
    const from = HOUR / 1000;
    const calls = Array.from({ length: KERNELS }, (_, n) => [launch(n + 1, from + 1000 * n), kernel('k', n + 1, from + 1000 * n + 20)]);
    const strayed = [launch(99, from + 5500), kernel('strayed', 99, 1000)];
    const path = writeTrace(traceText([...calls.flat(), ...strayed]));
    const [found] = kernelsOf(path).filter(({ name }) => name === 'strayed');
    expect([found?.start, found?.dur, lengthOf(path)]).to.deep.equal([5_500_000, null, 19_030_000]);
  }); // prettier-ignore

  it('is believed where it waited for long after its launch', () => {
    const events = [launch(1, 0), kernel('k', 1, 20), launch(2, 30), kernel('late', 2, 200_000_000)];
    expect(lengthOf(writeTrace(traceText(events)))).to.equal(200_000_010_000);
  });

  it('is believed where it is not that far, or too much to be damaged', () => {
    expect(lengthOf(withKernels([FIRST - 59e9]))).to.equal(59e9 + LENGTH);
    const many = Array.from({ length: KERNELS }, (_, n) => FIRST - HOUR + n * 1000);
    expect(lengthOf(withKernels(many))).to.equal(HOUR + LENGTH);
    expect(diagnosticsOf(withKernels(many))).not.to.have.property('time-far-away');
  });

  it('is further away where nothing is known of the host, which may have loaded data', () => {
    const span = LENGTH - 20_000;
    expect(lengthOf(withKernels([kernelAt(0) - 599e9], false))).to.equal(599e9 + span);
    expect(lengthOf(withKernels([kernelAt(0) - 601e9], false))).to.equal(span);
  });
});

describe('work of a device at time 0 that takes none', () => {
  it('has lost its times, however much there is of it', () => {
    const at = 1_615_207_264_506_000;
    const lost = (corr: number): string => any('kernel', 'lost', 0, 0, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: corr });
    const events = [launch(1, at), kernel('k', 1, at + 20)];
    for (let n = 2; n < 40; n++) events.push(launch(n, at + 1000 * n), lost(n));
    events.push(lost(1000));
    const records = read(events);
    const kernels = records.filter((record) => record.type === 'kernel');
    expect(records[0]).to.include({ dur: 39_001_000, startUnixNs: '1615207264506000000' });
    expect(kernels.filter(({ dur }) => dur !== null).map(({ start }) => start)).to.deep.equal([20_000]);
    expect(kernels.map(({ start }) => start)).to.include(39_000_000).and.to.include(0);
    expect(records.at(-1)).to.have.nested.property('diagnostics.row-without-time', 39);
  }); // prettier-ignore
});
