/**
 * Tests whether a rank is slower than its peers more often than by chance: a permutation test within each step. If all
 * ranks are alike, each place in the order of a step is equally likely for each rank. The sum of a rank's places is
 * then a sum of independent uniform numbers. Its distribution is computed exactly, step by step. Steps may have
 * different numbers of ranks.
 *
 * Source: M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the analysis of variance", J.
 * Am. Stat. Assoc. 32 (1937) 675-701: places within blocks; here the sum of one row, one-sided. Blocks that lack rows:
 * J. Durbin, "Incomplete blocks in ranking experiments", Br. J. Stat. Psychol. 4 (1951) 85-90.
 */
import { elementAt } from '../../../containers/element.js';
import { LruCache } from '../../../containers/map-entry.js';

/** The places of one row in the steps that it shares with others, in order of steps. */
export interface StepPlaces {
  /** Columns of these steps. */
  readonly columns: readonly number[];
  /** Places from 0; the last one is the slowest. */
  readonly places: readonly number[];
  /** Number of rows that have the step. */
  readonly sizes: readonly number[];
}

/** @param times one row per rank, one column per step; NaN for a missing step */
export function stepPlaces(times: readonly (readonly number[])[]): StepPlaces[] {
  const rows = times.map(() => ({ columns: [] as number[], places: [] as number[], sizes: [] as number[] }));
  for (const column of (times[0] ?? []).keys()) {
    const present = times.flatMap((row, at) => (Number.isNaN(row[column]) ? [] : [at]));
    if (present.length < 2) continue;
    const places = placesOf(present.map((row) => elementAt(elementAt(times, row), column)));
    for (const [index, at] of present.entries()) {
      const row = elementAt(rows, at);
      row.columns.push(column);
      row.places.push(elementAt(places, index));
      row.sizes.push(present.length);
    }
  }
  return rows;
}

/** The probability of places at least as high as these, if all rows are alike. */
export function chanceOf(places: readonly number[], sizes: readonly number[]): number {
  const sum = places.reduce((all, place) => all + place, 0);
  // Ties have half places; rounding the sum down is conservative.
  return elementAt(tailsOf(sizes), Math.floor(sum));
}

/** The smallest possible result of `chanceOf`, for a row that is last in each step. */
export const leastChance = (sizes: readonly number[]): number => sizes.reduce((all, size) => all / size, 1);

/** Places in ascending order from 0; ties have the mean of their places. */
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

/** Number of distributions to cache; most ranks share their steps with the same number of others. */
const KEPT = 64;
const known = new LruCache<string, Float64Array>(KEPT);

/** The sizes may be in any order. */
function tailsOf(sizes: readonly number[]): Float64Array {
  const sorted = [...sizes].sort((a, b) => a - b);
  return known.of(sorted.join(), () => upperTails(sorted));
}

/** P(sum ≥ s) for independent numbers, each uniform over 0 … size − 1. */
function upperTails(sizes: readonly number[]): Float64Array {
  let probabilities = Float64Array.of(1);
  for (const size of sizes) {
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

/**
 * Ranks that are slow from some step on, or up to one: the stretch at the end or the start of the steps whose places
 * are least likely by chance. Its probability is multiplied by the number of stretches that were tried (Bonferroni).
 */
export interface StepWindow {
  readonly columns: readonly number[];
  /** Whether the stretch is at the end of the steps, and not at the start. */
  readonly isEnd: boolean;
  /** Probability of places this high in any of the stretches. */
  readonly p: number;
}

/** @returns null when there are too few steps to distinguish any stretch from chance */
export function changeOf({ columns, places, sizes }: StepPlaces, rate: number): StepWindow | null {
  const tried = 2 * (columns.length - 1);
  if (tried < 1 || tried * leastChance(sizes.slice(1)) > rate) return null;
  let best: StepWindow | null = null;
  for (let cut = 1; cut < columns.length; cut++)
    for (const isEnd of [true, false]) {
      const [from, to] = isEnd ? [cut, columns.length] : [0, cut];
      const p = Math.min(1, tried * chanceOf(places.slice(from, to), sizes.slice(from, to)));
      if (best === null || p < best.p) best = { columns: columns.slice(from, to), isEnd, p };
    }
  return best;
}
