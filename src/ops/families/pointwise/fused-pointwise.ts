/**
 * Pointwise kernels of libraries. For serving: gated activations, quantisation with a scale, rotary position embedding. For
 * training: gated activations, scaled softmax, cross entropy, indexed products.
 *
 * Most of those for training are autograd functions; the profiler records their tensors, numbers and booleans, and in older
 * versions only the tensors.
 */
import { entryOf, named, type ByName } from '../../by-name.js';
import { numel, type Tensor } from '../../call.js';
import type { Category } from '../../category.js';
import type { BoundArguments } from '../../schema/binding.js';
import { elementwise, rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';
import { integer } from '../../operands.js';
import { tensor, tensorListParams } from '../../work.js';
import { ROTATION } from '../attention/fused-attention-functions.js';
import { SOFTMAX } from '../reduction/softmax.js';
import { accumulated } from '../normalization/layer-normalization.js';

const TRAINING_SOURCE =
  'operations per element; arguments: megatron/core/fusions (fused_bias_swiglu.py, fused_bias_geglu.py, fused_bias_gelu.py) ' +
  'of Megatron-LM, apex/contrib/xentropy/softmax_xentropy.py and apex/contrib/index_mul_2d/index_mul_2d.py of apex, ' +
  'transformer_engine/pytorch/softmax.py and csrc/stable/registration.cpp of TransformerEngine';

/** Operations: activation and product. */
const TRAINING_GATED = 2;

/** Half of the last dimension is the gate for the other half; a bias is added before, row weights are applied after. */
const gated = withTensors('input', (input, bound) => {
  const width = input.shape.at(-1);
  if (width === undefined || width % 2 !== 0) return null;
  const result = tensor([...input.shape.slice(0, -1), width / 2], input.dtype);
  const [biases, weights] = [bound.tensors('bias').length, bound.tensors('weights').length];
  return {
    flops: (TRAINING_GATED + weights) * numel(result.shape) + biases * numel(input.shape),
    writes: [result],
    formula: 'flops = 2·E(result), + E(input) with a bias, + E(result) with weights; bytes = operands + result',
  };
});

const biased = withTensors('input', (input) => ({
  flops: 2 * numel(input.shape),
  writes: [input],
  formula: 'flops = 2·E (bias, activation); bytes = input + bias + result',
}));

/** Softmax with a scale. */
const SCALED_SOFTMAX = { forward: SOFTMAX.forward + 1, backward: SOFTMAX.backward + 1 } as const;

/** The unmasked part of a causal matrix: all columns in the last row, and one column less in each row above it. */
function unmasked({ shape, dtype }: Tensor): Tensor | null {
  const [rows = 0, columns = 0] = shape.slice(-2);
  if (shape.length < 2 || rows > columns) return null;
  return tensor([numel(shape.slice(0, -2)), rows * columns - (rows * (rows - 1)) / 2], dtype);
}

/** Masked elements of the result are written as 0. */
const causal = (perElement: number, operands: number): RuleCost =>
  withTensors('input', (input) => {
    const part = unmasked(input);
    if (part === null) return null;
    return {
      flops: perElement * numel(part.shape),
      reads: new Array<Tensor>(operands).fill(part),
      writes: [input],
      formula: `flops = ${perElement}·E unmasked (rows·columns − rows·(rows − 1)/2 of each matrix); bytes = unmasked operands + whole result`,
    };
  });

/** Computed from the saved result, whatever the mask. */
const scaledBackward = withTensors('input', (gradient) => ({
  flops: SCALED_SOFTMAX.backward * numel(gradient.shape),
  writes: [gradient],
  formula: `flops = ${SCALED_SOFTMAX.backward}·E; bytes = gradient + saved result + gradient of the input`,
}));

/** Maximum, subtraction, exponential, sum. Only each row's loss and log-sum-exp are written, not the probabilities. */
const ENTROPY = 4;

const crossEntropy = withTensors('logits labels', (logits, labels, bound) => {
  const exact = accumulated(logits.dtype);
  const losses = tensor(labels.shape, bound.flag('to_float') === true ? exact : logits.dtype);
  return {
    flops: ENTROPY * numel(logits.shape),
    writes: [losses, tensor(labels.shape, exact)],
    formula: `flops = ${ENTROPY}·E(logits); bytes = logits + labels + losses + log-sum-exp`,
  };
});

/** a[index]·b: only the indexed rows of `a` are read. */
const indexedProduct = withTensors('other source index', (other, source, index) => ({
  flops: numel(other.shape),
  reads: [tensor(other.shape, source.dtype), other, index],
  writes: [other],
  formula: 'flops = E(result); bytes = indexed rows + other operand + index + result',
}));

const STORE = 'in_8_bits:bool offload:bool';

const TRAINING_RULES = rules`
  ${gated} SwiGLUFunction GeGLUFunction: @input ${STORE}
  ${gated} BiasSwiGLUFunction BiasGeGLUFunction: @input @bias ${STORE}
  ${gated} WeightedSwiGLUFunction: @input @weights ${STORE}
  ${biased} GeLUFunction: @input @bias
  ${causal(SCALED_SOFTMAX.forward, 1)} ScaledAlignedCausalMaskedSoftmax scaled_aligned_causal_masked_softmax_forward: @input
      scale
  ${causal(SCALED_SOFTMAX.backward, 2)} scaled_upper_triang_masked_softmax_backward
      scaled_aligned_causal_masked_softmax_backward: @input @output scale
  ${scaledBackward} scaled_softmax_backward scaled_masked_softmax_backward: @input @output scale
  ${crossEntropy} SoftmaxCrossEntropyLoss: @logits @labels smoothing:number padding:int to_float:bool
  ${indexedProduct} IndexMul2d_: @source @other @index
`;

/** Categories of the ops that are not elementwise. */
const TRAINING_CATEGORIES: ByName<Category> = {
  ...named(
    'ScaledAlignedCausalMaskedSoftmax scaled_aligned_causal_masked_softmax_forward scaled_upper_triang_masked_softmax_backward scaled_aligned_causal_masked_softmax_backward scaled_softmax_backward scaled_masked_softmax_backward',
    'softmax',
  ),
  ...named('SoftmaxCrossEntropyLoss', 'loss'),
  ...named('IndexMul2d_', 'indexing'),
};

export const trainingFunctions: Family = {
  id: 'training-functions',
  title: 'Training kernels of Megatron, TransformerEngine and apex: gates, causal softmax, cross entropy',
  category: (call) => entryOf(TRAINING_CATEGORIES, call) ?? 'elementwise',
  ops: Object.keys(TRAINING_RULES),
  formulas: [
    'gated activation: flops = 2·E(result), + E(input) with a bias, + E(result) with row weights',
    'causal softmax with a scale: flops = 6·E unmasked, backward 5·E unmasked; bytes = unmasked operands + whole result',
    'cross entropy: flops = 4·E(logits); bytes = logits + labels + losses + log-sum-exp',
  ],
  work: workByRules(TRAINING_RULES, TRAINING_SOURCE),
};

const SOURCE = 'operations per element; arguments as registered by vLLM (_C), SGLang (sgl_kernel) and SageAttention';

/** Two operations per element of the result: activation and product. */
const GATED = elementwise(2, 'out');
/** Gated activations that quantise by a given scale, and by a dynamic scale. */
const [GATED_SCALED, GATED_DYNAMIC] = [elementwise(4, 'out'), elementwise(6, 'out')];
/** Quantisation by a given scale (product, clamp), and by a dynamic scale (also absolute value and maximum). */
const [SCALED, DYNAMIC] = [elementwise(2, 'input'), elementwise(4, 'input')];
/** Quantisation by a dynamic scale after one more operation, which may be an optional factor. */
const FURTHER = elementwise(5, 'input');
const FACTORED: RuleCost = (bound) => (bound.arg('factor') === undefined ? DYNAMIC : FURTHER)(bound);
/** Two partial results, each weighted by its row's log-sum-exp: two products, a sum. */
const MERGED = elementwise(3, 'out');

/**
 * A weight with 4-bit elements, eight to a word along n, [k, n/8]; scales [groups, n]: subtraction of the zero point, and a
 * product.
 */
const unpacked = withTensors('weight scales', (weight, scales) => {
  const [k, n] = [weight.shape[0], scales.shape.at(-1)];
  if (k === undefined || n === undefined) return null;
  return {
    flops: 2 * k * n,
    writes: [tensor([k, n], scales.dtype)],
    params: tensorListParams([weight, scales]),
    formula: 'flops = 2·k·n; bytes = operands as packed + k·n elements of the type of the scales',
  };
});

/** Rotated elements of all heads of q or k; null when the head dimension is unspecified or does not fit. */
function rotatedElements(operand: Tensor, width: number, bound: BoundArguments): number | null {
  const head = integer(bound.value('head_size')) ?? (operand.shape.length > 2 ? operand.shape.at(-1) : undefined);
  if (head === undefined || head <= 0 || numel(operand.shape) % head !== 0) return null;
  return (numel(operand.shape) / head) * Math.min(width, head);
}

/** Pairs (x, y) → (x·cos − y·sin, y·cos + x·sin): six operations on two elements, with one table row for each token. */
const rotary = withTensors('cos_sin_cache positions', (table, positions, bound) => {
  const width = table.shape.at(-1);
  if (width === undefined) return null;
  const operands = bound.tensorsOf('query key');
  const parts = operands.map((operand) => rotatedElements(operand, width, bound));
  const known = parts.filter((part) => part !== null);
  const isKnown = known.length === parts.length;
  const vectors = operands.map((operand, i) => tensor([parts[i] ?? 0], operand.dtype));
  return {
    flops: isKnown ? ROTATION * known.reduce((sum, part) => sum + part, 0) : null,
    reads: [positions, ...vectors, tensor([numel(positions.shape), width], table.dtype)],
    writes: isKnown ? vectors : null,
    params: tensorListParams(operands),
    formula: 'flops = 3·(elements rotated); bytes = 2·(elements rotated) + positions + one row of the table per token',
    source: 'RoFormer (Su et al.), equation 34; arguments as registered by vLLM and SGLang',
    ...(isKnown ? {} : { unknown: 'the head dimension is unspecified' }),
  };
});

/** Arguments as registered by the libraries. */
const RULES = rules`
  ${GATED} silu_and_mul gelu_and_mul gelu_tanh_and_mul mul_and_silu fatrelu_and_mul: !out @input limit
  ${GATED} swigluoai_and_mul: !out @input alpha limit
  ${elementwise(1, 'out')} gelu_new gelu_fast gelu_quick: !out @input
  ${GATED_SCALED} silu_and_mul_quant scaled_silu_and_mul: !out @input @scale
  ${GATED_DYNAMIC} silu_and_mul_per_block_quant: !out @input !scales group_size @bound?
  ${SCALED} static_scaled_fp8_quant static_scaled_int8_quant static_per_tensor_quant: !out @input @scale @azp?
  ${DYNAMIC} dynamic_scaled_fp8_quant dynamic_per_token_scaled_fp8_quant dynamic_per_tensor_quant
      dynamic_per_token_scaled_quant: !out @input !scale @bound?
  ${DYNAMIC} dynamic_scaled_int8_quant: !out @input !scale !azp?
  ${DYNAMIC} per_token_group_fp8_quant per_token_group_quant_int8 sgl_per_token_group_quant_fp8
      sgl_per_token_group_quant_int8 sgl_per_tensor_quant_fp8 sgl_per_token_quant_fp8: @input !out !scale
  // SageAttention: with a factor, minus a mean that is passed or computed; padded and transposed before.
  ${DYNAMIC} quant_per_warp_int8_cuda: @input !out !scale block warp layout
  ${DYNAMIC} scale_fuse_quant_cuda: @input !out !scale tokens largest layout
  ${FACTORED} quant_per_block_int8_cuda: @input !out !scale factor block layout
      | @input !out !scale block layout
  ${FURTHER} quant_per_block_int8_fuse_sub_mean_cuda: @input @mean !out !scale block layout
  ${elementwise(6, 'input')} mean_scale_fuse_quant_cuda: @input !out !mean !scale tokens largest layout
  ${elementwise(1, 'input')} sub_mean_cuda: @input @mean !out layout
  ${elementwise(0, 'input')} transpose_pad_permute_cuda: @input !out layout
  ${unpacked} awq_dequantize: @weight @scales @zeros
      | @weight @scales @zeros split_k x y
  ${MERGED} merge_attn_states: !out !lse? @prefix @prefix_lse @suffix @suffix_lse
  ${MERGED} merge_state merge_state_v2: @prefix @prefix_lse @suffix @suffix_lse !out !lse
  ${elementwise(1, 'logits')} apply_repetition_penalties_: @!logits @prompt_mask @output_mask @penalties
  // In place, and with separate output tensors.
  ${rotary} rotary_embedding: @positions @!query @!key? head_size @cos_sin_cache is_neox
  ${rotary} apply_rope_pos_ids_cos_sin_cache:
      @query @key !turned_query !turned_key @cos_sin_cache @positions interleave
`;

/** Categories of the ops that are not elementwise. */
const CATEGORIES: ByName<Category> = {
  ...named(
    'static_scaled_fp8_quant static_scaled_int8_quant static_per_tensor_quant dynamic_scaled_fp8_quant dynamic_per_token_scaled_fp8_quant dynamic_per_tensor_quant dynamic_per_token_scaled_quant dynamic_scaled_int8_quant per_token_group_fp8_quant per_token_group_quant_int8 sgl_per_token_group_quant_fp8 sgl_per_token_group_quant_int8 sgl_per_tensor_quant_fp8 sgl_per_token_quant_fp8 quant_per_warp_int8_cuda scale_fuse_quant_cuda quant_per_block_int8_cuda quant_per_block_int8_fuse_sub_mean_cuda mean_scale_fuse_quant_cuda awq_dequantize',
    'quantization',
  ),
  ...named('transpose_pad_permute_cuda', 'copy'),
  ...named('merge_attn_states merge_state merge_state_v2', 'attention'),
};

export const fusedPointwise: Family = {
  id: 'fused-pointwise',
  title: 'Serving kernels: gated activations, quantisation with a scale, rotary position embedding',
  category: (call) => entryOf(CATEGORIES, call) ?? 'elementwise',
  ops: Object.keys(RULES),
  formulas: [
    'gated activation: flops = 2·E(result); with quantisation 4·E(result)',
    'quantisation: flops = 2·E (product, clamp), 4·E if the scale is computed first; bytes = input + result + scales',
    '4-bit weight unpacked (awq_dequantize): flops = 2·k·n; bytes = operands as packed + result',
    'rotary embedding: flops = 3·E rotated (six per pair); bytes = 2·E rotated + positions + one row of the table per token',
    'partial results of attention merged: flops = 3·E(result); bytes = both + their log-sum-exp + result',
  ],
  work: workByRules(RULES, SOURCE),
};
