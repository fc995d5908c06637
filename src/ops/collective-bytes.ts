/**
 * The bytes that a collective operation moves, as defined by NCCL's tests.
 *
 * Source: NCCL tests, doc/PERFORMANCE.md (algorithm bandwidth S/t; bus bandwidth S/t times a factor that depends on the
 * operation and the number n of ranks); for gather, scatter and point to point, the programs of the same tests.
 */
import type { Collective } from '../record/fields/collective.js';

/** Kinds of operations, by their names in NCCL's interface. */
export type CollectiveKind =
  | 'all-reduce'
  | 'all-gather'
  | 'reduce-scatter'
  | 'all-to-all'
  | 'broadcast'
  | 'reduce'
  | 'scatter'
  | 'gather'
  | 'send-receive'
  | 'send'
  | 'receive'
  | 'barrier';

interface CollectiveRule {
  readonly kind: CollectiveKind;
  /** Matches the operation's name in lower case without `_` and `-`. */
  readonly pattern: RegExp;
  /**
   * The message whose size is S in the definition: the larger one when only one side has the data of all ranks; null
   * when there is none.
   */
  readonly size: 'in' | 'out' | null;
  /** Whether it is one-way: a rank either sends the message or receives it. */
  readonly oneWay?: boolean;
  /** Number of messages of size S that pass each rank's link; null when it is unknown. */
  readonly factor: (ranks: number) => number | null;
}

const others = (ranks: number): number => (ranks - 1) / ranks;
const once = (): number => 1;

/** First match wins. For an all-to-all with uneven splits, the part that stays on the rank is unknown. */
const RULES: readonly CollectiveRule[] = [
  { kind: 'all-reduce', pattern: /allreduce/, size: 'in', factor: (ranks) => 2 * others(ranks) },
  { kind: 'all-gather', pattern: /allgather/, size: 'out', factor: others },
  { kind: 'reduce-scatter', pattern: /reducescatter/, size: 'in', factor: others },
  { kind: 'all-to-all', pattern: /(alltoall|all2all)v/, size: 'in', factor: () => null },
  { kind: 'all-to-all', pattern: /alltoall|all2all/, size: 'in', factor: others },
  { kind: 'broadcast', pattern: /broadcast/, size: 'in', oneWay: true, factor: once },
  { kind: 'reduce', pattern: /reduce/, size: 'in', oneWay: true, factor: once },
  { kind: 'scatter', pattern: /scatter/, size: 'in', factor: others },
  { kind: 'gather', pattern: /gather/, size: 'out', factor: others },
  { kind: 'send-receive', pattern: /send.*rec/, size: 'in', oneWay: true, factor: once },
  { kind: 'send', pattern: /send/, size: 'in', oneWay: true, factor: once },
  { kind: 'receive', pattern: /recv|receive/, size: 'in', oneWay: true, factor: once },
  { kind: 'barrier', pattern: /barrier/, size: null, factor: () => null },
];

const ruleOf = (op: string): CollectiveRule | undefined => {
  const name = op.toLowerCase().replace(/[-_]/g, '');
  return RULES.find(({ pattern }) => pattern.test(name));
};

/** The kind of an operation by any name that a framework or library gives it; null when the name does not show it. */
export const collectiveKind = (op: string): CollectiveKind | null => ruleOf(op)?.kind ?? null;

/** Longer names first, because "all-reduce" contains "reduce". */
const COLLECTIVE_KIND =
  /all_?reduce|all_?gather|reduce_?scatter|all_?to_?allv?|send_?recv|broadcast|reduce|gather|scatter|dispatch|combine|send|recv/i;

/**
 * The operation of a communication kernel, from its short name: 'allreduce', 'sendrecv' …; null when the name does not
 * contain it.
 */
export function communicationKind(short: string): string | null {
  // vLLM's all-reduce is called cross_device_reduce.
  const plain = short.replace(/nccl|rccl/gi, ' ').replace('cross_device_reduce', 'allreduce');
  const found = COLLECTIVE_KIND.exec(plain)?.[0];
  return found === undefined ? null : found.toLowerCase().replaceAll('_', '');
}

/** The factor by which NCCL's tests multiply S/t for the bus bandwidth; null when it is unknown. */
export const busFactor = (op: string, ranks: number): number | null =>
  ranks < 1 ? null : (ruleOf(op)?.factor(ranks) ?? null);

/** Size of the group, else the number of listed ranks; null when neither is recorded. */
const ranksOf = ({ groupSize, ranks }: Collective): number | null => groupSize ?? ranks?.length ?? null;

/**
 * S in NCCL's definition, in bytes: the data of one rank, or of all ranks when an operation gathers or scatters it.
 * @returns null when the operation or its size is unknown, and for a barrier, which moves no data
 */
export function algorithmBytes(collective: Collective): number | null {
  const rule = ruleOf(collective.op);
  if (rule === undefined) return null;
  const { bytesIn, bytesOut } = collective;
  if (rule.size === null) return null;
  return rule.size === 'in' ? bytesIn : bytesOut;
}

/**
 * Minimum traffic of each rank's link in bytes, S times NCCL's factor: all-reduce 2(n−1)/n, all-gather, reduce-scatter and
 * all-to-all (n−1)/n, broadcast, reduce, send and receive 1.
 * @returns null when the operation, its size or the number of ranks is unknown
 */
export function busBytes(collective: Collective): number | null {
  const [size, ranks] = [algorithmBytes(collective), ranksOf(collective)];
  if (size === null || ranks === null) return null;
  const factor = busFactor(collective.op, ranks);
  return factor === null ? null : size * factor;
}

/**
 * Minimum traffic of the device's memory in bytes: the message read and the result written; only one of them for a one-way
 * operation.
 * @returns null when a size is unknown
 */
export function messageBytes(collective: Collective): number | null {
  const { bytesIn, bytesOut } = collective;
  if (ruleOf(collective.op)?.oneWay === true) return bytesIn ?? bytesOut;
  return bytesIn === null || bytesOut === null ? null : bytesIn + bytesOut;
}
