/** How much of a group is there, and how far it reaches: what its waits and transfers may be compared with. */
import { elementAt } from '../../containers/element.js';
import { linkPeakOf } from '../roofline/links.js';
import type { JobGroup } from './matching/job-groups.js';
import type { RankPart } from './part/rank-part.js';

export interface GroupReach {
  /** Ranks of it, whether or not their profiles are there; null when unknown. */
  readonly size: number | null;
  /** Whether the profiles of all of them are there; null when unknown. */
  readonly isComplete: boolean | null;
  /** Machines of its ranks; null where it is not known of each of them. */
  readonly machines: number | null;
  /** Peak of the links between its devices in one direction, bytes/s; null between machines, and where it is not known. */
  readonly linkPeak: number | null;
}

/** @param nodes machine of each part; null where unknown */
export function reachOf(
  { members, size: stated, pair }: JobGroup,
  parts: readonly RankPart[],
  nodes: readonly (string | null)[],
): GroupReach {
  const size = pair === null ? stated : 2;
  const isComplete = size === null ? null : members.length >= size;
  const places = new Set(members.map(({ part }) => nodes[part] ?? null));
  const machines = isComplete === true && !places.has(null) ? places.size : null;
  const peaks = members.map(({ part }) => linkPeakOf(elementAt(parts, part).deviceName));
  const least = peaks.reduce((low, peak) => (low === null || peak === null ? null : Math.min(low, peak)), Infinity);
  return { size, isComplete, machines, linkPeak: machines === 1 ? least : null };
}
