/** Filling a tensor: with zeros, ones, a value or a sequence. */
import { numel, type Tensor } from '../../call.js';
import type { Arg, OpCall } from '../../../record/record.js';
import { tensorOfType } from '../../schema/dispatched.js';
import { ALL_OPS, type Family, type Work } from '../../family.js';
import { integers } from '../../operands.js';
import { tensor, tensorParams, workOf } from '../../work.js';
import type { BoundArguments } from '../../schema/binding.js';
import { boundRow, opTable } from '../../schema/op-rules.js';
import { elementAt } from '../../../containers/element.js';

/** A result with unspecified extents, and the missing argument. */
interface Unspecified {
  readonly unspecified: string;
}

/** The tensor that an op fills; null when the arguments do not fit. */
type Filled = (bound: BoundArguments) => Tensor | Unspecified | null;

/** The type of a tensor when no type is given. */
const DEFAULT = 'float32';

const range = (numbers: readonly number[]): [start: number, end: number, step: number] =>
  numbers.length === 1
    ? [0, elementAt(numbers, 0), 1]
    : [elementAt(numbers, 0), elementAt(numbers, 1), numbers[2] ?? 1];

/** Σ of min(j, c) for j from 1 to n; 0 when n is negative. */
const ramp = (n: number, c: number): number => {
  const rising = Math.max(0, Math.min(n, c));
  return (rising * (rising + 1)) / 2 + Math.max(0, n - Math.max(0, c)) * c;
};

/**
 * Number of elements of a matrix on and below a diagonal: row i has i + offset + 1 of them, limited by the number of
 * columns.
 */
const belowDiagonal = (rows: number, columns: number, offset: number): number =>
  ramp(rows + offset, columns) - ramp(offset, columns);

/** Number of steps from start to end; may be fractional. */
const steps = (numbers: readonly number[]): number => {
  const [start, end, step] = range(numbers);
  return (end - start) / step;
};

/**
 * An op whose arguments determine the number of elements.
 * @param names names of the numbers, separated by blanks; some are optional
 * @param staysWhole whether integers give an integer result
 * @param count returns the number of elements for the numbers
 */
const sequence =
  (names: string, staysWhole: boolean, count: (numbers: readonly number[]) => number): Filled =>
  (bound) => {
    const given = names
      .split(' ')
      .map((name) => bound.arg(name))
      .filter((arg) => arg !== undefined);
    const numbers = given.map(({ value }) => value).filter((value) => typeof value === 'number');
    const [out] = bound.outs;
    if (given.length === 0) return null;
    // An out tensor that does not have the right size yet has no elements.
    if (numbers.length < given.length)
      return out !== undefined && numel(out.shape) > 0 ? out : { unspecified: 'its bounds are unspecified' };
    const elements = count(numbers);
    if (!Number.isSafeInteger(elements) || elements < 0) return null;
    if (out !== undefined) return tensor([elements], out.dtype);
    const isWhole = staysWhole && given.every(({ type }) => type === 'int');
    return tensorOfType([elements], bound.arg('dtype'), isWhole ? 'int64' : DEFAULT);
  };

/** The type of a fill value; a Python float of integral value is recognised by the argument's type. */
function typeOf(arg: Arg | undefined): string {
  if (arg?.type === 'bool' || typeof arg?.value === 'boolean') return 'bool';
  return arg?.type === 'int' ? 'int64' : DEFAULT;
}

/** A result of the given extents. Its element type is `dtype`, else that of `like`, else that of `fill_value`. */
const created =
  (extentsOf: (bound: BoundArguments) => readonly number[] | null): Filled =>
  (bound) => {
    const extents = extentsOf(bound);
    if (extents === null) return { unspecified: 'its size is unspecified' };
    if (extents.some((extent) => extent < 0)) return null;
    const [out] = bound.outs;
    const byDefault = bound.tensor('like')?.dtype ?? typeOf(bound.arg('fill_value'));
    return out === undefined ? tensorOfType(extents, bound.arg('dtype'), byDefault) : tensor(extents, out.dtype);
  };

const sized = created((bound) => integers(bound.value('size')));
const like = created((bound) => bound.tensor('like')?.shape ?? null);

/** `TensorOptions` of a factory op, which follow its other arguments. */
const OPTIONS = 'dtype layout device pin_memory';

const arange = sequence('start end step', true, (numbers) => Math.ceil(steps(numbers)));
const closedRange = sequence('start end step', false, (numbers) => Math.floor(steps(numbers)) + 1);
const spaced = sequence('start end steps base', false, (numbers) => elementAt(numbers, 2));
const eye = sequence('n m', false, ([rows = 0, columns = rows]) => rows * columns);

/** Row and column of each element. */
const below = sequence(
  'row col offset',
  true,
  ([rows = 0, columns = 0, offset = 0]) => 2 * belowDiagonal(rows, columns, offset),
);
const above = sequence(
  'row col offset',
  true,
  ([rows = 0, columns = 0, offset = 0]) => 2 * (rows * columns - belowDiagonal(rows, columns, offset - 1)),
);

/** The first signature of a sequence is that of Python, whose options are keywords. */
const FILLINGS = opTable<Filled>`
  ${sized} ones zeros: size:list ${OPTIONS} | size:list names ${OPTIONS} | size:list
  ${sized} rand randn: size:list ${OPTIONS} | size:list generator ${OPTIONS} | size:list
  ${sized} full: size:list fill_value ${OPTIONS} | size:list fill_value names ${OPTIONS} | size:list fill_value
  ${sized} new_zeros new_ones: @like size:list ${OPTIONS} | @like size:list
  ${sized} new_full: @like size:list fill_value ${OPTIONS} | @like size:list fill_value
  ${like} ones_like zeros_like: @like ${OPTIONS} memory_format | @like memory_format
  ${like} full_like: @like fill_value ${OPTIONS} memory_format | @like fill_value memory_format
  ${like} fill_ fill: @like value | @like @value
  ${like} zero_: @like
  ${created(() => [])} scalar_tensor: fill_value ${OPTIONS} | fill_value
  ${arange} arange: start end step dtype | end ${OPTIONS} | start end ${OPTIONS} | start end step ${OPTIONS}
      | end | start end | start end step
  ${closedRange} range: start end step dtype | start end ${OPTIONS} | start end step ${OPTIONS} | start end
      | start end step
  ${spaced} linspace: start end steps ${OPTIONS} | start end steps
  ${spaced} logspace: start end steps base ${OPTIONS} | start end steps base
  ${eye} eye: n m dtype | n ${OPTIONS} | n m ${OPTIONS} | n | n m
  ${below} tril_indices: row col offset ${OPTIONS} | row col offset
  ${above} triu_indices: row col offset ${OPTIONS} | row col offset
`;

/** The tensor that the op fills; null when the arguments do not fit. */
export function filledBy(call: OpCall): Tensor | Unspecified | null {
  const row = boundRow(FILLINGS, call);
  const filled = row === null ? null : row.fact(row.bound);
  if (filled === null || 'unspecified' in filled) return filled;
  return Number.isSafeInteger(numel(filled.shape)) ? filled : null;
}

const SOURCE = 'writes each element once; PyTorch default types';

function work(call: OpCall): Work | null {
  const filled = filledBy(call);
  if (filled === null) return null;
  const about = { flops: 0, source: SOURCE };
  if ('unspecified' in filled)
    return workOf({ ...about, writes: null, params: [], formula: 'flops = 0', unknown: filled.unspecified });
  return workOf({ ...about, writes: [filled], params: tensorParams(filled), formula: 'flops = 0; bytes = E·size' });
}

export const filling: Family = {
  id: 'filling',
  title: 'Filling: zeros, ones, full, fill_, arange, linspace, eye, tril_indices',
  category: 'set',
  ops: Object.keys(FILLINGS).filter((op) => !/^randn?$/.test(op)),
  onlyMoves: ALL_OPS,
  formulas: ['flops = 0; bytes = E·size; the default type is float32 (full and arange: from their values)'],
  work,
};
