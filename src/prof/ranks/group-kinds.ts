/** Kinds of groups of ranks, the part of a group that was profiled, and the machines that it spans. */
import { elementAt } from '../../containers/element.js';
import type { CollectiveKind } from '../../ops/collective-bytes.js';
import type { JobGroup } from './matching/job-groups.js';
import { MESSAGES, type RankPart } from './part/rank-part.js';
import { linkPeakOf } from '../roofline/peaks.js';

/**
 * The part of a group that was profiled, and the machines that it spans. They determine which groups its waits and
 * transfers can be compared with.
 */
export interface GroupReach {
  /** Number of its ranks, with or without a profile; null when unknown. */
  readonly size: number | null;
  /** Whether all of its ranks have a profile; null when unknown. */
  readonly isComplete: boolean | null;
  /** Number of machines of its ranks; null when the machine of any rank is unknown. */
  readonly machines: number | null;
  /** Peak rate of the links between its devices in one direction, in bytes/s; null between machines, and if unknown. */
  readonly linkPeak: number | null;
}

/** @param nodes machine of each part; null when unknown */
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

export type GroupKind = 'world' | 'data' | 'tensor' | 'pipeline' | 'expert' | 'context' | 'model';

export interface KnownKind {
  readonly kind: GroupKind;
  /** Whether the kind follows from the shape of the list of ranks, or from the operations, and not from the program. */
  readonly inferred: boolean;
}

/**
 * Applied to descriptions, longer words first: an expert-data-parallel group is one of experts. Source: names of groups in
 * Megatron-LM (core/parallel_state.py), DeepSpeed (utils/groups.py), PyTorch's device mesh and default group, vLLM
 * (distributed/parallel_state.py).
 */
const DESCRIPTIONS: readonly (readonly [RegExp, GroupKind])[] = [
  [/expert|(^|[_\W])m?ep([_\W]|$)|moe/i, 'expert'],
  [/pipeline|(^|[_\W])pp([_\W]|$)|embedding|(^|_)embd$/i, 'pipeline'],
  [/context|sequence|(^|[_\W])[cs]p([_\W]|$)|ulysses|ring_attn/i, 'context'],
  [/data|(^|[_\W])dp([_\W]|$)|fsdp|shard|replicate|zero/i, 'data'],
  [/tensor|(^|[_\W])tp([_\W]|$)/i, 'tensor'],
  [/model/i, 'model'],
  [/default|world/i, 'world'],
];

/** The kind that a group's description states; null when it states none. */
export const describedKind = (description: string | null): GroupKind | null =>
  (description === null ? undefined : DESCRIPTIONS.find(([pattern]) => pattern.test(description)))?.[1] ?? null;

/**
 * The stride of a list of ranks first, first + stride …; null for lists that are not such a sequence, and for a single
 * rank.
 */
function strideOf(ranks: readonly number[]): number | null {
  const sorted = [...ranks].sort((a, b) => a - b);
  const stride = elementAt(sorted, 1) - elementAt(sorted, 0);
  return sorted.every((rank, i) => i === 0 || rank - elementAt(sorted, i - 1) === stride) ? stride : null;
}

/** Kinds of the operations of a group's first member. */
function kindsIn({ members }: JobGroup, parts: readonly RankPart[]): Set<CollectiveKind | null> {
  const [first] = members;
  if (first === undefined) return new Set();
  const { kind } = elementAt(parts, first.part).operations;
  return new Set(first.operations.map((at) => kind[at] ?? null));
}

/** A kind for each group; null when neither descriptions nor shapes determine it. */
export function groupKinds(
  groups: readonly JobGroup[],
  parts: readonly RankPart[],
  worldSize: number | null,
): (KnownKind | null)[] {
  const strides = groups.map(({ ranks }) => (ranks === null || ranks.length < 2 ? null : strideOf(ranks)));
  const isStrided = strides.some((stride, i) => stride !== null && stride > 1 && groups[i]?.pair === null);
  return groups.map((group, index) => {
    const described = describedKind(group.description);
    if (described !== null) return { kind: described, inferred: false };
    const kind = inferredKind(group, kindsIn(group, parts), {
      ...{ stride: strides[index] ?? null, isStrided },
      ...{ worldSize, isOnly: groups.length === 1 },
    });
    return kind === null ? null : { kind, inferred: true };
  });
}

interface Shape {
  readonly stride: number | null;
  /** Whether the job has groups of ranks that are not adjacent. */
  readonly isStrided: boolean;
  readonly worldSize: number | null;
  readonly isOnly: boolean;
}

function inferredKind(
  group: JobGroup,
  operations: ReadonlySet<CollectiveKind | null>,
  { stride, isStrided, worldSize, isOnly }: Shape,
): GroupKind | null {
  const size = group.ranks?.length ?? group.size;
  if (group.pair !== null) return 'pipeline';
  // In a group of two, any exchange may be a message.
  if (operations.size > 0 && [...operations].every((kind) => kind !== null && MESSAGES.has(kind)) && stride !== 1)
    return 'pipeline';
  if (size !== null && size === worldSize) return isOnly ? 'data' : 'world';
  if (stride === null) return null;
  if (operations.has('all-to-all')) return 'expert';
  if (stride === 1 && isStrided) return 'tensor';
  return stride > 1 ? 'data' : null;
}
