/**
 * Normalisation by kernels of other libraries: vLLM, SGLang, FlashInfer, AITER, Apex, Transformer Engine.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { tensor, tensorParams } from '../../work.js';
import { accumulated, BACKWARD, FORWARD, forwardFlops, type NormKind } from './layer-normalization.js';
import type { OpCost } from '../../family.js';

interface FusedNormalization {
  readonly kind: NormKind;
  /** Further operations per element: quantisation, or 1 + weight. */
  readonly more?: number;
  /** Number of returned tensors of the input's shape, which are no arguments of the call. */
  readonly returns?: number;
}

/**
 * Forward: `input`, plus the `residual` where there is one, normalised. What the signature marks as written is
 * written; a residual is read and written in place.
 */
const forward =
  ({ kind, more = 0, returns = 0 }: FusedNormalization) =>
  (bound: BoundCall): OpCost | null => {
    const input = bound.tensor('input');
    if (input === null) return null;
    const perElement = forwardFlops(kind, bound) + bound.tensorsOf('residual').length + more;
    return {
      params: tensorParams(input),
      flops: perElement * numel(input.shape),
      writes: [...bound.writes, ...new Array<Tensor>(returns).fill(input)],
      formula: `flops = ${perElement}·E; bytes = input + residual + parameters + results`,
    };
  };

/** The backward node of an autograd function, of which only the gradient of the result is recorded. */
const backward =
  (kind: NormKind, affine: boolean) =>
  (bound: BoundCall): OpCost | null => {
    const gradient = bound.tensor('grad_out');
    const length = gradient === null ? 0 : extentAt(gradient, -1);
    if (gradient === null || length === 0) return null;
    const parameters = affine ? BACKWARD.weighting + BACKWARD.weight + (kind === 'centred' ? BACKWARD.bias : 0) : 0;
    const perElement = BACKWARD[kind] + parameters;
    const weight = tensor([length], gradient.dtype);
    const saved = tensor([numel(gradient.shape) / length], accumulated(gradient.dtype));
    const centred = kind === 'centred';
    const weights = affine ? [weight] : [];
    return {
      params: tensorParams(gradient),
      flops: perElement * numel(gradient.shape),
      reads: [gradient, gradient, saved, ...(centred ? [saved] : []), ...weights],
      writes: [gradient, ...weights, ...(centred ? weights : [])],
      formula: `flops = ${perElement}·E; bytes = gradient + input + statistics + weight + gradients (input like the gradient, weight of the last dimension)`,
    };
  };

/** Operations per element of a rotation of pairs: see the rotary embedding. */
const ROTATION = 3;

/** QK norm and RoPE in place: the query and key heads of a packed QKV tensor, each normalised and rotated. */
const qkNormRope = (bound: BoundCall): OpCost | null => {
  const [qkv, table] = [bound.tensor('qkv'), bound.tensor('table')];
  const [queries, keys, width] = ['heads_q', 'heads_k', 'head_dim'].map((name) => bound.count(name) ?? undefined);
  if (qkv === null || table === null) return null;
  const formula =
    'flops = 4·E + 3·E rotated, E of queries and keys; bytes = 2·E + weights + positions + rows of the table';
  if (queries === undefined || keys === undefined || width === undefined) {
    return {
      params: tensorParams(qkv),
      flops: null,
      writes: null,
      formula,
      unknown: 'the numbers of heads and the head dimension are unspecified',
    };
  }
  const tokens = numel(qkv.shape.slice(0, -1));
  const heads = tokens * (queries + keys);
  const part = tensor([heads, width], qkv.dtype);
  const rotated = Math.min(extentAt(table, -1), width);
  return {
    params: tensorParams(qkv),
    flops: (FORWARD.rms + FORWARD.affine) * numel(part.shape) + ROTATION * heads * rotated,
    reads: [part, ...bound.tensorsOf('q_weight k_weight positions'), tensor([tokens, rotated], table.dtype)],
    writes: [part],
    formula,
  };
};

/** Quantisation per element: scaling; with a dynamic scale also absolute value and maximum. */
const STATIC = 1;
const DYNAMIC = 3;

const rms = forward({ kind: 'rms' });
const returning = (kind: NormKind, returns: number): OpRules[string]['cost'] => forward({ kind, returns });
/** Gemma's weight is 1 + w. */
const gemma = forward({ kind: 'rms', more: 1 });

/** Arguments as the libraries register them. */
export const FUSED_RULES: OpRules = {
  ...ruleFor('_C.rms_norm', '!result @input @weight? epsilon', rms),
  ...ruleFor('fused_add_rms_norm fused_add_rmsnorm', '@!input @!residual @weight? epsilon pdl', rms),
  ...ruleFor('rmsnorm', '!result @input @weight epsilon pdl', rms),
  ...ruleFor('gemma_rmsnorm', '!result @input @weight epsilon pdl', gemma),
  ...ruleFor('gemma_fused_add_rmsnorm', '@!input @!residual @weight epsilon pdl', gemma),
  ...ruleFor(
    'rms_norm_static_fp8_quant',
    '!result @input @weight @scale epsilon',
    forward({ kind: 'rms', more: STATIC }),
  ),
  ...ruleFor(
    'fused_add_rms_norm_static_fp8_quant',
    '!result @input @!residual @weight @scale epsilon',
    forward({ kind: 'rms', more: STATIC }),
  ),
  ...ruleFor(
    'rms_norm_dynamic_per_token_quant rms_norm_per_block_quant',
    '!result @input @weight !scales epsilon @scale_ub? @!residual? group_size is_scale_transposed',
    forward({ kind: 'rms', more: DYNAMIC }),
  ),
  ...ruleFor(
    'fused_qk_norm_rope',
    '@!qkv heads_q heads_k heads_v head_dim eps @q_weight @k_weight @table is_neox @positions',
    qkNormRope,
  ),
  ...ruleFor('rms_norm_cu', '!result @input @weight epsilon', rms),
  ...ruleFor('fused_add_rms_norm_cu', '@!input @!residual @weight epsilon', rms),
  ...ruleFor(
    'rmsnorm2d_fwd rmsnorm2d_fwd_ck rocm_aiter_rms_norm aiter.rms_norm',
    '@input @weight epsilon model_sensitive',
    returning('rms', 1),
  ),
  ...ruleFor(
    'rmsnorm2d_fwd_with_add rmsnorm2d_fwd_with_add_ck',
    '!result @input @residual !residual_out @weight epsilon model_sensitive',
    rms,
  ),
  ...ruleFor(
    'rocm_aiter_rmsnorm2d_fwd_with_add rocm_aiter_rmsnorm_fused_add',
    '@input @residual @weight epsilon',
    returning('rms', 2),
  ),
  ...ruleFor(
    'rmsnorm2d_fwd_with_dynamicquant rmsnorm2d_fwd_with_dynamicquant_ck',
    '!result @input !scales @weight epsilon model_sensitive',
    forward({ kind: 'rms', more: DYNAMIC }),
  ),
  ...ruleFor(
    'rmsnorm2d_fwd_with_add_dynamicquant rmsnorm2d_fwd_with_add_dynamicquant_ck',
    '!result @input @residual !residual_out !scales @weight epsilon model_sensitive',
    forward({ kind: 'rms', more: DYNAMIC }),
  ),
  ...ruleFor('layernorm2d_fwd', '@input @weight @bias? epsilon @x_bias?', returning('centred', 1)),
  ...ruleFor(
    'layernorm2d_fwd_with_add',
    '!result @input @residual !residual_out @weight @bias? epsilon @x_bias?',
    forward({ kind: 'centred' }),
  ),
  ...ruleFor(
    'FusedLayerNormAffineFunction FusedLayerNormAffineMixedDtypesFunction',
    '@input @weight @bias? normalized_shape eps memory_efficient',
    returning('centred', 1),
  ),
  ...ruleFor('FusedLayerNormFunction', '@input normalized_shape eps memory_efficient', returning('centred', 1)),
  ...ruleFor('FastLayerNormFN', '@input @weight @bias epsilon', returning('centred', 1)),
  ...ruleFor(
    'FusedRMSNormAffineFunction FusedRMSNormAffineMixedDtypesFunction',
    '@input @weight normalized_shape eps memory_efficient',
    returning('rms', 1),
  ),
  ...ruleFor('FusedRMSNormFunction', '@input normalized_shape eps memory_efficient', returning('rms', 1)),
  ...ruleFor(
    'FusedLayerNormAffineFunctionBackward FusedLayerNormAffineMixedDtypesFunctionBackward FastLayerNormFNBackward _LayerNormBackward',
    '@grad_out',
    backward('centred', true),
  ),
  ...ruleFor(
    'FusedRMSNormAffineFunctionBackward FusedRMSNormAffineMixedDtypesFunctionBackward _RMSNormBackward',
    '@grad_out',
    backward('rms', true),
  ),
  ...ruleFor('FusedLayerNormFunctionBackward', '@grad_out', backward('centred', false)),
  ...ruleFor('FusedRMSNormFunctionBackward', '@grad_out', backward('rms', false)),
  ...ruleFor('_LayerNorm', '@input @weight @bias', returning('centred', 1)),
  ...ruleFor('_RMSNorm', '@input @weight', returning('rms', 1)),
};
