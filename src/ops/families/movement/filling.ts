/** Filling a tensor: with zeros, ones, a value or a sequence. */
import { entryOf, named, type ByName } from '../../by-name.js';
import { dtypeBytes } from '../../../record/element-types.js';
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { Arg, OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, Work } from '../../family.js';
import { dtypeGiven } from '../../schema/dtype-argument.js';
import { inputTensor, integers } from '../../operands.js';
import { tensor, tensorParams, workOf } from '../../work.js';
import { filledBy } from './dispatched-filling.js';

const SOURCE = 'every element written once; PyTorch default types';

const DEFAULT = 'float32';

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
