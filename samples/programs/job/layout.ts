/** Ranks of a job and the process groups that they are in: tensor-parallel ranks are next to each other, then data, then pipeline. */
import { entryOf } from '../../../src/containers/map-entry.js';
import type { GroupKind, JobOptions } from './options.js';

export interface JobRank {
  readonly rank: number;
  /** Coordinates along the three ways of being parallel. */
  readonly tensor: number;
  readonly data: number;
  readonly pipeline: number;
  readonly node: number;
  readonly host: string;
  /** Id of its device on its node. */
  readonly device: number;
  /** The group of each kind that it is in, by its place among the groups. */
  readonly groups: Readonly<Record<GroupKind, number>>;
}

export interface JobGroup {
  /** Place among the groups of the job. */
  readonly id: number;
  readonly kind: GroupKind;
  /** As the framework names it: the number of the call that made it. */
  readonly name: string;
  readonly description: string;
  /** Ascending. */
  readonly ranks: readonly number[];
  /** Whether its ranks are on several nodes. */
  readonly betweenNodes: boolean;
}

/** Kinds in the order in which Megatron makes their groups, after that of all ranks. */
const DESCRIPTIONS: Readonly<Record<GroupKind, string>> = {
  world: 'default_pg',
  data: 'DATA_PARALLEL_GROUP',
  tensor: 'TENSOR_MODEL_PARALLEL_GROUP',
  pipeline: 'PIPELINE_MODEL_PARALLEL_GROUP',
};

const KINDS = Object.keys(DESCRIPTIONS) as GroupKind[];

type Coordinates = Pick<JobRank, 'tensor' | 'data' | 'pipeline'>;

/** What ranks of one group have in common. */
const SHARED: Readonly<Record<GroupKind, (at: Coordinates) => string>> = {
  world: () => '',
  data: ({ pipeline, tensor }) => `${pipeline} ${tensor}`,
  tensor: ({ pipeline, data }) => `${pipeline} ${data}`,
  pipeline: ({ data, tensor }) => `${data} ${tensor}`,
};

export interface Layout {
  readonly ranks: readonly JobRank[];
  readonly groups: readonly JobGroup[];
}

export function layoutOf({ tp, pp, dp, ranksPerNode }: JobOptions): Layout {
  const places = Array.from({ length: tp * pp * dp }, (_, rank) => ({
    tensor: rank % tp,
    data: Math.floor(rank / tp) % dp,
    pipeline: Math.floor(rank / (tp * dp)),
  }));
  const nodeOf = (rank: number): number => Math.floor(rank / ranksPerNode);
  const groups: JobGroup[] = [];
  const own = places.map((): Partial<Record<GroupKind, number>> => ({}));
  for (const kind of KINDS) {
    const members = new Map<string, number[]>();
    places.forEach((place, rank) => entryOf(members, SHARED[kind](place), () => []).push(rank));
    for (const ranks of members.values()) {
      const id = groups.length;
      const betweenNodes = ranks.some((rank) => nodeOf(rank) !== nodeOf(ranks[0] ?? 0));
      groups.push({ id, kind, name: String(id), description: DESCRIPTIONS[kind], ranks, betweenNodes });
      for (const rank of ranks) (own[rank] ?? {})[kind] = id;
    }
  }
  const ranks = places.map((place, rank) => ({
    ...place,
    rank,
    node: nodeOf(rank),
    host: `node-${String(nodeOf(rank)).padStart(3, '0')}`,
    device: rank % ranksPerNode,
    groups: own[rank] as Record<GroupKind, number>,
  }));
  return { ranks, groups };
}
