/**
 * Whether a rank is slower than its peers more often than chance: a permutation test within each step. If all ranks are
 * alike, each place in the order of a step is equally likely for each of them, so that the sum of a rank's places is that
 * of independent uniform numbers; its distribution is exact, by adding step after step.
 *
 * Source: M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
 * J. Am. Stat. Assoc. 32 (1937) 675-701: places within blocks; here the sum of one row, one-sided.
 */
import { elementAt } from '../../../containers/element.js';

/** @returns of each row the probability of places as high as these or higher, if all rows are alike; null for one row */
export function slowerThanChance(times: readonly (readonly number[])[]): (number | null)[] {
  const [rows, steps] = [times.length, times[0]?.length ?? 0];
  if (rows < 2 || steps === 0) return times.map(() => null);
  const sums = new Array<number>(rows).fill(0);
  for (let step = 0; step < steps; step++) {
    const places = placesOf(times.map((row) => elementAt(row, step)));
    for (const [row, place] of places.entries()) sums[row] = elementAt(sums, row) + place;
  }
  const tails = upperTails(rows, steps);
  // Ties have half places: the next whole sum below is the cautious one.
  return sums.map((sum) => elementAt(tails, Math.floor(sum)));
}

/** Places in rising order from 0, ties with the mean of theirs. */
function placesOf(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => elementAt(values, a) - elementAt(values, b));
  const places = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    const value = elementAt(values, elementAt(order, from));
    while (to < order.length && elementAt(values, elementAt(order, to)) === value) to++;
    for (let k = from; k < to; k++) places[elementAt(order, k)] = (from + to - 1) / 2;
    from = to;
  }
  return places;
}

/** P(sum ≥ s) of `count` independent numbers that are each 0 to `size` − 1 with equal probability. */
function upperTails(size: number, count: number): Float64Array {
  let probabilities = Float64Array.of(1);
  for (let added = 0; added < count; added++) {
    const next = new Float64Array(probabilities.length + size - 1);
    let sum = 0;
    for (let s = 0; s < next.length; s++) {
      sum += (probabilities[s] ?? 0) - (s >= size ? (probabilities[s - size] ?? 0) : 0);
      next[s] = Math.max(0, sum) / size;
    }
    probabilities = next;
  }
  const tails = new Float64Array(probabilities.length + 1);
  for (let s = probabilities.length - 1; s >= 0; s--)
    tails[s] = Math.min(1, elementAt(tails, s + 1) + elementAt(probabilities, s));
  return tails;
}
