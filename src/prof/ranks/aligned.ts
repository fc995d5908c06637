/**
 * Operations matched and clocks set by them. Times may refute how operations were matched: such a group is matched in
 * another way that fits the times, or without the ranks that contradict the others, or not at all.
 */
import { DisjointSets } from '../../containers/disjoint-sets.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { jobClocks, refutedClock, type RankClock } from './clocks/job-clocks.js';
import { misfitsOf, runsBackwards, type Misfit } from './clocks/misfits.js';
import type { JobGroup } from './matching/job-groups.js';
import { matchGroup, matchGroupByStep, matchGroupByTime, type MatchedGroup } from './matching/match-group.js';
import {
  hasLoneMember,
  hasSameOperations,
  isAcrossSteps,
  matchedIn,
  refuted,
  withMembers,
  withoutMembers,
  withoutParts,
} from './matching/refuted.js';
import type { RankPart } from './part/rank-part.js';
import { median } from '../../record/statistics.js';
import { endsTogether } from './clocks/observations.js';
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

interface Agreement {
  /** Whether nothing speaks against the group as it was matched. */
  readonly isPossible: boolean;
  /** Parts whose times contradict those of the others; none of two, since it is not known which. */
  readonly contradicting: readonly number[];
  /** Parts whose times speak for it: they have waited for others, or others for them. */
  readonly convincing: readonly number[];
}

/**
 * Whether operations, as they were matched, can have happened at the times that the ranks recorded: none can end on a
 * rank before the last one has joined, and ends of one operation lie closer together than starts. Only operations that
 * end on all ranks together are looked at.
 */
function agreementOf(group: MatchedGroup, parts: readonly RankPart[], clocks: readonly RankClock[]): Agreement {
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

/** Starts against the earliest, ns; 0 where it is not known. */
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

/** The answer: clocks of misfits are refuted. */
interface AlignedJob extends Aligned {
  /** In order of parts. */
  readonly misfits: readonly Misfit[];
}

/** Matched groups, clocks by them, and what these say of groups: of each group once, since it is asked several times. */
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

export function aligned(parts: readonly RankPart[], groups: readonly JobGroup[]): AlignedJob {
  const backwards = new Set(parts.flatMap((part, index) => (runsBackwards(part) ? [index] : [])));
  const forwards = groups.map((group) => withoutMembers(group, backwards));
  const { before, last } = alignedForwards(parts, forwards, backwards);
  const misfits = [
    ...[...backwards].map((part) => ({ part, isBackwards: true, drift: null, residual: null })),
    ...misfitsOf(before, last.matched, parts, last.clocks),
  ].sort((a, b) => a.part - b.part);
  const wrong = new Set(misfits.map(({ part }) => part));
  // One of them may have been the rank that the others are set against.
  const clocks =
    wrong.size === backwards.size ? last.clocks : jobClocks(parts, last.matched, startShifts(parts), wrong);
  return {
    matched: last.matched.map((group, index) => withMembers(group, elementAt(groups, index))),
    clocks: clocks.map((clock, part) => (wrong.has(part) ? refutedClock(clock) : clock)),
    misfits,
  };
}

/** @returns groups as they were matched before times were asked, and as times allow them */
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

/** Null where times match no more operations. */
function betterByTime(group: MatchedGroup, parts: readonly RankPart[], shifts: readonly number[]): MatchedGroup | null {
  const found = matchGroupByTime(group, parts, shifts);
  return found !== null && found.operations.length >= group.operations.length ? found : null;
}

/**
 * Groups whose ordinals are not those of the other ranks, as after a counter began anew: by order within steps, where
 * times speak for it.
 */
function byStepWhereBetter(first: Alignment, clocked: (matched: readonly MatchedGroup[]) => Alignment): Alignment {
  const tried = first.matched.map((group) => (group.by === 'ordinal' ? byStep(group, first) : null));
  if (tried.every((one) => one === null)) return first;
  const trial = clocked(first.matched.map((group, index) => tried[index] ?? group));
  const agreements = trial.matched.map((group) => trial.agreementOf(group));
  const convincing = new Set(agreements.flatMap((one) => one.convincing));
  const accepted = first.matched.map((group, index) => {
    const isPossible = group.group.members.every(({ part }) => convincing.has(part)) && agreements[index]?.isPossible;
    return isPossible === true ? (tried[index] ?? group) : group;
  });
  if (isSame(accepted, trial.matched)) return trial;
  return isSame(accepted, first.matched) ? first : clocked(accepted);
}

/** The group by order within steps, where its ordinals are in doubt; null where they are not, or steps say no more. */
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

/** The group as times allow it. */
function possible(group: MatchedGroup, alignment: Alignment): MatchedGroup {
  if (group.by === null) return group;
  const { isPossible, contradicting } = alignment.agreementOf(group);
  if (isPossible) return group;
  const byTime = group.by === 'ordinal' ? null : matchGroupByTime(group, alignment.parts, alignment.shifts);
  return byTime ?? withoutThose(group, contradicting, alignment);
}

const ONE_RUN = 'are the profiles of one run?';

/** What is left of a group without some of its ranks, where times allow that. */
function withoutThose(group: MatchedGroup, wrong: readonly number[], alignment: Alignment): MatchedGroup {
  const names = wrong.map((part) => {
    const { rank, file } = elementAt(alignment.parts, part);
    return rank ?? file;
  });
  const by = group.by === 'ordinal' ? 'by ordinals' : 'by order';
  const doubt = `${by}, the times of rank ${names.join(', ')} contradict those of the others: ${ONE_RUN}`;
  const rest = withoutParts(group, new Set(wrong), doubt);
  const isLeft = wrong.length > 0 && rest.operations.length > 0 && alignment.agreementOf(rest).isPossible;
  return isLeft ? rest : refuted(group.group, `${by}, operations would end before all ranks have joined: ${ONE_RUN}`);
}

/** Ranks whose ordinals times have refuted in some group. */
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

/** Where times have refuted the ordinals of a rank once, they must speak for it elsewhere. */
function withoutSuspects(alignment: Alignment, suspects: ReadonlySet<number>): MatchedGroup[] {
  const isConcerned = ({ by, group }: MatchedGroup): boolean =>
    by === 'ordinal' && group.members.some(({ part }) => suspects.has(part));
  const left = new Set(suspects);
  // Ranks of two runs go together within each run: what speaks for them there says nothing of groups of both.
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
