/** Embedding: looks up rows of a table by index, sums them in bags, and computes the gradient of the table. */
import { extentAt, numel, type Tensor } from '../../call.js';
import type { Family, KernelFacts, OpCost, Param } from '../../family.js';
import { ruleWork, rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { helperCost, tensor, tensorParams, writing } from '../../work.js';

/** A tensor with this number of rows of the table. */
const rowsOf = (table: Tensor, count: number): Tensor => tensor([count, extentAt(table, -1)], table.dtype);

/** The indices, and the table in which they are looked up. */
export const lookupParams = (table: Tensor, indices: Tensor): Param[] => [
  ...tensorParams(indices, 'I'),
  ...tensorParams(table, 'E'),
];

interface BagLookup {
  /** The looked-up rows, one for each index. */
  readonly rows: Tensor;
  /** The rows that must be read from the table, without repeats. */
  readonly touched: Tensor;
}

type LookupCost = (
  table: Tensor,
  indices: Tensor,
  lookup: BagLookup,
  bound: BoundCall,
) => Omit<OpCost, 'params'> | null;

/** @param name name of the table, or of a gradient whose rows have the same width */
const lookup = (name: string, cost: LookupCost): RuleCost =>
  withTensors(`${name} indices`, (table, indices, bound) => {
    if (table.shape.length === 0) return null;
    const [count, most] = [numel(indices.shape), table.shape.length > 1 ? extentAt(table, 0) : 0];
    const found = { rows: rowsOf(table, count), touched: rowsOf(table, Math.min(count, most)) };
    const result = cost(table, indices, found, bound);
    return result === null ? null : { ...result, params: lookupParams(table, indices) };
  });

/** Kernels of the backward pass that only zero the table's gradient. */
const isZeroing = (kernel: KernelFacts): boolean => kernel.sub === 0 && /elementwise|fill/i.test(kernel.name);

/** Kernels that add into the gradient, whatever kernels preceded them. */
const isAddition = (kernel: KernelFacts): boolean => /embedding|grad_weight|indexing_backward/i.test(kernel.name);

/** The part of the gradient of the table that a kernel of the backward pass computes. */
function gradientPart(table: Tensor, indices: Tensor, rows: Tensor, kernel: KernelFacts): OpCost {
  if (kernel.sub > 0 && !isAddition(kernel)) return helperCost([]);
  const cost = { params: [], reads: [], writes: [table] };
  if (isZeroing(kernel))
    return { ...cost, role: 'helper', flops: 0, formula: 'flops = 0; bytes = gradient of the whole table (zeroed)' };
  return {
    ...cost,
    flops: numel(rows.shape),
    reads: [rows, rows, indices],
    writes: [rows],
    formula: 'flops = n·D; bytes = 3·n·D·size (gradient, old sum, new sum) + indices',
  };
}

const rowsByIndex = lookup('weight', (table, indices, { rows, touched }, { kernel }) => {
  if (table.shape.length !== 2) return null;
  if (kernel.dir === 'bprop') return gradientPart(table, indices, rows, kernel);
  return {
    flops: 0,
    reads: [indices, touched],
    writes: [rows],
    formula: 'flops = 0; bytes = indices + 2·n·D·size (each table row read at most once)',
  };
});

/** The gradient of the whole table, which is zero except in the touched rows. */
function tableGradient(bound: BoundCall, gradient: Tensor): Tensor | undefined {
  const rows = bound.count('num_weights');
  return rows === null ? bound.outs[0] : tensor([rows, extentAt(gradient, -1)], gradient.dtype);
}

const bagBackward = (operands: string): RuleCost =>
  lookup('grad', (gradient, _, { rows }, bound) => ({
    flops: numel(rows.shape),
    reads: bound.tensorsOf(operands),
    ...writing(tableGradient(bound, gradient), 'the number of rows of the table is unspecified'),
    formula: 'flops = n·D; bytes = gradient + indices + gradient of the whole table',
  }));

/** Touched rows are read, their norms computed, and scaled. */
const renormed = lookup('weight', (_, indices, { touched }) => ({
  flops: 3 * numel(touched.shape),
  reads: [indices, touched],
  writes: [touched],
  formula: 'flops = 3·n·D (square and sum, scale); bytes = indices + 2·n·D·size',
}));

const MAXIMUM = 2;

/** Sums, means or maxima of rows, one for each bag. Bags begin at the offsets, or are the rows of the index matrix. */
const bags = lookup('weight', (table, indices, { rows, touched }, bound) => {
  const offsets = bound.tensor('offsets');
  if (offsets === null || bound.kernel.dir === 'bprop') return null;
  const count = numel(offsets.shape) - (bound.flag('include_last_offset') === true ? 1 : 0);
  const result = tensor([Math.max(0, count), extentAt(table, -1)], table.dtype);
  const weights = bound.tensorsOf('per_sample_weights');
  const maxima = bound.count('mode') === MAXIMUM ? [tensor(result.shape, indices.dtype)] : [];
  const each = 1 + weights.length;
  return {
    flops: each * numel(rows.shape),
    reads: [indices, offsets, ...weights, touched],
    writes: [result, indices, offsets, ...maxima],
    formula: `flops = ${each}·n·D; bytes = indices + offsets + n·D·size + bags·D·size + bag index per index + size per bag`,
  };
});

/** The gradient of each index's weight: the dot product of its row and its bag's gradient. */
const weightsBackward = lookup('weight', (table, indices, { rows, touched }, bound) => ({
  flops: 2 * numel(rows.shape),
  reads: [...bound.tensorsOf('grad indices offset2bag'), touched],
  writes: [tensor(indices.shape, table.dtype)],
  formula: 'flops = 2·n·D; bytes = gradient + indices + n·D·size + result',
}));

const BAG =
  '@weight @indices @offsets scale_grad_by_freq mode sparse @per_sample_weights? include_last_offset padding_idx';
const BAG_GRADIENT = 'num_weights scale_grad_by_freq mode @per_sample_weights? padding_idx';

const EMBEDDING_RULES = rules`
  ${rowsByIndex} embedding: @weight @indices padding_idx scale_grad_by_freq sparse
  ${rowsByIndex} torch.nn.functional.embedding: @indices @weight padding_idx
  ${bagBackward('grad indices')} embedding_dense_backward: @grad @indices num_weights padding_idx scale_grad_by_freq
  ${renormed} embedding_renorm_: @weight @indices max_norm norm_type
  ${bags} _embedding_bag _embedding_bag_forward_only embedding_bag: ${BAG}
  ${bags} torch.nn.functional.embedding_bag: @indices @weight @offsets max_norm norm_type scale_grad_by_freq mode sparse
      @per_sample_weights? include_last_offset padding_idx
  // Older versions have the offsets too.
  ${bagBackward('grad indices offset2bag bag_size per_sample_weights')} _embedding_bag_dense_backward: @grad @indices
      @offset2bag @bag_size @maximum_indices? ${BAG_GRADIENT}
      | @grad @indices @offsets @offset2bag @bag_size @maximum_indices? ${BAG_GRADIENT}
  ${weightsBackward} _embedding_bag_per_sample_weights_backward: @grad @weight @indices @offsets @offset2bag mode
      padding_idx
`;

const SOURCE = 'PyProf (touched rows); PyTorch embedding_dense_backward (zeroes the whole gradient first)';

export const embedding: Family = {
  id: 'embedding',
  title: 'Embedding: looks up rows of a table by index',
  category: 'embedding',
  ops: Object.keys(EMBEDDING_RULES),
  formulas: [
    'flops = 0; bytes = indices + 2·n·D·size; n indices, rows of D',
    'backward: flops = n·D; bytes = 3·n·D·size + indices; the preceding kernel that zeroes the gradient writes V·D·size',
    'dispatcher ops: embedding_dense_backward flops = n·D; bytes = gradient + indices + V·D·size; bags flops = n·D, with weights 2·n·D; bytes = indices + offsets + n·D·size + bags·D·size',
  ],
  work: (call, kernel) => ruleWork(EMBEDDING_RULES, call, kernel, SOURCE),
};
