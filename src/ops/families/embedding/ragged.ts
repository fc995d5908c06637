/**
 * Jagged tensors: sequences of different lengths in one tensor, padded to a dense one and back, and reduced by segment.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import type { Family, OpCost } from '../../family.js';
import { tensor, tensorParams } from '../../work.js';

const SOURCE = 'every element read once and written once; arguments as PyTorch and FBGEMM register them';

/** Number of sequences; there is one more offset. */
const sequences = ({ shape }: Tensor): number => Math.max(0, numel(shape) - 1);

const moved = (subject: Tensor, reads: readonly Tensor[], result: Tensor): OpCost => ({
  params: tensorParams(subject),
  flops: 0,
  reads,
  writes: [result],
  formula: 'flops = 0; bytes = operands + result',
});

const unspecified = (subject: Tensor, unknown: string): OpCost => ({
  params: tensorParams(subject),
  flops: 0,
  writes: null,
  formula: 'flops = 0; bytes = operands + result',
  unknown,
});

/** values [sum of lengths, ...] → [sequences, greatest length of each dimension, ...] */
const padded = (bound: BoundCall): OpCost | null => {
  const [values, offsets] = [bound.tensor('values'), bound.tensor('offsets')];
  if (values === null || offsets === null) return null;
  const longest = bound.integers('longest');
  if (longest === null) return unspecified(values, 'the greatest lengths are unspecified');
  const result = tensor([sequences(offsets), ...longest, ...values.shape.slice(1)], values.dtype);
  return moved(values, [values, ...bound.tensors('offsets')], result);
};

/** dense → values; of the dense tensor only the elements kept are read. */
const unpadded = (bound: BoundCall): OpCost | null => {
  const dense = bound.tensor('dense');
  const [offsets, total] = [bound.tensors('offsets'), bound.count('total')];
  if (dense === null) return null;
  if (total === null) return unspecified(dense, 'the sum of the lengths is unspecified');
  const result = tensor([total, ...dense.shape.slice(1 + offsets.length)], dense.dtype);
  return moved(dense, [result, ...offsets], result);
};

/** t_in [sum of lengths, ...] → [sequences, length, ...] */
const packed = (bound: BoundCall): OpCost | null => {
  const [values, lengths] = [bound.tensor('values'), bound.tensor('lengths')];
  if (values === null || lengths === null) return null;
  const longest = bound.count('longest');
  if (longest === null) return unspecified(values, 'the greatest length is unspecified');
  const result = tensor([numel(lengths.shape), longest, ...values.shape.slice(1)], values.dtype);
  return moved(values, [values, lengths], result);
};

/** A dense and a ragged operand, element by element; the result is as one of them. */
const combined =
  (like: 'values' | 'dense') =>
  (bound: BoundCall): OpCost | null => {
    const [values, dense] = [bound.tensor('values'), bound.tensor('dense')];
    if (values === null || dense === null) return null;
    const result = like === 'dense' ? dense : values;
    // A ragged result needs no more of the dense operand than it has elements.
    const read = like === 'dense' ? dense : tensor(values.shape, dense.dtype);
    return {
      params: tensorParams(values),
      flops: numel(values.shape),
      reads: [values, ...bound.tensors('offsets'), read],
      writes: [result],
      formula: 'flops = E(ragged); bytes = operands + offsets + result',
    };
  };

/** Extents of the result: one row per length, else per offset. */
function reducedExtents(bound: BoundCall, data: Tensor): number[] | null {
  const [lengths, offsets] = [bound.tensor('lengths'), bound.tensor('offsets')];
  const axis = bound.count('axis') ?? 0;
  const rest = data.shape.slice(axis + 1);
  if (lengths !== null) return [...lengths.shape, ...rest];
  if (offsets === null || offsets.shape.length === 0) return null;
  return [...offsets.shape.slice(0, -1), Math.max(0, extentAt(offsets, -1) - 1), ...rest];
}

const reduced = (bound: BoundCall): OpCost | null => {
  const data = bound.tensor('data');
  const shape = data === null ? null : reducedExtents(bound, data);
  if (data === null || shape === null) return null;
  const formula = 'flops = E; bytes = data + lengths + result';
  return { params: tensorParams(data), flops: numel(data.shape), writes: [tensor(shape, data.dtype)], formula };
};

const reducedBackward = (bound: BoundCall): OpCost | null => {
  const data = bound.tensor('data');
  if (data === null) return null;
  const formula = 'flops = E; bytes = gradient + result + data + lengths + gradient of the data';
  return { params: tensorParams(data), flops: numel(data.shape), writes: [data], formula };
};

/** Whole rows by position. */
const rows = (bound: BoundCall): OpCost | null => {
  const [input, indices] = [bound.tensor('input'), bound.tensor('indices')];
  if (input === null || indices === null || input.shape.length === 0) return null;
  const picked = tensor([numel(indices.shape), ...input.shape.slice(1)], input.dtype);
  return moved(input, [picked, indices], picked);
};

/** As many positions as an argument says. */
const positions = (bound: BoundCall): OpCost | null => {
  const offsets = bound.tensor('offsets');
  const size = bound.count('size');
  if (offsets === null) return null;
  if (size === null) return unspecified(offsets, 'the size of the result is unspecified');
  return moved(offsets, bound.reads, tensor([size], offsets.dtype));
};

/** Weights of one column for each task: [tasks, rows], summed in bags. */
const unary = (bound: BoundCall): OpCost | null => {
  const [weight, indices, offsets] = ['weight', 'indices', 'offsets'].map((name) => bound.tensor(name));
  if (!weight || !indices || !offsets) return null;
  const tasks = extentAt(weight, 0);
  const picked = tensor([tasks, numel(indices.shape)], weight.dtype);
  return {
    params: tensorParams(weight),
    flops: numel(picked.shape),
    reads: [indices, ...bound.tensorsOf('table_offsets offsets'), picked],
    writes: [tensor([tasks, sequences(offsets)], weight.dtype)],
    formula: 'flops = tasks·n; bytes = indices + offsets + weights picked + sums',
  };
};

const converted =
  (dtype: string) =>
  (bound: BoundCall): OpCost | null => {
    const input = bound.tensor('input');
    return input === null ? null : moved(input, [input], tensor(input.shape, dtype));
  };

const DENSE = '@values @offsets @dense';

const RULES: OpRules = {
  ...ruleFor(
    'jagged_to_padded_dense jagged_to_padded_dense_forward _jagged_to_padded_dense_forward jagged_2d_to_dense jagged_1d_to_dense',
    '@values @offsets longest padding',
    padded,
  ),
  ...ruleFor(
    'dense_to_jagged dense_to_jagged_forward _padded_dense_to_jagged_forward jagged_to_padded_dense_backward',
    '@dense @offsets total',
    unpadded,
  ),
  ...ruleFor('jagged_dense_elementwise_add', DENSE, combined('dense')),
  ...ruleFor('jagged_dense_elementwise_add_jagged_output jagged_dense_elementwise_mul', DENSE, combined('values')),
  ...ruleFor('pack_segments', '@values @lengths longest', packed),
  ...ruleFor('segment_reduce', '@data reduce @lengths? @indices? @offsets? axis unsafe initial', reduced),
  ...ruleFor(
    '_segment_reduce_backward',
    '@grad @output @data reduce @lengths? @offsets? axis initial',
    reducedBackward,
  ),
  ...ruleFor('segment_sum_csr', 'batch @offsets @data', reduced),
  ...ruleFor('index_select_dim0', '@input @indices start length sorted', rows),
  ...ruleFor('offsets_range', '@offsets size', positions),
  ...ruleFor('expand_into_jagged_permute', '@offsets @input_offsets @output_offsets size', positions),
  ...ruleFor('batched_unary_embeddings', '@weight @table_offsets @offsets @indices', unary),
  ...ruleFor('FloatToBfloat16Quantized', '@input', converted('bfloat16')),
  ...ruleFor('Bfloat16QuantizedToFloat', '@input', converted('float32')),
};

export const ragged: Family = {
  id: 'ragged',
  title: 'Sequences of different lengths: filled up, packed, reduced',
  ops: Object.keys(RULES),
  formulas: [
    'filling up and packing: flops = 0; bytes = values + offsets + result; with a dense operand E(ragged) operations',
    'reduction of segments: flops = E; bytes = data + lengths + result',
  ],
  work: workByRules(RULES, SOURCE),
};
