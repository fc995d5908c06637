/** Sets that have the last places of the steps, with their probability by hand. */
import { expect } from 'chai';
import { lateSetOf, mostLate } from '../../../src/prof/ranks/stragglers/late-alike.js';
import { Noise } from '../../support/noise.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a set that is late', () => {
  it('has the probability of all its places, for all sets that it could have been', () => {
    // Rows 0 and 2 share the last two places of four steps: eight of eight, each with 2/3 by chance; 3 sets of two of three.
    const set = lateSetOf([[5, 6, 5, 6], [1, 2, 3, 4], [6, 5, 6, 5]], 2); // prettier-ignore
    expect(set?.rows).to.have.members([0, 2]);
    expect(set?.p).to.be.closeTo(3 * (2 / 3) ** 8, 1e-12);
  });

  it('counts sets of all sizes that are allowed', () => {
    // Of five, sets of two and of three: ten of each, two sizes. Rows 0 and 1: six of six places, 2/5 each by chance.
    const set = lateSetOf([[8, 9, 8], [9, 8, 9], [1, 2, 3], [2, 3, 1], [3, 1, 2]], mostLate(5)); // prettier-ignore
    expect(set?.rows).to.have.members([0, 1]);
    expect(set?.p).to.be.closeTo(2 * 10 * (2 / 5) ** 6, 1e-12);
  });

  it('is compared in the steps that all have', () => {
    const set = lateSetOf([[5, 6, NaN, 6], [1, 2, 3, 4], [6, 5, 6, 5]], 2); // prettier-ignore
    expect(set?.p).to.be.closeTo(3 * (2 / 3) ** 6, 1e-12);
    expect(lateSetOf([[5, NaN], [NaN, 2], [6, 5]], 2)).to.equal(null); // prettier-ignore
  });

  it('is not late where times are equal', () => {
    expect(lateSetOf([[5, 5, 5], [5, 5, 5], [5, 5, 5]], 2)).to.equal(null); // prettier-ignore
  });

  it('is hardly ever found where all are alike', () => {
    const runs = propertyRuns(300);
    let found = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const noise = new Noise(seed);
      const units = 3 + (seed % 14);
      const times = Array.from({ length: units }, () => Array.from({ length: 5 + (seed % 20) }, () => noise.normal()));
      found += Number((lateSetOf(times, mostLate(units))?.p ?? 1) <= 0.02);
    }
    expect(found).to.be.at.most(0.02 * runs);
  });
});
