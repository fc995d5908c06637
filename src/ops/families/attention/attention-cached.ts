/** Attention of a serving engine on a key-value cache whose lengths are not arguments of the call. */
import type { LengthSums } from '../../../record/serving-step.js';
import { elementAt } from '../../../containers/element.js';
import { dtypeShort } from '../../../record/element-types.js';
import { bytesToRead, extentAt, numel, type Tensor } from '../../call.js';
import type { OpCost, Param } from '../../family.js';
import { rules, withTensors, type BoundCall } from '../../schema/op-rules.js';
import { tensor, total } from '../../work.js';
import { causalShare, STEP_PAIRS, stepSequences, type StepSequences } from './attention-extents.js';

const SOURCE =
  'two dense matrix products of width Dq and Dv per query-key pair, FMA = 2; arguments as registered by vLLM, AITER and SGLang';

interface CachedAttention {
  /** The new tokens: [tokens, heads, head dimension]. */
  readonly q: Tensor;
  readonly keyHeads: number;
  readonly valueWidth: number;
  /** Element types of keys and values in the cache; null when the call does not state them. */
  readonly cache: readonly [keys: string, values: string] | null;
  /** Number of sequences in the call; null when it does not state it. */
  readonly sequences: number | null;
}

const heads = (name: string, { shape }: Tensor): Param[] => (shape.length === 3 ? [[name, elementAt(shape, 1)]] : []);

const FORMULA = `flops = 2·Hq·(Dq + Dv)·${STEP_PAIRS}; bytes = q + k + v + out of these sequences`;

const NO_LENGTHS = "the keys are in a cache, and neither the arguments nor the step's name give the sequence lengths";

const note = (lengths: LengthSums): string =>
  `; a causal mask leaves ${causalShare(lengths)} % of the pairs, but all are counted`;

/** Data that the sequences read and write: queries and results of the new tokens, keys and values of all tokens. */
function movedBy(
  { q, keyHeads, valueWidth }: CachedAttention,
  { queries, keys }: LengthSums,
  types: readonly [string, string],
) {
  const [queryHeads, width] = [extentAt(q, 1), extentAt(q, 2)];
  return {
    reads: [
      tensor([queries, queryHeads, width], q.dtype),
      tensor([keys, keyHeads, width], types[0]),
      tensor([keys, keyHeads, valueWidth], types[1]),
    ],
    writes: [tensor([queries, queryHeads, valueWidth], q.dtype)],
  };
}

/** The cost from the lengths in the name of a server's step. */
function costOf(attention: CachedAttention, { requests, lengths }: StepSequences): OpCost {
  const { q, keyHeads, valueWidth, cache } = attention;
  const [queryHeads, width] = [extentAt(q, 1), extentAt(q, 2)];
  const params: Param[] = [
    ...(requests === null ? [] : [['B', requests] as const]),
    ...Object.entries({
      Tq: lengths.queries,
      Tk: lengths.keys,
      Hq: queryHeads,
      Hk: keyHeads,
      Dq: width,
      Dv: valueWidth,
    }),
    ['', dtypeShort(q.dtype)],
  ];
  const common = {
    flops: 2 * queryHeads * (width + valueWidth) * lengths.pairs,
    ...{ params, formula: `${FORMULA}${note(lengths)}`, source: SOURCE, matmul: true, severalProducts: true },
  };
  if (cache !== null) return { ...common, ...movedBy(attention, lengths, cache) };
  const { reads, writes } = movedBy(attention, lengths, [q.dtype, q.dtype]);
  const most = total([...reads, ...writes].map(bytesToRead));
  const unknown = `it is unknown how much of the cache is read: the sliding window and the cache's element type are not arguments${most === null ? '' : `; ${most} bytes without a window, in the type of q`}`;
  const formula = `${common.formula}; pairs outside a sliding window are counted too`;
  return { ...common, formula, writes: null, unknown };
}

/** Without lengths, the cost is unknown; the params show the extents of the new tokens. */
function unknownCost(q: Tensor, keyHeads: readonly Param[]): OpCost {
  const width: Param[] = q.shape.length === 3 ? [['Dq', extentAt(q, 2)]] : [];
  return {
    ...{ flops: null, writes: null, matmul: true, severalProducts: true, unknown: NO_LENGTHS },
    params: [['Tq', extentAt(q, 0)], ...heads('Hq', q), ...keyHeads, ...width, ['', dtypeShort(q.dtype)]],
    ...{ formula: FORMULA, source: SOURCE },
  };
}

function attentionCost(attention: CachedAttention, { call, kernel }: BoundCall): OpCost | null {
  const { q, keyHeads, sequences } = attention;
  const queries = extentAt(q, 0);
  if (keyHeads === 0 || extentAt(q, 1) % keyHeads !== 0) return null;
  const found = stepSequences(kernel.serving, { op: call.op, queries, sequences });
  return found === null ? unknownCost(q, [['Hk', keyHeads]]) : costOf(attention, found);
}

/** Keys and values of the new tokens are arguments, but the cache is not. */
const unseenCache = withTensors('q k', (q, k, bound) => {
  if (q.shape.length === 0) return null;
  const v = bound.tensor('v');
  const areHeads = [q, k, v].every((one) => one?.shape.length === 3);
  if (!areHeads || v === null || extentAt(k, 2) !== extentAt(q, 2)) return unknownCost(q, heads('Hk', k));
  const [keyHeads, valueWidth] = [extentAt(k, 1), extentAt(v, 2)];
  return attentionCost({ q, keyHeads, valueWidth, cache: null, sequences: null }, bound);
});

/**
 * Latent attention: the cost of the scores depends on whether keys are computed from the latent vectors, which is
 * unspecified.
 */
const latent = withTensors('q k', (q, k) => (q.shape.length === 0 ? null : unknownCost(q, heads('Hk', k))));

/**
 * The cache is an argument.
 * @param layout extents of the value cache: `blocks` [pages, heads, head dimension, positions], `rows` [pages,
 *   positions, heads, head dimension]
 */
const paged = (layout: 'blocks' | 'rows') =>
  withTensors('q keys values', (q, keys, values, bound) => {
    if (q.shape.length !== 3 || values.shape.length !== 4) return null;
    const [keyHeads, valueWidth] = layout === 'rows' ? values.shape.slice(2) : values.shape.slice(1, 3);
    if (keyHeads === undefined || valueWidth === undefined || numel(q.shape) === 0) return null;
    const starts = bound.tensor('starts');
    const sequences = starts === null ? null : Math.max(0, extentAt(starts, 0) - 1);
    return attentionCost({ q, keyHeads, valueWidth, cache: [keys.dtype, values.dtype], sequences }, bound);
  });

/**
 * vLLM ops whose arguments are query, key and value of the new tokens, the output, and the name of the layer; and ops
 * with one query row for each sequence. SGLang's profiler records each function as an op, with a number in its name and
 * only the function's tensors as arguments.
 */
export const CACHED_ATTENTION = rules`
  ${unseenCache} vllm.unified_attention vllm.unified_attention_with_output: @q @k @v ...
  ${latent} vllm.unified_mla_attention vllm.unified_mla_attention_with_output: @q @k ...
  ${paged('blocks')} _C.paged_attention_v1: !out @q @keys @values ...
  ${paged('blocks')} _C.paged_attention_v2 _rocm_C.paged_attention: !out !sums !largest !partial @q @keys @values ...
  ${paged('rows')} attention_paged_attention_ragged_*: !out !workspace @q @keys @values @starts @pages @last ...
`;
