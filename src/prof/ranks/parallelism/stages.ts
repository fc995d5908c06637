/**
 * How pipeline stages spend their steps: computing, waiting for messages of other stages, and idle. Everything except the
 * stage's own work is its bubble.
 */
import { elementAt } from '../../../containers/element.js';
import { addTo, entryOf } from '../../../containers/map-entry.js';
import type { RankClock } from '../clocks/job-clocks.js';
import { MESSAGE, type JobGroup } from '../matching/job-groups.js';
import type { MatchedGroup } from '../matching/match-group.js';
import type { RankPart, StepColumns } from '../part/rank-part.js';
import { stepLength } from '../stragglers/own-work.js';
import { waitsOf } from '../waits.js';
import { DisjointSets } from '../../../containers/disjoint-sets.js';
import type { KnownKind } from '../group-kinds.js';

/** Balance of the all-to-alls of expert groups: the bytes that each rank sends, relative to the mean of its group. */
export interface ExpertReport {
  /** Index of the group. */
  readonly group: number;
  /** Number of all-to-alls whose sizes are all known. */
  readonly operations: number;
  /** Mean number of bytes that a rank sends in one of them. */
  readonly bytes: number;
  /** Largest value of the ranks divided by their mean: average over the operations, and maximum. 1 is even. */
  readonly imbalance: number;
  readonly highest: number;
  /** The part that sends most in total, and how much it sends relative to the mean. */
  readonly most: number;
  readonly mostRatio: number;
}

/** One row per group with known sizes, most uneven first. */
export function expertsOf(
  parts: readonly RankPart[],
  matched: readonly MatchedGroup[],
  kinds: readonly (KnownKind | null)[],
): ExpertReport[] {
  return matched
    .flatMap((group, index) => (kinds[index]?.kind === 'expert' ? (expertReport(group, index, parts) ?? []) : []))
    .sort((a, b) => b.imbalance - a.imbalance || a.group - b.group);
}

function expertReport(
  { group, operations }: MatchedGroup,
  index: number,
  parts: readonly RankPart[],
): ExpertReport | null {
  const members = group.members.map(({ part }) => part);
  const sums = new Array<number>(members.length).fill(0);
  let [count, total, ratios, highest] = [0, 0, 0, 0];
  for (const { signature, at } of operations) {
    if (signature.kind !== 'all-to-all') continue;
    const sizes = at.map(
      (entry, column) => elementAt(parts, elementAt(members, column)).operations.bytes[entry] ?? null,
    );
    const known = sizes.filter((size) => size !== null);
    const sum = known.reduce((all, size) => all + size, 0);
    if (known.length < sizes.length || sum === 0) continue;
    const ratio = (known.reduce((most, size) => Math.max(most, size), 0) * known.length) / sum;
    count++;
    total += sum;
    ratios += ratio;
    highest = Math.max(highest, ratio);
    for (const [column, size] of known.entries()) sums[column] = elementAt(sums, column) + size;
  }
  if (count === 0) return null;
  const most = sums.reduce((found, sum, column) => (sum > elementAt(sums, found) ? column : found), 0);
  return {
    ...{ group: index, operations: count, bytes: total / count / members.length, imbalance: ratios / count, highest },
    ...{ most: elementAt(members, most), mostRatio: (elementAt(sums, most) * members.length) / total },
  };
}

/** Times are ns per step, means over steps and ranks; null when the profiles do not record steps. */
export interface StageReport extends StagePlace {
  /** Parts of the stage's ranks with a profile. */
  readonly parts: readonly number[];
  /** Minimum number of steps over the ranks; null when no profile has steps. */
  readonly steps: number | null;
  readonly stepTime: number | null;
  readonly compute: number | null;
  /** Time of sends and receives while no compute and no other communication runs; null for partial answers of versions that did not record it. */
  readonly messages: number | null;
  /** Exposed time that the stage waits for the last rank in operations shared by several stages. */
  readonly across: number | null;
  /** Time in which nothing runs, between the first work of the step and the last. */
  readonly idle: number | null;
  /** Sum of messages, waits for other stages, and idle time. */
  readonly bubble: number | null;
}

/** @param places pipeline stage of each part */
export function stagesOf(
  parts: readonly RankPart[],
  places: readonly (StagePlace | null)[],
  matched: readonly MatchedGroup[],
  clocks: readonly RankClock[],
): StageReport[] {
  const stages = new Map<string, { readonly place: StagePlace; readonly parts: number[] }>();
  for (const [part, place] of places.entries())
    if (place !== null)
      entryOf(stages, `${place.stages}/${place.stage}`, () => ({ place, parts: [] as number[] })).parts.push(part);
  if (stages.size === 0) return [];
  const waited = waitsAcross(parts, places, matched, clocks);
  return [...stages.values()]
    .map(({ place, parts: stageParts }) => stageReport(place, stageParts, parts, clocks, waited))
    .sort((a, b) => a.stages - b.stages || a.stage - b.stage);
}

/** Time in ns that each part waited in operations that ranks of several stages join. */
function waitsAcross(
  parts: readonly RankPart[],
  places: readonly (StagePlace | null)[],
  matched: readonly MatchedGroup[],
  clocks: readonly RankClock[],
): Map<number, number> {
  const waited = new Map<number, number>();
  for (const group of matched) {
    const stages = new Set(group.group.members.map(({ part }) => places[part]?.stage ?? null));
    if (stages.size < 2) continue;
    for (const { operation, parts: present, waits } of waitsOf(group, parts, clocks)) {
      const { kind } = operation.signature;
      if (kind === MESSAGE || kind === 'send-receive') continue;
      for (const [index, part] of present.entries()) addTo(waited, part, elementAt(waits, index));
    }
  }
  return waited;
}

interface StepMeans {
  readonly stepTime: number;
  readonly compute: number;
  readonly messages: number;
  readonly across: number;
  readonly idle: number;
}

const MEANS = ['stepTime', 'compute', 'messages', 'across', 'idle'] as const;

function stageReport(
  place: StagePlace,
  stageParts: readonly number[],
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
  waited: ReadonlyMap<number, number>,
): StageReport {
  const stepped = stageParts.filter(
    (part) =>
      elementAt(clocks, part).source !== 'refuted' && elementAt(parts, part).steps.step.some((step) => step !== null),
  );
  const means = stepped.map((part) => meansOf(elementAt(parts, part), waited.get(part) ?? 0));
  const meanOf = (key: keyof StepMeans): number | null => {
    const mean = means.reduce((sum, entry) => sum + entry[key], 0) / means.length;
    return Number.isNaN(mean) ? null : mean;
  };
  const times = Object.fromEntries(MEANS.map((key) => [key, meanOf(key)])) as Record<keyof StepMeans, number | null>;
  const { messages, across, idle } = times;
  return {
    ...place,
    parts: stageParts,
    steps: leastOf(stepped.map((part) => elementAt(parts, part).steps.step.length)),
    ...times,
    bubble: messages === null || across === null || idle === null ? null : messages + across + idle,
  };
}

const leastOf = (values: readonly number[]): number | null =>
  values.reduce((least: number | null, value) => Math.min(value, least ?? value), null);

/** NaN for values that the part does not have. */
function meansOf(part: RankPart, waited: number): StepMeans {
  const { steps } = part;
  const count = steps.step.length;
  const meanOf = (valueOf: (columns: StepColumns, index: number) => number | null | undefined): number => {
    const known = steps.step.flatMap((_, index) => valueOf(steps, index) ?? []);
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const messages = meanOf((columns, index) => columns.messages?.[index]);
  const exposed = meanOf((columns, index) => columns.exposed[index]);
  return {
    stepTime: meanOf((_, index) => stepLength(part, index)),
    compute: meanOf(({ compute }, index) => compute[index]),
    messages,
    // Waiting that overlaps with compute is not part of the bubble.
    across: Math.min(waited / count, exposed - messages),
    idle: meanOf(({ idle }, index) => idle[index]),
  };
}

/** The pipeline stage of each rank: its index among the ranks that are connected by pipeline groups, in ascending order. */
interface StagePlace {
  /** Number of the stage, from 0. */
  readonly stage: number;
  readonly stages: number;
  /** Whether the stage was inferred from messages between ranks, and not stated by the program. */
  readonly inferred: boolean;
}

/** The stage of each part; null for ranks in no pipeline. */
export function stagePlaces(
  parts: readonly RankPart[],
  groups: readonly JobGroup[],
  kinds: readonly (KnownKind | null)[],
): (StagePlace | null)[] {
  const numbers = new Map<number, number>();
  const lists = groups.flatMap((group, index) => {
    const kind = kinds[index] ?? null;
    if (kind?.kind !== 'pipeline') return [];
    const ranks = ranksIn(group, parts);
    return [{ inferred: kind.inferred, ranks, ids: ranks.map((rank) => entryOf(numbers, rank, () => numbers.size)) }];
  });
  const sets = new DisjointSets(numbers.size);
  for (const { ids } of lists) sets.join(ids);
  const pipelines = new Map<number, number[]>();
  const lowest = sets.all;
  for (const [rank, id] of numbers) entryOf(pipelines, elementAt(lowest, id), (): number[] => []).push(rank);
  const stages = new Map<number, number>();
  for (const ranks of pipelines.values())
    for (const [stage, rank] of ranks.sort((a, b) => a - b).entries()) stages.set(rank, stage);
  const stated = new Set(lists.flatMap(({ inferred, ranks }) => (inferred ? [] : ranks)));
  return parts.map(({ rank }) => {
    const id = rank === null ? undefined : numbers.get(rank);
    const ranks = id === undefined ? [] : (pipelines.get(elementAt(lowest, id)) ?? []);
    if (rank === null || ranks.length < 2) return null;
    return { stage: stages.get(rank) ?? 0, stages: ranks.length, inferred: !stated.has(rank) };
  });
}

/** The ranks in the group's list, or of the message, or at least those with a profile. */
function ranksIn({ ranks, pair, members }: JobGroup, parts: readonly RankPart[]): readonly number[] {
  const known = members.flatMap(({ part }) => elementAt(parts, part).rank ?? []);
  return [...new Set([...(ranks ?? []), ...(pair ?? []), ...known])];
}
