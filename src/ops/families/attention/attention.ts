/**
 * Scaled dot product attention, forward and backward, whole and fused: softmax(Q·Kᵀ)·V.
 *
 * Forward: two products, Q·Kᵀ and P·V. Fused backward: five, the scores again, dP = dO·Vᵀ, dV = Pᵀ·dO, dQ = dS·K and dK =
 * dSᵀ·Q. All query-key pairs are counted, including masked ones, as in PyTorch's FlopCounterMode, because masks are tensor
 * values. The formula states the part of them that a causal mask keeps.
 */
import { entryOf } from '../../by-name.js';
import type { BoundArguments } from '../../schema/binding.js';
import { boundRow, ruleWork, rules, withTensors, type OpRules, type BoundCall } from '../../schema/op-rules.js';
import { dtypeShort } from '../../../record/element-types.js';
import { extentAt, numel, type Tensor, bytesToRead } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, OpCost, Param, Work } from '../../family.js';
import { tensor, workOf, namedParams, total } from '../../work.js';
import { ATTENTION_FORMS, type AttentionForm } from './attention-forms.js';
import {
  extentsOf,
  withSums,
  causalShare,
  STEP_PAIRS,
  stepSequences,
  type AttentionExtents,
  type StepSequences,
} from './attention-extents.js';
import type { LengthSums } from '../../../record/serving-step.js';
import { elementAt } from '../../../containers/element.js';

const SAGE_SOURCE =
  'two dense matrix products, FMA = 2; arguments: sageattention/sm80_compile.py, sm89_compile.py and sm90_compile.py of SageAttention';

/**
 * Dimensions of sequence and heads by `tensor_layout`: [batch, sequence, heads, width], or the two in the middle swapped.
 */
const LAYOUTS: readonly (readonly [sequence: number, heads: number])[] = [
  [1, 2],
  [2, 1],
];

const RANK = 4;

const attended = withTensors('q k v out', (q, k, _, out, bound) => {
  const [sequence, heads] = LAYOUTS[bound.count('layout') ?? -1] ?? [];
  const about = {
    params: namedParams({ B: extentAt(q, 0) }, q),
    matmul: true,
    severalProducts: true,
    formula: 'flops = 4·B·Hq·Sq·Sk·D, including masked pairs; bytes = q + k + v + scales + out (+ log-sum-exp)',
    source: SAGE_SOURCE,
  };
  if (q.shape.length !== RANK || k.shape.length !== RANK) return null;
  if (sequence === undefined || heads === undefined)
    return { ...about, flops: null, writes: null, unknown: 'the layout of the tensors is unspecified' };
  const [B, Hq, Sq, Sk] = [extentAt(q, 0), extentAt(q, heads), extentAt(q, sequence), extentAt(k, sequence)];
  const [Hk, D] = [extentAt(k, heads), extentAt(q, -1)];
  // The log-sum-exp of each score row if requested, otherwise nothing.
  const lse: Tensor[] = bound.count('want_lse') === 1 ? [tensor([B, Hq, Sq], 'float32')] : [];
  return {
    ...about,
    flops: 4 * numel([B, Hq, Sq, Sk]) * D,
    writes: [out, ...lse],
    params: namedParams({ B, Sq, Sk, Hq, Hk, D }, q),
  };
});

const START = '@q @k @v !out @q_scale @k_scale';
const END = 'layout:int causal:int granularity:int scale:number want_lse:int';

const SAGE_ATTENTION = rules`
  ${attended} qk_int8_sv_f16_accum_f16_attn qk_int8_sv_f16_accum_f32_attn qk_int8_sv_f16_accum_f16_attn_inst_buf
      qk_int8_sv_f8_accum_f32_attn qk_int8_sv_f8_accum_f32_attn_inst_buf qk_int8_sv_f8_accum_f16_attn_inst_buf:
      ${START} ${END}
  ${attended} qk_int8_sv_f16_accum_f16_fuse_v_mean_attn: ${START} @v_mean ${END}
  ${attended} qk_int8_sv_f8_accum_f32_fuse_v_scale_attn qk_int8_sv_f8_accum_f32_fuse_v_scale_attn_inst_buf
      qk_int8_sv_f8_accum_f16_fuse_v_scale_attn_inst_buf: ${START} @v_scale ${END}
  ${attended} qk_int8_sv_f8_accum_f32_fuse_v_scale_fuse_v_mean_attn: ${START} @v_scale @v_mean ${END}
`;

const SOURCE = 'PyTorch torch/utils/flop_counter.py (sdpa_flop, sdpa_backward_flop): dense, FMA = 2';

// Attention of a serving engine on a key-value cache whose lengths are not arguments of the call.

const CACHED_SOURCE =
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
    ...{ params, formula: `${FORMULA}${note(lengths)}`, source: CACHED_SOURCE, matmul: true, severalProducts: true },
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
    ...{ formula: FORMULA, source: CACHED_SOURCE },
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
  const areHeads = [q, k, v].every((operand) => operand?.shape.length === 3);
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
const CACHED_ATTENTION = rules`
  ${unseenCache} vllm.unified_attention vllm.unified_attention_with_output: @q @k @v ...
  ${latent} vllm.unified_mla_attention vllm.unified_mla_attention_with_output: @q @k ...
  ${paged('blocks')} _C.paged_attention_v1: !out @q @keys @values ...
  ${paged('blocks')} _C.paged_attention_v2 _rocm_C.paged_attention: !out !sums !largest !partial @q @keys @values ...
  ${paged('rows')} attention_paged_attention_ragged_*: !out !workspace @q @keys @values @starts @pages @last ...
`;

/** Ops with a specific rule. */
const RULES: OpRules = { ...CACHED_ATTENTION, ...SAGE_ATTENTION };

/** SGLang's profiler adds numbers to the op names that it records for functions. */
const unnumbered = (call: OpCall): OpCall =>
  call.mod === 'sglang_profiler' ? { ...call, op: call.op.replace(/_\d+$/, '_*') } : call;

interface AttentionCall extends Pick<AttentionForm, 'lse'> {
  readonly backward: boolean;
  readonly args: BoundArguments;
  readonly extents: AttentionExtents;
  readonly operands: readonly [q: Tensor, k: Tensor, v: Tensor];
}

/** Log-sum-exp rows of memory-efficient attention are padded to whole blocks of this many rows. */
const LSE_BLOCK = 32;

const padded = (rows: number): number => Math.ceil(rows / LSE_BLOCK) * LSE_BLOCK;

/** The part of a paged cache that is read: keys and values of the call's sequences. */
function readOf(cache: Tensor, { batch, keyLength, keyHeads, sums }: AttentionExtents): Tensor {
  return tensor([sums?.keys ?? batch * keyLength, keyHeads, extentAt(cache, -1)], cache.dtype);
}

/** The extents from the call, or from the server's step when the call does not determine the sequence lengths. */
function withLengths(extents: AttentionExtents, call: OpCall, args: BoundArguments, kernel: KernelFacts) {
  const { batch, queryLength, keyLength, packed, pairs } = extents;
  // The formula does not cover a second query operand.
  if (pairs.count !== null || args.tensor('q_v') !== null || args.arg('grad') !== undefined) return extents;
  const isCache = args.tensorsOf('table used_k k_new').length > 0;
  const found = stepSequences(kernel.serving, {
    op: call.op,
    queries: packed ? queryLength : batch * queryLength,
    sequences: batch,
    ...(isCache ? {} : { keys: keyLength }),
  });
  return found === null ? extents : withSums(extents, found);
}

function read(call: OpCall, kernel: KernelFacts): AttentionCall | null {
  const row = boundRow(ATTENTION_FORMS, call);
  if (row === null) return null;
  const { bound: args, fact } = row;
  const [q, k, v] = [args.tensor('q'), args.tensor('k'), args.tensor('v')];
  if (q === null || k === null || v === null) return null;
  const { layout, lse } = fact;
  const called = extentsOf([q, k, v], layout, args);
  if (called === null) return null;
  const extents = withLengths(called, call, args, kernel);
  const { sums } = extents;
  const isPart = sums !== undefined || (args.tensor('table') !== null && extents.pairs.readsAll);
  const rows = sums === undefined ? q : tensor([sums.queries, extents.queryHeads, extents.headDim], q.dtype);
  const operands = isPart ? ([rows, readOf(k, extents), readOf(v, extents)] as const) : ([q, k, v] as const);
  return { backward: args.arg('grad') !== undefined, lse, args, extents, operands };
}

/** The output, with the head dimension of v; bfloat16 for FP8 operands. */
function resultOf({ args, extents, operands: [q] }: AttentionCall): Tensor {
  const given = args.tensor('out');
  if (given !== null && extents.sums === undefined) return given;
  const { batch, queryLength: queries, queryHeads, valueHeadDim: valueWidth, packed } = extents;
  const dtype = given?.dtype ?? (q.dtype.startsWith('float8') ? 'bfloat16' : q.dtype);
  return tensor([packed ? 1 : batch, queries, queryHeads, valueWidth], dtype);
}

/** Log-sum-exp of each row of scores, FP32; null when the op does not write it. */
function lseOf({ lse, args, extents }: AttentionCall): Tensor | null {
  const { batch, queryHeads, queryLength: queries, packed, maxQueryLength: longestQuery } = extents;
  if (lse === 'never' || (lse !== 'always' && args.flag('want_lse') !== true)) return null;
  if (lse !== 'on-request-padded') return tensor([packed ? 1 : batch, queryHeads, queries], 'float32');
  const rows = packed ? longestQuery : queries;
  return rows === null ? null : tensor([batch, queryHeads, padded(rows)], 'float32');
}

/** Reads `custom_mask_type` of memory-efficient attention: 0 none, 1 and 2 causal from either corner. */
function causalOf(args: BoundArguments): boolean | null {
  const type = args.number('mask_type');
  return args.flag('causal') ?? (type === null ? null : type !== 0);
}

const maskParam = (args: BoundArguments): Param[] => {
  const causal = causalOf(args);
  if (causal === true) return [['', 'causal']];
  return causal === null && (args.arg('causal') ?? args.arg('mask_type')) !== undefined ? [['causal', '?']] : [];
};

/** Sliding window: number of keys to the left and right to which a query attends; negative or absent means no limit. */
function windowParam(args: BoundArguments): Param[] {
  const [left, right] = [args.number('left') ?? -1, args.number('right') ?? -1];
  return left < 0 && right < 0 ? [] : [['window', `(${left},${right})`]];
}

function paramsOf({ args, extents, operands: [q] }: AttentionCall): Param[] {
  const { batch, queryLength, keyLength, queryHeads, keyHeads, headDim, valueHeadDim, packed } = extents;
  const isPaged = args.tensor('table') !== null && !extents.pairs.readsAll;
  return [
    ['B', batch],
    [packed ? 'Tq' : 'Sq', queryLength],
    ...(isPaged ? [] : [[packed ? 'Tk' : 'Sk', keyLength] as const]),
    ['Hq', queryHeads],
    ['Hk', keyHeads],
    ['Dq', headDim],
    ['Dv', valueHeadDim],
    ...maskParam(args),
    ...windowParam(args),
    ['', dtypeShort(q.dtype)],
  ];
}

/** Percentage of the pairs that a causal mask keeps, as a note on the formula. */
function maskNote({ args, extents }: AttentionCall): string {
  const { queryLength: queries, keyLength: keys, packed, sums } = extents;
  const window = windowParam(args).length > 0 ? '; pairs outside the window are included' : '';
  if (causalOf(args) !== true) return window;
  if (sums !== undefined)
    return `; causal: masked pairs are included; the mask keeps ${causalShare(sums)} % of them${window}`;
  if (packed || queries !== keys || queries === 0) return `; causal: masked pairs are included${window}`;
  const share = ((100 * (queries + 1)) / (2 * queries)).toFixed(2);
  return `; causal: masked pairs are included; the mask keeps ${share} % of them${window}`;
}

function wantsBiasGradient(args: BoundArguments): boolean {
  const mask = args.value('grad_mask');
  return args.flag('bias_grad') === true || (Array.isArray(mask) && mask[3] === true);
}

function operandsOf(attention: AttentionCall): Required<Pick<OpCost, 'reads' | 'writes'>> {
  const { backward, args, operands } = attention;
  if (!backward) {
    const lse = lseOf(attention);
    return {
      reads: [...operands, ...args.tensorsOf('bias')],
      writes: [resultOf(attention), ...(lse === null ? [] : [lse])],
    };
  }
  return {
    reads: [...operands, ...args.tensorsOf('bias grad out lse')],
    writes: [...operands, ...(wantsBiasGradient(args) ? args.tensorsOf('bias') : [])],
  };
}

const FORMULAS = {
  step: {
    flops: `2·Hq·(Dq + Dv)·${STEP_PAIRS}`,
    bytes: 'q + k + v + out of these sequences (+ log-sum-exp if written)',
  },
  forward: {
    flops: '2·B·Hq·Sq·Sk·(Dq + Dv)',
    bytes: 'q + k + v (+ bias) + out (+ log-sum-exp if written)',
  },
  backward: {
    flops: '2·B·Hq·Sq·Sk·(3·Dq + 2·Dv)',
    bytes: 'q + k + v + out + its gradient + log-sum-exp (+ bias) + dq + dk + dv',
  },
} as const;

const UNREAD = 'a sliding window skips keys, and how many depends on the length of each sequence';

/** Why it is unknown how much of a cache is read, although the lengths are known. */
const unreadKeys = ({ args, extents: { sums } }: AttentionCall): string | undefined =>
  sums !== undefined && sums.keys !== sums.queries && windowParam(args).length > 0 ? UNREAD : undefined;

/**
 * Multiply-adds per query-key pair and head: forward, one product of width Dq and one of width Dv; backward, three and
 * two.
 */
const perPair = ({ headDim: width, valueHeadDim: valueWidth }: AttentionExtents, backward: boolean): number =>
  backward ? 3 * width + 2 * valueWidth : width + valueWidth;

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (kernel.dir === 'bprop') return null;
  const named = unnumbered(call);
  if (entryOf(RULES, named) !== undefined) return ruleWork(RULES, named, kernel, SOURCE);
  const attention = read(call, kernel);
  if (attention === null) return null;
  const { backward, extents } = attention;
  const { count, unknown = unreadKeys(attention) } = extents.pairs;
  const readsAll = extents.pairs.readsAll && unknown !== UNREAD;
  const formula = FORMULAS[backward ? 'backward' : extents.sums === undefined ? 'forward' : 'step'];
  const { reads, writes } = operandsOf(attention);
  return workOf({
    flops: count === null ? null : 2 * count * extents.queryHeads * perPair(extents, backward),
    reads,
    writes: readsAll ? writes : null,
    matmul: true,
    severalProducts: true,
    params: paramsOf(attention),
    formula: `flops = ${formula.flops}${maskNote(attention)}; bytes = ${formula.bytes}`,
    source: SOURCE,
    ...(unknown === undefined ? {} : { unknown }),
  });
}

export const attention: Family = {
  id: 'attention',
  title: 'Scaled dot product attention, forward and backward',
  category: 'attention',
  ops: [...Object.keys(ATTENTION_FORMS), ...Object.keys(RULES)],
  formulas: [
    `flops = ${FORMULAS.forward.flops}; backward ${FORMULAS.backward.flops}; Hq counts query heads (grouped queries share keys)`,
    'all query-key pairs are counted, including those that a causal mask or a window skips',
    `steps of vLLM, SGLang or ATOM that are named after their lengths: flops = ${FORMULAS.step.flops}`,
    'packed sequences: known if their number, total and maximum length allow only one solution; bytes are unknown if the cache is not an argument',
    'paged cache: known if all sequences have the maximum number of queries, which with a causal mask must equal the maximum number of keys (whole prompts)',
    `bytes = ${FORMULAS.forward.bytes}; backward ${FORMULAS.backward.bytes}`,
  ],
  lengths: true,
  work,
};
