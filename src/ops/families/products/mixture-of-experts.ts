/**
 * Mixture of experts: choosing experts for each token, sorting tokens by expert, the experts' products; and
 * TransformerEngine's permutation of tokens for experts and back, with padding and transposition.
 */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { extentAt, numel } from '../../call.js';
import { NO_FORMULA } from '../../schema/dispatched.js';
import type { Family } from '../../family.js';
import { tensor, tensorListParams } from '../../work.js';
import { SOFTMAX } from '../reduction/softmax.js';

const PERMUTATION_SOURCE =
  'gathers or adds rows; arguments: transformer_engine/pytorch/permutation.py, attention/custom_ops.py and ' +
  'csrc/stable/registration.cpp of TransformerEngine';

const UNSPECIFIED = 'the number of rows of the result is unspecified';

/** A copy of each token for each of its experts; when the number of rows is 0, no token is dropped. */
const byIndex = withTensors('input index', (input, index, bound) => {
  const rows = bound.count('rows');
  const cost = { flops: 0, formula: 'flops = 0; bytes = tokens + experts + rows written + map' };
  if (rows === null) return { ...cost, writes: null, unknown: UNSPECIFIED };
  const places = numel(index.shape);
  const result = tensor([rows === 0 ? places : rows, ...input.shape.slice(1)], input.dtype);
  return { ...cost, writes: [result, tensor([places], 'int32')] };
});

/** The map has two numbers for each token and expert, and the number of experts of each token. */
const byMask = withTensors('input routing', (input, { shape: [tokens = 0, experts = 0] }, bound) => {
  const rows = bound.count('rows');
  const cost = { flops: 0, formula: 'flops = 0; bytes = tokens + routing + rows written + map' };
  if (rows === null) return { ...cost, writes: null, unknown: UNSPECIFIED };
  const result = tensor([rows, ...input.shape.slice(1)], input.dtype);
  const chosen = bound.tensors('probs').map(({ dtype }) => tensor([rows], dtype));
  return { ...cost, writes: [result, tensor([tokens, 2 * experts + 1], 'int32'), ...chosen] };
});

/**
 * Rows of a token are summed, weighted if there are weights. Backward, the gradients of the chosen weights are written to
 * their places among those of all experts.
 */
const merged = withTensors('input', (input, bound) => {
  const [tokens, experts] = [bound.count('tokens'), bound.count('experts')];
  const weighted = bound.tensors('probs').some(({ shape }) => numel(shape) > 0);
  const perElement = weighted ? 2 : 1;
  const cost = {
    flops: perElement * numel(input.shape),
    formula: `flops = ${perElement}·E(input); bytes = rows + map + weights + tokens`,
  };
  if (tokens === null) return { ...cost, writes: null, unknown: UNSPECIFIED };
  const spread = bound.tensors('probs_grad').map(({ dtype }) => tensor([tokens, Number(experts)], dtype));
  return { ...cost, writes: [tensor([tokens, ...input.shape.slice(1)], input.dtype), ...spread] };
});

/**
 * Each row's gradient is the token's gradient times the row's weight; the weight's gradient is a dot product of the token's
 * gradient and the row.
 */
const mergedBackward = withTensors('input probs', (input, probs) => ({
  flops: 3 * numel(input.shape),
  writes: [input, tensor(probs.shape, 'float32')],
  formula: 'flops = 3·E(rows) (product, dot product); bytes = gradient + rows + map + weights + both gradients',
}));

/** The smaller of the two is moved, because padding is not read, and is written as zeros. */
const padded = withTensors('input output', (input, output) => ({
  flops: 0,
  reads: [numel(input.shape) < numel(output.shape) ? input : tensor(output.shape, input.dtype)],
  writes: [output],
  formula: 'flops = 0; bytes = rows that are kept + result',
}));

/** All operands are written in another order. */
const reordered: RuleCost = (bound) => {
  const operands = bound.tensorsOf('tensors');
  const formula = 'flops = 0; bytes = 2·operands';
  return { flops: 0, reads: operands, writes: operands, params: tensorListParams(operands), formula };
};

const QKV_FORMULA = 'flops = 0; bytes = 2·(q + k + v)';

/** q, k and v are one tensor, but only q is recorded. */
const splitQkv = withTensors('q', ({ shape, dtype }) => {
  const all = [tensor([3, ...shape], dtype)];
  return { flops: 0, reads: all, writes: all, formula: QKV_FORMULA };
});

const joinQkv = withTensors('q', (_, bound) => ({
  flops: 0,
  writes: bound.tensorsOf('q k v'),
  formula: QKV_FORMULA,
}));

const PERMUTATION_RULES = rules`
  ${byIndex} te_moe.permute_index_map: @input @index rows most
  ${byMask} te_moe.permute_mask_map_fwd: @input @routing rows @probs? @padding?
  ${merged} te_moe.permute_index_map_bwd: @input @map tokens experts
  ${merged} te_moe.permute_mask_map_bwd: @input @probs_grad? @map @padding? tokens experts width
  ${merged} te_moe.unpermute_index_map_fwd: @input @map @probs? tokens experts
  ${merged} te_moe.unpermute_mask_map_fwd: @input @map @probs? tokens experts width @padding?
  ${mergedBackward} te_moe.unpermute_index_map_bwd: @gradient @input @map @probs
  ${splitQkv} te_attention.fa_prepare_fwd: @q
  ${joinQkv} te_attention.fa_prepare_bwd: @q @k @v
  ${padded} fused_multi_row_padding fused_multi_row_unpadding: @input !output rows padded
  ${reordered} swap_first_dims: @tensors !out?
  ${reordered} fp8_transpose: @tensors type !out?
`;

export const tokenPermutation: Family = {
  id: 'token-permutation',
  title: 'Token dispatch to experts and back: permutation, padding and reordering in TransformerEngine',
  category: 'moe',
  ops: Object.keys(PERMUTATION_RULES),
  formulas: [
    'to the experts: flops = 0; bytes = tokens + choice + rows written + map',
    'back, and the gradient of dispatch: flops = E(rows), with weights 2·E; bytes = rows + map + weights + tokens',
    'padding, reordering: flops = 0; bytes = moved elements read and written',
  ],
  work: workByRules(PERMUTATION_RULES, PERMUTATION_SOURCE),
};

const SOURCE = 'arguments as in vLLM (csrc/moe), SGLang (sgl-kernel), AITER and triton_kernels (routing.py, topk.py)';

/** Computes probabilities of all experts, and keeps the best. */
const chosen = withTensors('gating', (gating, { writes }) => ({
  flops: SOFTMAX.forward * numel(gating.shape),
  writes,
  formula: `flops = ${SOFTMAX.forward}·E(gating); bytes = gating + weights + indices`,
}));

/** Tokens sorted by expert, in blocks. */
const aligned = withTensors('ids', (_, { writes }) => ({
  flops: 0,
  writes,
  formula: 'flops = 0; bytes = expert ids + sorted tokens + blocks',
}));

/** The results of a token's experts are added. */
const added = withTensors('input', (input, { writes }) => ({
  flops: numel(input.shape),
  writes,
  formula: 'flops = E(input); bytes = input + output',
}));

const UNREAD_WEIGHTS = "it is unknown which experts' weights are read";

/**
 * hidden [m, k], w1 [e, 2n or n, k], w2 [e, k, n], ids [m, t]: two products for each token and expert. Which experts'
 * weights are read depends on the choice. Weights with few bits pack several values into an element along their last
 * extent; the factor is k divided by w1's last extent.
 */
const experts = withTensors('hidden ids', (hidden, ids, bound) => {
  const weights = bound.tensorsOf('w1 w2');
  const [w1] = weights;
  if (w1 === undefined || weights.some(({ shape }) => shape.length !== 3)) return null;
  const values = extentAt(hidden, -1) / extentAt(w1, 2);
  if (!Number.isInteger(values)) return null;
  const perToken = weights.reduce((sum, { shape: [, rows = 0, columns = 0] }) => sum + rows * columns * values, 0);
  return {
    flops: 2 * numel(ids.shape) * perToken,
    writes: null,
    params: tensorListParams([hidden, ...weights]),
    formula: 'flops = 2·m·t·(|w1| + |w2| of one expert), m tokens of t experts each',
    unknown: UNREAD_WEIGHTS,
    matmul: true,
    severalProducts: true,
  };
});

/**
 * One of the two products as a separate op. Its rows are those of the activations: [m, k] for each of `top` experts of a
 * token, or [m, top, k]. Weights with few bits are packed as above.
 */
const stage = (weightsOf: 'w1' | 'w2') =>
  withTensors(`input ${weightsOf}`, (input, weights, bound) => {
    const top = weightsOf === 'w1' ? bound.count('top') : 1;
    const width = extentAt(input, -1);
    const values = width / extentAt(weights, 2);
    if (top === null || weights.shape.length !== 3 || !Number.isInteger(values)) return null;
    return {
      flops: 2 * numel(input.shape) * top * extentAt(weights, 1),
      writes: null,
      params: tensorListParams([input, weights]),
      formula: 'flops = 2·m·t·(weights of one expert), m tokens of t experts each',
      unknown: UNREAD_WEIGHTS,
      matmul: true,
    };
  });

/** triton_kernels: rows sorted by expert, each multiplied by the weights of its expert. */
const grouped = withTensors('input weights', (input, weights) => {
  const [, inner, columns] = weights.shape;
  if (inner === undefined || columns === undefined || extentAt(input, -1) !== inner) return null;
  return {
    flops: 2 * numel(input.shape) * columns,
    writes: null,
    params: tensorListParams([input, weights]),
    formula: 'flops = 2·m·k·n, m tokens in total over all experts',
    unknown: UNREAD_WEIGHTS,
    matmul: true,
  };
});

/** Indices of experts have 16 bits, and a bit for each token and expert says whether it is chosen. */
const best = withTensors('gating', (gating, bound) => {
  const [tokens, experts] = gating.shape;
  const [top, isSoftmax] = [bound.count('top'), bound.flag('softmax')];
  if (tokens === undefined || experts === undefined || gating.shape.length !== 2 || top === null) return null;
  const bits = bound.flag('bits') === true ? [tensor([tokens, Math.ceil(experts / 32)], 'uint32')] : [];
  return {
    flops: isSoftmax === true ? SOFTMAX.forward * tokens * top : 0,
    writes: [tensor([tokens, top], gating.dtype), tensor([tokens, top], 'int16'), ...bits],
    formula: `flops = ${SOFTMAX.forward}·m·t if weights are normalised; bytes = gating + weights + indices + bits`,
  };
});

/** Source and destination of each token for each expert, and the weights in that order. */
const sorted = withTensors('weights ids', (weights, ids, bound) => {
  const experts = bound.count('experts');
  if (experts === null) return null;
  const rows = numel(ids.shape);
  return {
    flops: 0,
    writes: [tensor([experts], 'int32'), tensor([2 * rows], 'int32'), tensor([rows], weights.dtype)],
    params: tensorListParams([weights, ids]),
    formula: 'flops = 0; bytes = weights + ids + tokens of each expert + both orders + sorted weights',
  };
});

/** The layer holds the weights, so they are not arguments. */
const layer = withTensors('hidden', () => {
  const unknown = "the experts' weights are not among the arguments";
  return { flops: null, writes: null, formula: NO_FORMULA, unknown, matmul: true, severalProducts: true };
});

const RULES = rules`
  // vLLM's op also has the token and expert of each row, SGLang's does not.
  ${chosen} topk_softmax: !weights !indices !rows @gating
      | !weights !indices @gating
  ${chosen} vllm.rocm_aiter_topk_softmax: !weights !indices !rows @gating ...
  // triton_kernels
  ${best} TopK: @gating top:int softmax:bool dim:int bits:bool ...
  ${sorted} SortTokens: @weights @ids experts:int ...
  ${aligned} aiter.moe_sorting_fwd: @ids @weights !sorted !sorted_weights !expert_ids !count !cleared? ...
  ${aligned} moe_align_block_size sgl_moe_align_block_size: @ids experts block !sorted !expert_ids !count ...
  ${added} moe_sum: @input !output
  ${experts} inplace_fused_experts outplace_fused_experts aiter.fused_moe_ rocm_aiter_fused_moe: @hidden @w1 @w2 @weights @ids ...
  ${stage('w1')} aiter.ck_moe_stage1: @input @w1 @w2 @sorted @expert_ids @count !out top:int ...
  ${stage('w2')} aiter.ck_moe_stage2: @input @w1 @w2 @sorted @expert_ids @count !out top:int ...
  ${grouped} triton_kernels.matmul_ogs: @input @weights
  ${layer} moe_forward moe_forward_shared: @hidden ...
`;

export const mixtureOfExperts: Family = {
  id: 'mixture-of-experts',
  title: 'Mixture of experts: topk_softmax, moe_align_block_size, fused_experts',
  category: 'moe',
  ops: Object.keys(RULES),
  formulas: [
    'topk_softmax: flops = 5·E(gating); bytes = gating + weights + indices',
    'TopK: flops = 5·m·t if weights are normalised; SortTokens, moe_sorting_fwd: 0; bytes = operands + results',
    'moe_sum: flops = E(input); moe_align_block_size: 0; bytes = operands + results',
    'fused_experts: flops = 2·m·t·(|w1| + |w2| of one expert); bytes unknown, because the call does not show which experts are used',
    'ck_moe_stage1, ck_moe_stage2: one of the two products',
    'matmul_ogs: flops = 2·m·k·n, m tokens in total over all experts; its operands come from the ops before its launch',
    'moe_forward: unknown, because the weights are not arguments',
  ],
  work: workByRules(RULES, SOURCE),
};
