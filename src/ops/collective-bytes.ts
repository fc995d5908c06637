/**
 * The bytes that a collective operation moves, as defined by NCCL's tests.
 *
 * Source of the definitions: NCCL tests, doc/PERFORMANCE.md (algorithm bandwidth S/t, bus bandwidth S/t times a factor
 * of the operation and the number n of ranks); gather, scatter and point to point: the same tests' programs.
 */
import type { Collective } from '../record/fields/collective.js';

/** Kinds of operations, as NCCL's interface names them. */
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
  /** On the operation's name in lower case without `_` and `-`. */
  readonly pattern: RegExp;
  /** Which message is the S of the definition: the larger side where only one has the data of all ranks; null for none. */
  readonly size: 'in' | 'out' | null;
  /** One way: a rank either sends the message or receives it. */
  readonly oneWay?: boolean;
  /** Messages of size S that pass each rank's link; null when that is not known. */
  readonly factor: (ranks: number) => number | null;
}

const others = (ranks: number): number => (ranks - 1) / ranks;
const once = (): number => 1;

/** First match wins. For an all-to-all with uneven splits, the part that stays on the rank is not known. */
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

/** The kind of an operation by whatever name a framework or library gives it; null when the name says none. */
export const collectiveKind = (op: string): CollectiveKind | null => ruleOf(op)?.kind ?? null;

/** What NCCL's tests multiply S/t by for the bus bandwidth; null when it is not known. */
export const busFactor = (op: string, ranks: number): number | null =>
  ranks < 1 ? null : (ruleOf(op)?.factor(ranks) ?? null);

/** Size of the group, else the number of listed ranks; null when neither is recorded. */
const ranksOf = ({ groupSize, ranks }: Collective): number | null => groupSize ?? ranks?.length ?? null;

/**
 * S of NCCL's definition, in bytes: the data of one rank, or that of all ranks where an operation joins or splits it.
 * @returns null when the operation or its size is not known, and for a barrier, which has none
 */
export function algorithmBytes(collective: Collective): number | null {
  const rule = ruleOf(collective.op);
  if (rule === undefined) return null;
  const { bytesIn, bytesOut } = collective;
  if (rule.size === null) return null;
  return rule.size === 'in' ? bytesIn : bytesOut;
}

/**
 * Least traffic of each rank's link, in bytes: S times NCCL's factor: all-reduce 2(n−1)/n,
 * all-gather, reduce-scatter and all-to-all (n−1)/n, broadcast, reduce, send and receive 1.
 * @returns null when the operation, its size or the number of ranks is not known
 */
export function busBytes(collective: Collective): number | null {
  const [size, ranks] = [algorithmBytes(collective), ranksOf(collective)];
  if (size === null || ranks === null) return null;
  const factor = busFactor(collective.op, ranks);
  return factor === null ? null : size * factor;
}

/**
 * Least traffic of the device's own memory, in bytes: the message read and the result written; one of them for an
 * operation that goes one way.
 * @returns null when a size is not known
 */
export function messageBytes(collective: Collective): number | null {
  const { bytesIn, bytesOut } = collective;
  if (ruleOf(collective.op)?.oneWay === true) return bytesIn ?? bytesOut;
  return bytesIn === null || bytesOut === null ? null : bytesIn + bytesOut;
}
