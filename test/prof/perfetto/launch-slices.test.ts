import { expect } from 'chai';
import { hashOf, LaunchSlices, TimestampSet, type OpenLaunch } from '../../../src/prof/perfetto/launch-slices.js';

const by = (corr: number, start: number) => ({ profile: 0, pid: 1, tid: 2, corr, start });
const numbers = (): (() => number) => {
  let last = 0;
  return () => ++last;
};
const call = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 5 });

describe('launches', () => {
  it('are one slice each, however late another of their activities comes', () => {
    const launches = new LaunchSlices(numbers());
    const opened: OpenLaunch[] = [];
    const flow = (corr: number, start: number): number | null =>
      launches.flow(by(corr, start + 10), call(start), (launch) => opened.push(launch) > 0);
    expect([flow(1, 0), flow(1, 0), flow(2, 0)]).to.deep.equal([1, 2, 3]);
    expect(opened.map(({ flows }) => flows)).to.deep.equal([[1, 2], [3]]);
    for (const launch of opened.splice(0)) launches.close(launch);
    // More than any cache of recent ones would hold.
    for (let i = 1; i <= 100_000; i++) flow(i, i);
    for (const launch of opened.splice(0)) launches.close(launch);
    expect([flow(1, 0), flow(2, 0), opened.length, launches.late]).to.deep.equal([null, null, 0, 2]);
    expect([flow(3, 0), opened.length]).to.deep.equal([100_004, 1]);
  });

  it('of one start are kept apart, in whatever order they are emitted', () => {
    const launches = new LaunchSlices(numbers());
    const opened: OpenLaunch[] = [];
    const flow = (corr: number): number | null =>
      launches.flow(by(corr, 50), call(7), (launch) => opened.push(launch) > 0);
    for (const corr of [1, 2, 3, 2, 1]) flow(corr);
    expect(opened.map(({ first, flows }) => [first.corr, ...flows])).to.deep.equal([
      [1, 1, 5],
      [2, 2, 4],
      [3, 3],
    ]);
    for (const at of [1, 2, 0]) launches.close(opened[at] as OpenLaunch);
    expect([1, 2, 3, 4].map(flow)).to.deep.equal([null, null, null, 6]);
  });

  it('of one start are found without looking at each other', () => {
    let reads = 0;
    const counted = (corr: number) => ({
      ...by(0, 50),
      get corr() {
        reads++;
        return corr;
      },
    });
    const launches = new LaunchSlices(numbers());
    const opened: OpenLaunch[] = [];
    const many = 5000;
    for (let corr = 0; corr < many; corr++) launches.flow(counted(corr), call(7), (launch) => opened.push(launch) > 0);
    for (const launch of opened) launches.close(launch);
    expect(opened).to.have.length(many);
    expect(reads).to.be.below(10 * many);
  });

  it('start no arrow that goes back in time', () => {
    const launches = new LaunchSlices(numbers());
    expect(launches.flow(by(1, 7), call(7), () => true)).to.equal(null);
    expect([launches.flow(by(1, 8), call(7), () => true), launches.backwards]).to.deep.equal([1, 1]);
  });

  it('are identified by start and a hash of all else', () => {
    const set = new TimestampSet();
    const starts = Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? i : i * 2 ** 33 + 0.5 * (i % 4)));
    for (const [i, start] of starts.entries()) set.add(start, hashOf(i, 'api', null));
    for (const [i, start] of starts.entries()) {
      expect(set.has(start, hashOf(i, 'api', null))).to.equal(true);
      expect(set.has(start, hashOf(i, 'ap', null))).to.equal(false);
      expect(set.has(start + 0.25, hashOf(i, 'api', null))).to.equal(false);
    }
    expect(new Set([hashOf(1, 2), hashOf(2, 1), hashOf(1, null), hashOf(2 ** 40), hashOf(2 ** 41)]).size).to.equal(5);
  });
});
