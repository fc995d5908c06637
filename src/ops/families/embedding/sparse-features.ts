/** Lists of sparse features, and the order of pooled embeddings: what goes before and after FBGEMM's lookups. */
import { extentAt, numel } from '../../call.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';

/** Columns moved to other places, by lists of their order. */
const reordered = withTensors('input', (input) => ({
  flops: 0,
  writes: [input],
  formula: 'flops = 0; bytes = 2·E·size + the order',
}));

/** Every index is compared with the number of rows of its table. */
const bounds = withTensors('indices', (_, bound) => ({
  flops: 0,
  reads: bound.tensorsOf('rows indices offsets'),
  writes: [],
  formula: 'flops = 0; bytes = indices + offsets + rows of each table',
}));

/** @param longer 1 where the result ends with the total */
const sums = (longer: 0 | 1): RuleCost =>
  withTensors('lengths', (lengths) => {
    if (lengths.shape.length === 0) return null;
    const shape = [...lengths.shape.slice(0, -1), extentAt(lengths, -1) + longer];
    const formula = 'flops = E; bytes = lengths + sums';
    return { flops: numel(lengths.shape), writes: [tensor(shape, lengths.dtype)], formula };
  });

/** Features are chosen by their number, some more than once; with as many chosen as there are, all are moved. */
const features = withTensors('indices order lengths', (indices, order, lengths, bound) => {
  const cost = { flops: 0, formula: 'flops = 0; bytes = order + 2·(lengths + indices + weights)' };
  if (numel(order.shape) === lengths.shape[0]) return { ...cost, writes: bound.tensorsOf('lengths indices weights') };
  const total = bound.count('total');
  if (total === null)
    return { ...cost, writes: null, unknown: 'how many indices the chosen features have is unspecified' };
  const writes = [
    tensor([numel(order.shape), ...lengths.shape.slice(1)], lengths.dtype),
    ...[indices, ...bound.tensors('weights').slice(0, 1)].map(({ dtype }) => tensor([total], dtype)),
  ];
  return { ...cost, writes };
});

/** Each index goes to the device that holds its row: lengths for every device, and the indices in their order. */
const bucketized = withTensors('lengths indices', (lengths, indices, bound) => {
  const formula =
    'flops = 0; bytes = lengths + indices + weights + sizes of blocks + lengths for every device + what is moved';
  const [devices, positions] = [bound.count('devices'), bound.flag('with_positions')];
  // An earlier op has no sequences, and never the way back.
  const order = bound.arg('sequence') === undefined ? false : bound.flag('sequence');
  if (devices === null || positions === null || order === null)
    return { flops: 0, writes: null, formula, unknown: 'the number of devices, or what is returned, is unspecified' };
  const perIndex = [indices, ...(positions ? [indices] : []), ...(order ? [indices] : [])];
  const every = tensor([devices * numel(lengths.shape)], lengths.dtype);
  return { flops: 0, writes: [every, ...perIndex, ...bound.tensors('weights')], formula };
});

/** Arguments as FBGEMM registers them. */
export const FEATURE_RULES = rules`
  ${reordered} permute_pooled_embs permute_pooled_embs_auto_grad permute_duplicate_pooled_embs: @input @offsets @order
      @inverse_offsets @inverse_order
  // The node of its gradient, which has the order from the forward op.
  ${reordered} PermutePooledEmbsFunctionBackward: @input
  ${reordered} recat_embedding_grad_output_mixed_D_batch: @input @widths @cumulated
  ${reordered} recat_embedding_grad_output_mixed_D: @input widths
  ${bounds} bounds_check_indices: @rows @indices @offsets mode @warning @weights?
  ${sums(1)} asynchronous_complete_cumsum: @lengths
  ${sums(0)} asynchronous_inclusive_cumsum asynchronous_exclusive_cumsum: @lengths
  ${bucketized} block_bucketize_sparse_features: @lengths @indices
      with_positions:bool sequence:bool @blocks devices:int @weights? @batch_sizes? longest_batch:int ...
      | @lengths @indices with_positions:bool sequence:bool @blocks devices:int @weights?
  ${bucketized} bucketize_sparse_features: @lengths @indices with_positions:bool devices:int @weights?
  ${features} permute_sparse_features permute_sparse_data permute_2D_sparse_data permute_1D_sparse_data: @order
      @lengths @indices @weights? total
`;
