/**
 * Pointwise kernels of serving libraries: gated activations, quantisation with a scale, rotary position embedding.
 */
import type { OpCall } from '../../record/record.js';
import { numel, type Tensor } from '../call.js';
import { bind, type Bound } from '../binding.js';
import type { Family, Work } from '../family.js';
import { opName, whole } from '../operands.js';
import { tensor, tensorListParams, trafficWork } from '../work.js';
import { signatureWork, type SignatureOp } from './by-signature.js';

const SOURCE = 'operations per element; arguments as vLLM (_C) and SGLang (sgl_kernel) register them';

/** Written result first. Per element of the result: activation and product. */
const gated: SignatureOp = { signature: '!out @input limit', makes: [], flops: 2, per: 'out' };
const activated: SignatureOp = { ...gated, signature: '!out @input', flops: 1 };
/** A product with the scale and a clamp. */
const scaled: SignatureOp = { signature: '!out @input @scale @azp?', makes: [], flops: 2, per: 'input' };
/** Absolute value and maximum too; the scale is a result. */
const dynamic: SignatureOp = { signature: '!out @input !scale @bound?', makes: [], flops: 4, per: 'input' };
const grouped: SignatureOp = { ...dynamic, signature: '@input !out !scale' };

const OPS: Readonly<Record<string, SignatureOp>> = {
  silu_and_mul: gated,
  gelu_and_mul: gated,
  gelu_tanh_and_mul: gated,
  mul_and_silu: gated,
  fatrelu_and_mul: gated,
  swigluoai_and_mul: { ...gated, signature: '!out @input alpha limit' },
  gelu_new: activated,
  gelu_fast: activated,
  gelu_quick: activated,
  // Activation, product, and those of the quantisation whose scale is found first.
  silu_and_mul_per_block_quant: {
    signature: '!out @input !scales group_size @bound?',
    makes: [],
    flops: 6,
    per: 'out',
  },
  // Activation, product, and those of the quantisation.
  silu_and_mul_quant: { signature: '!out @input @scale', makes: [], flops: 4, per: 'out' },
  scaled_silu_and_mul: { signature: '!out @input @scale', makes: [], flops: 4, per: 'out' },
  static_scaled_fp8_quant: scaled,
  static_scaled_int8_quant: scaled,
  static_per_tensor_quant: scaled,
  dynamic_scaled_fp8_quant: dynamic,
  dynamic_per_token_scaled_fp8_quant: dynamic,
  dynamic_scaled_int8_quant: { ...dynamic, signature: '!out @input !scale !azp?' },
  dynamic_per_tensor_quant: dynamic,
  dynamic_per_token_scaled_quant: dynamic,
  per_token_group_fp8_quant: grouped,
  per_token_group_quant_int8: grouped,
  sgl_per_token_group_quant_fp8: grouped,
  sgl_per_token_group_quant_int8: grouped,
  sgl_per_tensor_quant_fp8: grouped,
  sgl_per_token_quant_fp8: grouped,
  // Two partial results of attention, each with a weight made of its row's log-sum-exp: two products, a sum.
  merge_attn_states: {
    signature: '!out !lse? @prefix @prefix_lse @suffix @suffix_lse',
    makes: [],
    flops: 3,
    per: 'out',
  },
  merge_state: { signature: '@prefix @prefix_lse @suffix @suffix_lse !out !lse', makes: [], flops: 3, per: 'out' },
  merge_state_v2: { signature: '@prefix @prefix_lse @suffix @suffix_lse !out !lse', makes: [], flops: 3, per: 'out' },
  apply_repetition_penalties_: {
    signature: '@!logits @prompt_mask @output_mask @penalties',
    ...{ makes: [], flops: 1, per: 'logits' },
  },
};

/** In place, and into other tensors. */
const ROTARY: Readonly<Record<string, string>> = {
  rotary_embedding: '@positions @!query @!key? head_size @cos_sin_cache is_neox',
  apply_rope_pos_ids_cos_sin_cache: '@query @key !turned_query !turned_key @cos_sin_cache @positions interleave',
};

/** Elements of queries or keys that are turned, of all their heads; null when the width of a head is not told or does not fit. */
function turned(one: Tensor, width: number, bound: Bound): number | null {
  const head = whole(bound.arg('head_size')?.value) ?? (one.shape.length > 2 ? one.shape.at(-1) : undefined);
  if (head === undefined || head <= 0 || numel(one.shape) % head !== 0) return null;
  return (numel(one.shape) / head) * Math.min(width, head);
}

/** Pairs (x, y) → (x·cos − y·sin, y·cos + x·sin): six operations on two elements, with one row of the table per token. */
function rotary(call: OpCall): Work | null {
  const signature = ROTARY[opName(call)];
  const bound = signature === undefined ? null : bind(call, signature);
  const [table] = bound?.tensors('cos_sin_cache') ?? [];
  const [positions] = bound?.tensors('positions') ?? [];
  const width = table?.shape.at(-1);
  if (bound === null || table === undefined || positions === undefined || width === undefined) return null;
  const operands = [...bound.tensors('query'), ...bound.tensors('key')];
  const parts = operands.map((one) => turned(one, width, bound));
  const known = parts.filter((part) => part !== null);
  const vectors = operands.map((one, i) => tensor([parts[i] ?? 0], one.dtype));
  const rows = tensor([numel(positions.shape), width], table.dtype);
  const work = trafficWork({
    flops: 3 * known.reduce((sum, part) => sum + part, 0),
    reads: [positions, ...vectors, rows],
    writes: vectors,
    params: tensorListParams(operands),
    formula: 'flops = 3·(elements turned); bytes = 2·(elements turned) + positions + one row of the table per token',
    source: 'RoFormer (Su et al.), equation 34; arguments as vLLM and SGLang register them',
  });
  if (known.length === parts.length) return work;
  return { ...work, flops: null, bytes: null, unknown: 'the width of a head is not told' };
}

export const fusedPointwise: Family = {
  id: 'fused-pointwise',
  title: 'Serving kernels: gated activations, quantisation with a scale, rotary position embedding',
  ops: [...Object.keys(OPS), ...Object.keys(ROTARY)],
  formulas: [
    'gated activation: flops = 2·E(result); with quantisation 4·E(result)',
    'quantisation: flops = 2·E (product, clamp), 4·E where the scale is found first; bytes = input + result + scales',
    'rotary embedding: flops = 3·E turned (six per pair); bytes = 2·E turned + positions + one row of the table per token',
    'partial results of attention merged: flops = 3·E(result); bytes = both + their log-sum-exp + result',
  ],
  work(call) {
    const op = opName(call);
    if (Object.hasOwn(ROTARY, op)) return call.from === undefined ? null : rotary(call);
    const rule = Object.hasOwn(OPS, op) ? OPS[op] : undefined;
    return rule === undefined ? null : signatureWork(rule, call, SOURCE);
  },
};
