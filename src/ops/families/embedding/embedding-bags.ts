/**
 * Embeddings as the dispatcher runs them: rows by index, their sums in bags, the gradient of the table.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import type { OpCost, Param } from '../../family.js';
import { tensor, tensorParams } from '../../work.js';

/** As many rows. */
const rowsOf = (table: Tensor, count: number): Tensor => tensor([count, extentAt(table, -1)], table.dtype);

const params = (table: Tensor, indices: Tensor): Param[] => [
  ...tensorParams(indices, 'I'),
  ...tensorParams(table, 'E'),
];

interface BagLookup {
  readonly table: Tensor;
  readonly indices: Tensor;
  /** One for each index. */
  readonly rows: Tensor;
  /** Of these, what has to be read of the table: no row twice. */
  readonly touched: Tensor;
}

/** @param name of the table, or of a gradient as wide as its rows */
function lookup(bound: BoundCall, name: string): BagLookup | null {
  const [table, indices] = [bound.tensor(name), bound.tensor('indices')];
  if (table === null || indices === null || table.shape.length === 0) return null;
  const [count, most] = [numel(indices.shape), table.shape.length > 1 ? extentAt(table, 0) : 0];
  return { table, indices, rows: rowsOf(table, count), touched: rowsOf(table, Math.min(count, most)) };
}

const rowsByIndex = (bound: BoundCall): OpCost | null => {
  const found = lookup(bound, 'weight');
  if (found?.table.shape.length !== 2) return null;
  const { table, indices, rows, touched } = found;
  return {
    flops: 0,
    reads: [indices, touched],
    writes: [rows],
    params: params(table, indices),
    formula: 'flops = 0; bytes = indices + 2·n·D·size (of the table no row twice)',
  };
};

const UNSPECIFIED = 'the number of rows of the table is unspecified';

/** The gradient of the whole table: zero but for the rows touched. */
function tableGradient(bound: BoundCall, gradient: Tensor): Tensor | null {
  const rows = bound.count('num_weights');
  if (rows === null) return bound.outs[0] ?? null;
  return tensor([rows, extentAt(gradient, -1)], gradient.dtype);
}

const backward =
  (operands: string) =>
  (bound: BoundCall): OpCost | null => {
    const found = lookup(bound, 'grad');
    if (found === null) return null;
    const result = tableGradient(bound, found.table);
    const formula = 'flops = n·D; bytes = gradient + indices + gradient of the whole table';
    const amounts = {
      flops: numel(found.rows.shape),
      reads: bound.tensorsOf(operands),
      params: params(found.table, found.indices),
      formula,
    };
    return result === null ? { ...amounts, writes: null, unknown: UNSPECIFIED } : { ...amounts, writes: [result] };
  };

/** Rows touched are read, measured and scaled. */
const renormed = (bound: BoundCall): OpCost | null => {
  const found = lookup(bound, 'weight');
  if (found === null) return null;
  const { table, indices, touched } = found;
  return {
    flops: 3 * numel(touched.shape),
    reads: [indices, touched],
    writes: [touched],
    params: params(table, indices),
    formula: 'flops = 3·n·D (square and sum, scale); bytes = indices + 2·n·D·size',
  };
};

const MAXIMUM = 2;

/** Sums, means or maxima of rows, one for each bag. Bags begin at the offsets, or are the rows of the indices. */
const bags = (bound: BoundCall): OpCost | null => {
  const found = lookup(bound, 'weight');
  const offsets = bound.tensor('offsets');
  if (found === null || offsets === null) return null;
  const { table, indices, rows, touched } = found;
  const count = numel(offsets.shape) - (bound.flag('include_last_offset') === true ? 1 : 0);
  const result = tensor([Math.max(0, count), extentAt(table, -1)], table.dtype);
  const weights = bound.tensorsOf('per_sample_weights');
  const maxima = bound.count('mode') === MAXIMUM ? [tensor(result.shape, indices.dtype)] : [];
  const each = 1 + weights.length;
  return {
    flops: each * numel(rows.shape),
    reads: [indices, offsets, ...weights, touched],
    writes: [result, indices, offsets, ...maxima],
    params: params(table, indices),
    formula: `flops = ${each}·n·D; bytes = indices + offsets + n·D·size + bags·D·size + the bag of each index and the size of each bag`,
  };
};

/** The gradient of each index's weight: the product of its row and its bag's gradient. */
const weightsBackward = (bound: BoundCall): OpCost | null => {
  const found = lookup(bound, 'weight');
  if (found === null) return null;
  const { table, indices, rows, touched } = found;
  return {
    flops: 2 * numel(rows.shape),
    reads: [...bound.tensorsOf('grad indices offset2bag'), touched],
    writes: [tensor(indices.shape, table.dtype)],
    params: params(table, indices),
    formula: 'flops = 2·n·D; bytes = gradient + indices + n·D·size + result',
  };
};

const BAG =
  '@weight @indices @offsets scale_grad_by_freq mode sparse @per_sample_weights? include_last_offset padding_idx';
const BAG_GRADIENT = 'num_weights scale_grad_by_freq mode @per_sample_weights? padding_idx';

/** Arguments as in PyTorch's native_functions.yaml. */
export const EMBEDDING_RULES: OpRules = {
  ...ruleFor('embedding', '@weight @indices padding_idx scale_grad_by_freq sparse', rowsByIndex),
  ...ruleFor(
    'embedding_dense_backward',
    '@grad @indices num_weights padding_idx scale_grad_by_freq',
    backward('grad indices'),
  ),
  ...ruleFor('embedding_renorm_', '@weight @indices max_norm norm_type', renormed),
  ...ruleFor('_embedding_bag _embedding_bag_forward_only embedding_bag', BAG, bags),
  ...ruleFor(
    '_embedding_bag_dense_backward',
    [
      `@grad @indices @offset2bag @bag_size @maximum_indices? ${BAG_GRADIENT}`,
      // Older versions have the offsets too.
      `@grad @indices @offsets @offset2bag @bag_size @maximum_indices? ${BAG_GRADIENT}`,
    ],
    backward('grad indices offset2bag bag_size per_sample_weights'),
  ),
  ...ruleFor(
    '_embedding_bag_per_sample_weights_backward',
    '@grad @weight @indices @offsets @offset2bag mode padding_idx',
    weightsBackward,
  ),
};
