/** Operations between ranks that `dprof ranks` matches: which profiles they connect, and on which clock. */
import { DisjointSets } from '../../containers/disjoint-sets.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { aligned } from '../ranks/aligned.js';
import { jobTime, type RankClock } from '../ranks/clocks/job-clocks.js';
import { endsTogether } from '../ranks/clocks/observations.js';
import { byRank, withoutCopies } from '../ranks/job-report.js';
import { jobGroups, MESSAGE } from '../ranks/matching/job-groups.js';
import type { MatchedGroup } from '../ranks/matching/match-group.js';
import type { RankPart } from '../ranks/part/rank-part.js';

/** One rank's part in an operation. */
export interface Participant {
  readonly profile: number;
  readonly device: number;
  /** Index among the operations of the device. */
  readonly index: number;
  /** Whether it cannot end before all have joined. */
  readonly isHeld: boolean;
}

/** Profiles that take part in common operations. */
export interface ConnectedProfiles {
  /** In order of their numbers; at least one. */
  readonly profiles: readonly number[];
  readonly operations: readonly (readonly Participant[])[];
  /** Converts a time of a profile to the clock that they have in common. */
  readonly timeOf: (profile: number, time: number) => number;
}

/**
 * Unit of times, in ns: a power of two, so that their sums are exact.
 */
const TICK = 2 ** -10;

/** @param partsByProfile parts of all profiles that have operations between ranks */
export function connectedProfiles(partsByProfile: ReadonlyMap<number, readonly RankPart[]>): ConnectedProfiles[] {
  const profileOf = new Map([...partsByProfile].flatMap(([profile, parts]) => parts.map((part) => [part, profile])));
  const { parts } = withoutCopies([...profileOf.keys()].sort(byRank));
  const { matched, clocks } = aligned(parts, jobGroups(parts));
  const profiles = parts.map((part) => profileOf.get(part) ?? NaN);
  const clockOf = new Map<number, RankClock>();
  for (const [at, profile] of profiles.entries()) entryOf(clockOf, profile, () => elementAt(clocks, at));
  const operations = matched.flatMap((group) => [...participantsOf(group, parts, profiles, clocks)]);
  return connected([...partsByProfile.keys()], operations).map(({ profiles: members, ...rest }) => ({
    ...{ profiles: members, ...rest },
    timeOf: (profile, time) => {
      const clock = clockOf.get(profile);
      if (members.length === 1 || clock === undefined) return time;
      return Math.round(jobTime(clock, time) / TICK) * TICK;
    },
  }));
}

function* participantsOf(
  { group, operations }: MatchedGroup,
  parts: readonly RankPart[],
  profiles: readonly number[],
  clocks: readonly RankClock[],
): Generator<readonly Participant[]> {
  for (const { signature, at } of operations) {
    const isTogether = endsTogether(signature, group);
    const all = at.flatMap((index, column): Participant[] => {
      const { part } = elementAt(group.members, column);
      if (index < 0 || clocks[part]?.offset === null) return [];
      const { device, operations: columns } = elementAt(parts, part);
      // A sender of little data does not wait for its receiver.
      const isHeld = isTogether || (signature.kind === MESSAGE && columns.kind[index] === 'receive');
      return [{ profile: elementAt(profiles, part), device, index, isHeld }];
    });
    if (all.length > 1 && all.some(({ isHeld }) => isHeld)) yield all;
  }
}

/** Sorts operations by the set of profiles that they belong to. */
function connected(
  profiles: readonly number[],
  operations: readonly (readonly Participant[])[],
): Pick<ConnectedProfiles, 'profiles' | 'operations'>[] {
  const placeOf = new Map(profiles.map((profile, place) => [profile, place]));
  const sets = new DisjointSets(profiles.length);
  const placesOf = (operation: readonly Participant[]): number[] =>
    operation.map(({ profile }) => placeOf.get(profile) ?? NaN);
  for (const operation of operations) sets.join(placesOf(operation));
  const found = new Map<number, { profiles: number[]; operations: (readonly Participant[])[] }>();
  const setOf = (place: number) => entryOf(found, sets.lowestOf(place), () => ({ profiles: [], operations: [] }));
  for (const [place, profile] of profiles.entries()) setOf(place).profiles.push(profile);
  for (const operation of operations) setOf(elementAt(placesOf(operation), 0)).operations.push(operation);
  return [...found.values()];
}
