/** The reductions: operations per element, types of their results, and their arguments in the dispatcher's order. */
import type { ByName } from '../../by-name.js';

export interface Reduction {
  /** Operations per input element and per result element. */
  readonly flops: readonly [perInput: number, perResult: number];
  /** Type of the result: the input's, int64 for sums of whole numbers, bool, or int64 positions. */
  readonly result: 'same' | 'sum' | 'float' | 'bool' | 'int64';
  /** Position of `dim`. */
  readonly dim: number;
  /** With `dim`, positions are returned besides the values. */
  readonly indices?: boolean;
  /** Backward: operations per input element, and whether input and result are read again. */
  readonly backward: readonly [flops: number, saved: boolean];
  /** The op of two tensors that has the same name. */
  readonly pair?: string;
  /** The dispatcher's op: operations where they are not those of `flops`. */
  readonly dispatched?: readonly [perInput: number, perResult: number];
  /** The dispatcher's op: its signatures (see `bind`), how many results of one type it has. */
  readonly signatures: readonly string[];
  readonly results?: number;
}

const reduce = (
  flops: readonly [number, number],
  result: Reduction['result'],
  more: Partial<Reduction> = {},
): Reduction => ({
  flops,
  result,
  dim: 1,
  backward: [0, false],
  signatures: ['@self', '@self dim keepdim'],
  ...more,
});

const saved: Partial<Reduction> = { backward: [1, true] };
const summed: Partial<Reduction> = { signatures: ['@self dtype', '@self dim keepdim dtype', '@self dim dtype'] };
const spread: Partial<Reduction> = {
  ...saved,
  signatures: ['@self unbiased', '@self dim unbiased keepdim', '@self dim correction keepdim'],
};
const norm: Partial<Reduction> = {
  ...saved,
  dim: 2,
  signatures: ['@self p', '@self p dim keepdim', '@self p dtype', '@self p dim keepdim dtype'],
};
const vectorNorm: Partial<Reduction> = { ...saved, dim: 2, signatures: ['@self ord dim keepdim dtype'] };
const one: Partial<Reduction> = { signatures: ['@self dim keepdim'] };
const extremum = reduce([1, 0], 'same', { indices: true });
/** n − 1 additions and a division make a mean. */
const mean = reduce([1, 1], 'same', { ...summed, backward: [1, false], dispatched: [1, 0] });
const prod = reduce([1, 0], 'sum', { ...saved, ...summed });

export const REDUCTIONS: ByName<Reduction> = {
  sum: reduce([1, 0], 'sum', summed),
  nansum: reduce([1, 0], 'sum', { signatures: ['@self dim keepdim dtype'] }),
  mean,
  nanmean: mean,
  // Product and sum per element, a root per result.
  norm: reduce([2, 1], 'float', norm),
  linalg_vector_norm: reduce([2, 1], 'float', vectorNorm),
  vector_norm: reduce([2, 1], 'float', vectorNorm),
  // Difference from a running mean, product, sum: Welford's update; a division (and a root) per result.
  var: reduce([3, 1], 'float', spread),
  std: reduce([3, 2], 'float', spread),
  var_mean: reduce([3, 2], 'float', { ...spread, results: 2 }),
  std_mean: reduce([3, 3], 'float', { ...spread, results: 2 }),
  prod,
  logsumexp: reduce([4, 2], 'float', { ...saved, ...one }),
  max: { ...extremum, pair: 'maximum' },
  min: { ...extremum, pair: 'minimum' },
  amax: reduce([1, 0], 'same', { ...saved, ...one }),
  amin: reduce([1, 0], 'same', { ...saved, ...one }),
  // Two comparisons per element.
  aminmax: reduce([2, 0], 'same', { ...saved, ...one, results: 2 }),
  _aminmax: reduce([2, 0], 'same', { results: 2 }),
  argmax: reduce([1, 0], 'int64', one),
  argmin: reduce([1, 0], 'int64', one),
  any: reduce([1, 0], 'bool'),
  all: reduce([1, 0], 'bool'),
  count_nonzero: reduce([1, 0], 'int64', { signatures: ['@self dim'] }),
  // Selection compares every element at least once.
  median: extremum,
  nanmedian: extremum,
  mode: { ...extremum, ...one },
  kthvalue: { ...extremum, dim: 2, signatures: ['@self k dim keepdim'] },
};
