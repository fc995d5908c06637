import { expect } from 'chai';
import { highest } from '../../../src/page/charts/chart-values.js';
import { binsOf } from '../../../src/record/statistics.js';

describe('histogram of a page', () => {
  it('has bins of a round width that hold every value once', () => {
    // 0 … 99: quartiles 24.75 and 74.25; 2 × 49.5 / 100^(1/3) = 21.3, rounded up to 50.
    const bins = binsOf(Array.from({ length: 100 }, (_, i) => i));
    expect(bins).to.deep.equal([
      { from: 0, to: 50, count: 50 },
      { from: 50, to: 100, count: 50 },
    ]);
  });

  it('holds its upper end', () => {
    const bins = binsOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
    expect(bins.reduce((all, { count }) => all + count, 0)).to.equal(10);
    expect(bins.at(-1)?.to).to.equal(10);
  });

  it('is one bin of equal values, and none of no values', () => {
    // A hundredth of 333 is 3.33, rounded up to 5.
    expect(binsOf([333, 333, 333])).to.deep.equal([{ from: 330, to: 335, count: 3 }]);
    expect(binsOf([300])).to.deep.equal([{ from: 300, to: 305, count: 1 }]);
    expect(binsOf([0])).to.deep.equal([{ from: 0, to: 1, count: 1 }]);
    expect(binsOf([])).to.deep.equal([]);
    expect(binsOf([NaN, Infinity])).to.deep.equal([]);
  });

  it('has at most 41 bins, however far an outlier is', () => {
    const bins = binsOf([...Array.from({ length: 1000 }, (_, i) => 1 + i / 1e6), 1e6]);
    expect(bins.length).to.be.at.most(41);
    expect(bins.reduce((all, { count }) => all + count, 0)).to.equal(1001);
  });

  it('has the count above its highest bars', () => {
    const { formatter } = highest([3, 1200, 0, 1200]);
    const texts = [0, 1, 2, 3].map((dataIndex) => (formatter as (bar: { dataIndex: number }) => string)({ dataIndex }));
    expect(texts).to.deep.equal(['', '1,200', '', '1,200']);
  });
});
