/** Normalisation by kernels of other libraries: vLLM, SGLang, FlashInfer, AITER, apex, Transformer Engine. */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, workByRules, type RuleCost, type BoundCall } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';
import { ROTATION } from '../attention/fused-attention-functions.js';
import { accumulated, BACKWARD, FORWARD, forwardFlops, type NormKind } from './layer-normalization.js';
import type { Family } from '../../family.js';

const SOURCE =
  'operations per element as for layer_norm; arguments: apex/normalization/fused_layer_norm.py and ' +
  'apex/contrib/group_norm/group_norm.py of apex';

/** Number of elements that are normalised together. */
const rowLength = (bound: BoundCall): number => {
  const shape = bound.integers('normalized_shape') ?? bound.tensor('weight')?.shape;
  return shape === undefined ? 0 : numel(shape);
};

const BYTES = 'bytes = input + parameters + result + saved statistics';

const apexForward = (kind: NormKind): RuleCost =>
  withTensors('input', (input, bound) => {
    const [perElement, length] = [forwardFlops(kind, bound), rowLength(bound)];
    const flops = perElement * numel(input.shape);
    const formula = `flops = ${perElement}·E; ${BYTES}`;
    if (length === 0) return { flops, formula, writes: null, unknown: 'the length of a row is unspecified' };
    const saved = tensor([Math.ceil(numel(input.shape) / length)], accumulated(input.dtype));
    return { flops, formula, writes: [input, saved, ...(kind === 'centred' ? [saved] : [])] };
  });

/** The gradients of the input and of all parameters; none of them reads the bias. */
const apexBackward = (kind: NormKind): RuleCost =>
  withTensors('saved', (input, bound) => {
    const [weights, biases] = [bound.tensors('weight'), bound.tensors('bias')];
    const perElement =
      BACKWARD[kind] + weights.length * (BACKWARD.weighting + BACKWARD.weight) + biases.length * BACKWARD.bias;
    return {
      flops: perElement * numel(input.shape),
      reads: bound.tensorsOf('grad_out mean rstd saved weight'),
      writes: [input, ...weights, ...biases],
      formula: `flops = ${perElement}·E; bytes = gradient + saved input or result + statistics + weight + gradients`,
    };
  });

/** One operation per element for an activation such as SiLU, 0 without one. */
const activations = (bound: BoundCall): number => {
  const name = bound.value('act');
  return typeof name === 'string' && name !== '' ? 1 : 0;
};

/** Two sums of each group of each sample. */
const sums = ({ shape: [samples = 0] }: Tensor, groups: number): Tensor => tensor([2 * samples * groups], 'float32');

const groupForward = withTensors('input', (input, bound) => {
  const perElement = FORWARD.channels + activations(bound);
  const flops = perElement * numel(input.shape);
  const [formula, groups] = [`flops = ${perElement}·E; ${BYTES}`, bound.count('groups')];
  if (groups === null) return { flops, formula, writes: null, unknown: 'the number of groups is unspecified' };
  return { flops, formula, writes: [input, sums(input, groups)] };
});

const groupBackward = withTensors('input', (input, bound) => {
  const perElement = BACKWARD.centred + activations(bound);
  return {
    flops: perElement * numel(input.shape),
    writes: [input, ...bound.tensorsOf('weight bias')],
    formula: `flops = ${perElement}·E; bytes = gradient + input + sums + parameters + gradients of input and parameters`,
  };
});

const TAIL = 'eps memory_efficient';

const RULES = rules`
  ${apexForward('centred')} apex.fused_layer_norm_affine_fwd: @input @weight @bias normalized_shape ${TAIL}
  ${apexForward('centred')} apex.fused_layer_norm_fwd: @input normalized_shape ${TAIL}
  ${apexForward('rms')} apex.fused_rms_norm_affine_fwd: @input @weight normalized_shape ${TAIL}
  ${apexForward('rms')} apex.fused_rms_norm_fwd: @input normalized_shape ${TAIL}
  ${apexBackward('centred')} apex.fused_layer_norm_affine_bwd: @grad_out @mean? @rstd @saved normalized_shape @weight
      @bias ${TAIL}
  ${apexBackward('centred')} apex.fused_layer_norm_bwd: @grad_out @mean? @rstd @saved normalized_shape ${TAIL}
  ${apexBackward('rms')} apex.fused_rms_norm_affine_bwd: @grad_out @rstd @saved normalized_shape @weight ${TAIL}
  ${apexBackward('rms')} apex.fused_rms_norm_bwd: @grad_out @rstd @saved normalized_shape ${TAIL}
  ${groupForward} apex.group_norm_nhwc_fprop: @input groups @weight @bias eps act passes
  ${groupBackward} apex.group_norm_nhwc_bprop: @grad_out @sums @input groups @weight @bias eps act passes
`;

export const apexNormalization: Family = {
  id: 'apex-normalization',
  title: 'Normalisation kernels of apex: fused_layer_norm, fused_rms_norm, group_norm_nhwc',
  category: 'normalization',
  ops: Object.keys(RULES),
  formulas: [
    'rows: flops = 4·E (RMS 3·E), + E with weights; backward 9·E (RMS 6·E), + 3·E with weights, + E with a bias',
    'groups of channels: flops = 5·E, backward 9·E; + E with an activation',
    'bytes = operands + results, including saved statistics',
  ],
  work: workByRules(RULES, SOURCE),
};

/**
 * Forward: normalises `input`, plus the `residual` and the bias of the input if there are any. Tensors that the
 * signature marks as written are written; a residual is read and written in place.
 * @param more further operations per element: quantisation, or 1 + weight
 * @param returns number of returned tensors of the input's shape, which are not arguments of the call
 */
const forward = (kind: NormKind, { more = 0, returns = 0 } = {}): RuleCost =>
  withTensors('input', (input, bound) => {
    const perElement = forwardFlops(kind, bound) + bound.tensorsOf('residual x_bias').length + more;
    return {
      flops: perElement * numel(input.shape),
      writes: [...bound.writes, ...new Array<Tensor>(returns).fill(input)],
      formula: `flops = ${perElement}·E; bytes = input + residual + parameters + results`,
    };
  });

/** The backward node of an autograd function, for which only the gradient of the result is recorded. */
const backward = (kind: NormKind, affine: boolean): RuleCost =>
  withTensors('grad_out', (gradient) => {
    const length = extentAt(gradient, -1);
    if (length === 0) return null;
    const centred = kind === 'centred';
    const parameters = affine ? BACKWARD.weighting + BACKWARD.weight + (centred ? BACKWARD.bias : 0) : 0;
    const perElement = BACKWARD[kind] + parameters;
    const saved = tensor([numel(gradient.shape) / length], accumulated(gradient.dtype));
    const weights = affine ? [tensor([length], gradient.dtype)] : [];
    return {
      flops: perElement * numel(gradient.shape),
      reads: [gradient, gradient, saved, ...(centred ? [saved] : []), ...weights],
      writes: [gradient, ...weights, ...(centred ? weights : [])],
      formula: `flops = ${perElement}·E; bytes = gradient + input + statistics + weight + gradients (input shaped like the gradient, weight like the last dimension)`,
    };
  });

/** QK norm and RoPE in place: the query and key heads of a packed QKV tensor are each normalised and rotated. */
const qkNormRope = withTensors('qkv table', (qkv, table, bound) => {
  const [queries, keys, width] = ['heads_q', 'heads_k', 'head_dim'].map((name) => bound.count(name) ?? undefined);
  const formula =
    'flops = 4·E + 3·E rotated, E of queries and keys; bytes = 2·E + weights + positions + rows of the table';
  if (queries === undefined || keys === undefined || width === undefined) {
    const unknown = 'the numbers of heads and the head dimension are unspecified';
    return { flops: null, writes: null, formula, unknown };
  }
  const tokens = numel(qkv.shape.slice(0, -1));
  const heads = tokens * (queries + keys);
  const part = tensor([heads, width], qkv.dtype);
  const rotated = Math.min(extentAt(table, -1), width);
  return {
    flops: (FORWARD.rms + FORWARD.affine) * numel(part.shape) + ROTATION * heads * rotated,
    reads: [part, ...bound.tensorsOf('q_weight k_weight positions'), tensor([tokens, rotated], table.dtype)],
    writes: [part],
    formula,
  };
});

/** Groups of channels; the workspace holds sums between two kernels and does not count as traffic of the op. */
const grouped = withTensors('input', (input, bound) => ({
  flops: FORWARD.channels * numel(input.shape),
  reads: bound.tensorsOf('input weight bias'),
  writes: bound.writes.length > 0 ? bound.writes : [input],
  formula: `flops = ${FORWARD.channels}·E; bytes = input + weight + bias + result`,
}));

const [rms, centred] = [forward('rms'), forward('centred')];
/** Forms that return the result as a new tensor. */
const [returned, returnedCentred] = [forward('rms', { returns: 1 }), forward('centred', { returns: 1 })];
/** Gemma multiplies by 1 + w. */
const gemma = forward('rms', { more: 1 });
/** Quantisation per element: scaling; with a dynamic scale also absolute value and maximum. */
const [scaled, rescaled] = [forward('rms', { more: 1 }), forward('rms', { more: 3 })];
/** Rules with a scale for each column in addition to that of each row (SmoothQuant). */
const [smoothed, smoothedCentred] = [forward('rms', { more: 4 }), forward('centred', { more: 4 })];

/** Arguments as registered by the libraries. */
export const FUSED_RULES = rules`
  ${rms} _C.rms_norm: !result @input @weight? epsilon
  ${rms} fused_add_rms_norm fused_add_rmsnorm: @!input @!residual @weight? epsilon pdl
  ${rms} rmsnorm: !result @input @weight epsilon pdl
  ${gemma} gemma_rmsnorm: !result @input @weight epsilon pdl
  ${gemma} gemma_fused_add_rmsnorm: @!input @!residual @weight epsilon pdl
  ${scaled} rms_norm_static_fp8_quant: !result @input @weight @scale epsilon
  ${scaled} fused_add_rms_norm_static_fp8_quant: !result @input @!residual @weight
      @scale epsilon
  ${rescaled} rms_norm_dynamic_per_token_quant rms_norm_per_block_quant: !result @input
      @weight !scales epsilon @scale_ub? @!residual? group_size is_scale_transposed
  ${qkNormRope} fused_qk_norm_rope: @!qkv heads_q heads_k heads_v head_dim eps @q_weight @k_weight @table is_neox
      @positions
  ${rms} rms_norm_cu: !result @input @weight epsilon
  ${rms} fused_add_rms_norm_cu: @!input @!residual @weight epsilon
  // AITER: aiter/ops/rmsnorm.py, norm.py and groupnorm.py. A later version passes the result and workspace to the group
  // norm.
  ${returned} rmsnorm2d_fwd rmsnorm2d_fwd_ck rocm_aiter_rms_norm aiter.rms_norm: @input @weight epsilon
      model_sensitive
  ${rms} rmsnorm2d_fwd_with_add rmsnorm2d_fwd_with_add_ck aiter.add_rmsnorm: !result @input @residual !residual_out
      @weight epsilon model_sensitive
  ${forward('rms', { returns: 2 })} rocm_aiter_rmsnorm2d_fwd_with_add rocm_aiter_rmsnorm_fused_add: @input @residual @weight
      epsilon
  ${rescaled} rmsnorm2d_fwd_with_dynamicquant rmsnorm2d_fwd_with_dynamicquant_ck aiter.rmsnorm_quant:
      !result @input !scales @weight epsilon ...
  ${rescaled} rmsnorm2d_fwd_with_add_dynamicquant rmsnorm2d_fwd_with_add_dynamicquant_ck aiter.add_rmsnorm_quant:
      !result @input @residual !residual_out !scales @weight epsilon ...
  ${smoothed} rmsnorm2d_fwd_with_smoothquant: !result @input @column_scales !scales @weight epsilon model_sensitive
  ${smoothed} rmsnorm2d_fwd_with_add_smoothquant: !result @input @residual !residual_out @column_scales !scales @weight
      epsilon !unscaled? model_sensitive
  ${returnedCentred} layernorm2d_fwd layernorm2d_fwd_ck aiter.layer_norm aiter.layer_norm_ck: @input @weight? @bias?
      epsilon @x_bias?
  ${centred} layernorm2d_fwd_with_add layernorm2d_fwd_with_add_ck: !result @input @residual !residual_out @weight
      @bias? epsilon @x_bias?
  ${smoothedCentred} layernorm2d_fwd_with_smoothquant layernorm2d_fwd_with_smoothquant_ck: !result @input
      @column_scales !scales @weight @bias epsilon @x_bias?
  ${smoothedCentred} layernorm2d_fwd_with_add_smoothquant layernorm2d_fwd_with_add_smoothquant_ck: !result @input
      @residual !residual_out @column_scales !scales @weight @bias epsilon @x_bias?
  ${grouped} _groupnorm_run: @input groups:int @weight @bias eps | !result @workspace @input groups:int @weight @bias eps
  ${returnedCentred} FusedLayerNormAffineFunction FusedLayerNormAffineMixedDtypesFunction: @input @weight
      @bias? normalized_shape eps memory_efficient
  ${returnedCentred} FusedLayerNormFunction: @input normalized_shape eps memory_efficient
  ${returnedCentred} FastLayerNormFN: @input @weight @bias epsilon
  ${returned} FusedRMSNormAffineFunction FusedRMSNormAffineMixedDtypesFunction: @input @weight
      normalized_shape eps memory_efficient
  ${returned} FusedRMSNormFunction: @input normalized_shape eps memory_efficient
  ${backward('centred', true)} FusedLayerNormAffineFunctionBackward FusedLayerNormAffineMixedDtypesFunctionBackward
      FastLayerNormFNBackward _LayerNormBackward: @grad_out
  ${backward('rms', true)} FusedRMSNormAffineFunctionBackward FusedRMSNormAffineMixedDtypesFunctionBackward
      _RMSNormBackward: @grad_out
  ${backward('centred', false)} FusedLayerNormFunctionBackward: @grad_out
  ${backward('rms', false)} FusedRMSNormFunctionBackward: @grad_out
  ${returnedCentred} _LayerNorm: @input @weight @bias
  ${returned} _RMSNorm: @input @weight
`;
