import { expect } from 'chai';
import fc from 'fast-check';
import { IntervalUnion, gapEnd, PicosecondUnion } from '../../src/containers/interval-union.js';
import { propertyRuns } from '../support/property-runs.js';

const covered = (...intervals: readonly (readonly [number, number])[]): PicosecondUnion => {
  const union = new PicosecondUnion();
  for (const [start, end] of intervals) union.add(start, end);
  return union;
};

/** Every picosecond marked. */
function marked(intervals: readonly (readonly [number, number])[]): number {
  const marks = new Set<number>();
  for (const [start, end] of intervals) for (let at = start; at < end; at++) marks.add(at);
  return marks.size;
}

describe('union of intervals', () => {
  it('adds what does not overlap, and takes what does once', () => {
    expect(covered([0, 1000], [2000, 2500]).total).to.equal(1500);
    expect(covered([0, 5000], [1000, 2000], [4000, 7000]).total).to.equal(7000);
    expect(covered([0, 5000], [1000, 2000], [4000, 7000]).stretches).to.equal(1);
    expect(covered().total).to.equal(0);
  });

  it('is exact when picoseconds within a nanosecond are out of order', () => {
    // [1900, 3000] and [1100, 1500]: 1100 + 400
    expect(covered([1900, 3000], [1100, 1500]).total).to.equal(1500);
    expect(covered([1900, 3000], [1100, 1500]).outOfOrder).to.equal(0);
  });

  it('counts intervals that come too late', () => {
    expect(covered([5000, 6000], [1000, 2000]).outOfOrder).to.equal(1);
  });

  it('equals marking every picosecond, whatever the order within a nanosecond', () => {
    const interval = fc.tuple(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 0, max: 3000 }));
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 12 }), (pairs) => {
        const intervals = pairs.map(([start, length]) => [start, start + length] as const);
        const inOrder = [...intervals].sort(([a], [b]) => Math.floor(a / 1000) - Math.floor(b / 1000));
        expect(covered(...inOrder).total).to.equal(marked(intervals));
      }),
      { numRuns: propertyRuns(100), seed: 1 },
    );
  });

  it('can be read in between', () => {
    const union = covered([0, 1500]);
    expect(union.total).to.equal(1500);
    union.add(1200, 1800);
    expect(union.total).to.equal(1800);
  });
});

describe('a cover', () => {
  const sweep = (...intervals: readonly (readonly [number, number])[]): [IntervalUnion, boolean[]] => {
    const cover = new IntervalUnion();
    return [cover, intervals.map(([start, end]) => cover.add(start, end))];
  };

  it('has the total, the latest end, and whether an interval ended a gap after each interval', () => {
    // [0, 5] and [8, 12]: 5 + 4; what touches ends no gap.
    const [cover, gaps] = sweep([0, 3], [3, 5], [4, 4], [8, 12], [9, 10]);
    expect(cover).to.include({ total: 9, end: 12, stretches: 2 });
    expect(gaps).to.deep.equal([false, false, false, true, false]);
  });

  it('takes what ends before it starts as empty', () => {
    expect(sweep([0, 5], [9, 7])[0]).to.include({ total: 5, end: 7 });
  });

  it('counts of an interval out of order only the part after the latest end', () => {
    expect(sweep([10, 20], [0, 15], [5, 22])[0]).to.include({ total: 12, end: 22, stretches: 1 });
  });
});

describe('a gap', () => {
  it('is ended by the host when the launch began after the device had run dry', () => {
    expect([gapEnd(10, 10), gapEnd(10, 12), gapEnd(10, 9)]).to.deep.equal(['host', 'host', 'queue']);
    expect([gapEnd(10, null), gapEnd(10, NaN)]).to.deep.equal([null, null]);
  });
});
