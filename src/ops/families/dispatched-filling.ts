/**
 * The tensor that a creating op of the dispatcher fills, from arguments in the order of its schema.
 */
import { numel, positional, type Tensor } from '../call.js';
import type { Arg, OpCall } from '../../record/record.js';
import { outputs, typed } from '../dispatched.js';
import { opName, tensorOf, whole, wholes } from '../operands.js';
import { tensor } from '../work.js';

/** A result whose extents the call does not tell. */
export interface Untold {
  readonly untold: string;
}

const DEFAULT = 'float32';

/** How `torch.options` of a creating op go on after its own arguments: dtype, layout, device, pin_memory. */
const OPTIONS = 4;

/** An op that fills as many elements as its numbers say. */
interface Sequence {
  /** Numbers that an overload may take; with the options behind them, or with an out tensor. */
  readonly lengths: readonly number[];
  readonly count: (numbers: readonly number[]) => number;
  /** Whether whole numbers make whole results. */
  readonly whole: boolean;
}

const range = (numbers: readonly number[]): [start: number, end: number, step: number] =>
  numbers.length === 1 ? [0, numbers[0] ?? 0, 1] : [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 1];

/** Σ of min(j, c) for j from 1 to n, 0 where n is negative. */
const ramp = (n: number, c: number): number => {
  const rising = Math.max(0, Math.min(n, c));
  return (rising * (rising + 1)) / 2 + Math.max(0, n - Math.max(0, c)) * c;
};

/** Elements of a matrix on and below a diagonal: row i has i + offset + 1 of them, but no more than there are columns. */
const belowDiagonal = (rows: number, columns: number, offset: number): number =>
  ramp(rows + offset, columns) - ramp(offset, columns);

const SEQUENCES: Readonly<Record<string, Sequence>> = {
  // Row and column of each element.
  tril_indices: {
    lengths: [3],
    whole: true,
    count: ([rows = 0, columns = 0, offset = 0]) => 2 * belowDiagonal(rows, columns, offset),
  },
  triu_indices: {
    lengths: [3],
    whole: true,
    count: ([rows = 0, columns = 0, offset = 0]) => 2 * (rows * columns - belowDiagonal(rows, columns, offset - 1)),
  },
  arange: {
    lengths: [1, 2, 3],
    whole: true,
    count: (numbers) => {
      const [start, end, step] = range(numbers);
      return Math.ceil((end - start) / step);
    },
  },
  range: {
    lengths: [2, 3],
    whole: false,
    count: (numbers) => {
      const [start, end, step] = range(numbers);
      return Math.floor((end - start) / step) + 1;
    },
  },
  linspace: { lengths: [3], whole: false, count: ([, , steps]) => steps ?? Number.NaN },
  logspace: { lengths: [4], whole: false, count: ([, , steps]) => steps ?? Number.NaN },
  eye: { lengths: [1, 2], whole: false, count: ([rows = 0, columns = rows]) => rows * columns },
};

function sequence(call: OpCall, { lengths, count, whole: staysWhole }: Sequence): Tensor | Untold | null {
  const args = positional(call);
  const length = lengths.find((n) => args.length === n + OPTIONS || (args.length === n + 1 && outputs(call, n).length));
  if (length === undefined) return null;
  const given = args.slice(0, length);
  const [out] = outputs(call, length);
  const numbers = given.map(({ value }) => value).filter((value) => typeof value === 'number');
  if (numbers.length < length) {
    // An out tensor that is not yet of the right size has no elements.
    return out !== undefined && numel(out.shape) > 0 ? out : { untold: 'its bounds are not told' };
  }
  const elements = count(numbers);
  if (!Number.isSafeInteger(elements) || elements < 0) return null;
  if (out !== undefined) return tensor([elements], out.dtype);
  const isWhole = staysWhole && given.every(({ type }) => type === 'int');
  return typed([elements], args[length], isWhole ? 'int64' : DEFAULT);
}

/** Positions of an op's arguments. */
interface Creation {
  /** Of the extents; -1 for a single element. */
  readonly size?: number;
  /** Of the tensor that gives extents and type, where they are not given. */
  readonly like?: number;
  /** Of the value that fills, which gives the type where it is not given. */
  readonly value?: number;
  readonly dtype?: number;
}

const CREATIONS: Readonly<Record<string, Creation>> = {
  ones: { size: 0, dtype: 1 },
  zeros: { size: 0, dtype: 1 },
  full: { size: 0, value: 1, dtype: 2 },
  rand: { size: 0, dtype: 1 },
  randn: { size: 0, dtype: 1 },
  ones_like: { like: 0, dtype: 1 },
  zeros_like: { like: 0, dtype: 1 },
  full_like: { like: 0, dtype: 2 },
  new_zeros: { like: 0, size: 1, dtype: 2 },
  new_ones: { like: 0, size: 1, dtype: 2 },
  new_full: { like: 0, size: 1, dtype: 3 },
  fill_: { like: 0 },
  fill: { like: 0 },
  zero_: { like: 0 },
  scalar_tensor: { size: -1, value: 0, dtype: 1 },
};

/** The type of a number that fills. */
function typeOf(arg: Arg | undefined): string {
  if (arg?.type === 'bool') return 'bool';
  return arg?.type === 'int' ? 'int64' : DEFAULT;
}

function created(call: OpCall, op: Creation): Tensor | Untold | null {
  const args = positional(call);
  const like = op.like === undefined ? null : tensorOf(args[op.like]);
  if (op.like !== undefined && like === null) return null;
  const size = op.size === undefined ? (like?.shape ?? null) : op.size < 0 ? [] : wholes(args[op.size]?.value);
  if (size === null) return whole(args[op.size ?? 0]?.value) === undefined ? { untold: 'its size is not told' } : null;
  if (size.some((extent) => extent < 0)) return null;
  const byDefault = like?.dtype ?? (op.value === undefined ? DEFAULT : typeOf(args[op.value]));
  return typed(size, op.dtype === undefined ? undefined : args[op.dtype], byDefault);
}

/** The tensor filled; null when the arguments do not fit the op. */
export function filledBy(call: OpCall): Tensor | Untold | null {
  const op = opName(call);
  const filled = Object.hasOwn(SEQUENCES, op) ? sequence(call, SEQUENCES[op] as Sequence) : lookup(call, op);
  if (filled === null || 'untold' in filled) return filled;
  return Number.isSafeInteger(numel(filled.shape)) ? filled : null;
}

const lookup = (call: OpCall, op: string): Tensor | Untold | null =>
  Object.hasOwn(CREATIONS, op) ? created(call, CREATIONS[op] as Creation) : null;
