/**
 * The Mann-Whitney rank test (Wilcoxon rank-sum test), two-sided: whether values of one sample tend to be larger than those
 * of the other. It makes no assumption about their distribution, so that one slow step has little influence. Pure.
 *
 * Sources: H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than the
 * other", Ann. Math. Statist. 18 (1947) 50-60: U, its exact distribution by recurrence, mean and variance. E. L. Lehmann,
 * "Nonparametrics" (1975), section 1.4: the variance with ties, the correction for continuity.
 */
import { elementAt } from '../../containers/element.js';

export interface RankTest {
  /** Number of pairs of a first and a second value in which the second is larger; a tie counts one half. */
  readonly u: number;
  /** Probability of a U at least as far from its mean, if both samples come from the same distribution. */
  readonly p: number;
  readonly method: 'exact' | 'normal';
}

/** If both samples have at most this size and no ties, p is exact; otherwise the normal approximation is close enough. */
const MOST_EXACT = 50;

/** @returns null when a sample is empty */
export function mannWhitney(first: ArrayLike<number>, second: ArrayLike<number>): RankTest | null {
  const [n, m] = [first.length, second.length];
  if (n === 0 || m === 0) return null;
  const { rankSum, ties } = ranksOf(first, second);
  const u = rankSum - (m * (m + 1)) / 2;
  return ties === 0 && n <= MOST_EXACT && m <= MOST_EXACT
    ? { u, p: exact(u, n, m), method: 'exact' }
    : { u, p: byNormal(u, n, m, ties), method: 'normal' };
}

/**
 * Computes the ranks of all values together; ties have their mean rank.
 * @returns the sum of the second sample's ranks, and Σ(t³ − t) over groups of t tied values
 */
function ranksOf(
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): { readonly rankSum: number; readonly ties: number } {
  const [a, b] = [Float64Array.from(first).sort(), Float64Array.from(second).sort()];
  let [i, j, rankSum, ties] = [0, 0, 0, 0];
  while (i < a.length || j < b.length) {
    const value = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    const [fromI, fromJ] = [i, j];
    while (i < a.length && a[i] === value) i++;
    while (j < b.length && b[j] === value) j++;
    const tied = i - fromI + (j - fromJ);
    rankSum += (j - fromJ) * (fromI + fromJ + (tied + 1) / 2);
    ties += tied ** 3 - tied;
  }
  return { rankSum, ties };
}

/** p = 2·P(U ≤ min(u, nm − u)), at most 1: the distribution is symmetric about nm/2. */
const exact = (u: number, n: number, m: number): number =>
  Math.min(1, 2 * elementAt(tailsOf(n, m), Math.min(u, n * m - u)));

/** P(U ≤ u) for the last sizes used, cached because all rows of a comparison have the same sizes. */
let remembered: { readonly n: number; readonly m: number; readonly tails: Float64Array } | null = null;

function tailsOf(n: number, m: number): Float64Array {
  if (remembered?.n === n && remembered.m === m) return remembered.tails;
  let sum = 0;
  const sums = waysOf(n, m).map((ways) => (sum += ways));
  const tails = sums.map((orders) => orders / sum);
  remembered = { n, m, tails };
  return tails;
}

/**
 * Number of orders of n first and m second values for each U from 0 to nm: ways(u; n, m) = ways(u − m; n − 1, m) + ways(u;
 * n, m − 1), because the largest of all values belongs either to the first or to the second sample (U counts the pairs in
 * which the first is larger).
 */
function waysOf(n: number, m: number): Float64Array {
  const none = (): Float64Array[] => Array.from({ length: m + 1 }, () => Float64Array.of(1));
  let before = none();
  for (let i = 1; i <= n; i++) {
    const now = none();
    for (let j = 1; j <= m; j++) {
      const ways = new Float64Array(i * j + 1);
      elementAt(before, j).forEach((count, u) => (ways[u + j] = count));
      elementAt(now, j - 1).forEach((count, u) => (ways[u] = elementAt(ways, u) + count));
      now[j] = ways;
    }
    before = now;
  }
  return elementAt(before, m);
}

/** z = (|U − nm/2| − 1/2) / σ, σ² = nm/12 · (N + 1 − Σ(t³ − t)/(N(N − 1))), N = n + m. */
function byNormal(u: number, n: number, m: number, ties: number): number {
  const all = n + m;
  const variance = ((n * m) / 12) * (all + 1 - ties / (all * (all - 1)));
  const distance = Math.abs(u - (n * m) / 2) - 0.5;
  return variance <= 0 || distance <= 0 ? 1 : bothTails(distance / Math.sqrt(variance));
}

/** The smallest p possible for samples of these sizes, however different they are: 2 / C(n + m, n). */
export function leastP(n: number, m: number): number {
  let orders = 1;
  for (let k = 1; k <= Math.min(n, m); k++) orders *= (Math.max(n, m) + k) / k;
  return Math.min(1, 2 / orders);
}

/** Below this value the series is accurate to all digits; above it the continued fraction converges fast. */
const SERIES_UP_TO = 2.5;
const FRACTION_DEPTH = 80;

/** Probability of a standard normal value at least as far from 0 as z ≥ 0, on either side: erfc(z / √2). */
export function bothTails(z: number): number {
  const x = z / Math.SQRT2;
  return x < SERIES_UP_TO ? 1 - erfBySeries(x) : erfcByFraction(x);
}

/** erf(x) = 2/√π · exp(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1)). Source: NIST Digital Library of Mathematical Functions, 7.6.2. */
function erfBySeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; term > sum * Number.EPSILON; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** erfc(x) = exp(−x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))). Source: the same, 7.9.3 on the real axis. */
function erfcByFraction(x: number): number {
  let fraction = x;
  for (let k = FRACTION_DEPTH; k > 0; k--) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}

/**
 * Adjusted p-values (Benjamini-Hochberg): with p₍₁₎ ≤ … ≤ p₍ₘ₎, q₍ᵢ₎ = min over k ≥ i of p₍ₖ₎·m/k, at most 1. The rows with
 * q ≤ Q are those that the procedure rejects at the rate Q.
 * @param ps null for rows without a test, which are null in the result and do not count in m
 */
export function falseDiscovery(ps: readonly (number | null)[]): (number | null)[] {
  const tested = ps.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((a, b) => b.p - a.p);
  const qs: (number | null)[] = ps.map(() => null);
  let least = 1;
  tested.forEach(({ p, at }, fromTop) => {
    least = Math.min(least, (p * tested.length) / (tested.length - fromTop));
    qs[at] = least;
  });
  return qs;
}
