import { expect } from 'chai';
import { alignments } from '../../../src/prof/ranks/matching/match-group.js';
import { matchByTime } from '../../../src/prof/ranks/matching/match-by-time.js';

const both = { begins: true, ends: true };
const same = (a: number, b: number): boolean => a === b;

describe('a list that lacks operations at its edges', () => {
  it('is shifted to the end where its profile begins within a step, and stays where it ends within one', () => {
    expect(alignments([2, 3], [1, 2, 3], { begins: true, ends: false }, same)).to.equal(1);
    expect(alignments([1, 2], [1, 2, 3], { begins: false, ends: true }, same)).to.equal(0);
  });

  it('fits nowhere where its operations are others, and within a profile', () => {
    expect(alignments([1, 3], [1, 2, 3], { begins: true, ends: false }, same)).to.equal(null);
    expect(alignments([1, 2], [1, 2, 3], { begins: false, ends: false }, same)).to.equal(null);
  });

  it('is placed with both edges open only where one place fits', () => {
    expect(alignments([2, 3], [1, 2, 3, 4], both, same)).to.equal(1);
    expect(alignments([1, 2], [1, 2, 1, 2], both, same)).to.equal(null);
  });
});

describe('operations by when they end', () => {
  const ends = [10, 25, 47, 60, 90, 111, 150, 163].map((ms) => ({ end: ms * 1e6, kind: 'all-reduce' }));

  it('are matched at the offset of the clocks, with operations missing on both sides', () => {
    const offset = 0.7e9;
    const second = ends
      .filter((_, i) => i !== 2 && i !== 6)
      .map(({ end, kind }, i) => ({ end: end + offset + 900 * i, kind }));
    const first = ends.filter((_, i) => i !== 4);
    expect(matchByTime(first, second)).to.deep.equal([0, 1, 3, -1, 4, 6]);
  });

  it('are not matched where several offsets are as good', () => {
    const even = Array.from({ length: 20 }, (_, i) => ({ end: i * 10e6, kind: 'all-reduce' }));
    expect(matchByTime(even, even.slice(3, 9))).to.equal(null);
  });

  it('are not matched with those of another kind', () => {
    expect(
      matchByTime(
        ends,
        ends.map(({ end }) => ({ end, kind: 'broadcast' })),
      ),
    ).to.equal(null);
  });
});
