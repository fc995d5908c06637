/** Computes how the ranks of a job affect each other, from their parts: the answer of `dprof ranks`. Pure. */
import { expertLoads, type ExpertLoad } from './parallelism/expert-loads.js';
import { elementAt } from '../../containers/element.js';
import { type RankClock, apartBegins, profileBegins, type ApartBegins } from './clocks/job-clocks.js';
import type { Misfit } from './clocks/misfits.js';
import { aligned } from './aligned.js';
import { delayWaits, waitsOf, type DelayWaits } from './waits.js';
import { reachOf, groupKinds, type GroupReach, type GroupKind, type KnownKind } from './group-kinds.js';
import { jobGroups, type JobGroup } from './matching/job-groups.js';
import type { MatchedBy, MatchedGroup, UnmatchedReason } from './matching/match-group.js';
import { membershipOf, rangesText, type Membership } from './membership.js';
import { expertsOf, stagePlaces, stagesOf, type ExpertReport, type StageReport } from './parallelism/stages.js';
import type { ProfileWithoutWork, RankPart } from './part/rank-part.js';
import { GroupTransfers, type SlowTransfers } from './slow-groups.js';
import { latenessOf, type Lateness } from './stragglers/stragglers.js';
import type { NamedGroup } from './stragglers/tested-units.js';
import { RankWaits, TransferClasses, TransferCounter, type TransferClass, type TransferSums } from './transfers.js';
import { entryOf } from '../../containers/map-entry.js';
import { DisjointSets } from '../../containers/disjoint-sets.js';

export interface GroupReport extends GroupReach {
  readonly name: string | null;
  readonly description: string | null;
  readonly kind: GroupKind | null;
  readonly kindInferred: boolean;
  readonly ranks: readonly number[] | null;
  readonly pair: JobGroup['pair'];
  /** Indices of its parts. */
  readonly parts: readonly number[];
  readonly by: MatchedBy | null;
  readonly matched: number;
  readonly unmatched: Readonly<Partial<Record<UnmatchedReason, number>>>;
  readonly mismatch: string | null;
  /** Why ordinals, or the order, were not trusted; null when they were. */
  readonly doubt: string | null;
  /**
   * Null without a matched operation on known clocks. For an incomplete group, the wait is a lower bound and the transfer
   * an upper bound, because it is unknown when the others joined.
   */
  readonly transfers: TransferSums | null;
}

/** One rank compared with the others. */
export interface RankReport {
  readonly part: number;
  readonly node: string | null;
  readonly clock: RankClock;
  /** When its profile begins, relative to the earliest, in ns; null when its clock is unknown. */
  readonly begin: number | null;
  /** Time that it waited for others in matched operations, in ns. */
  readonly waited: number;
  /** Part of the waiting in waits that do not exceed the possible error of the clocks. */
  readonly unsure: number;
  /**
   * Number of operations that it joined, number of those that it joined last, and how much later than the previous rank
   * it joined these, in ns.
   */
  readonly joined: number;
  readonly last: number;
  readonly delayed: number;
}

export interface JobReport {
  readonly parts: readonly RankPart[];
  /** Profiles that are left out because each is a copy of one of `parts`. */
  readonly copies: readonly CopiedPart[];
  /** Profiles in which no device worked. They are neither parts nor missing ranks. */
  readonly withoutWork: readonly ProfileWithoutWork[];
  readonly membership: Membership;
  /** Ranks whose times fit no clock; they are not compared with others. */
  readonly misfits: readonly Misfit[];
  readonly ranks: readonly RankReport[];
  /** Profiles that begin further apart than the duration of a step; null otherwise. */
  readonly apart: ApartBegins | null;
  readonly groups: readonly GroupReport[];
  /** The operations of each of `groups`. */
  readonly matched: readonly MatchedGroup[];
  readonly classes: readonly TransferClass[];
  readonly lateness: Lateness;
  /** For each delay in `lateness`; null when none of its operations is matched. */
  readonly delayWaits: readonly (DelayWaits | null)[];
  readonly slowGroups: readonly SlowTransfers[];
  /** Stages of pipelines; empty without pipelines. */
  readonly stages: readonly StageReport[];
  /** Groups of experts with known sizes. */
  readonly experts: readonly ExpertReport[];
  /** What each rank sends and receives in all-to-alls. */
  readonly loads: readonly ExpertLoad[];
}

/**
 * @param given parts of all ranks, in any order; the answer has them in order of rank
 * @param idle profiles of the job in which no device worked, in any order
 */
export function jobReport(given: readonly RankPart[], idle: readonly ProfileWithoutWork[] = []): JobReport {
  const { parts, copies } = withoutCopies([...given].sort(byRank));
  const withoutWork = [...idle].sort((a, b) => byRank(a.part, b.part));
  const membership = membershipOf(
    parts,
    withoutWork.map(({ part }) => part),
  );
  const groups = jobGroups(parts);
  const kinds = groupKinds(groups, parts, membership.worldSize);
  const { matched, clocks, misfits } = aligned(parts, groups);
  const lateness = latenessOf(parts, {
    classes: peersOf(parts, groups, kinds),
    nodes: membership.nodes,
    groups: namedGroups(groups, kinds),
    refuted: new Set(misfits.map(({ part }) => part)),
  });
  const reaches = groups.map((group) => reachOf(group, parts, membership.nodes));
  const waits = addedUp(parts, matched, kinds, clocks, reaches);
  const begins = profileBegins(clocks);
  return {
    ...{ parts, copies, withoutWork, membership, misfits },
    ranks: parts.map((_, part) => ({
      ...rankReport(part, membership, clocks, waits.ranks),
      begin: elementAt(begins, part),
    })),
    apart: apartBegins(begins, parts),
    groups: matched.map((group, index) =>
      groupReport(group, kinds[index] ?? null, elementAt(waits.groups, index).sums, elementAt(reaches, index)),
    ),
    matched,
    classes: waits.classes.all,
    lateness,
    delayWaits: delayWaits(lateness.delays, matched, parts, clocks),
    slowGroups: waits.transfers.slow,
    stages: stagesOf(parts, stagePlaces(parts, groups, kinds), matched, clocks),
    experts: expertsOf(parts, matched, kinds),
    loads: expertLoads(parts, groups),
  };
}

/** Kinds of groups whose ranks may be late together; ranks in groups of other kinds do different work. */
const LATE_TOGETHER: ReadonlySet<GroupKind> = new Set(['tensor', 'expert', 'context', 'data']);

function namedGroups(groups: readonly JobGroup[], kinds: readonly (KnownKind | null)[]): NamedGroup[] {
  const named = new Map<string, NamedGroup>();
  for (const [index, { ranks, members, pair }] of groups.entries()) {
    const kind = kinds[index]?.kind;
    if (kind === undefined || !LATE_TOGETHER.has(kind) || ranks === null || pair !== null) continue;
    const name = `${kind} ${rangesText(ranks)}`;
    named.set(`${kind} ${ranks.join()}`, { name, kind, parts: members.map(({ part }) => part) });
  }
  return [...named.values()];
}

/** Ranks first, then profiles without a rank by name; for equal names, those that begin earlier come first. */
export function byRank(a: RankPart, b: RankPart): number {
  const [x, y] = [a.rank ?? Infinity, b.rank ?? Infinity];
  if (x !== y) return x < y ? -1 : 1;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  if (a.device !== b.device && !Number.isNaN(a.device - b.device)) return a.device - b.device;
  const [begin, other] = [BigInt(a.startUnixNs ?? 0), BigInt(b.startUnixNs ?? 0)];
  if (begin !== other) return begin < other ? -1 : 1;
  return (a.steps.start[0] ?? 0) - (b.steps.start[0] ?? 0);
}

interface AddedUp {
  readonly ranks: RankWaits;
  readonly classes: TransferClasses;
  readonly transfers: GroupTransfers;
  readonly groups: readonly TransferCounter[];
}

function addedUp(
  parts: readonly RankPart[],
  matched: readonly MatchedGroup[],
  kinds: readonly (KnownKind | null)[],
  clocks: readonly RankClock[],
  reaches: readonly GroupReach[],
): AddedUp {
  const [ranks, classes, transfers] = [new RankWaits(parts.length), new TransferClasses(), new GroupTransfers()];
  const groups = matched.map((matchedGroup, index) => {
    const counter = new TransferCounter();
    const [kind, reach] = [kinds[index] ?? null, elementAt(reaches, index)];
    for (const waits of waitsOf(matchedGroup, parts, clocks)) {
      ranks.add(waits);
      classes.add(waits, index, kind, reach);
      transfers.add(waits, index, kind, reach);
      counter.add(waits, reach.size);
    }
    return counter;
  });
  return { ranks, classes, transfers, groups };
}

const rankReport = (
  part: number,
  { nodes }: Membership,
  clocks: readonly RankClock[],
  waits: RankWaits,
): Omit<RankReport, 'begin'> => ({
  ...{ part, node: nodes[part] ?? null, clock: elementAt(clocks, part) },
  ...{ waited: elementAt(waits.waited, part), joined: elementAt(waits.joined, part) },
  unsure: elementAt(waits.unsure, part),
  ...{ last: elementAt(waits.last, part), delayed: elementAt(waits.delayed, part) },
});

function groupReport(
  { group, by, operations, unmatched, mismatch, doubt }: MatchedGroup,
  kind: KnownKind | null,
  sums: TransferSums,
  reach: GroupReach,
): GroupReport {
  const { name, description, ranks, pair, members } = group;
  return {
    ...{ ...reach, name, description, ranks, pair, kind: kind?.kind ?? null, kindInferred: kind?.inferred ?? false },
    parts: members.map(({ part }) => part),
    ...{ by, matched: operations.length, unmatched: Object.fromEntries(unmatched), mismatch, doubt },
    transfers: sums.operations === 0 ? null : sums,
  };
}

/**
 * Copies of a profile in a job. Only the first counts, even if the others have different rank numbers. Profiles are not
 * copies if only the process ids agree, as in containers on two machines, or only the times, as in generated tests.
 */
interface CopiedPart {
  readonly part: RankPart;
  readonly of: RankPart;
}

export function withoutCopies(given: readonly RankPart[]): {
  readonly parts: readonly RankPart[];
  readonly copies: readonly CopiedPart[];
} {
  const firsts = new Map<unknown, RankPart[]>();
  const parts: RankPart[] = [];
  const copies: CopiedPart[] = [];
  for (const part of given) {
    const { content, startUnixNs, device } = part;
    const key = content === undefined ? part : `${content} ${startUnixNs ?? ''} ${device}`;
    const same = entryOf(firsts, key, () => []);
    const original = same.find(({ host }) => host === part.host || host === null || part.host === null);
    if (original !== undefined) copies.push({ part, of: original });
    else {
      same.push(part);
      parts.push(part);
    }
  }
  return { parts, copies };
}

/** Kinds of groups whose ranks may do different work. */
const APART: ReadonlySet<string> = new Set(['pipeline', 'world', 'model']);

/** Lists of parts, in order of their first part. All parts are peers unless a group says otherwise. */
function peersOf(
  parts: readonly RankPart[],
  groups: readonly JobGroup[],
  kinds: readonly (KnownKind | null)[],
): number[][] {
  const hasStages = kinds.some((kind) => kind?.kind === 'pipeline');
  if (!hasStages) return [parts.map((_, index) => index)];
  const sets = new DisjointSets(parts.length);
  for (const [index, { members }] of groups.entries()) {
    const kind = kinds[index]?.kind;
    if (kind !== undefined && !APART.has(kind)) sets.join(members.map(({ part }) => part));
  }
  const classes = new Map<number, number[]>();
  for (const [index, first] of sets.all.entries()) entryOf(classes, first, (): number[] => []).push(index);
  return [...classes.values()];
}
