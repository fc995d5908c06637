import type { NumericColumn } from '../../../containers/numeric-column.js';

/** Times further from a profile's start than 52 days are damaged: a double holds the difference of any two others exactly. */
export const FARTHEST = 2 ** 52;

/** Whether a time or duration in ns is exact; not if it is NaN. */
export const isNear = (time: number): boolean => Math.abs(time) <= FARTHEST;

/** Times of a profile that are looked at to know where most of them are. */
export const TIMES_READ = 101;

/** The middle one of some times: one that is damaged does not change it much. Undefined without any. */
export function middleOf<T extends number | bigint>(times: readonly T[]): T | undefined {
  return [...times].sort((a, b) => (a < b ? -1 : Number(a > b)))[times.length >> 1];
}

/**
 * Moves times so that the earliest start is 0.
 * @param others times that move too, but are never the earliest
 * @returns by how much they were moved; 0 when there is no start
 */
export function shiftToFirst(starts: readonly NumericColumn[], others: readonly NumericColumn[]): number {
  let first = Infinity;
  for (const { values } of starts) for (const start of values) if (start < first) first = start;
  if (first === Infinity) return 0;
  for (const { values } of [...starts, ...others]) {
    for (let row = 0; row < values.length; row++) values[row] = (values[row] as number) - first;
  }
  return first;
}
