/** Sorting and searching: sort, topk, unique, searchsorted, histogram. */
import { rules, withTensors, workByRules } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { resolveDimension } from '../../operands.js';
import { tensor } from '../../work.js';

const SOURCE = 'reads each element and writes each result once; comparisons in a search are not counted';

const moved = (reads: readonly Tensor[], writes: readonly Tensor[], flops = 0) => ({
  flops,
  reads,
  writes,
  formula: `flops = ${flops === 0 ? '0' : 'E'}; bytes = operands + results`,
});

const unspecified = (unknown: string, flops = 0) => ({
  flops,
  writes: null,
  formula: `flops = ${flops === 0 ? '0' : 'E'}`,
  unknown,
});

/** Values and their int64 indices. */
const sorted = withTensors('self', (input) => moved([input], [input, tensor(input.shape, 'int64')]));

const argsorted = withTensors('self', (input) => moved([input], [tensor(input.shape, 'int64')]));

/** The input's extents with that of dimension `dim` replaced; null when it is out of range. */
function cut(input: Tensor, dim: number, extent: number): number[] | null {
  if (input.shape.length === 0) return [];
  const at = resolveDimension(dim, input.shape.length);
  return at === null ? null : input.shape.map((size, i) => (i === at ? extent : size));
}

/** The k largest values of each row, and their int64 indices. */
const largest = withTensors('self', (input, bound) => {
  const [k, dim] = [bound.count('k'), bound.number('dim')];
  if (k === null || dim === null) return unspecified('k or the dimension is unspecified');
  const shape = cut(input, dim, k);
  return shape === null ? null : moved([input], [tensor(shape, input.dtype), tensor(shape, 'int64')]);
});

/** Indices among sorted boundaries: int64, or int32 with `out_int32`. */
const placed = withTensors('self', (values, bound) => {
  const place = tensor(values.shape, bound.flag('out_int32') === true ? 'int32' : 'int64');
  return moved(bound.tensorsOf('self boundaries'), [place]);
});

/** A histogram adds once for each element. */
const histogram = withTensors('self', (input, bound) => {
  const [bins, flops] = [bound.count('bins'), numel(input.shape)];
  if (bins === null) return unspecified('the number of bins is unspecified', flops);
  return moved([input], [tensor([bins], input.dtype)], flops);
});

const counted = withTensors('self', (input) =>
  unspecified('the number of bins depends on the values', numel(input.shape)),
);

const distinct = withTensors('self', () => unspecified('the number of distinct values is unspecified'));

const SORT = '@self dim descending | @self stable dim descending';

const RULES = rules`
  ${sorted} sort: ${SORT}
  ${sorted} msort: @self
  ${argsorted} argsort: ${SORT}
  ${largest} topk: @self k dim largest sorted
  // Older versions have neither side nor sorter.
  ${placed} searchsorted: @boundaries @self out_int32 right side @sorter?
      | @boundaries @self out_int32 right
  ${placed} bucketize: @self @boundaries out_int32 right
  ${histogram} histc: @self bins min max
  ${counted} bincount: @self @weights? minlength
  ${distinct} _unique _unique2 unique_dim unique_consecutive unique_dim_consecutive: @self ...
`;

export const ordering: Family = {
  id: 'ordering',
  title: 'Ordering: sort, topk, unique, searchsorted, histogram',
  category: 'sorting',
  ops: Object.keys(RULES),
  onlyMoves: /^(?!histc|bincount)/,
  formulas: [
    'flops = 0; histc, bincount: one addition per element',
    'sort: input + values + 8·E (positions); topk: input + (size + 8) per selected value',
    'searchsorted, bucketize: values + boundaries + 8 per value; unique, bincount: unknown, because the size of the result depends on the values',
  ],
  work: workByRules(RULES, SOURCE),
};
