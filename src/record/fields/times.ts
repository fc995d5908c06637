/** Times in ns with picosecond fractions, when a device's clock has them. */
import type { Activity } from '../record.js';

const PS_PER_NS = 1000;

/** Null when it is unknown. Lines may have been edited, so anything but a finite number is unknown. */
export function durationOf({ dur, ps }: Pick<Activity, 'dur' | 'ps'>): number | null {
  if (dur === null || !Number.isFinite(dur)) return null;
  return dur + (ps?.[1] ?? 0) / PS_PER_NS;
}

/**
 * Adds times so that the sum is exact in any order: up to 75 minutes when times have picoseconds, otherwise up to 104 days.
 */
export function addTimes(sum: number, time: number): number {
  const all = sum + time;
  return Number.isInteger(all) ? all : Math.round(all * PS_PER_NS) / PS_PER_NS;
}
