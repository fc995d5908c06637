/**
 * The bytes that a collective operation moves, as defined by NCCL's tests.
 *
 * Source of the definitions: NCCL tests, doc/PERFORMANCE.md (algorithm bandwidth S/t, bus bandwidth S/t times a factor
 * of the operation and the number n of ranks); gather, scatter and point to point: the same tests' programs.
 */
import type { Collective } from '../record/fields/collective.js';

interface CollectiveRule {
  /** On the operation's name in lower case without `_`. */
  readonly pattern: RegExp;
  /** Which message is the S of the definition: the larger side where only one has the data of all ranks. */
  readonly size: 'in' | 'out';
  /** One way: a rank either sends the message or receives it. */
  readonly oneWay?: boolean;
  /** Messages of size S that pass each rank's link; null when that is not known. */
  readonly factor: (ranks: number) => number | null;
}

const others = (ranks: number): number => (ranks - 1) / ranks;
const once = (): number => 1;

/** First match wins. For an all-to-all with uneven splits, the part that stays on the rank is not known. */
const RULES: readonly CollectiveRule[] = [
  { pattern: /allreduce/, size: 'in', factor: (ranks) => 2 * others(ranks) },
  { pattern: /allgather/, size: 'out', factor: others },
  { pattern: /reducescatter/, size: 'in', factor: others },
  { pattern: /(alltoall|all2all)v/, size: 'in', factor: () => null },
  { pattern: /alltoall|all2all/, size: 'in', factor: others },
  { pattern: /broadcast/, size: 'in', oneWay: true, factor: once },
  { pattern: /reduce/, size: 'in', oneWay: true, factor: once },
  { pattern: /scatter/, size: 'in', factor: others },
  { pattern: /gather/, size: 'out', factor: others },
  { pattern: /send|recv/, size: 'in', oneWay: true, factor: once },
];

const ruleOf = ({ op }: Collective): CollectiveRule | undefined => {
  const name = op.toLowerCase().replaceAll('_', '');
  return RULES.find(({ pattern }) => pattern.test(name));
};

/** Size of the group, else the number of listed ranks; null when neither is recorded. */
const ranksOf = ({ groupSize, ranks }: Collective): number | null => groupSize ?? ranks?.length ?? null;

/**
 * S of NCCL's definition, in bytes: the data of one rank, or that of all ranks where an operation joins or splits it.
 * @returns null when the operation or its size is not known
 */
export function algorithmBytes(collective: Collective): number | null {
  const rule = ruleOf(collective);
  if (rule === undefined) return null;
  const { bytesIn, bytesOut } = collective;
  return rule.size === 'in' ? bytesIn : bytesOut;
}

/**
 * Least traffic of each rank's link, in bytes: S times NCCL's factor: all-reduce 2(n−1)/n,
 * all-gather, reduce-scatter and all-to-all (n−1)/n, broadcast, reduce, send and receive 1.
 * @returns null when the operation, its size or the number of ranks is not known
 */
export function busBytes(collective: Collective): number | null {
  const [size, ranks] = [algorithmBytes(collective), ranksOf(collective)];
  if (size === null || ranks === null || ranks < 1) return null;
  const factor = ruleOf(collective)?.factor(ranks) ?? null;
  return factor === null ? null : size * factor;
}

/**
 * Least traffic of the device's own memory, in bytes: the message read and the result written; one of them for an
 * operation that goes one way.
 * @returns null when a size is not known
 */
export function messageBytes(collective: Collective): number | null {
  const { bytesIn, bytesOut } = collective;
  if (ruleOf(collective)?.oneWay === true) return bytesIn ?? bytesOut;
  return bytesIn === null || bytesOut === null ? null : bytesIn + bytesOut;
}
