/**
 * Embeddings of many tables looked up at once: FBGEMM's table-batched ops.
 */
import { numel, type Tensor } from '../call.js';
import type { Family } from '../family.js';
import { ruleFor, ruleWork, type Amounts, type Reading, type Rules } from '../by-schema.js';
import { tensor, tensorParams } from '../work.js';
import { FEATURE_RULES } from './sparse-features.js';

const SOURCE = 'FBGEMM: arguments of its lookups; a row read for each index but none twice, a sum written for each bag';

/** Columns of one row: all tables' together by their number, else the values stored by the rows with an optimiser state. */
function width(reading: Reading, tables: number): number | null {
  const total = reading.count('total_D');
  if (total !== null) return tables > 0 ? total / tables : null;
  const [weights, state] = [reading.tensor('dev_weights'), reading.tensor('row_state')];
  const rows = state === null ? 0 : numel(state.shape);
  const columns = weights === null || rows === 0 ? 0 : numel(weights.shape) / rows;
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

/** FBGEMM's PoolingMode: rows are copied one by one. */
const NO_POOLING = 2;

/** Sums of the rows of each bag, one bag for every table and sample. */
const lookup = (reading: Reading): Amounts | null => {
  const [weights, indices] = [reading.tensor('dev_weights'), reading.tensor('indices')];
  const [offsets, starts] = [reading.tensor('offsets'), reading.tensor('D_offsets')];
  if (weights === null || indices === null || offsets === null || starts === null) return null;
  const columns = width(reading, numel(starts.shape) - 1);
  const pooled = reading.count('pooling_mode') !== NO_POOLING;
  const each = pooled ? 1 + reading.given('indice_weights').length : 0;
  const subject = weights;
  const params = [...tensorParams(indices, 'I'), ...tensorParams(weights, 'E')];
  const formula = `flops = ${each}·n·D; bytes = indices + offsets + n·D·size + bags·D·size; n indices, D the mean width of a table`;
  if (columns === null) {
    return { subject, flops: null, writes: null, formula, params, unknown: 'the width of the tables is not told' };
  }
  const rows = (count: number): Tensor => tensor([Math.round(count * columns)], weights.dtype);
  const stored = reading
    .given('host_weights dev_weights uvm_weights')
    .reduce((sum, { shape }) => sum + numel(shape), 0);
  return {
    subject,
    flops: Math.round(each * numel(indices.shape) * columns),
    reads: [
      indices,
      offsets,
      ...reading.given('indice_weights'),
      rows(Math.min(numel(indices.shape), stored / columns)),
    ],
    writes: [rows(pooled ? Math.max(0, numel(offsets.shape) - 1) : numel(indices.shape))],
    params,
    formula,
  };
};

/** Up to the optimiser's own arguments. */
const TABLES =
  '@host_weights @dev_weights @uvm_weights @lxu_cache @placements @weights_offsets @D_offsets total_D max_D ' +
  '@hash_size_cumsum total_hash_size_bits @indices @offsets pooling_mode @indice_weights? @feature_requires_grad? ' +
  '@cache_locations';

/** An optimiser with one value for each row: its state tells how many rows there are. */
const BY_ROW = `${TABLES} gradient_clipping max_gradient stochastic_rounding @row_state @uvm_state @placements_state @offsets_state`;

/** Any other: up to four states, each in four places. */
const state = (n: number): string => ['a', 'b', 'c', 'd'].map((place) => `@${place}${n}?`).join(' ');
const ANY = `${TABLES} gradient_clipping max_gradient stochastic_rounding ${[1, 2, 3, 4].map(state).join(' ')}`;

const NAMES = 'sgd approx_sgd adam adagrad lamb partial_rowwise_adam partial_rowwise_lamb lars_sgd none';

const named = (optimizers: string): string =>
  optimizers
    .split(' ')
    .map((optimizer) => `fbgemm.split_embedding_codegen_lookup_${optimizer}_function`)
    .join(' ');

const RULES: Rules = {
  ...ruleFor(named('rowwise_adagrad rowwise_weighted_adagrad'), [BY_ROW, ANY], lookup),
  ...ruleFor(named(NAMES), ANY, lookup),
  ...FEATURE_RULES,
};

export const tableBatchedEmbedding: Family = {
  id: 'table-batched-embedding',
  title: 'Embeddings of many tables at once, their indices and results (FBGEMM)',
  ops: Object.keys(RULES),
  formulas: [
    'lookup: flops = n·D (2·n·D with weights); bytes = indices + offsets + n·D·size + bags·D·size',
    'permutations: flops = 0; bytes = 2·E·size + the order; running sums of lengths: flops = E',
  ],
  work: (call, kernel) => ruleWork(RULES, call, kernel, SOURCE),
};
