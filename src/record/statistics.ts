/** Statistics of lists of numbers, and their histograms. */
import { addTimes } from './fields/times.js';

/** Mean duration of the items that have one, in ns; null when none has. */
export function meanTime(tally: {
  readonly time: number | null;
  readonly count: number;
  readonly untimed?: number;
}): number | null {
  const timed = tally.count - (tally.untimed ?? 0);
  return timed > 0 && tally.time !== null ? tally.time / timed : null;
}

/** Choice for the median of an even number of values: the mean of the middle two, or the smaller or larger of them. */
export type MiddleOfTwo = 'mean' | 'lower' | 'upper';

/** Median of values in any order, without NaN; null for an empty list. */
export function median(values: ArrayLike<number>, ofTwo: MiddleOfTwo = 'mean'): number | null {
  return medianOfSorted(Float64Array.from(values).sort(), ofTwo);
}

function medianOfSorted(sorted: Float64Array, ofTwo: MiddleOfTwo): number | null {
  const lower = sorted[(sorted.length - 1) >> 1];
  const upper = sorted[sorted.length >> 1];
  if (lower === undefined || upper === undefined) return null;
  if (ofTwo === 'mean') return (lower + upper) / 2;
  return ofTwo === 'lower' ? lower : upper;
}

/**
 * The smallest value such that at least half of all values are not larger than it.
 * @param counts the number of occurrences of each distinct value
 * @returns null for an empty list
 */
export function medianOfCounts(counts: Iterable<readonly [value: number, count: number]>): number | null {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  let left = sorted.reduce((sum, [, count]) => sum + count, 0) / 2;
  for (const [value, count] of sorted) {
    left -= count;
    if (left <= 0) return value;
  }
  return null;
}

/** Quantile of sorted values, interpolated between neighbours; null for an empty list. @param share 0 to 1 */
export function quantile(ordered: ArrayLike<number>, share: number): number | null {
  const position = share * (ordered.length - 1);
  const below = ordered[Math.floor(position)];
  const above = ordered[Math.ceil(position)];
  return below === undefined || above === undefined
    ? null
    : below + (above - below) * (position - Math.floor(position));
}

/** Statistics of a list of times, in ns. */
export interface Spread {
  readonly count: number;
  readonly total: number;
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Sample standard deviation (n - 1 in the denominator), as in `nsys stats`; 0 for a single value. */
  readonly stddev: number;
}

/** Sorts the values in place. @throws RangeError for an empty list */
export function spreadOf(values: Float64Array): Spread {
  values.sort();
  const { length: count } = values;
  const [min, max, middle] = [values[0], values[count - 1], medianOfSorted(values, 'mean')];
  if (min === undefined || max === undefined || middle === null) throw new RangeError('no values');
  let total = 0;
  for (const value of values) total = addTimes(total, value);
  const mean = total / count;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const stddev = count === 1 ? 0 : Math.sqrt(squares / (count - 1));
  return { count, total, mean, median: middle, min, max, stddev };
}

/**
 * Spread of durations. `variation` is the standard deviation divided by the mean; null for fewer than two. Null for
 * none.
 */
export function lengthSpread(
  lengths: readonly number[],
): (Pick<Spread, 'median' | 'min' | 'max'> & { readonly variation: number | null }) | null {
  if (lengths.length === 0) return null;
  const { count, median: middle, min, max, mean, stddev } = spreadOf(Float64Array.from(lengths));
  return { median: middle, min, max, variation: count < 2 || mean === 0 ? null : stddev / mean };
}

// Histograms with bins of equal width, for text and for the charts of pages.

export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const MOST_BINS = 40;

/** 1, 2 or 5 times a power of ten, at least the given width. */
function roundWidth(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return power * ([1, 2, 5, 10].find((step) => step * power >= width * (1 - 1e-9)) ?? 10);
}

/**
 * Bins of equal, round width; the last includes its upper end. If all values are equal, the width of their only bin is about
 * a hundredth of the value. Width otherwise: Freedman and Diaconis, On the histogram as a density estimator (1981): twice the
 * interquartile range divided by the cube root of the count.
 */
export function binsOf(values: readonly number[]): HistogramBin[] {
  const ordered = values.filter(Number.isFinite).sort((a, b) => a - b);
  const least = ordered[0];
  const most = ordered.at(-1);
  if (least === undefined || most === undefined) return [];
  const quartiles = (quantile(ordered, 0.75) ?? most) - (quantile(ordered, 0.25) ?? least);
  const wanted = (2 * quartiles) / Math.cbrt(ordered.length) || (most - least) / 10 || Math.abs(most) / 100 || 1;
  const width = roundWidth(Math.max(wanted, (most - least) / MOST_BINS));
  const first = Math.floor(least / width);
  const counts = Array.from({ length: Math.max(1, Math.ceil(most / width) - first) }, () => 0);
  for (const value of ordered) {
    const at = Math.min(counts.length - 1, Math.floor(value / width) - first);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, i) => ({ from: (first + i) * width, to: (first + i + 1) * width, count }));
}
