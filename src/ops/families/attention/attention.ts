/**
 * Scaled dot product attention, forward and backward, whole and fused: softmax(Q·Kᵀ)·V.
 *
 * Forward: two products, Q·Kᵀ and P·V. Fused backward: five, the scores again, dP = dO·Vᵀ, dV = Pᵀ·dO, dQ = dS·K and dK =
 * dSᵀ·Q. All query-key pairs are counted, including masked ones, as in PyTorch's FlopCounterMode, because masks are tensor
 * values. The formula states the part of them that a causal mask keeps.
 */
import { entryOf } from '../../by-name.js';
import type { BoundArguments } from '../../schema/binding.js';
import { boundRow, ruleWork, rules, withTensors, type OpRules } from '../../schema/op-rules.js';
import { dtypeShort } from '../../../record/element-types.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, OpCost, Param, Work } from '../../family.js';
import { tensor, workOf, namedParams } from '../../work.js';
import { CACHED_ATTENTION } from './attention-cached.js';
import { ATTENTION_FORMS, type AttentionForm } from './attention-forms.js';
import {
  extentsOf,
  withSums,
  causalShare,
  STEP_PAIRS,
  stepSequences,
  type AttentionExtents,
} from './attention-extents.js';

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

/** Ops with a specific rule. */
const RULES: OpRules = { ...CACHED_ATTENTION, ...SAGE_ATTENTION };

/** SGLang's profiler adds numbers to the names of ops that it records for functions. */
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
