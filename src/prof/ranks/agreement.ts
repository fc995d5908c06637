/**
 * Whether operations, as they were matched, can have happened at the times that the ranks recorded: none can end on a
 * rank before the last one has joined, and ends of one operation lie closer together than starts. Only operations that
 * end on all ranks together are looked at.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { median } from '../../record/statistics.js';
import { endsTogether } from './clocks/observations.js';
import type { RankClock } from './clocks/job-clocks.js';
import type { MatchedGroup } from './matching/match-group.js';
import type { RankPart } from './part/rank-part.js';
import { waitsOf, type OperationWaits } from './waits.js';

/** An end so much before the last rank joined is no error of the clocks, ns. */
const TOLERANCE = 50_000;
/** Operations that may contradict all the same: a kernel may have been preempted, an end lost. */
const MOST_CONTRADICTING = 0.1;
/** Ends of one operation differ by less, ns. */
const MOST_APART = 1_000_000;
/** Ends of a rank that has waited lie much closer to those of the others than its starts do. */
const MOST_OF_STARTS = 0.5;
/** Fewer operations convince nobody: a line of offset and drift fits them too well. */
const FEWEST = 8;

/** The operations of one rank against those of the others of its group; distances from the middle one, ns. */
interface MemberTimes {
  readonly ends: number[];
  readonly starts: number[];
  /** Operations that cannot be: joined after the middle one had ended, or over before the last one had joined. */
  impossible: number;
}

export interface Agreement {
  /** Whether nothing speaks against the group as it was matched. */
  readonly isPossible: boolean;
  /** Parts whose times contradict those of the others; none of two, since it is not known which. */
  readonly contradicting: readonly number[];
  /** Parts whose times speak for it: they have waited for others, or others for them. */
  readonly convincing: readonly number[];
}

export function agreementOf(group: MatchedGroup, parts: readonly RankPart[], clocks: readonly RankClock[]): Agreement {
  let [operations, impossible] = [0, 0];
  const apart: number[] = [];
  const members = new Map<number, MemberTimes>();
  for (const waits of waitsOf(group, parts, clocks)) {
    const { operation, ends, joined } = waits;
    if (!endsTogether(operation.signature, group.group)) continue;
    const earliest = ends.reduce((least, one) => Math.min(least, one), Infinity);
    operations++;
    if (earliest < joined - TOLERANCE) impossible++;
    apart.push(addMembers(members, waits) - earliest);
  }
  return {
    isPossible: impossible <= MOST_CONTRADICTING * operations && (median(apart) ?? 0) <= MOST_APART,
    contradicting: members.size > 2 ? partsWhere(members, isContradicting) : [],
    convincing: partsWhere(members, isConvincing),
  };
}

/** @returns the middle end */
function addMembers(members: Map<number, MemberTimes>, { parts, ends, joined, waits }: OperationWaits): number {
  const starts = waits.map((wait) => joined - wait);
  const [end, start] = [median(ends) ?? NaN, median(starts) ?? NaN];
  const last = starts.reduce((latest, one) => (one <= end ? Math.max(latest, one) : latest), -Infinity);
  for (const [index, part] of parts.entries()) {
    const times = entryOf(members, part, (): MemberTimes => ({ ends: [], starts: [], impossible: 0 }));
    const [ownStart, ownEnd] = [elementAt(starts, index), elementAt(ends, index)];
    times.ends.push(Math.abs(ownEnd - end));
    times.starts.push(Math.abs(ownStart - start));
    if (ownStart > end + TOLERANCE || ownEnd < last - TOLERANCE) times.impossible++;
  }
  return end;
}

const isContradicting = ({ ends, impossible }: MemberTimes): boolean =>
  impossible > MOST_CONTRADICTING * ends.length || (median(ends) ?? 0) > MOST_APART;

const isConvincing = (times: MemberTimes): boolean =>
  !isContradicting(times) &&
  times.ends.length >= FEWEST &&
  (median(times.ends) ?? 0) <= MOST_OF_STARTS * (median(times.starts) ?? 0);

const partsWhere = (members: ReadonlyMap<number, MemberTimes>, holds: (times: MemberTimes) => boolean): number[] =>
  [...members].flatMap(([part, times]) => (holds(times) ? [part] : []));
