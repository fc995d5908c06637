/**
 * Operations matched and clocks set by them. Where operations were matched by their order alone, times may refute it: an
 * operation cannot end on a rank before the last one has joined. Such a group is matched by time, or not at all.
 */
import { median } from '../../record/statistics.js';
import { jobClocks, type RankClock } from './clocks/job-clocks.js';
import { endsTogether } from './clocks/observations.js';
import { startShifts } from './clocks/profile-starts.js';
import type { JobGroup } from './matching/job-groups.js';
import { matchGroup, matchGroupByTime, refuted, type MatchedGroup } from './matching/match-group.js';
import type { RankPart } from './part/rank-part.js';
import { waitsOf } from './waits.js';

export interface Aligned {
  readonly matched: readonly MatchedGroup[];
  readonly clocks: readonly RankClock[];
}

export function aligned(parts: readonly RankPart[], groups: readonly JobGroup[]): Aligned {
  const shifts = startShifts(parts);
  const first = groups.map((group) => {
    const found = matchGroup(group, parts);
    const isDoubtful = found.by !== 'ordinal' && (found.mismatch !== null || found.unmatched.has('no-alignment'));
    return isDoubtful ? (betterByTime(found, parts, shifts) ?? found) : found;
  });
  const clocks = jobClocks(parts, first, shifts);
  const checked = first.map((group) =>
    group.by === 'ordinal' || group.by === null || agrees(group, parts, clocks)
      ? group
      : (matchGroupByTime(group, parts, shifts) ?? refuted(group.group)),
  );
  const isSame = checked.every((group, index) => group === first[index]);
  return { matched: checked, clocks: isSame ? clocks : jobClocks(parts, checked, shifts) };
}

/** Null where times match no more operations. */
function betterByTime(group: MatchedGroup, parts: readonly RankPart[], shifts: readonly number[]): MatchedGroup | null {
  const found = matchGroupByTime(group, parts, shifts);
  return found !== null && found.operations.length >= group.operations.length ? found : null;
}

/** An end so much before the last rank joined is no error of the clocks, ns. */
const TOLERANCE = 50_000;
/** Operations that may contradict all the same: a kernel may have been preempted, an end lost. */
const MOST_CONTRADICTING = 0.1;
/** Ends of one operation differ by less, ns. */
const MOST_APART = 1_000_000;

/** Whether the matched operations can have happened so. */
function agrees(group: MatchedGroup, parts: readonly RankPart[], clocks: readonly RankClock[]): boolean {
  let [count, contradicting] = [0, 0];
  const apart: number[] = [];
  for (const { operation, ends, joined } of waitsOf(group, parts, clocks)) {
    if (!endsTogether(operation.signature)) continue;
    count++;
    const earliest = ends.reduce((least, one) => Math.min(least, one), Infinity);
    if (earliest < joined - TOLERANCE) contradicting++;
    apart.push((median(ends) ?? earliest) - earliest);
  }
  return contradicting <= MOST_CONTRADICTING * count && (median(apart) ?? 0) <= MOST_APART;
}
