/**
 * Ordering elements and finding places among ordered ones: sort, topk, unique, searchsorted, histogram.
 */
import { argument, numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { isDispatched, untoldWork } from '../dispatched.js';
import type { Family, Work } from '../family.js';
import { dimension, opName, subject, tensorAt, whole } from '../operands.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'every element read once, every result written once; comparisons of a search are not counted';

type Formula = (call: OpCall, input: Tensor) => Work | null;

const moved = (input: Tensor, reads: readonly Tensor[], writes: readonly Tensor[], flops = 0): Work =>
  trafficWork({
    flops,
    reads,
    writes,
    params: tensorParams(input),
    formula: `flops = ${flops === 0 ? '0' : 'E'}; bytes = operands + results`,
    source: SOURCE,
  });

const untold = (input: Tensor, unknown: string, flops = 0): Work =>
  untoldWork({
    flops,
    params: tensorParams(input),
    formula: `flops = ${flops === 0 ? '0' : 'E'}`,
    source: SOURCE,
    unknown,
  });

/** Values and their places, both as large as the input. */
const sorted: Formula = (_, input) => moved(input, [input], [input, tensor(input.shape, 'int64')]);

const argsorted: Formula = (_, input) => moved(input, [input], [tensor(input.shape, 'int64')]);

/** The input's extents with that of dimension `dim` replaced; null when there is none such. */
function cut(input: Tensor, dim: number, extent: number): number[] | null {
  if (input.shape.length === 0) return [];
  const at = dimension(dim, input.shape.length);
  return at === null ? null : input.shape.map((size, i) => (i === at ? extent : size));
}

/** topk(self, k, dim): so many values of each row, and their places. */
const largest: Formula = (call, input) => {
  const [k, dim] = [whole(argument(call, 'k', 1)?.value), whole(argument(call, 'dim', 2)?.value)];
  if (k === undefined || k < 0 || dim === undefined) return untold(input, 'how many values are chosen is not told');
  const shape = cut(input, dim, k);
  if (shape === null || !Number.isSafeInteger(numel(shape))) return null;
  return moved(input, [input], [tensor(shape, input.dtype), tensor(shape, 'int64')]);
};

/** Places of the values at one position among the ordered ones at another: int64, or int32 on request. */
const placed =
  (valuesAt: number, boundariesAt: number): Formula =>
  (call) => {
    const [values, boundaries] = [tensorAt(call, 'values', valuesAt), tensorAt(call, 'boundaries', boundariesAt)];
    if (values === null || boundaries === null) return null;
    const narrow = argument(call, 'out_int32', 2)?.value === true;
    return moved(values, [values, boundaries], [tensor(values.shape, narrow ? 'int32' : 'int64')]);
  };

/** histc(self, bins): one addition per element. */
const histogram: Formula = (call, input) => {
  const bins = whole(argument(call, 'bins', 1)?.value);
  const flops = numel(input.shape);
  if (bins === undefined || bins < 0) return untold(input, 'the number of bins is not told', flops);
  return moved(input, [input], [tensor([bins], input.dtype)], flops);
};

const counted: Formula = (_, input) => untold(input, 'the number of bins depends on the values', numel(input.shape));

const distinct: Formula = (_, input) => untold(input, 'the number of distinct values is not told');

const named = (names: string, formula: Formula): [string, Formula][] => names.split(' ').map((op) => [op, formula]);

const FORMULAS: ReadonlyMap<string, Formula> = new Map([
  ...named('sort msort', sorted),
  ...named('argsort', argsorted),
  ...named('topk', largest),
  ...named('searchsorted', placed(1, 0)),
  ...named('bucketize', placed(0, 1)),
  ...named('histc', histogram),
  ...named('bincount', counted),
  ...named('_unique _unique2 unique_dim unique_consecutive unique_dim_consecutive', distinct),
]);

export const ordering: Family = {
  id: 'ordering',
  title: 'Ordering: sort, topk, unique, searchsorted, histogram',
  ops: [...FORMULAS.keys()],
  formulas: [
    'flops = 0; histc, bincount: one addition per element',
    'sort: input + values + 8·E (places); topk: input + (size + 8) per value chosen',
    'searchsorted, bucketize: values + boundaries + 8 per value; unique, bincount: unknown, the size of the result is not in the call',
  ],
  work: (call) => {
    const input = isDispatched(call) ? subject(call) : null;
    return input === null ? null : (FORMULAS.get(opName(call))?.(call, input) ?? null);
  },
};
