/** Times in ns whose fraction is whole picoseconds, where the clock of a device has them. */
import type { Activity } from '../record.js';

const PS_PER_NS = 1000;

/** Null where it is not known. Lines may have been edited: what is no finite number is unknown. */
export function durationOf({ dur, ps }: Pick<Activity, 'dur' | 'ps'>): number | null {
  if (dur === null || !Number.isFinite(dur)) return null;
  return dur + (ps?.[1] ?? 0) / PS_PER_NS;
}

/** The sum, exact in any order: up to 75 minutes where a time has picoseconds, as others are up to 104 days. */
export function addTimes(sum: number, time: number): number {
  const all = sum + time;
  return Number.isInteger(all) ? all : Math.round(all * PS_PER_NS) / PS_PER_NS;
}
