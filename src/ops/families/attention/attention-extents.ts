/**
 * The extents of an attention call: how many queries meet how many keys.
 */
import type { Bound } from '../../schema/binding.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import type { Layout } from './attention-forms.js';

/** Query–key pairs of one query head, over the whole batch; null when the call does not tell. */
interface Pairs {
  readonly count: number | null;
  /** Why it is unspecified. */
  readonly unknown?: string;
  /** Whether the keys and values that are read are known to be all of k and v. */
  readonly readsAll: boolean;
}

export interface Extents {
  /** Sequences. */
  readonly batch: number;
  readonly queryHeads: number;
  readonly keyHeads: number;
  /** Positions of one sequence; of all sequences together when they are packed. */
  readonly queries: number;
  readonly keys: number;
  readonly packed: boolean;
  /** Longest sequence, where packed and told. */
  readonly longestQuery: number | null;
  /** Width of a head of q and k, and of v. */
  readonly width: number;
  readonly valueWidth: number;
  readonly pairs: Pairs;
}

/** One operand: sequences, positions of each, heads, width of a head. */
interface Operand {
  readonly batch: readonly number[];
  readonly positions: number;
  readonly heads: number;
  readonly width: number;
}

/** `packed`: three extents are positions, heads, width; else they are a batch of one head each. */
function operand({ shape }: Tensor, layout: Layout, packed: boolean): Operand | null {
  const width = shape.at(-1);
  const [before, last] = [shape.at(-3), shape.at(-2)];
  if (width === undefined || last === undefined) return null;
  if (layout === 'heads-first') return { batch: shape.slice(0, -3), heads: before ?? 1, positions: last, width };
  if (before === undefined) return null;
  if (shape.length === 3 && !packed) return { batch: [before], positions: last, heads: 1, width };
  return { batch: shape.slice(0, -3), positions: before, heads: last, width };
}

const UNSPECIFIED: readonly (readonly [argument: string, why: string])[] = [
  ['table', 'the keys stand in a paged cache, and the lengths of its sequences are values of a tensor'],
  ['used_k', 'the used lengths of the keys are values of a tensor'],
  ['used_q', 'the used lengths of the queries are values of a tensor'],
  ['k_new', 'the keys stand in a cache, and how many of it are used is unspecified'],
  ['q_v', 'a second query operand (q_v) has no formula'],
];

/** Σ of query × key positions over packed sequences: certain when the offsets leave no choice. */
function packedPairs(args: Bound, batch: number, queries: number, keys: number): Pairs {
  const [longestQ, longestK] = [args.number('max_q'), args.number('max_k')];
  const pairs = (count: number): Pairs => ({ count, readsAll: true });
  if (batch === 1) return pairs(queries * keys);
  // If every query sequence has the greatest length, the sum is that length times all keys; and the other way round.
  if (longestQ !== null && longestQ * batch === queries) return pairs(longestQ * keys);
  if (longestK !== null && longestK * batch === keys) return pairs(longestK * queries);
  const bounds = [...(longestK === null ? [] : [queries * longestK]), ...(longestQ === null ? [] : [keys * longestQ])];
  const most = bounds.length === 0 ? '' : `; at most ${Math.min(...bounds)} query-key pairs per head`;
  return {
    count: null,
    readsAll: true,
    unknown: `the lengths of the ${batch} packed sequences are values of a tensor${most}`,
  };
}

/** Extents of the offsets tensor of packed sequences: one more than there are sequences. */
function packedSequences(args: Bound, name: string): number | null {
  const offsets = args.tensor(name);
  return offsets === null || offsets.shape.length !== 1 ? null : Math.max(0, numel(offsets.shape) - 1);
}

type Positions = Pick<Extents, 'batch' | 'queries' | 'keys' | 'packed' | 'pairs'>;

/** Sequences and their positions: `queries` and `keys` per sequence of the batch that the operands have. */
function positionsOf(args: Bound, batch: number, queries: number, keys: number): Positions {
  const [inQ, inK] = [packedSequences(args, 'cu_q'), packedSequences(args, 'cu_k')];
  const sequences = inQ ?? inK;
  const all = { queries: batch * queries, keys: batch * keys };
  const at = sequences === null ? { batch, queries, keys, packed: false } : { batch: sequences, ...all, packed: true };
  const unknown = (why: string): Positions => ({ ...at, pairs: { count: null, unknown: why, readsAll: false } });
  const unspecified = UNSPECIFIED.find(([name]) => args.tensor(name) !== null);
  if (unspecified !== undefined) return unknown(unspecified[1]);
  if (sequences === null) return { ...at, pairs: { count: batch * queries * keys, readsAll: true } };
  if (inQ === null || inK === null) {
    return unknown(`the lengths of the packed ${inQ === null ? 'queries' : 'keys'} are unspecified`);
  }
  const pairs = packedPairs(args, sequences, all.queries, all.keys);
  const [longestQ, longestK] = [args.number('max_q'), args.number('max_k')];
  if (longestQ === null || longestK === null) return { ...at, pairs };
  const isFull = longestQ * sequences === all.queries && longestK * sequences === all.keys;
  return isFull ? { batch: sequences, queries: longestQ, keys: longestK, packed: false, pairs } : { ...at, pairs };
}

/** Whether one number of heads serves the other: the same, or groups of query heads that share keys and values. */
const served = (queryHeads: number, keyHeads: number): boolean =>
  keyHeads === 0 ? queryHeads === 0 : queryHeads % keyHeads === 0 || queryHeads === 1;

/**
 * Extents of q, k and v in this layout; null when they do not fit each other.
 */
export function extentsOf([q, k, v]: readonly [Tensor, Tensor, Tensor], layout: Layout, args: Bound): Extents | null {
  const packed = args.tensor('cu_q') !== null;
  const paged = args.tensor('table') !== null;
  const [query, key, value] = [
    operand(q, layout, packed),
    operand(k, layout, packed || paged),
    operand(v, layout, packed || paged),
  ];
  if (query === null || key === null || value === null) return null;
  if (query.width !== key.width || key.positions !== value.positions || !served(query.heads, key.heads)) return null;
  const lead = paged ? query.batch : broadcast(query.batch, key.batch);
  if (lead === null) return null;
  return {
    ...positionsOf(args, numel(lead), query.positions, key.positions),
    queryHeads: query.heads === 1 ? Math.max(1, key.heads) : query.heads,
    keyHeads: key.heads,
    longestQuery: args.number('max_q'),
    width: query.width,
    valueWidth: value.width,
  };
}
