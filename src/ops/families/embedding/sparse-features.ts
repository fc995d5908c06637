/**
 * Lists of sparse features, and the order of pooled embeddings: what goes before and after FBGEMM's lookups.
 */
import { extentAt, numel } from '../../call.js';
import { ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { tensor, tensorParams } from '../../work.js';
import type { OpCost } from '../../family.js';

/** Columns moved to other places, by lists of their order. */
const reordered = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('input');
  if (input === null) return null;
  return { params: tensorParams(input), flops: 0, writes: [input], formula: 'flops = 0; bytes = 2·E·size + the order' };
};

/** Every index is compared with the number of rows of its table. */
const bounds = (bound: BoundCall): OpCost | null => {
  const indices = bound.tensor('indices');
  if (indices === null) return null;
  const formula = 'flops = 0; bytes = indices + offsets + rows of each table';
  return {
    params: tensorParams(indices),
    flops: 0,
    reads: bound.tensorsOf('rows indices offsets'),
    writes: [],
    formula,
  };
};

/** @param longer 1 where the result ends with the total */
const sums =
  (longer: 0 | 1) =>
  (bound: BoundCall): OpCost | null => {
    const lengths = bound.tensor('lengths');
    if (lengths === null || lengths.shape.length === 0) return null;
    const shape = [...lengths.shape.slice(0, -1), extentAt(lengths, -1) + longer];
    const writes = [tensor(shape, lengths.dtype)];
    return {
      params: tensorParams(lengths),
      flops: numel(lengths.shape),
      writes,
      formula: 'flops = E; bytes = lengths + sums',
    };
  };

const UNSPECIFIED = 'how many indices the chosen features have is unspecified';

/** Features are chosen by their number, some more than once; with as many chosen as there are, all are moved. */
const features = (bound: BoundCall): OpCost | null => {
  const [order, lengths] = [bound.tensor('order'), bound.tensor('lengths')];
  const indices = bound.tensor('indices');
  if (order === null || lengths === null || indices === null) return null;
  const formula = 'flops = 0; bytes = order + 2·(lengths + indices + weights)';
  if (numel(order.shape) === lengths.shape[0]) {
    return { params: tensorParams(indices), flops: 0, writes: bound.tensorsOf('lengths indices weights'), formula };
  }
  const [total, weights] = [bound.count('total'), bound.tensor('weights')];
  if (total === null) return { params: tensorParams(indices), flops: 0, writes: null, formula, unknown: UNSPECIFIED };
  const writes = [
    tensor([numel(order.shape), ...lengths.shape.slice(1)], lengths.dtype),
    ...[indices, ...(weights === null ? [] : [weights])].map(({ dtype }) => tensor([total], dtype)),
  ];
  return { params: tensorParams(indices), flops: 0, writes, formula };
};

/** Arguments as FBGEMM registers them. */
export const FEATURE_RULES: OpRules = {
  ...ruleFor(
    'permute_pooled_embs permute_pooled_embs_auto_grad permute_duplicate_pooled_embs',
    '@input @offsets @order @inverse_offsets @inverse_order',
    reordered,
  ),
  ...ruleFor('recat_embedding_grad_output_mixed_D_batch', '@input @widths @cumulated', reordered),
  ...ruleFor('recat_embedding_grad_output_mixed_D', '@input widths', reordered),
  ...ruleFor('bounds_check_indices', '@rows @indices @offsets mode @warning @weights?', bounds),
  ...ruleFor('asynchronous_complete_cumsum', '@lengths', sums(1)),
  ...ruleFor('asynchronous_inclusive_cumsum asynchronous_exclusive_cumsum', '@lengths', sums(0)),
  ...ruleFor(
    'permute_sparse_features permute_sparse_data permute_2D_sparse_data permute_1D_sparse_data',
    '@order @lengths @indices @weights? total',
    features,
  ),
};
