/**
 * Units that are late by about the same time hide each other: if two of three are slow, each of them is last in only
 * half of the steps, which may be chance. This test asks whether a set of k of n units takes the last k places of the
 * steps more often than by chance. If all units are alike, the number of its units among the last k of a step is
 * hypergeometric, with mean k · k/n. The set is selected after the fact, so its probability is multiplied by the number
 * of possible sets of all sizes (Bonferroni).
 *
 * Source: W. Hoeffding, "Probability inequalities for sums of bounded random variables", J. Am. Stat. Assoc. 58 (1963)
 * 13-30: theorem 1, P(X ≥ xN) ≤ exp(−N · KL(x, k/n)) for N draws, and section 6: draws without replacement as well.
 */
import { elementAt } from '../../../containers/element.js';
import { stepPlaces } from './rank-sum-test.js';

/** Maximum number of late units among those compared. If there were more, the others would be fast instead. */
export const mostLate = (compared: number): number => Math.floor((2 / 3) * compared);

interface LateSet {
  /** Rows of the times, latest first. */
  readonly rows: readonly number[];
  /** Upper bound of the probability that any set is as late as this one if all units are alike. */
  readonly p: number;
}

/**
 * @param times one row per unit, one column per step; NaN for a missing step
 * @param most maximum size of the set
 * @returns null when there is no set of several units
 */
export function lateSetOf(times: readonly (readonly number[])[], most: number): LateSet | null {
  const columns = [...(times[0] ?? []).keys()].filter((column) => times.every((row) => !Number.isNaN(row[column])));
  const common = times.map((row) => columns.map((column) => elementAt(row, column)));
  const means = stepPlaces(common).map(({ places }) => places.reduce((sum, place) => sum + place, 0));
  const order = [...times.keys()].sort((a, b) => elementAt(means, b) - elementAt(means, a));
  const size = sizeOf(order.map((row) => elementAt(means, row)).slice(0, most + 1));
  if (columns.length === 0 || size === null) return null;
  const rows = order.slice(0, size);
  const found = columns.reduce((sum, _, column) => sum + amongLast(common, rows, column), 0);
  const [share, expected, draws] = [found / (size * columns.length), size / times.length, size * columns.length];
  const logChance = share <= expected ? 0 : -draws * divergence(share, expected);
  return { rows, p: Math.min(1, Math.exp(logChance + logChoices(times.length, size) + Math.log(most - 1))) };
}

/**
 * Size of a set of several units, which ends at the largest gap between consecutive ones.
 * @param falling sums of places, in descending order
 */
function sizeOf(falling: readonly number[]): number | null {
  let [size, largest]: [number | null, number] = [null, 0];
  for (let k = 2; k < falling.length; k++) {
    const gap = elementAt(falling, k - 1) - elementAt(falling, k);
    if (gap > largest) [size, largest] = [k, gap];
  }
  return size;
}

/** Number of the k given rows that are among the last k of a step. A row that ties with the next one does not count. */
function amongLast(times: readonly (readonly number[])[], rows: readonly number[], column: number): number {
  const falling = times.map((row) => elementAt(row, column)).sort((a, b) => b - a);
  const next = elementAt(falling, rows.length);
  return rows.filter((row) => elementAt(elementAt(times, row), column) > next).length;
}

/** Kullback-Leibler divergence of two shares: x ln(x/y) + (1 − x) ln((1 − x)/(1 − y)). */
const divergence = (x: number, y: number): number => x * Math.log(x / y) + (x < 1 ? (1 - x) * Math.log((1 - x) / (1 - y)) : 0); // prettier-ignore

/** Natural logarithm of the number of sets of k out of n. */
export function logChoices(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}
