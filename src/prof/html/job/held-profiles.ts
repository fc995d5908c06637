/** Selects which profiles a page of many holds: the important ones, and a sample of the others. */
import { elementAt } from '../../../containers/element.js';
import type { JobReport } from '../../ranks/job-report.js';
import type { RankPart } from '../../ranks/part/rank-part.js';
import { ownWork } from '../../ranks/stragglers/own-work.js';
import { median } from '../../../record/statistics.js';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BuiltProfile } from '../page-sums.js';

/** This level is fast, and its output is little larger than that of the best level. */
const LEVEL = 1;

export class PackedProfile {
  readonly #bytes: Buffer;

  constructor(
    built: BuiltProfile,
    /** Steps of the profile's timeline, and whether the profile contains what was requested. */
    readonly steps: readonly number[],
    readonly isMet: boolean,
    readonly outOfOrder: number,
  ) {
    this.#bytes = deflateRawSync(JSON.stringify(built), { level: LEVEL });
  }

  get built(): BuiltProfile {
    return JSON.parse(inflateRawSync(this.#bytes).toString('utf8')) as BuiltProfile;
  }
}

/** Maximum number of profiles in a page; any others appear only in its tables of ranks. */
export const MOST_HELD = 64;

/**
 * Shares of the profiles: for ranks that are late, were delayed, or make others wait longest; for the slowest ranks;
 * and for ranks around the median.
 */
const [NAMED, SLOWEST, MIDDLE] = [0.25, 0.125, 0.125];

interface HeldCandidate {
  /** Number of the profile. */
  readonly profile: number;
  /** Time that its devices worked, in ns. */
  readonly busy: number;
  readonly parts: readonly RankPart[];
}

/** @param report null when there are no ranks to compare */
export function heldProfiles(
  candidates: readonly HeldCandidate[],
  report: JobReport | null,
  most: number,
): ReadonlySet<number> {
  if (candidates.length <= most) return new Set(candidates.map(({ profile }) => profile));
  const placeOf = new Map(candidates.flatMap(({ profile, parts }) => parts.map((part) => [part, profile] as const)));
  const named = report === null ? [] : namedIn(report).flatMap((part) => placeOf.get(part) ?? []);
  const bySlowness = candidates
    .map((one) => ({ profile: one.profile, time: timeOf(one) }))
    .sort((a, b) => b.time - a.time || a.profile - b.profile)
    .map(({ profile }) => profile);
  const [slowest, around] = [Math.round(SLOWEST * most), Math.round(MIDDLE * most)];
  const middle = Math.floor((bySlowness.length - around) / 2);
  const held = new Set(named.slice(0, Math.round(NAMED * most)));
  for (const profile of bySlowness.slice(0, slowest)) held.add(profile);
  for (const profile of bySlowness.slice(middle, middle + around)) held.add(profile);
  const others = bySlowness.filter((profile) => !held.has(profile));
  const left = most - held.size;
  for (let i = 0; i < left; i++)
    held.add(elementAt(others, Math.floor((i * (others.length - 1)) / Math.max(1, left - 1))));
  return held;
}

/** Ranks that are late, were delayed, or are latest though perhaps by chance; then those that made others wait longest. */
function namedIn({ parts, ranks, lateness }: JobReport): RankPart[] {
  const { stragglers, delays, latest } = lateness;
  const waitedFor = ranks.toSorted((a, b) => b.delayed - a.delayed || a.part - b.part);
  const named = [...stragglers, ...delays, ...(latest === null ? [] : [latest]), ...waitedFor];
  return [...new Set(named.map(({ part }) => elementAt(parts, part)))];
}

/**
 * Work per step of the rank's slowest device, in ns. The length of the steps would not show it, because it is equal on
 * ranks that wait for each other.
 */
function timeOf({ parts, busy }: HeldCandidate): number {
  const own = parts.flatMap((part) => median(part.steps.step.map((_, index) => ownWork(part, index))) ?? []);
  return own.reduce((most, time) => Math.max(most, time), parts.length === 0 ? busy : 0);
}
