/** Deviations of ranks from each other. */

export interface Deviation {
  /** Value ÷ median − 1, of two values value ÷ smaller − 1; null where unknown. */
  readonly part: number | null;
  /** Whether it is the farthest from the median, and by more than `NOTABLE`. */
  readonly standsOut: boolean;
}

/** Smaller deviations are not marked. */
const NOTABLE = 0.05;

export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const above = known[Math.floor(known.length / 2)];
  const below = known[Math.floor((known.length - 1) / 2)];
  return above === undefined || below === undefined ? null : (above + below) / 2;
}

/** Deviation of each value, in order. Two values are equally far from their median: the larger is compared to the smaller. */
export function deviations(values: readonly (number | null)[]): Deviation[] {
  const known = values.filter((value) => value !== null);
  const middle = known.length === 2 ? Math.min(...known) : median(values);
  const parts = values.map((value) => (value === null || middle === null || middle === 0 ? null : value / middle - 1));
  const farthest = parts.reduce<number>((most, part) => Math.max(most, Math.abs(part ?? 0)), 0);
  return parts.map((part) => ({
    part,
    standsOut: part !== null && Math.abs(part) === farthest && farthest > NOTABLE,
  }));
}
