/**
 * Jagged tensors: sequences of different lengths in one tensor, padded to a dense tensor and back, and reduced by segment.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';

const SOURCE = 'reads and writes each element once; arguments as registered by PyTorch and FBGEMM';

/** Number of sequences: one less than the number of offsets. */
const sequences = ({ shape }: Tensor): number => Math.max(0, numel(shape) - 1);

const moved = (reads: readonly Tensor[], result: Tensor) => ({
  flops: 0,
  reads,
  writes: [result],
  formula: 'flops = 0; bytes = operands + result',
});

const unspecified = (unknown: string) => ({
  flops: 0,
  writes: null,
  formula: 'flops = 0; bytes = operands + result',
  unknown,
});

/** values [sum of lengths, ...] → [sequences, maximum length of each dimension, ...] */
const padded = withTensors('values offsets', (values, offsets, bound) => {
  const longest = bound.integers('longest');
  if (longest === null) return unspecified('the maximum lengths are unspecified');
  const result = tensor([sequences(offsets), ...longest, ...values.shape.slice(1)], values.dtype);
  return moved([values, ...bound.tensors('offsets')], result);
});

/** dense → values; only the kept elements of the dense tensor are read. */
const unpadded = withTensors('dense', (dense, bound) => {
  const [offsets, total] = [bound.tensors('offsets'), bound.count('total')];
  if (total === null) return unspecified('the sum of the lengths is unspecified');
  const result = tensor([total, ...dense.shape.slice(1 + offsets.length)], dense.dtype);
  return moved([result, ...offsets], result);
});

/** t_in [sum of lengths, ...] → [sequences, length, ...] */
const packed = withTensors('values lengths', (values, lengths, bound) => {
  const longest = bound.count('longest');
  if (longest === null) return unspecified('the maximum length is unspecified');
  return moved([values, lengths], tensor([numel(lengths.shape), longest, ...values.shape.slice(1)], values.dtype));
});

/** Combines a dense and a ragged operand element by element; the result has the form of one of them. */
const combined = (like: 'values' | 'dense'): RuleCost =>
  withTensors('values dense', (values, dense, bound) => ({
    flops: numel(values.shape),
    // A ragged result reads only as many elements of the dense operand as it has.
    reads: [values, ...bound.tensors('offsets'), like === 'dense' ? dense : tensor(values.shape, dense.dtype)],
    writes: [like === 'dense' ? dense : values],
    formula: 'flops = E(ragged); bytes = operands + offsets + result',
  }));

/** Extents of the result: one row for each length, else for each offset. */
function reducedExtents(bound: BoundCall, data: Tensor): number[] | null {
  const [lengths, offsets] = [bound.tensor('lengths'), bound.tensor('offsets')];
  const rest = data.shape.slice((bound.count('axis') ?? 0) + 1);
  if (lengths !== null) return [...lengths.shape, ...rest];
  if (offsets === null || offsets.shape.length === 0) return null;
  return [...offsets.shape.slice(0, -1), Math.max(0, extentAt(offsets, -1) - 1), ...rest];
}

const reduced = withTensors('data', (data, bound) => {
  const shape = reducedExtents(bound, data);
  if (shape === null) return null;
  const formula = 'flops = E; bytes = data + lengths + result';
  return { flops: numel(data.shape), writes: [tensor(shape, data.dtype)], formula };
});

const reducedBackward = withTensors('data', (data) => ({
  flops: numel(data.shape),
  writes: [data],
  formula: 'flops = E; bytes = gradient + result + data + lengths + gradient of the data',
}));

/** Copies whole rows by position. */
const rows = withTensors('input indices', (input, indices) => {
  if (input.shape.length === 0) return null;
  const picked = tensor([numel(indices.shape), ...input.shape.slice(1)], input.dtype);
  return moved([picked, indices], picked);
});

/** An argument states the number of positions of the result. */
const positions = withTensors('offsets', (offsets, bound) => {
  const size = bound.count('size');
  if (size === null) return unspecified('the size of the result is unspecified');
  return moved(bound.reads, tensor([size], offsets.dtype));
});

/** Weights of one column for each task: [tasks, rows], summed in bags. */
const unary = withTensors('weight indices offsets', (weight, indices, offsets, bound) => {
  const tasks = extentAt(weight, 0);
  const picked = tensor([tasks, numel(indices.shape)], weight.dtype);
  return {
    flops: numel(picked.shape),
    reads: [indices, ...bound.tensorsOf('table_offsets offsets'), picked],
    writes: [tensor([tasks, sequences(offsets)], weight.dtype)],
    formula: 'flops = tasks·n; bytes = indices + offsets + weights picked + sums',
  };
});

const DENSE = '@values @offsets @dense';

const RULES = rules`
  ${padded} jagged_to_padded_dense jagged_to_padded_dense_forward _jagged_to_padded_dense_forward jagged_2d_to_dense
      jagged_1d_to_dense: @values @offsets longest padding
  ${unpadded} dense_to_jagged dense_to_jagged_forward _padded_dense_to_jagged_forward jagged_to_padded_dense_backward:
      @dense @offsets total
  ${combined('dense')} jagged_dense_elementwise_add: ${DENSE}
  ${combined('values')} jagged_dense_elementwise_add_jagged_output jagged_dense_elementwise_mul: ${DENSE}
  ${packed} pack_segments: @values @lengths longest
  ${reduced} segment_reduce: @data reduce @lengths? @indices? @offsets? axis unsafe initial
  ${reducedBackward} _segment_reduce_backward: @grad @output @data reduce @lengths? @offsets? axis initial
  ${reduced} segment_sum_csr: batch @offsets @data
  ${rows} index_select_dim0: @input @indices start length sorted
  ${positions} offsets_range: @offsets size
  ${positions} expand_into_jagged_permute: @offsets @input_offsets @output_offsets size
  ${unary} batched_unary_embeddings: @weight @table_offsets @offsets @indices
`;

export const ragged: Family = {
  id: 'ragged',
  title: 'Sequences of different lengths: padded, packed, reduced',
  category: 'indexing',
  ops: Object.keys(RULES),
  formulas: [
    'padding and packing: flops = 0, or E(ragged) if there is a dense operand; bytes = values + offsets + result',
    'reduction of segments: flops = E; bytes = data + lengths + result',
  ],
  work: workByRules(RULES, SOURCE),
};
