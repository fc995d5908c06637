/**
 * Lookups in many embedding tables at once: FBGEMM's table-batched ops, and the ops before and after them on lists of
 * sparse features and the order of pooled embeddings.
 */
import { elementCount, numel, extentAt, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';
import { lookupParams } from './embedding.js';
import { QUANTIZED_LOOKUP, NO_POOLING, sparseType } from './quantized-rows.js';

/** Columns are moved to other places, given by lists of their order. */
const reordered = withTensors('input', (input) => ({
  flops: 0,
  writes: [input],
  formula: 'flops = 0; bytes = 2·E·size + permutation',
}));

/** Every index is compared with the number of rows of its table. */
const bounds = withTensors('indices', (_, bound) => ({
  flops: 0,
  reads: bound.tensorsOf('rows indices offsets'),
  writes: [],
  formula: 'flops = 0; bytes = indices + offsets + rows of each table',
}));

/** @param longer 1 when the result ends with the total */
const sums = (longer: 0 | 1): RuleCost =>
  withTensors('lengths', (lengths) => {
    if (lengths.shape.length === 0) return null;
    const shape = [...lengths.shape.slice(0, -1), extentAt(lengths, -1) + longer];
    const formula = 'flops = E; bytes = lengths + sums';
    return { flops: numel(lengths.shape), writes: [tensor(shape, lengths.dtype)], formula };
  });

/**
 * Features are selected by number, possibly repeated. If the number of selected features equals the number of features,
 * all are moved.
 */
const features = withTensors('indices order lengths', (indices, order, lengths, bound) => {
  const cost = { flops: 0, formula: 'flops = 0; bytes = order + 2·(lengths + indices + weights)' };
  if (numel(order.shape) === lengths.shape[0]) return { ...cost, writes: bound.tensorsOf('lengths indices weights') };
  const total = bound.count('total');
  if (total === null)
    return { ...cost, writes: null, unknown: 'the number of indices of the selected features is unspecified' };
  const writes = [
    tensor([numel(order.shape), ...lengths.shape.slice(1)], lengths.dtype),
    ...[indices, ...bound.tensors('weights').slice(0, 1)].map(({ dtype }) => tensor([total], dtype)),
  ];
  return { ...cost, writes };
});

/**
 * Each index goes to the device that holds its row: the result has lengths for every device, and the indices in that order.
 */
const bucketized = withTensors('lengths indices', (lengths, indices, bound) => {
  const formula = 'flops = 0; bytes = lengths + indices + weights + block sizes + lengths per device + moved elements';
  const [devices, positions] = [bound.count('devices'), bound.flag('with_positions')];
  // The older op has no sequences, and never returns the inverse permutation.
  const order = bound.arg('sequence') === undefined ? false : bound.flag('sequence');
  if (devices === null || positions === null || order === null)
    return {
      flops: 0,
      writes: null,
      formula,
      unknown: 'the number of devices or the returned tensors are unspecified',
    };
  const perIndex = [indices, ...(positions ? [indices] : []), ...(order ? [indices] : [])];
  const every = tensor([devices * numel(lengths.shape)], lengths.dtype);
  return { flops: 0, writes: [every, ...perIndex, ...bound.tensors('weights')], formula };
});

/** Arguments as FBGEMM registers them. */
const FEATURE_RULES = rules`
  ${reordered} permute_pooled_embs permute_pooled_embs_auto_grad permute_duplicate_pooled_embs: @input @offsets @order
      @inverse_offsets @inverse_order
  // The backward node of the op, which has saved the order from the forward op.
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

const SOURCE = 'arguments of FBGEMM lookups; reads each row at most once and writes one sum per bag';

/** Embedding dimension: the mean over the tables, else the stored elements per row of a row-wise optimiser state. */
function width(bound: BoundCall, tables: number): number | null {
  const total = bound.count('total_D');
  if (total !== null) return tables > 0 ? total / tables : null;
  const [weights, state] = [bound.tensor('dev_weights'), bound.tensor('row_state')];
  const rows = state === null ? 0 : numel(state.shape);
  const columns = weights === null || rows === 0 ? 0 : numel(weights.shape) / rows;
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

/** All tensors that contain rows. */
const weightsOf = (bound: BoundCall): Tensor[] => bound.tensorsOf('host_weights dev_weights uvm_weights weights');

const largest = (tensors: readonly Tensor[]): Tensor | null =>
  tensors.reduce<Tensor | null>((a, b) => (a === null || numel(b.shape) > numel(a.shape) ? b : a), null);

/** Sums of the rows of each bag, with one bag for every table and sample. */
const lookup = withTensors('indices offsets D_offsets', (indices, offsets, starts, bound) => {
  const weights = largest(weightsOf(bound));
  if (weights === null) return null;
  const columns = width(bound, numel(starts.shape) - 1);
  const pooled = bound.count('pooling_mode') !== NO_POOLING;
  const each = pooled ? 1 + bound.tensorsOf('indice_weights').length : 0;
  const params = lookupParams(weights, indices);
  const formula = `flops = ${each}·n·D; bytes = indices + offsets + n·D·size + bags·D·size; n indices, D the mean width of a table`;
  if (columns === null)
    return { flops: null, writes: null, formula, params, unknown: 'the width of the tables is unspecified' };
  const rows = (count: number, dtype: string): Tensor => tensor([Math.round(count * columns)], dtype);
  const [count, stored] = [numel(indices.shape), elementCount(weightsOf(bound))];
  const type = sparseType(bound.count('output_dtype')) ?? weights.dtype;
  return {
    flops: Math.round(each * count * columns),
    reads: [
      indices,
      offsets,
      ...bound.tensorsOf('indice_weights'),
      rows(Math.min(count, stored / columns), weights.dtype),
    ],
    writes: [rows(pooled ? Math.max(0, numel(offsets.shape) - 1) : count, type)],
    params,
    formula,
  };
});

const TABLES =
  '@host_weights @dev_weights @uvm_weights @lxu_cache @placements @weights_offsets @D_offsets total_D max_D ' +
  '@hash_size_cumsum total_hash_size_bits @indices @offsets pooling_mode @indice_weights? @feature_requires_grad? ' +
  '@cache_locations gradient_clipping max_gradient stochastic_rounding';

/** The optimiser's arguments follow; a row-wise state has one value for each row. */
const ANY = `${TABLES} ...`;
const BY_ROW = `${TABLES} @row_state @uvm_state @placements_state @offsets_state ...`;

/** The form for torch.compile, with the weights in one list. */
const IN_LISTS =
  '@autograd? @weights[] @D_offsets total_D max_D @hash_size_cumsum total_hash_size_bits @indices @offsets ' +
  'pooling_mode @indice_weights? @feature_requires_grad? output_dtype ...';

/** The form without an optimiser, whose gradient is dense. */
const DENSE =
  '@dev_weights @weights_offsets @D_offsets total_D max_D @hash_size_cumsum total_hash_size_bits @indices @offsets ' +
  'pooling_mode @indice_weights? @feature_requires_grad? output_dtype ...';

const NAMES = 'sgd approx_sgd adam adagrad lamb partial_rowwise_adam partial_rowwise_lamb lars_sgd none';

const BY_ROW_NAMES = 'rowwise_adagrad rowwise_weighted_adagrad rowwise_adagrad_with_counter';

const named = (optimizers: string, end = ''): string =>
  optimizers
    .split(' ')
    .map((optimizer) => `fbgemm.split_embedding_codegen_lookup_${optimizer}_function${end}`)
    .join(' ');

const RULES = {
  ...rules`
    ${lookup} ${named(BY_ROW_NAMES)}: ${BY_ROW}
        | ${ANY}
    ${lookup} ${named(NAMES)}: ${ANY}
    ${lookup} ${named(`${BY_ROW_NAMES} ${NAMES}`, '_pt2')}: ${IN_LISTS}
    ${lookup} dense_embedding_codegen_lookup_function: ${DENSE}
  `,
  ...QUANTIZED_LOOKUP,
  ...FEATURE_RULES,
};

export const tableBatchedEmbedding: Family = {
  id: 'table-batched-embedding',
  title: 'Batched embedding lookups over many tables, and reordering of indices and results (FBGEMM)',
  category: 'embedding',
  ops: Object.keys(RULES),
  formulas: [
    'lookup: flops = n·D (2·n·D with weights); bytes = indices + offsets + n·D·size + bags·D·size',
    'quantised rows: + 2·n·D for integers, rows as stored with scale, bias and alignment; known if all tables have the same width and type',
    'permutations: flops = 0; bytes = 2·E·size + permutation; running sums of lengths: flops = E',
  ],
  work: workByRules(RULES, SOURCE),
};
