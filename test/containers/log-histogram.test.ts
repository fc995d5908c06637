import { expect } from 'chai';
import fc from 'fast-check';
import { LogHistogram, type Distribution } from '../../src/containers/log-histogram.js';

function distributionOf(values: readonly number[]): Distribution {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  const { distribution } = histogram;
  if (distribution === null) throw new Error('no values');
  return distribution;
}

describe('a histogram of sizes', () => {
  it('has the sum, the extremes and the round bins of its values', () => {
    expect(distributionOf([0, 0.5, 1, 3, 3, 1024])).to.deep.equal({
      ...{ count: 6, total: 1031.5, mean: 1031.5 / 6, min: 0, max: 1024 },
      // The third, sixth and sixth of six: of 1 and of 1024 the middle of the bin, which begins with them.
      ...{ p50: 1 + 1 / 128, p90: 1024, p99: 1024 },
      bins: [
        { from: 0, to: 1, count: 2 },
        { from: 1, to: 2, count: 1 },
        { from: 2, to: 5, count: 2 },
        { from: 1000, to: 2000, count: 1 },
      ],
    });
    expect(new LogHistogram().distribution).to.equal(null);
  });

  it('knows small counts exactly: most of them may be 0', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 64 }), { minLength: 1 }), (counts) => {
        const sorted = counts.toSorted((a, b) => a - b);
        const { p50, p90 } = distributionOf(counts);
        expect([p50, p90]).to.deep.equal([0.5, 0.9].map((share) => sorted[Math.ceil(share * sorted.length) - 1]));
      }),
    );
  });

  it('knows quantiles to 1 %, in whatever order values come', () => {
    const values = fc.array(fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 2 ** 52 })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(values, (all) => {
        const sorted = all.toSorted((a, b) => a - b);
        const found = distributionOf(all);
        for (const [share, quantile] of [
          [0.5, found.p50],
          [0.9, found.p90],
          [0.99, found.p99],
        ] as const) {
          // prettier-ignore
          const exact = sorted[Math.ceil(share * all.length) - 1] ?? NaN;
          expect(quantile).to.be.within(exact * 0.99, exact * 1.01);
        }
        const { total, mean } = found;
        // Sums of large numbers are rounded, in whatever order they are added.
        expect({ ...distributionOf(sorted), total, mean }).to.deep.equal(found);
        expect(found.bins.reduce((sum, { count }) => sum + count, 0)).to.equal(all.length);
        for (const { from, to, count } of found.bins) {
          expect(all.filter((value) => value >= from && value < to)).to.have.length(count);
        }
      }),
    );
  });
});
