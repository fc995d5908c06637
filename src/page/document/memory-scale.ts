/** Scales of memory in use: from 0 in steps of a power of two, which is a round number of KiB, MiB or GiB. */

/** Steps of a scale at most; there are 3 or 4 of them. */
const MOST_STEPS = 4;

export interface MemoryScale {
  readonly interval: number;
  /** A multiple of the interval, at least the highest value. */
  readonly max: number;
}

/** @param highest bytes. @returns null without any */
export function memoryScale(highest: number): MemoryScale | null {
  if (!(highest > 0) || !Number.isFinite(highest)) return null;
  const interval = Math.max(1, 2 ** Math.ceil(Math.log2(highest / MOST_STEPS)));
  return { interval, max: interval * Math.ceil(highest / interval) };
}
