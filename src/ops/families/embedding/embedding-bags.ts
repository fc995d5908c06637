/** Embeddings as the dispatcher runs them: rows by index, their sums in bags, the gradient of the table. */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import type { OpCost, Param } from '../../family.js';
import { tensor, tensorParams, writing } from '../../work.js';

/** As many rows. */
const rowsOf = (table: Tensor, count: number): Tensor => tensor([count, extentAt(table, -1)], table.dtype);

/** The indices, and the table that they look up. */
export const lookupParams = (table: Tensor, indices: Tensor): Param[] => [
  ...tensorParams(indices, 'I'),
  ...tensorParams(table, 'E'),
];

interface BagLookup {
  /** One for each index. */
  readonly rows: Tensor;
  /** Of these, what has to be read of the table: no row twice. */
  readonly touched: Tensor;
}

type LookupCost = (
  table: Tensor,
  indices: Tensor,
  lookup: BagLookup,
  bound: BoundCall,
) => Omit<OpCost, 'params'> | null;

/** @param name of the table, or of a gradient as wide as its rows */
const lookup = (name: string, cost: LookupCost): RuleCost =>
  withTensors(`${name} indices`, (table, indices, bound) => {
    if (table.shape.length === 0) return null;
    const [count, most] = [numel(indices.shape), table.shape.length > 1 ? extentAt(table, 0) : 0];
    const found = { rows: rowsOf(table, count), touched: rowsOf(table, Math.min(count, most)) };
    const result = cost(table, indices, found, bound);
    return result === null ? null : { ...result, params: lookupParams(table, indices) };
  });

const rowsByIndex = lookup('weight', (table, indices, { rows, touched }) =>
  table.shape.length !== 2
    ? null
    : {
        flops: 0,
        reads: [indices, touched],
        writes: [rows],
        formula: 'flops = 0; bytes = indices + 2·n·D·size (of the table no row twice)',
      },
);

/** The gradient of the whole table: zero but for the rows touched. */
function tableGradient(bound: BoundCall, gradient: Tensor): Tensor | undefined {
  const rows = bound.count('num_weights');
  return rows === null ? bound.outs[0] : tensor([rows, extentAt(gradient, -1)], gradient.dtype);
}

const backward = (operands: string): RuleCost =>
  lookup('grad', (gradient, _, { rows }, bound) => ({
    flops: numel(rows.shape),
    reads: bound.tensorsOf(operands),
    ...writing(tableGradient(bound, gradient), 'the number of rows of the table is unspecified'),
    formula: 'flops = n·D; bytes = gradient + indices + gradient of the whole table',
  }));

/** Rows touched are read, measured and scaled. */
const renormed = lookup('weight', (_, indices, { touched }) => ({
  flops: 3 * numel(touched.shape),
  reads: [indices, touched],
  writes: [touched],
  formula: 'flops = 3·n·D (square and sum, scale); bytes = indices + 2·n·D·size',
}));

const MAXIMUM = 2;

/** Sums, means or maxima of rows, one for each bag. Bags begin at the offsets, or are the rows of the indices. */
const bags = lookup('weight', (table, indices, { rows, touched }, bound) => {
  const offsets = bound.tensor('offsets');
  if (offsets === null) return null;
  const count = numel(offsets.shape) - (bound.flag('include_last_offset') === true ? 1 : 0);
  const result = tensor([Math.max(0, count), extentAt(table, -1)], table.dtype);
  const weights = bound.tensorsOf('per_sample_weights');
  const maxima = bound.count('mode') === MAXIMUM ? [tensor(result.shape, indices.dtype)] : [];
  const each = 1 + weights.length;
  return {
    flops: each * numel(rows.shape),
    reads: [indices, offsets, ...weights, touched],
    writes: [result, indices, offsets, ...maxima],
    formula: `flops = ${each}·n·D; bytes = indices + offsets + n·D·size + bags·D·size + the bag of each index and the size of each bag`,
  };
});

/** The gradient of each index's weight: the product of its row and its bag's gradient. */
const weightsBackward = lookup('weight', (table, indices, { rows, touched }, bound) => ({
  flops: 2 * numel(rows.shape),
  reads: [...bound.tensorsOf('grad indices offset2bag'), touched],
  writes: [tensor(indices.shape, table.dtype)],
  formula: 'flops = 2·n·D; bytes = gradient + indices + n·D·size + result',
}));

const BAG =
  '@weight @indices @offsets scale_grad_by_freq mode sparse @per_sample_weights? include_last_offset padding_idx';
const BAG_GRADIENT = 'num_weights scale_grad_by_freq mode @per_sample_weights? padding_idx';

export const EMBEDDING_RULES = rules`
  ${rowsByIndex} embedding: @weight @indices padding_idx scale_grad_by_freq sparse
  ${backward('grad indices')} embedding_dense_backward: @grad @indices num_weights padding_idx scale_grad_by_freq
  ${renormed} embedding_renorm_: @weight @indices max_norm norm_type
  ${bags} _embedding_bag _embedding_bag_forward_only embedding_bag: ${BAG}
  // Older versions have the offsets too.
  ${backward('grad indices offset2bag bag_size per_sample_weights')} _embedding_bag_dense_backward: @grad @indices
      @offset2bag @bag_size @maximum_indices? ${BAG_GRADIENT}
      | @grad @indices @offsets @offset2bag @bag_size @maximum_indices? ${BAG_GRADIENT}
  ${weightsBackward} _embedding_bag_per_sample_weights_backward: @grad @weight @indices @offsets @offset2bag mode
      padding_idx
`;
