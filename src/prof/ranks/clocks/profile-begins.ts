/**
 * When the profile of each rank begins. Profilers that are switched on one after the other make ranks wait for each other
 * in what they record first, whoever is slow.
 */
import { median } from '../../../record/statistics.js';
import type { RankPart } from '../part/rank-part.js';
import { stepLength } from '../stragglers/own-work.js';
import { jobTime, type RankClock } from './job-clocks.js';

/** The profiles that begin first and last, as parts, and how far apart, ns. */
export interface ApartBegins {
  readonly first: number;
  readonly last: number;
  readonly time: number;
}

/** Of each part on the job's clock, after the earliest, ns; null where its clock is not known. */
export function profileBegins(clocks: readonly RankClock[]): (number | null)[] {
  const begins = clocks.map((clock) => (clock.offset === null ? null : jobTime(clock, 0)));
  const earliest = begins.reduce((least: number, begin) => Math.min(least, begin ?? least), Infinity);
  return begins.map((begin) => (begin === null ? null : begin - earliest));
}

/** Where they begin further apart than a step takes; null otherwise. @param begins as `profileBegins` has them */
export function apartBegins(begins: readonly (number | null)[], parts: readonly RankPart[]): ApartBegins | null {
  const known = begins.flatMap((begin, part) => (begin === null ? [] : [{ part, begin }]));
  const [first, ...others] = known.sort((a, b) => a.begin - b.begin || a.part - b.part);
  const last = others.at(-1);
  const step = median(parts.flatMap((part) => part.steps.step.map((_, index) => stepLength(part, index))));
  if (first === undefined || last === undefined || step === null || last.begin <= step) return null;
  return { first: first.part, last: last.part, time: last.begin };
}
