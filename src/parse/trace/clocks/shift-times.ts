import type { NumericColumn } from '../../../containers/numeric-column.js';

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
