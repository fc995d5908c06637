/** Pointwise kernels of serving libraries: gated activations, quantisation with a scale, rotary position embedding. */
import { numel, type Tensor } from '../../call.js';
import type { BoundArguments } from '../../schema/binding.js';
import { elementwise, rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';
import { integer } from '../../operands.js';
import { tensor, tensorListParams } from '../../work.js';
import { ROTATION } from '../attention/rotary-functions.js';

const SOURCE =
  'operations per element; arguments as vLLM (_C), SGLang (sgl_kernel) and kernels of SageAttention register them';

/** Per element of the result: activation and product. */
const GATED = elementwise(2, 'out');
/** With a quantisation, by a given scale and by a dynamic one. */
const [GATED_SCALED, GATED_DYNAMIC] = [elementwise(4, 'out'), elementwise(6, 'out')];
/** Quantisation by a given scale (product, clamp) and by a dynamic one (absolute value and maximum too). */
const [SCALED, DYNAMIC] = [elementwise(2, 'input'), elementwise(4, 'input')];
/** By a dynamic scale, after one more operation; and where that is a factor that may be missing. */
const FURTHER = elementwise(5, 'input');
const FACTORED: RuleCost = (bound) => (bound.arg('factor') === undefined ? DYNAMIC : FURTHER)(bound);
/** Two partial results, each weighted by its row's log-sum-exp: two products, a sum. */
const MERGED = elementwise(3, 'out');

/** A weight of 4 bits, eight to a word along n, [k, n/8]; scales [groups, n]: the zero point subtracted, a product. */
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
function rotatedElements(one: Tensor, width: number, bound: BoundArguments): number | null {
  const head = integer(bound.value('head_size')) ?? (one.shape.length > 2 ? one.shape.at(-1) : undefined);
  if (head === undefined || head <= 0 || numel(one.shape) % head !== 0) return null;
  return (numel(one.shape) / head) * Math.min(width, head);
}

/** Pairs (x, y) → (x·cos − y·sin, y·cos + x·sin): six operations on two elements, with one row of the table per token. */
const rotary = withTensors('cos_sin_cache positions', (table, positions, bound) => {
  const width = table.shape.at(-1);
  if (width === undefined) return null;
  const operands = bound.tensorsOf('query key');
  const parts = operands.map((one) => rotatedElements(one, width, bound));
  const known = parts.filter((part) => part !== null);
  const isKnown = known.length === parts.length;
  const vectors = operands.map((one, i) => tensor([parts[i] ?? 0], one.dtype));
  return {
    flops: isKnown ? ROTATION * known.reduce((sum, part) => sum + part, 0) : null,
    reads: [positions, ...vectors, tensor([numel(positions.shape), width], table.dtype)],
    writes: isKnown ? vectors : null,
    params: tensorListParams(operands),
    formula: 'flops = 3·(elements rotated); bytes = 2·(elements rotated) + positions + one row of the table per token',
    source: 'RoFormer (Su et al.), equation 34; arguments as vLLM and SGLang register them',
    ...(isKnown ? {} : { unknown: 'the head dimension is unspecified' }),
  };
});

/** Arguments as the libraries register them. */
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
  // SageAttention: with a factor, less a mean that is given or found; padded and transposed before.
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
  // In place, and into other tensors.
  ${rotary} rotary_embedding: @positions @!query @!key? head_size @cos_sin_cache is_neox
  ${rotary} apply_rope_pos_ids_cos_sin_cache:
      @query @key !turned_query !turned_key @cos_sin_cache @positions interleave
`;

export const fusedPointwise: Family = {
  id: 'fused-pointwise',
  title: 'Serving kernels: gated activations, quantisation with a scale, rotary position embedding',
  ops: Object.keys(RULES),
  formulas: [
    'gated activation: flops = 2·E(result); with quantisation 4·E(result)',
    'quantisation: flops = 2·E (product, clamp), 4·E where the scale is found first; bytes = input + result + scales',
    '4-bit weight unpacked (awq_dequantize): flops = 2·k·n; bytes = operands as packed + result',
    'rotary embedding: flops = 3·E rotated (six per pair); bytes = 2·E rotated + positions + one row of the table per token',
    'partial results of attention merged: flops = 3·E(result); bytes = both + their log-sum-exp + result',
  ],
  work: workByRules(RULES, SOURCE),
};
