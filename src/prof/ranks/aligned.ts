/**
 * Matches operations and aligns clocks by them. The times may show that operations were matched wrongly: such a group is
 * matched in another way that fits the times, or without the ranks that contradict the others, or not at all.
 */
import { DisjointSets } from '../../containers/disjoint-sets.js';
import { elementAt } from '../../containers/element.js';
import { entryOf, addTo } from '../../containers/map-entry.js';
import { jobClocks, refutedClock, type RankClock } from './clocks/job-clocks.js';
import { misfitsOf, runsBackwards, type Misfit } from './clocks/misfits.js';
import type { JobGroup } from './matching/job-groups.js';
import {
  matchGroup,
  matchGroupByStep,
  matchGroupByTime,
  type MatchedGroup,
  operationsIn,
  unmatchedGroup,
  type MatchedOperation,
} from './matching/match-group.js';
import type { RankPart } from './part/rank-part.js';
import { median } from '../../record/statistics.js';
import { endsTogether } from './clocks/observations.js';
import { waitsOf, type OperationWaits } from './waits.js';

/**
 * In ns. If an operation ends on a rank more than this time before the last rank joined, the error of the clocks cannot
 * explain it.
 */
const TOLERANCE = 50_000;
/**
 * Share of operations that may contradict the times even if matching is correct, because a kernel may have been
 * preempted, or an end lost.
 */
const MOST_CONTRADICTING = 0.1;
/** Maximum difference between the ends of one operation, in ns. */
const MOST_APART = 1_000_000;
/** Maximum ratio for a rank that waited: its ends are much closer to those of the others than its starts. */
const MOST_OF_STARTS = 0.5;
/** Minimum number of operations: a line of offset and drift fits fewer too well. */
const FEWEST = 8;

/** The operations of one rank compared with those of the others in its group; differences from the median, in ns. */
interface MemberTimes {
  readonly ends: number[];
  readonly starts: number[];
  /** Number of impossible operations: joined after the median end, or ended before the last rank joined. */
  impossible: number;
}

interface Agreement {
  /** Whether the times do not contradict the matching of the group. */
  readonly isPossible: boolean;
  /**
   * Parts whose times contradict those of the others; empty for groups of two, because it is unknown which one is wrong.
   */
  readonly contradicting: readonly number[];
  /** Parts whose times confirm the matching: they waited for others, or others for them. */
  readonly convincing: readonly number[];
}

/**
 * Whether the matched operations can have happened at the times that the ranks recorded: none can end on a rank before the
 * last rank joined, and ends of one operation are closer together than starts. Checks only operations that end on all ranks
 * together.
 */
function agreementOf(group: MatchedGroup, parts: readonly RankPart[], clocks: readonly RankClock[]): Agreement {
  let [operations, impossible] = [0, 0];
  const apart: number[] = [];
  const members = new Map<number, MemberTimes>();
  for (const waits of waitsOf(group, parts, clocks)) {
    const { operation, ends, joined } = waits;
    if (!endsTogether(operation.signature, group.group)) continue;
    const earliest = ends.reduce((least, end) => Math.min(least, end), Infinity);
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

/** @returns the median end */
function addMembers(members: Map<number, MemberTimes>, { parts, starts, ends }: OperationWaits): number {
  const [end, start] = [median(ends) ?? NaN, median(starts) ?? NaN];
  const last = starts.reduce((latest, time) => (time <= end ? Math.max(latest, time) : latest), -Infinity);
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

/** Starts relative to the earliest, in ns; 0 if unknown. */
function startShifts(parts: readonly RankPart[]): number[] {
  const starts = parts.map(({ startUnixNs }) => (startUnixNs === null ? null : BigInt(startUnixNs)));
  let origin: bigint | null = null;
  for (const start of starts) if (start !== null && (origin === null || start < origin)) origin = start;
  return starts.map((start) => (start === null || origin === null ? 0 : Number(start - origin)));
}

interface Aligned {
  readonly matched: readonly MatchedGroup[];
  readonly clocks: readonly RankClock[];
}

/** The answer, in which the clocks of misfits are marked as refuted. */
interface AlignedJob extends Aligned {
  /** Sorted by parts. */
  readonly misfits: readonly Misfit[];
}

/**
 * Matched groups, the clocks that follow from them, and the checks of the groups by these clocks. They are cached,
 * because each group is checked several times.
 */
class Alignment implements Aligned {
  readonly clocks: readonly RankClock[];
  readonly #agreements = new Map<MatchedGroup, Agreement>();

  constructor(
    readonly matched: readonly MatchedGroup[],
    readonly parts: readonly RankPart[],
    readonly shifts: readonly number[],
    wrong: ReadonlySet<number>,
  ) {
    this.clocks = jobClocks(parts, matched, shifts, wrong);
  }

  /** @param group one of these groups, or another way to match it */
  agreementOf(group: MatchedGroup): Agreement {
    return entryOf(this.#agreements, group, () => agreementOf(group, this.parts, this.clocks));
  }
}

// Matched groups that steps or times show to be wrong, and the parts of them that can be kept.

/** A group whose matching is impossible: some operations end before all ranks have joined. */
const refuted = (group: JobGroup, doubt: string): MatchedGroup => ({
  ...unmatchedGroup(group, 'times-differ', operationsIn(group)),
  doubt,
});

/** The group without the operations of some of its ranks. */
function withoutParts(matched: MatchedGroup, left: ReadonlySet<number>, doubt: string): MatchedGroup {
  const { group } = matched;
  const unmatched = new Map(matched.unmatched);
  const operations = matched.operations.flatMap((operation): MatchedOperation[] => {
    const isLeft = (column: number): boolean => left.has(elementAt(group.members, column).part);
    const at = operation.at.map((index, column) => (isLeft(column) ? -1 : index));
    const [before, after] = [operation.at, at].map((list) => list.filter((index) => index >= 0).length) as [
      number,
      number,
    ];
    if (before > after) addTo(unmatched, 'times-differ', before - after);
    if (after > 1) return [{ ...operation, at }];
    if (after > 0) addTo(unmatched, 'not-captured', after);
    return [];
  });
  return { ...matched, operations, unmatched, doubt };
}

/** The group without some of its ranks, whose operations must not be matched. */
const withoutMembers = (group: JobGroup, left: ReadonlySet<number>): JobGroup =>
  group.members.some(({ part }) => left.has(part))
    ? { ...group, members: group.members.filter(({ part }) => !left.has(part)) }
    : group;

/** The whole group again; the ranks that were left out have no counterparts. */
function withMembers(matched: MatchedGroup, whole: JobGroup): MatchedGroup {
  const kept = matched.group.members;
  if (kept.length === whole.members.length) return matched;
  if (kept.length < 2) return unmatchedGroup(whole, 'no-clock', operationsIn(whole));
  const columns = new Map(kept.map(({ part }, column) => [part, column] as const));
  const unmatched = new Map(matched.unmatched);
  addTo(unmatched, 'no-clock', operationsIn(whole) - operationsIn(matched.group));
  const operations = matched.operations.map((operation) => ({
    ...operation,
    at: whole.members.map(({ part }) => operation.at[columns.get(part) ?? -1] ?? -1),
  }));
  return { ...matched, group: whole, operations, unmatched };
}

/** Number of operations of all ranks with a counterpart. */
const matchedIn = ({ operations }: MatchedGroup): number =>
  operations.reduce((sum, { at }) => sum + at.filter((index) => index >= 0).length, 0);

/** Whether some rank has operations, but none of them has a counterpart. */
const hasLoneMember = ({ group, operations }: MatchedGroup): boolean =>
  group.members.some((_, column) => operations.every(({ at }) => elementAt(at, column) < 0));

/** Whether two ways of matching a group give the same result. */
const hasSameOperations = (a: MatchedGroup, b: MatchedGroup): boolean => {
  const rowsOf = ({ operations }: MatchedGroup): string[] => operations.map(({ at }) => at.join()).sort();
  const [first, second] = [rowsOf(a), rowsOf(b)];
  return first.length === second.length && first.every((row, index) => row === second[index]);
};

/** Whether most of the matched operations belong to different steps on different ranks. */
function isAcrossSteps({ group, operations }: MatchedGroup, parts: readonly RankPart[]): boolean {
  const across = operations.filter(({ at }) => {
    const steps = at.flatMap((index, column) => {
      const { step } = elementAt(parts, elementAt(group.members, column).part).operations;
      return index < 0 ? [] : (step[index] ?? []);
    });
    return steps.some((step) => step !== steps[0]);
  });
  return across.length > operations.length / 2;
}

export function aligned(parts: readonly RankPart[], groups: readonly JobGroup[]): AlignedJob {
  const backwards = new Set(parts.flatMap((part, index) => (runsBackwards(part) ? [index] : [])));
  const forwards = groups.map((group) => withoutMembers(group, backwards));
  const { before, last } = alignedForwards(parts, forwards, backwards);
  const misfits = [
    ...[...backwards].map((part) => ({ part, isBackwards: true, drift: null, residual: null })),
    ...misfitsOf(before, last.matched, parts, last.clocks),
  ].sort((a, b) => a.part - b.part);
  const wrong = new Set(misfits.map(({ part }) => part));
  // One of the misfits may have been the reference rank of the others.
  const clocks =
    wrong.size === backwards.size ? last.clocks : jobClocks(parts, last.matched, startShifts(parts), wrong);
  return {
    matched: last.matched.map((group, index) => withMembers(group, elementAt(groups, index))),
    clocks: clocks.map((clock, part) => (wrong.has(part) ? refutedClock(clock) : clock)),
    misfits,
  };
}

/** @returns groups as they were matched before times were considered, and the matching that the times allow */
function alignedForwards(
  parts: readonly RankPart[],
  groups: readonly JobGroup[],
  wrong: ReadonlySet<number>,
): { readonly before: readonly MatchedGroup[]; readonly last: Aligned } {
  const shifts = startShifts(parts);
  const clocked = (matched: readonly MatchedGroup[]): Alignment => new Alignment(matched, parts, shifts, wrong);
  const first = clocked(
    groups.map((group) => {
      const found = matchGroup(group, parts);
      const isDoubtful = found.by !== 'ordinal' && (found.mismatch !== null || found.unmatched.has('no-alignment'));
      return isDoubtful ? (betterByTime(found, parts, shifts) ?? found) : found;
    }),
  );
  const ordered = byStepWhereBetter(first, clocked);
  const checked = ordered.matched.map((group) => possible(group, ordered));
  const before = ordered.matched;
  if (isSame(checked, before)) return { before, last: ordered };
  const second = clocked(checked);
  const strict = withoutSuspects(second, suspectsOf(before, checked));
  return { before, last: isSame(strict, checked) ? second : clocked(strict) };
}

const isSame = (a: readonly MatchedGroup[], b: readonly MatchedGroup[]): boolean =>
  a.every((group, index) => group === b[index]);

/** Null when matching by time finds fewer operations. */
function betterByTime(group: MatchedGroup, parts: readonly RankPart[], shifts: readonly number[]): MatchedGroup | null {
  const found = matchGroupByTime(group, parts, shifts);
  return found !== null && found.operations.length >= group.operations.length ? found : null;
}

/**
 * Groups whose ordinals differ from those of the other ranks, for example after a counter was reset, are matched by order
 * within steps if the times confirm it.
 */
function byStepWhereBetter(first: Alignment, clocked: (matched: readonly MatchedGroup[]) => Alignment): Alignment {
  const tried = first.matched.map((group) => (group.by === 'ordinal' ? byStep(group, first) : null));
  if (tried.every((group) => group === null)) return first;
  const trial = clocked(first.matched.map((group, index) => tried[index] ?? group));
  const agreements = trial.matched.map((group) => trial.agreementOf(group));
  const convincing = new Set(agreements.flatMap((agreement) => agreement.convincing));
  const accepted = first.matched.map((group, index) => {
    const isPossible = group.group.members.every(({ part }) => convincing.has(part)) && agreements[index]?.isPossible;
    return isPossible === true ? (tried[index] ?? group) : group;
  });
  if (isSame(accepted, trial.matched)) return trial;
  return isSame(accepted, first.matched) ? first : clocked(accepted);
}

/**
 * The group matched by order within steps, if its ordinals are in doubt; null when they are not, or when steps add no
 * information.
 */
function byStep(group: MatchedGroup, alignment: Alignment): MatchedGroup | null {
  const { parts } = alignment;
  const isLess = group.mismatch !== null || hasLoneMember(group);
  const isDoubtful = isLess || isAcrossSteps(group, parts) || !alignment.agreementOf(group).isPossible;
  const other = isDoubtful ? matchGroupByStep(group.group, parts) : null;
  if (other === null || hasSameOperations(other, group)) return null;
  if (isLess && matchedIn(other) <= matchedIn(group)) return null;
  const doubt = 'ordinals differ from rank to rank: matched by order within steps, which fits the times';
  return { ...other, doubt };
}

/** The matching of the group that the times allow. */
function possible(group: MatchedGroup, alignment: Alignment): MatchedGroup {
  if (group.by === null) return group;
  const { isPossible, contradicting } = alignment.agreementOf(group);
  if (isPossible) return group;
  const byTime = group.by === 'ordinal' ? null : matchGroupByTime(group, alignment.parts, alignment.shifts);
  return byTime ?? withoutThose(group, contradicting, alignment);
}

const ONE_RUN = 'are the profiles from one run?';

/** The group without some of its ranks, if the times allow the rest. */
function withoutThose(group: MatchedGroup, wrong: readonly number[], alignment: Alignment): MatchedGroup {
  const names = wrong.map((part) => {
    const { rank, file } = elementAt(alignment.parts, part);
    return rank ?? file;
  });
  const by = group.by === 'ordinal' ? 'ordinals' : 'order';
  const doubt = `matched by ${by}, operations of rank ${names.join(', ')} have times that contradict those of the others: ${ONE_RUN}`;
  const rest = withoutParts(group, new Set(wrong), doubt);
  const isLeft = wrong.length > 0 && rest.operations.length > 0 && alignment.agreementOf(rest).isPossible;
  return isLeft
    ? rest
    : refuted(group.group, `matched by ${by}, operations would end before all ranks have joined: ${ONE_RUN}`);
}

/** Ranks whose ordinals were refuted by the times in some group. */
function suspectsOf(before: readonly MatchedGroup[], after: readonly MatchedGroup[]): Set<number> {
  const suspects = new Set<number>();
  for (const [index, group] of before.entries()) {
    const left = elementAt(after, index);
    if (left === group || group.by !== 'ordinal') continue;
    for (const [column, { part }] of group.group.members.entries())
      if (left.operations.every(({ at }) => elementAt(at, column) < 0)) suspects.add(part);
  }
  return suspects;
}

/** If the times refuted the ordinals of a rank in one group, they must confirm them in the other groups. */
function withoutSuspects(alignment: Alignment, suspects: ReadonlySet<number>): MatchedGroup[] {
  const isConcerned = ({ by, group }: MatchedGroup): boolean =>
    by === 'ordinal' && group.members.some(({ part }) => suspects.has(part));
  const left = new Set(suspects);
  // Ranks of two runs match within each run; that does not confirm groups with ranks of both.
  const runs = new DisjointSets(alignment.parts.length);
  for (const group of alignment.matched) {
    if (!isConcerned(group)) continue;
    const { convincing } = alignment.agreementOf(group);
    runs.join(convincing);
    for (const part of convincing) left.delete(part);
  }
  return alignment.matched.map((group) => {
    const members = group.group.members.flatMap(({ part }) => (suspects.has(part) ? [part] : []));
    const first = members.find((part) => !left.has(part));
    const run = first === undefined ? null : runs.lowestOf(first);
    const wrong = members.filter((part) => left.has(part) || runs.lowestOf(part) !== run);
    return isConcerned(group) && wrong.length > 0 ? withoutThose(group, wrong, alignment) : group;
  });
}
