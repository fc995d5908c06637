import { expect } from 'chai';
import { falseDiscovery } from '../../../src/prof/diff/mann-whitney.js';

describe('the false-discovery rate of Benjamini and Hochberg', () => {
  /** The 15 p of the paper's example (section 3.2). */
  const PAPER = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1]; // prettier-ignore

  it('rejects what the paper rejects: the first four at 5 %', () => {
    const qs = falseDiscovery(PAPER);
    expect(qs.filter((q) => q !== null && q <= 0.05)).to.have.length(4);
    // p·m/k: 0.0001·15/1, 0.0004·15/2, 0.0019·15/3, 0.0095·15/4; the sixth is 0.0298·15/7, less than 0.0278·15/6.
    const expected = [0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714285714286, 0.06385714285714286];
    expected.forEach((q, i) => {
      expect(qs[i]).to.be.closeTo(q, 1e-12);
    });
  });

  it('does not depend on the order', () => {
    const order = [7, 3, 14, 0, 9, 1, 12, 5, 2, 11, 4, 13, 6, 10, 8];
    const qs = falseDiscovery(order.map((at) => PAPER[at] ?? null));
    const sorted = falseDiscovery(PAPER);
    expect(qs).to.deep.equal(order.map((at) => sorted[at]));
  });

  it('does not count what was not tested, and is at most 1', () => {
    expect(falseDiscovery([null, 0.02, null, 0.9])).to.deep.equal([null, 0.04, null, 0.9]);
    expect(falseDiscovery([0.9, 1, 1])).to.deep.equal([1, 1, 1]);
    expect(falseDiscovery([])).to.deep.equal([]);
  });
});
