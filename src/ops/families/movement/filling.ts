/** Filling a tensor: with zeros, ones, a value or a sequence, by functions of Python and by factory ops of the dispatcher. */
import { entryOf, named, type ByName } from '../../by-name.js';
import { dtypeBytes } from '../../../record/element-types.js';
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { Arg, OpCall } from '../../../record/record.js';
import { isDispatched, tensorOfType, dtypeGiven } from '../../schema/dispatched.js';
import type { Family, Work } from '../../family.js';
import { inputTensor, integers, tensorsAmong } from '../../operands.js';
import { tensor, tensorParams, workOf } from '../../work.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import { opTable, type OpRow } from '../../schema/op-rules.js';
import { elementAt } from '../../../containers/element.js';

/** A result of unspecified extents, and which argument is missing. */
interface Unspecified {
  readonly unspecified: string;
}

/** The type of a tensor whose type is not given. */
const DEFAULT = 'float32';

/** `TensorOptions` of a factory op, which follow its own arguments. */
const OPTIONS = 'dtype layout device pin_memory';
const OPTION_COUNT = OPTIONS.split(' ').length;

/**
 * A factory op whose arguments determine the number of elements: how many numbers its overloads have before their options
 * or `out` tensor; whether integers give an integer result; how many elements the numbers make.
 */
type SequenceOp = readonly [
  lengths: readonly number[],
  staysWhole: boolean,
  count: (numbers: readonly number[]) => number,
];

const range = (numbers: readonly number[]): [start: number, end: number, step: number] =>
  numbers.length === 1
    ? [0, elementAt(numbers, 0), 1]
    : [elementAt(numbers, 0), elementAt(numbers, 1), numbers[2] ?? 1];

/** Σ of min(j, c) for j from 1 to n, 0 where n is negative. */
const ramp = (n: number, c: number): number => {
  const rising = Math.max(0, Math.min(n, c));
  return (rising * (rising + 1)) / 2 + Math.max(0, n - Math.max(0, c)) * c;
};

/** Elements of a matrix on and below a diagonal: row i has i + offset + 1 of them, but no more than there are columns. */
const belowDiagonal = (rows: number, columns: number, offset: number): number =>
  ramp(rows + offset, columns) - ramp(offset, columns);

/** Values from start to end that are a step apart. */
const steps = (numbers: readonly number[]): number => {
  const [start, end, step] = range(numbers);
  return (end - start) / step;
};

const SEQUENCES: ByName<SequenceOp> = {
  // Row and column of each element.
  tril_indices: [[3], true, ([rows = 0, columns = 0, offset = 0]) => 2 * belowDiagonal(rows, columns, offset)],
  triu_indices: [
    [3],
    true,
    ([rows = 0, columns = 0, offset = 0]) => 2 * (rows * columns - belowDiagonal(rows, columns, offset - 1)),
  ],
  arange: [[1, 2, 3], true, (numbers) => Math.ceil(steps(numbers))],
  range: [[2, 3], false, (numbers) => Math.floor(steps(numbers)) + 1],
  linspace: [[3], false, (numbers) => elementAt(numbers, 2)],
  logspace: [[4], false, (numbers) => elementAt(numbers, 2)],
  eye: [[1, 2], false, ([rows = 0, columns = rows]) => rows * columns],
};

/** The `out` tensors after the first `count` arguments. */
const outputs = (args: readonly Arg[], count: number): Tensor[] => tensorsAmong(args.slice(count));

function sequence(call: OpCall, [lengths, staysWhole, count]: SequenceOp): Tensor | Unspecified | null {
  const args = positional(call);
  const length = lengths.find(
    (n) => args.length === n + OPTION_COUNT || (args.length === n + 1 && outputs(args, n).length),
  );
  if (length === undefined) return null;
  const given = args.slice(0, length);
  const [out] = outputs(args, length);
  const numbers = given.map(({ value }) => value).filter((value) => typeof value === 'number');
  if (numbers.length < length) {
    // An out tensor that is not yet of the right size has no elements.
    return out !== undefined && numel(out.shape) > 0 ? out : { unspecified: 'its bounds are unspecified' };
  }
  const elements = count(numbers);
  if (!Number.isSafeInteger(elements) || elements < 0) return null;
  if (out !== undefined) return tensor([elements], out.dtype);
  const isWhole = staysWhole && given.every(({ type }) => type === 'int');
  return tensorOfType([elements], args[length], isWhole ? 'int64' : DEFAULT);
}

/** Extents of a factory op's result: the argument `size`, those of the tensor `like`, or a single element. */
type FilledExtents = (bound: BoundArguments) => readonly number[] | null;

const size: FilledExtents = (bound) => integers(bound.value('size'));
const like: FilledExtents = (bound) => bound.tensor('like')?.shape ?? null;
const one: FilledExtents = () => [];

/** The type is `dtype`, else that of `like`, else that of `value`. */
const CREATIONS = opTable<FilledExtents>`
  ${size} ones zeros: size ${OPTIONS} | size names ${OPTIONS} | size
  ${size} rand randn: size ${OPTIONS} | size generator ${OPTIONS} | size
  ${size} full: size value ${OPTIONS} | size value names ${OPTIONS} | size value
  ${size} new_zeros new_ones: @like size ${OPTIONS} | @like size
  ${size} new_full: @like size value ${OPTIONS} | @like size value
  ${like} ones_like zeros_like: @like ${OPTIONS} memory_format | @like memory_format
  ${like} full_like: @like value ${OPTIONS} memory_format | @like value memory_format
  ${like} fill_ fill: @like value | @like @value
  ${like} zero_: @like
  ${one} scalar_tensor: value ${OPTIONS} | value
`;

/** The type of a fill value. */
function typeOf(arg: Arg | undefined): string {
  if (arg?.type === 'bool') return 'bool';
  return arg?.type === 'int' ? 'int64' : DEFAULT;
}

function created(call: OpCall, { fact: extentsOf, signatures }: OpRow<FilledExtents>): Tensor | Unspecified | null {
  const bound = bind(call, ...signatures);
  if (bound === null) return null;
  const extents = extentsOf(bound);
  if (extents === null) return { unspecified: 'its size is unspecified' };
  if (extents.some((extent) => extent < 0)) return null;
  const [out] = bound.outs;
  const byDefault = bound.tensor('like')?.dtype ?? typeOf(bound.arg('value'));
  return out === undefined ? tensorOfType(extents, bound.arg('dtype'), byDefault) : tensor(extents, out.dtype);
}

/** The tensor that the op fills; null when the arguments do not fit. */
export function filledBy(call: OpCall): Tensor | Unspecified | null {
  const [counted, creation] = [entryOf(SEQUENCES, call), entryOf(CREATIONS, call)];
  const fresh = creation === undefined ? null : created(call, creation);
  const filled = counted === undefined ? fresh : sequence(call, counted);
  if (filled === null || 'unspecified' in filled) return filled;
  return Number.isSafeInteger(numel(filled.shape)) ? filled : null;
}

const SOURCE = 'every element written once; PyTorch default types';

/** Extents as one list, or as positional integers from a position on; null when there are none. */
function sizes(call: OpCall, from: number): number[] | null {
  const named = call.args.find(({ name }) => name === 'size');
  const given: readonly (Arg | undefined)[] = named === undefined ? positional(call).slice(from) : [named];
  const lists = given.map((arg) => integers(arg?.value)).filter((list) => list !== null);
  // A list has all extents; otherwise all positional integers are extents.
  const extents = Array.isArray(given[0]?.value) ? lists[0] : lists.flat();
  if (extents === undefined || lists.length === 0 || extents.some((extent) => extent < 0)) return null;
  return extents;
}

/** The type of a value that fills; a Python float of integral value is recognised by the argument's type. */
function fillType(arg: Arg | undefined): string {
  if (arg?.type !== 'float' && typeof arg?.value === 'boolean') return 'bool';
  return arg?.type !== 'float' && Number.isInteger(arg?.value) ? 'int64' : DEFAULT;
}

/** How many values range(start, end, step) has. */
function arangeResult(call: OpCall): Tensor | null {
  const bounds = positional(call).filter(({ type }) => type === 'int' || type === 'float');
  const numbers = bounds.map(({ value }) => value).filter((value) => typeof value === 'number');
  const [first, second, step = 1] = numbers;
  if (first === undefined) return null;
  const [start, end] = second === undefined ? [0, first] : [first, second];
  const count = Math.ceil((end - start) / step);
  if (!Number.isSafeInteger(count) || count < 0) return null;
  return tensor([count], bounds.some(({ type }) => type === 'float') ? DEFAULT : 'int64');
}

type Result = (call: OpCall) => Tensor | null;

const fresh: Result = (call) => {
  const shape = sizes(call, 0);
  return shape === null ? null : tensor(shape, DEFAULT);
};

const full: Result = (call) => {
  const [size] = positional(call);
  const shape = integers((size ?? call.args.find(({ name }) => name === 'size'))?.value);
  if (shape === null || shape.some((extent) => extent < 0)) return null;
  return tensor(shape, fillType(argument(call, 'fill_value', 1)));
};

/** `x.new_zeros(size)`: the type of x. */
const likeWithSize: Result = (call) => {
  const [shape, model] = [sizes(call, 1), inputTensor(call)];
  return shape === null || model === null ? null : tensor(shape, model.dtype);
};

const RESULTS: ByName<Result> = {
  ...named('ones zeros', fresh),
  ...named('full', full),
  ...named('ones_like zeros_like full_like fill_ zero_ fill', inputTensor),
  ...named('new_zeros new_ones new_full', likeWithSize),
  ...named('arange', arangeResult),
};

/** Ops that are known in their dispatcher's form alone. */
const DISPATCHED = ['range', 'linspace', 'logspace', 'eye', 'scalar_tensor', 'tril_indices', 'triu_indices'];

const fill = (written: Tensor): Work =>
  workOf({
    flops: 0,
    writes: [written],
    params: tensorParams(written),
    formula: 'flops = 0; bytes = E·size',
    source: SOURCE,
  });

function dispatchedWork(call: OpCall): Work | null {
  const filled = filledBy(call);
  if (filled === null) return null;
  if (!('unspecified' in filled)) return fill(filled);
  const unknown = filled.unspecified;
  return workOf({ writes: null, flops: 0, params: [], formula: 'flops = 0', source: SOURCE, unknown });
}

function work(call: OpCall): Work | null {
  if (isDispatched(call)) return dispatchedWork(call);
  const result = entryOf(RESULTS, call)?.(call) ?? null;
  if (result === null || !Number.isSafeInteger(numel(result.shape))) return null;
  const given = dtypeGiven(call);
  const written = given === null || dtypeBytes(given) === null ? result : tensor(result.shape, given);
  return fill(written);
}

export const filling: Family = {
  id: 'filling',
  title: 'Filling: zeros, ones, full, fill_, arange, linspace, eye, tril_indices',
  ops: [...Object.keys(RESULTS), ...DISPATCHED],
  formulas: ['flops = 0; bytes = E·size; without a type in the call float32 (full and arange: by their values)'],
  work,
};
