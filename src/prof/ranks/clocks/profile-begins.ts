/**
 * When the profile of each rank begins. If profilers are started one after the other, ranks seem to wait for each other
 * in their first operations, whichever rank is slow.
 */
import { median } from '../../../record/statistics.js';
import type { RankPart } from '../part/rank-part.js';
import { stepLength } from '../stragglers/own-work.js';
import { jobTime, type RankClock } from './job-clocks.js';

/** The parts whose profiles begin first and last, and the time between these in ns. */
export interface ApartBegins {
  readonly first: number;
  readonly last: number;
  readonly time: number;
}

/** Start of each part's profile on the job's clock, relative to the earliest, in ns; null when its clock is unknown. */
export function profileBegins(clocks: readonly RankClock[]): (number | null)[] {
  const begins = clocks.map((clock) => (clock.offset === null ? null : jobTime(clock, 0)));
  const earliest = begins.reduce((least: number, begin) => Math.min(least, begin ?? least), Infinity);
  return begins.map((begin) => (begin === null ? null : begin - earliest));
}

/**
 * Null unless the profiles begin further apart than the duration of a step.
 * @param begins from `profileBegins`
 */
export function apartBegins(begins: readonly (number | null)[], parts: readonly RankPart[]): ApartBegins | null {
  const known = begins.flatMap((begin, part) => (begin === null ? [] : [{ part, begin }]));
  const [first, ...others] = known.sort((a, b) => a.begin - b.begin || a.part - b.part);
  const last = others.at(-1);
  const step = median(parts.flatMap((part) => part.steps.step.map((_, index) => stepLength(part, index))));
  if (first === undefined || last === undefined || step === null || last.begin <= step) return null;
  return { first: first.part, last: last.part, time: last.begin };
}
