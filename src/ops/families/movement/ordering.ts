/**
 * Sorting and searching: sort, topk, unique, searchsorted, histogram.
 */
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { resolveDimension } from '../../operands.js';
import { tensor, tensorParams } from '../../work.js';

const SOURCE = 'every element read once, every result written once; comparisons of a search are not counted';

const moved = (input: Tensor, reads: readonly Tensor[], writes: readonly Tensor[], flops = 0): OpCost => ({
  params: tensorParams(input),
  flops,
  reads,
  writes,
  formula: `flops = ${flops === 0 ? '0' : 'E'}; bytes = operands + results`,
});

const unspecified = (input: Tensor, unknown: string, flops = 0): OpCost => ({
  params: tensorParams(input),
  flops,
  writes: null,
  formula: `flops = ${flops === 0 ? '0' : 'E'}`,
  unknown,
});

type OrderingRule = (bound: BoundCall, input: Tensor) => OpCost | null;

/** A rule that needs the tensor `self`. */
const of =
  (formula: OrderingRule) =>
  (bound: BoundCall): OpCost | null => {
    const input = bound.tensor('self');
    return input === null ? null : formula(bound, input);
  };

/** Values and their int64 indices. */
const sorted: OrderingRule = (_, input) => moved(input, [input], [input, tensor(input.shape, 'int64')]);

const argsorted: OrderingRule = (_, input) => moved(input, [input], [tensor(input.shape, 'int64')]);

/** The input's extents with that of dimension `dim` replaced; null when it is out of range. */
function cut(input: Tensor, dim: number, extent: number): number[] | null {
  if (input.shape.length === 0) return [];
  const at = resolveDimension(dim, input.shape.length);
  return at === null ? null : input.shape.map((size, i) => (i === at ? extent : size));
}

/** The k largest values of each row, and their int64 indices. */
const largest: OrderingRule = (bound, input) => {
  const [k, dim] = [bound.count('k'), bound.number('dim')];
  if (k === null || dim === null) return unspecified(input, 'k or the dimension is unspecified');
  const shape = cut(input, dim, k);
  return shape === null ? null : moved(input, [input], [tensor(shape, input.dtype), tensor(shape, 'int64')]);
};

/** Indices among sorted boundaries: int64, or int32 with `out_int32`. */
const placed: OrderingRule = (bound, values) => {
  const place = tensor(values.shape, bound.flag('out_int32') === true ? 'int32' : 'int64');
  return moved(values, bound.tensorsOf('self boundaries'), [place]);
};

/** One addition per element. */
const histogram: OrderingRule = (bound, input) => {
  const bins = bound.count('bins');
  const flops = numel(input.shape);
  if (bins === null) return unspecified(input, 'the number of bins is unspecified', flops);
  return moved(input, [input], [tensor([bins], input.dtype)], flops);
};

const counted: OrderingRule = (_, input) =>
  unspecified(input, 'the number of bins depends on the values', numel(input.shape));

const distinct: OrderingRule = (_, input) => unspecified(input, 'the number of distinct values is unspecified');

const SORT = ['@self dim descending', '@self stable dim descending'];

/** Arguments as in PyTorch's native_functions.yaml. */
const RULES: OpRules = {
  ...ruleFor('sort', SORT, of(sorted)),
  ...ruleFor('msort', '@self', of(sorted)),
  ...ruleFor('argsort', SORT, of(argsorted)),
  ...ruleFor('topk', '@self k dim largest sorted', of(largest)),
  // Older versions have neither side nor sorter.
  ...ruleFor(
    'searchsorted',
    ['@boundaries @self out_int32 right side @sorter?', '@boundaries @self out_int32 right'],
    of(placed),
  ),
  ...ruleFor('bucketize', '@self @boundaries out_int32 right', of(placed)),
  ...ruleFor('histc', '@self bins min max', of(histogram)),
  ...ruleFor('bincount', '@self @weights? minlength', of(counted)),
  ...ruleFor('_unique _unique2 unique_dim unique_consecutive unique_dim_consecutive', '@self ...', of(distinct)),
};

export const ordering: Family = {
  id: 'ordering',
  title: 'Ordering: sort, topk, unique, searchsorted, histogram',
  ops: Object.keys(RULES),
  formulas: [
    'flops = 0; histc, bincount: one addition per element',
    'sort: input + values + 8·E (places); topk: input + (size + 8) per value chosen',
    'searchsorted, bucketize: values + boundaries + 8 per value; unique, bincount: unknown, the size of the result is not in the call',
  ],
  work: workByRules(RULES, SOURCE),
};
