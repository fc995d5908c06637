/**
 * TransformerEngine's data movement: token permutation for experts and back, padding, transposition.
 */
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { tensor, tensorListParams, tensorParams } from '../../work.js';

const SOURCE =
  'rows gathered, or added up; arguments: transformer_engine/pytorch/permutation.py, attention/custom_ops.py and ' +
  'csrc/stable/registration.cpp of TransformerEngine';

const UNSPECIFIED = 'the number of rows of the result is unspecified';

/** A tensor like this one with another number of rows; null when that is unspecified. */
function rowsLike({ shape, dtype }: Tensor, rows: number | null): Tensor | null {
  return rows === null ? null : tensor([rows, ...shape.slice(1)], dtype);
}

/** A copy of each token for each of its experts; none is dropped where the number of rows is 0. */
const byIndex = (bound: BoundCall): OpCost | null => {
  const [input, index, rows] = [bound.tensor('input'), bound.tensor('index'), bound.count('rows')];
  if (input === null || index === null) return null;
  const result = rowsLike(input, rows === 0 ? numel(index.shape) : rows);
  const about = {
    params: tensorParams(input),
    flops: 0,
    formula: 'flops = 0; bytes = tokens + experts + rows written + map',
  };
  if (result === null) return { ...about, writes: null, unknown: UNSPECIFIED };
  return { ...about, writes: [result, tensor([numel(index.shape)], 'int32')] };
};

/** The map has two numbers for each token and expert, and how many a token has. */
const byMask = (bound: BoundCall): OpCost | null => {
  const [input, routing, rows] = [bound.tensor('input'), bound.tensor('routing'), bound.count('rows')];
  const [tokens = 0, experts = 0] = routing?.shape ?? [];
  if (input === null || routing === null) return null;
  const result = rowsLike(input, rows);
  const about = {
    params: tensorParams(input),
    flops: 0,
    formula: 'flops = 0; bytes = tokens + routing + rows written + map',
  };
  if (result === null || rows === null) return { ...about, writes: null, unknown: UNSPECIFIED };
  const chosen = bound.tensors('probs').map(({ dtype }) => tensor([rows], dtype));
  return { ...about, writes: [result, tensor([tokens, 2 * experts + 1], 'int32'), ...chosen] };
};

/**
 * Rows of a token added up, each with its weight where there are weights. On the way back the gradients of the chosen
 * weights go to their places among those of all experts.
 */
const merged = (bound: BoundCall): OpCost | null => {
  const [input, result] = [bound.tensor('input'), bound.count('tokens')];
  const weighted = bound.tensors('probs').some(({ shape }) => numel(shape) > 0);
  if (input === null) return null;
  const perElement = weighted ? 2 : 1;
  const written = rowsLike(input, result);
  const places = [result, bound.count('experts')].map(Number);
  const spread = bound.tensors('probs_grad').map(({ dtype }) => tensor(places, dtype));
  return {
    params: tensorParams(input),
    flops: perElement * numel(input.shape),
    writes: written === null ? null : [written, ...spread],
    formula: `flops = ${perElement}·E(input); bytes = rows + map + weights + tokens`,
    ...(written === null ? { unknown: UNSPECIFIED } : undefined),
  };
};

/** Each row's gradient is the token's times its weight; the weight's is a dot product of the token's and the row. */
const mergedBackward = (bound: BoundCall): OpCost | null => {
  const [input, probs] = [bound.tensor('input'), bound.tensor('probs')];
  if (input === null || probs === null) return null;
  return {
    params: tensorParams(input),
    flops: 3 * numel(input.shape),
    writes: [input, tensor(probs.shape, 'float32')],
    formula: 'flops = 3·E(rows) (product, dot product); bytes = gradient + rows + map + weights + both gradients',
  };
};

/** What is smaller is what is moved: padding is not read, and written as zeros. */
const padded = (bound: BoundCall): OpCost | null => {
  const [input, output] = [bound.tensor('input'), bound.tensor('output')];
  if (input === null || output === null) return null;
  const moved = numel(input.shape) < numel(output.shape) ? input : tensor(output.shape, input.dtype);
  const formula = 'flops = 0; bytes = rows that are kept + result';
  return { params: tensorParams(input), flops: 0, reads: [moved], writes: [output], formula };
};

/** All of the operands written in another order. */
const reordered = (bound: BoundCall): OpCost => {
  const operands = bound.tensorsOf('tensors');
  const formula = 'flops = 0; bytes = 2·operands';
  return { flops: 0, reads: operands, writes: operands, params: tensorListParams(operands), formula };
};

/** q, k and v are one tensor, of which only q is recorded. */
const splitQkv = (bound: BoundCall): OpCost | null => {
  const part = bound.tensor('q');
  if (part === null) return null;
  const all = tensor([3, ...part.shape], part.dtype);
  return {
    params: tensorParams(part),
    flops: 0,
    reads: [all],
    writes: [all],
    formula: 'flops = 0; bytes = 2·(q + k + v)',
  };
};

const joinQkv = (bound: BoundCall): OpCost | null => {
  const q = bound.tensor('q');
  if (q === null) return null;
  return {
    params: tensorParams(q),
    flops: 0,
    writes: bound.tensorsOf('q k v'),
    formula: 'flops = 0; bytes = 2·(q + k + v)',
  };
};

const RULES: OpRules = {
  ...ruleFor('te_moe.permute_index_map', '@input @index rows most', byIndex),
  ...ruleFor('te_moe.permute_mask_map_fwd', '@input @routing rows @probs? @padding?', byMask),
  ...ruleFor('te_moe.permute_index_map_bwd', '@input @map tokens experts', merged),
  ...ruleFor('te_moe.permute_mask_map_bwd', '@input @probs_grad? @map @padding? tokens experts width', merged),
  ...ruleFor('te_moe.unpermute_index_map_fwd', '@input @map @probs? tokens experts', merged),
  ...ruleFor('te_moe.unpermute_mask_map_fwd', '@input @map @probs? tokens experts width @padding?', merged),
  ...ruleFor('te_moe.unpermute_index_map_bwd', '@gradient @input @map @probs', mergedBackward),
  ...ruleFor('te_attention.fa_prepare_fwd', '@q', splitQkv),
  ...ruleFor('te_attention.fa_prepare_bwd', '@q @k @v', joinQkv),
  ...ruleFor('fused_multi_row_padding fused_multi_row_unpadding', '@input !output rows padded', padded),
  ...ruleFor('swap_first_dims', '@tensors !out?', reordered),
  ...ruleFor('fp8_transpose', '@tensors type !out?', reordered),
};

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
