/** How one rank differs from the others. */

export interface Deviation {
  /** Over the median, or over the smaller of two, less 1; null without either. */
  readonly part: number | null;
  /** Whether it stands out: the farthest from the median, and by more than `NOTABLE` of it. */
  readonly standsOut: boolean;
}

/** Differences within this part of the median are no news. */
const NOTABLE = 0.05;

export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const above = known[Math.floor(known.length / 2)];
  const below = known[Math.floor((known.length - 1) / 2)];
  return above === undefined || below === undefined ? null : (above + below) / 2;
}

/** One of each value, in order. Two are as far from their median as each other: the larger is held to the smaller. */
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
