/** What is told of the durations of a group. */

/** Times in ns. */
export interface Spread {
  readonly count: number;
  readonly total: number;
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Sample standard deviation; 0 of a single one. */
  readonly stddev: number;
}

/**
 * The spread of durations, at least one. The median of an even number is the mean of the middle two; the standard
 * deviation divides by n - 1. Both, and the 0 for a single one, are those of `nsys stats`.
 * @param durations ns; left sorted
 */
export function spreadOf(durations: Float64Array): Spread {
  durations.sort();
  const count = durations.length;
  let total = 0;
  for (const duration of durations) total += duration;
  const mean = total / count;
  let squares = 0;
  for (const duration of durations) squares += (duration - mean) ** 2;
  const at = (place: number): number => durations[place] ?? NaN;
  return {
    count,
    total,
    mean,
    median: (at(Math.ceil(count / 2) - 1) + at(Math.floor(count / 2))) / 2,
    min: at(0),
    max: at(count - 1),
    stddev: count === 1 ? 0 : Math.sqrt(squares / (count - 1)),
  };
}
