import { expect } from 'chai';
import { deviations } from '../../../../src/page/figures/ranks/rank-comparison.js';

describe('comparison of ranks', () => {
  it('marks the farthest from the median', () => {
    const found = deviations([100, 102, 98, 140]);
    // The median of four is between the middle two: 101.
    expect(found[3]).to.deep.equal({ part: 140 / 101 - 1, standsOut: true });
    expect(found.map(({ standsOut }) => standsOut)).to.deep.equal([false, false, false, true]);
  });

  it('marks nothing within 5 %, and nothing of unknown or of zero', () => {
    expect(deviations([100, 101, 104]).some(({ standsOut }) => standsOut)).to.equal(false);
    expect(deviations([null, null, null]).every(({ part }) => part === null)).to.equal(true);
    expect(deviations([0, 0, 5]).every(({ part }) => part === null)).to.equal(true);
  });

  it('compares the larger of two to the smaller', () => {
    expect(deviations([50, null, 75])).to.deep.equal([
      { part: 0, standsOut: false },
      { part: null, standsOut: false },
      { part: 0.5, standsOut: true },
    ]);
  });
});
