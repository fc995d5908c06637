import { expect } from 'chai';
import fc from 'fast-check';
import { leastP, mannWhitney, bothTails } from '../../../src/prof/diff/mann-whitney.js';
import { propertyRuns } from '../../support/property-runs.js';

/** U by its definition: pairs in which the second value is the larger one, ties one half. */
const pairs = (a: readonly number[], b: readonly number[]): number =>
  a.flatMap((x) => b.map((y): number => (y > x ? 1 : y === x ? 0.5 : 0))).reduce((sum, one) => sum + one, 0);

/** Every choice of `k` of the numbers from 0 to `n` - 1. */
function choices(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  if (n < k) return [];
  return [...choices(n - 1, k), ...choices(n - 1, k - 1).map((chosen) => [...chosen, n - 1])];
}

/** The two-sided p by counting all orders: of how many is U at least as far from its mean. */
function counted(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b];
  const middle = (a.length * b.length) / 2;
  const far = Math.abs(pairs(a, b) - middle);
  const orders = choices(all.length, a.length);
  const as = orders.filter((chosen) => {
    const first = chosen.map((at) => all[at] ?? 0);
    const second = all.filter((_, at) => !chosen.includes(at));
    return Math.abs(pairs(first, second) - middle) >= far;
  });
  return as.length / orders.length;
}

const close = (value: number | undefined, expected: number, relative = 1e-10): void => {
  expect(Math.abs((value ?? NaN) / expected - 1), `${String(value)} against ${expected}`).to.be.below(relative);
};

describe('the test of Mann and Whitney', () => {
  it('is exact for small samples without ties: as by counting all orders', () => {
    const values = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 10 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 9 }), (all, size) => {
        const n = Math.min(size, all.length - 1);
        const [a, b] = [all.slice(0, n), all.slice(n)];
        const test = mannWhitney(a, b);
        expect(test?.method).to.equal('exact');
        expect(test?.u).to.equal(pairs(a, b));
        close(test?.p, counted(a, b));
      }),
      { numRuns: propertyRuns(60), seed: 1 },
    );
  });

  it('has the critical values of the published tables', () => {
    // Two-sided, 5 %: the largest U that is significant for samples of n and m (tables after Mann and Whitney, 1947).
    const table = [
      [4, 4, 0],
      [5, 5, 2],
      [6, 6, 5],
      [7, 7, 8],
      [8, 8, 13],
      [10, 10, 23],
      [15, 15, 64],
      [20, 20, 127],
      [5, 10, 8],
      [8, 15, 29],
    ] as const;
    for (const [n, m, critical] of table) {
      expect(pOfU(critical, n, m), `${n} ${m}`).to.be.at.most(0.05);
      expect(pOfU(critical + 1, n, m), `${n} ${m}`).to.be.above(0.05);
    }
  });

  /** Samples without ties that have this U: the second one's values each above so many of the first. */
  function pOfU(u: number, n: number, m: number): number {
    const first = Array.from({ length: n }, (_, i) => i + 1);
    let left = u;
    const second = Array.from({ length: m }, (_, j) => {
      const above = Math.min(n, left);
      left -= above;
      return above + (m - j) / (2 * m);
    });
    const test = mannWhitney(first, second);
    expect(test?.u).to.equal(u);
    return test?.p ?? NaN;
  }

  it('answers as SciPy 1.17 does', () => {
    // The example of scipy.stats.mannwhitneyu: U1 = 17 of 20, so that the pairs the other way are 3.
    const diabetes = mannWhitney([19, 22, 16, 29, 24], [20, 11, 17, 12]);
    expect(diabetes?.u).to.equal(3);
    close(diabetes?.p, 0.1111111111111111);
    const first = Array.from({ length: 30 }, (_, i) => i);
    // Exact, by method='exact'.
    close(mannWhitney(first, first.map((x) => x + 7.5))?.p, 0.003193540818593945); // prettier-ignore
    // With ties, by method='asymptotic'.
    const tied = mannWhitney([1, 2, 2, 3, 5], [2, 4, 5, 6, 7, 7]);
    expect(tied).to.include({ u: 25.5, method: 'normal' });
    close(tied?.p, 0.06414661873440437);
  });

  it('corrects for ties and continuity: by hand', () => {
    // n = m = 2, values 1 1 | 1 2: U = 0.5·2 + 1·2 = 3, one group of 3: σ² = 4/12·(5 − 24/12) = 1, z = (1 − 1/2)/1.
    close(mannWhitney([1, 1], [1, 2])?.p, bothTails(0.5));
  });

  it('finds nothing where nothing differs, and does not answer without values', () => {
    expect(mannWhitney([3, 3, 3], [3, 3, 3])).to.deep.equal({ u: 4.5, p: 1, method: 'normal' });
    expect(mannWhitney([1, 4], [2, 3])?.p).to.equal(1);
    expect(mannWhitney([], [1])).to.equal(null);
  });

  it('states the least p that samples can give', () => {
    // 2 / C(10, 5) = 2 / 252, 2 / C(8, 4) = 2 / 70; of one value each there is no p below 1.
    close(leastP(5, 5), 2 / 252);
    close(leastP(4, 4), 2 / 70);
    expect(leastP(1, 1)).to.equal(1);
    close(mannWhitney([1, 2, 3, 4], [5, 6, 7, 8])?.p, leastP(4, 4));
  });

  it('has tails of the normal distribution to many digits', () => {
    // 2·scipy.stats.norm.sf(z), on both sides of where the method changes.
    const tails = [
      [0, 1],
      [0.1, 0.920344325445942],
      [1, 0.31731050786291415],
      [1.959963984540054, 0.05],
      [3, 0.0026997960632601866],
      [3.5, 0.00046525815807105003],
      [3.6, 0.00031821718031506727],
      [5, 5.733031437583866e-7],
      [10, 1.523970604832094e-23],
      [30, 9.813427854295816e-198],
    ] as const;
    for (const [z, tail] of tails) close(bothTails(z), tail, 1e-11);
  });
});
