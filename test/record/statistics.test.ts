import { expect } from 'chai';
import fc from 'fast-check';
import { median, medianOfCounts, quantile, spreadOf } from '../../src/record/statistics.js';

describe('statistics', () => {
  it('have the median of an odd number in the middle, of an even one as asked for', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([9, 1, 5, 6])).to.equal(5.5);
    expect(median([9, 1, 5, 6], 'lower')).to.equal(5);
    expect(median([9, 1, 5, 6], 'upper')).to.equal(6);
    expect(median([])).to.equal(null);
  });

  it('leave the values of a median in their order', () => {
    const values = Float64Array.of(3, 1, 2);
    median(values);
    expect([...values]).to.deep.equal([3, 1, 2]);
  });

  it('have the same median of values and of counts of values', () => {
    const values = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
    fc.assert(
      fc.property(values, (all) => {
        const counts = new Map<number, number>();
        for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
        expect(medianOfCounts(counts)).to.equal(median(all, 'lower'));
      }),
    );
  });

  it('interpolate quantiles between neighbours', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).to.equal(2.5);
    expect(quantile([], 0.5)).to.equal(null);
  });

  it('have the spread of values', () => {
    // Mean 20 / 4; middle two 3 and 6; squares 25 + 4 + 16 + 1 over 3.
    expect(spreadOf(Float64Array.of(10, 3, 1, 6))).to.deep.equal({
      ...{ count: 4, total: 20, mean: 5, median: 4.5, min: 1, max: 10, stddev: Math.sqrt(46 / 3) },
    });
    expect(spreadOf(Float64Array.of(7))).to.include({ median: 7, stddev: 0 });
    expect(spreadOf(Float64Array.of(2, 9, 4))).to.include({ median: 4 });
    expect(() => spreadOf(new Float64Array())).to.throw(RangeError);
  });
});
