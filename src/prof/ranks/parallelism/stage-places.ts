/** The pipeline stage of each rank: its place among the ranks that groups of pipelines lead to, in rising order. */
import { DisjointSets } from '../../../containers/disjoint-sets.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { KnownKind } from '../group-kinds.js';
import type { JobGroup } from '../matching/job-groups.js';
import type { RankPart } from '../part/rank-part.js';

export interface StagePlace {
  /** From 0. */
  readonly stage: number;
  readonly stages: number;
  /** Whether messages between ranks say so, and not the program. */
  readonly inferred: boolean;
}

/** Of each part; null for ranks that are in no pipeline. */
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

/** Those of the list of the group, of the message, or at least those that are there. */
function ranksIn({ ranks, pair, members }: JobGroup, parts: readonly RankPart[]): readonly number[] {
  const known = members.flatMap(({ part }) => elementAt(parts, part).rank ?? []);
  return [...new Set([...(ranks ?? []), ...(pair ?? []), ...known])];
}
