/** TransformerEngine's data movement: token permutation for experts and back, padding, transposition. */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { numel } from '../../call.js';
import type { Family } from '../../family.js';
import { tensor, tensorListParams } from '../../work.js';

const SOURCE =
  'rows gathered, or added up; arguments: transformer_engine/pytorch/permutation.py, attention/custom_ops.py and ' +
  'csrc/stable/registration.cpp of TransformerEngine';

const UNSPECIFIED = 'the number of rows of the result is unspecified';

/** A copy of each token for each of its experts; none is dropped where the number of rows is 0. */
const byIndex = withTensors('input index', (input, index, bound) => {
  const rows = bound.count('rows');
  const cost = { flops: 0, formula: 'flops = 0; bytes = tokens + experts + rows written + map' };
  if (rows === null) return { ...cost, writes: null, unknown: UNSPECIFIED };
  const places = numel(index.shape);
  const result = tensor([rows === 0 ? places : rows, ...input.shape.slice(1)], input.dtype);
  return { ...cost, writes: [result, tensor([places], 'int32')] };
});

/** The map has two numbers for each token and expert, and how many a token has. */
const byMask = withTensors('input routing', (input, { shape: [tokens = 0, experts = 0] }, bound) => {
  const rows = bound.count('rows');
  const cost = { flops: 0, formula: 'flops = 0; bytes = tokens + routing + rows written + map' };
  if (rows === null) return { ...cost, writes: null, unknown: UNSPECIFIED };
  const result = tensor([rows, ...input.shape.slice(1)], input.dtype);
  const chosen = bound.tensors('probs').map(({ dtype }) => tensor([rows], dtype));
  return { ...cost, writes: [result, tensor([tokens, 2 * experts + 1], 'int32'), ...chosen] };
});

/**
 * Rows of a token added up, each with its weight where there are weights. On the way back the gradients of the chosen
 * weights go to their places among those of all experts.
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

/** Each row's gradient is the token's times its weight; the weight's is a dot product of the token's and the row. */
const mergedBackward = withTensors('input probs', (input, probs) => ({
  flops: 3 * numel(input.shape),
  writes: [input, tensor(probs.shape, 'float32')],
  formula: 'flops = 3·E(rows) (product, dot product); bytes = gradient + rows + map + weights + both gradients',
}));

/** What is smaller is what is moved: padding is not read, and written as zeros. */
const padded = withTensors('input output', (input, output) => ({
  flops: 0,
  reads: [numel(input.shape) < numel(output.shape) ? input : tensor(output.shape, input.dtype)],
  writes: [output],
  formula: 'flops = 0; bytes = rows that are kept + result',
}));

/** All of the operands written in another order. */
const reordered: RuleCost = (bound) => {
  const operands = bound.tensorsOf('tensors');
  const formula = 'flops = 0; bytes = 2·operands';
  return { flops: 0, reads: operands, writes: operands, params: tensorListParams(operands), formula };
};

const QKV_FORMULA = 'flops = 0; bytes = 2·(q + k + v)';

/** q, k and v are one tensor, of which only q is recorded. */
const splitQkv = withTensors('q', ({ shape, dtype }) => {
  const all = [tensor([3, ...shape], dtype)];
  return { flops: 0, reads: all, writes: all, formula: QKV_FORMULA };
});

const joinQkv = withTensors('q', (_, bound) => ({
  flops: 0,
  writes: bound.tensorsOf('q k v'),
  formula: QKV_FORMULA,
}));

const RULES = rules`
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
  title: "Tokens to their experts and back: TransformerEngine's permutation, padding and reordering",
  ops: Object.keys(RULES),
  formulas: [
    'to the experts: flops = 0; bytes = tokens + choice + rows written + map',
    'back, and gradient of the way there: flops = E(rows), with weights 2·E; bytes = rows + map + weights + tokens',
    'padding, other order: flops = 0; bytes = what is moved, read and written',
  ],
  work: workByRules(RULES, SOURCE),
};
