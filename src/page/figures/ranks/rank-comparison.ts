/** Deviations of ranks from each other. */
import { median } from '../../../record/statistics.js';

export interface Deviation {
  /** Value ÷ median − 1; for two values, value ÷ smaller − 1; null when unknown. */
  readonly part: number | null;
  /** Whether it is the farthest from the median, and by more than `NOTABLE`. */
  readonly standsOut: boolean;
}

/** Smaller deviations are not marked. */
const NOTABLE = 0.05;

export const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

/**
 * Deviation of each value, in order. Two values are equally far from their median, so the larger is compared with the
 * smaller.
 */
export function deviations(values: readonly (number | null)[]): Deviation[] {
  const compared = known(values);
  const middle = compared.length === 2 ? Math.min(...compared) : median(compared);
  const parts = values.map((value) => (value === null || middle === null || middle === 0 ? null : value / middle - 1));
  const farthest = Math.max(...known(parts).map(Math.abs));
  return parts.map((part) => ({
    part,
    standsOut: part !== null && Math.abs(part) === farthest && farthest > NOTABLE,
  }));
}
