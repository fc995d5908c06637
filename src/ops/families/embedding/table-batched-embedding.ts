/** Embeddings of many tables looked up at once: FBGEMM's table-batched ops. */
import { elementCount, numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { rules, withTensors, workByRules, type BoundCall } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';
import { lookupParams } from './embedding-bags.js';
import { QUANTIZED_LOOKUP } from './quantized-lookup.js';
import { FEATURE_RULES } from './sparse-features.js';
import { NO_POOLING, sparseType } from './sparse-types.js';

const SOURCE = 'FBGEMM: arguments of its lookups; a row read for each index but none twice, a sum written for each bag';

/** Embedding dimension: mean over the tables, else stored elements per row of a row-wise optimiser state. */
function width(bound: BoundCall, tables: number): number | null {
  const total = bound.count('total_D');
  if (total !== null) return tables > 0 ? total / tables : null;
  const [weights, state] = [bound.tensor('dev_weights'), bound.tensor('row_state')];
  const rows = state === null ? 0 : numel(state.shape);
  const columns = weights === null || rows === 0 ? 0 : numel(weights.shape) / rows;
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

/** All tensors that hold rows. */
const weightsOf = (bound: BoundCall): Tensor[] => bound.tensorsOf('host_weights dev_weights uvm_weights weights');

const largest = (tensors: readonly Tensor[]): Tensor | null =>
  tensors.reduce<Tensor | null>((a, b) => (a === null || numel(b.shape) > numel(a.shape) ? b : a), null);

/** Sums of the rows of each bag, one bag for every table and sample. */
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

/** Arguments of the optimiser follow; a row-wise state has one value per row. */
const ANY = `${TABLES} ...`;
const BY_ROW = `${TABLES} @row_state @uvm_state @placements_state @offsets_state ...`;

/** The form for torch.compile has the weights in one list. */
const IN_LISTS =
  '@autograd? @weights[] @D_offsets total_D max_D @hash_size_cumsum total_hash_size_bits @indices @offsets ' +
  'pooling_mode @indice_weights? @feature_requires_grad? output_dtype ...';

/** Without an optimizer, whose gradient is dense. */
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
  title: 'Embeddings of many tables at once, their indices and results (FBGEMM)',
  ops: Object.keys(RULES),
  formulas: [
    'lookup: flops = n·D (2·n·D with weights); bytes = indices + offsets + n·D·size + bags·D·size',
    'quantised rows: 2·n·D more for whole numbers, rows as stored with scale, bias and alignment; known where all tables have one width and type',
    'permutations: flops = 0; bytes = 2·E·size + the order; running sums of lengths: flops = E',
  ],
  work: workByRules(RULES, SOURCE),
};
