/**
 * The tensor that a creating op of the dispatcher fills, from arguments in the order of its schema.
 */
import { entryOf, named, type ByName } from '../../by-name.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import { numel, positional, type Tensor } from '../../call.js';
import type { Arg, OpCall } from '../../../record/record.js';
import { tensorOfType } from '../../schema/dispatched.js';
import { tensorOf, integers } from '../../operands.js';
import { tensor } from '../../work.js';

/** A result whose extents the call does not tell. */
interface Unspecified {
  readonly unspecified: string;
}

const DEFAULT = 'float32';

/** How `torch.options` of a creating op go on after its own arguments. */
const OPTIONS = 'dtype layout device pin_memory';
const OPTION_COUNT = OPTIONS.split(' ').length;

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

const SEQUENCES: ByName<Sequence> = {
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

/** The tensors behind so many arguments: an `out` form writes them. */
const outputs = (args: readonly Arg[], count: number): Tensor[] =>
  args
    .slice(count)
    .map(tensorOf)
    .filter((found) => found !== null);

function sequence(call: OpCall, { lengths, count, whole: staysWhole }: Sequence): Tensor | Unspecified | null {
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

/** An op that fills a tensor of given extents. */
interface Creation {
  /** Where the extents stand: in `size`, or they are those of `like`; or there is a single element. */
  readonly extents: 'size' | 'like' | 'one';
  /** See `bind`. The type is that of `dtype`, where it is not given that of `like`, else that of the `value` that fills. */
  readonly signatures: readonly string[];
}

const sized = (ops: string, ...signatures: readonly string[]): ByName<Creation> =>
  named(ops, { extents: 'size', signatures });
const like = (ops: string, ...signatures: readonly string[]): ByName<Creation> =>
  named(ops, { extents: 'like', signatures });

const CREATIONS: ByName<Creation> = {
  ...sized('ones zeros', `size ${OPTIONS}`, `size names ${OPTIONS}`, 'size'),
  ...sized('rand randn', `size ${OPTIONS}`, `size generator ${OPTIONS}`, 'size'),
  ...sized('full', `size value ${OPTIONS}`, `size value names ${OPTIONS}`, 'size value'),
  ...sized('new_zeros new_ones', `@like size ${OPTIONS}`, '@like size'),
  ...sized('new_full', `@like size value ${OPTIONS}`, '@like size value'),
  ...like('ones_like zeros_like', `@like ${OPTIONS} memory_format`, '@like memory_format'),
  ...like('full_like', `@like value ${OPTIONS} memory_format`, '@like value memory_format'),
  ...like('fill_ fill', '@like value', '@like @value'),
  ...like('zero_', '@like'),
  scalar_tensor: { extents: 'one', signatures: [`value ${OPTIONS}`, 'value'] },
};

/** The type of a number that fills. */
function typeOf(arg: Arg | undefined): string {
  if (arg?.type === 'bool') return 'bool';
  return arg?.type === 'int' ? 'int64' : DEFAULT;
}

const EXTENTS: Readonly<Record<Creation['extents'], (bound: BoundArguments) => readonly number[] | null>> = {
  size: (bound) => integers(bound.value('size')),
  like: (bound) => bound.tensor('like')?.shape ?? null,
  one: () => [],
};

function created(call: OpCall, { extents, signatures }: Creation): Tensor | Unspecified | null {
  const bound = bind(call, ...signatures);
  if (bound === null) return null;
  const size = EXTENTS[extents](bound);
  if (size === null) return { unspecified: 'its size is unspecified' };
  if (size.some((extent) => extent < 0)) return null;
  const [out] = bound.outs;
  const byDefault = bound.tensor('like')?.dtype ?? typeOf(bound.arg('value'));
  return out === undefined ? tensorOfType(size, bound.arg('dtype'), byDefault) : tensor(size, out.dtype);
}

/** The tensor filled; null when the arguments do not fit the op. */
export function filledBy(call: OpCall): Tensor | Unspecified | null {
  const [counted, creation] = [entryOf(SEQUENCES, call), entryOf(CREATIONS, call)];
  const fresh = creation === undefined ? null : created(call, creation);
  const filled = counted === undefined ? fresh : sequence(call, counted);
  if (filled === null || 'unspecified' in filled) return filled;
  return Number.isSafeInteger(numel(filled.shape)) ? filled : null;
}
