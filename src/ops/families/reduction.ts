/**
 * Reductions: sums, means, norms, extrema and truth over some or all dimensions.
 */
import { argument, numel, type Tensor } from '../call.js';
import type { ArgValue, OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { dtypeGiven } from '../dtype-argument.js';
import { dimension, inputs, opName, subject, wholes } from '../operands.js';
import { category, floating } from '../promotion.js';
import { helperWork, tensor, tensorParams, trafficWork } from '../work.js';
import { pointwiseAs } from './pointwise.js';

const SOURCE = 'PyProf (sum E, mean E + 1, norm 2·E + 1), per result element; backward: PyTorch derivatives.yaml';

interface Reduction {
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
  ...more,
});

const saved: Partial<Reduction> = { backward: [1, true] };
const extremum = reduce([1, 0], 'same', { indices: true });

const KINDS: Readonly<Record<string, Reduction>> = {
  sum: reduce([1, 0], 'sum'),
  nansum: reduce([1, 0], 'sum'),
  mean: reduce([1, 1], 'same', { backward: [1, false] }),
  nanmean: reduce([1, 1], 'same', { backward: [1, false] }),
  // Product and sum per element, a root per result.
  norm: reduce([2, 1], 'float', { ...saved, dim: 2 }),
  linalg_vector_norm: reduce([2, 1], 'float', { ...saved, dim: 2 }),
  vector_norm: reduce([2, 1], 'float', { ...saved, dim: 2 }),
  // Difference from a running mean, product, sum: Welford's update; a division (and a root) per result.
  var: reduce([3, 1], 'float', saved),
  std: reduce([3, 2], 'float', saved),
  var_mean: reduce([3, 2], 'float', saved),
  std_mean: reduce([3, 3], 'float', saved),
  prod: reduce([1, 0], 'sum', saved),
  logsumexp: reduce([4, 2], 'float', saved),
  max: { ...extremum, pair: 'maximum' },
  min: { ...extremum, pair: 'minimum' },
  amax: reduce([1, 0], 'same', saved),
  amin: reduce([1, 0], 'same', saved),
  argmax: reduce([1, 0], 'int64'),
  argmin: reduce([1, 0], 'int64'),
  any: reduce([1, 0], 'bool'),
  all: reduce([1, 0], 'bool'),
  count_nonzero: reduce([1, 0], 'int64'),
};

/** Extents of the result without `keepdim`; null when `dim` does not fit. */
function resultShape(input: Tensor, dim: ArgValue | undefined): number[] | null {
  if (dim === undefined || dim === null || typeof dim === 'boolean' || typeof dim === 'string') return [];
  const dims = wholes(dim)?.map((at) => dimension(at, input.shape.length));
  if (dims === undefined || dims.includes(null)) return null;
  return dims.length === 0 ? [] : input.shape.filter((_, at) => !dims.includes(at));
}

function resultType({ result }: Reduction, input: Tensor, call: OpCall): string | null {
  if (result === 'bool' || result === 'int64') return result;
  const given = dtypeGiven(call);
  if (given !== null) return given;
  const kind = category(input.dtype);
  if (result === 'float') return floating(input.dtype);
  return result === 'sum' && (kind === 'bool' || kind === 'int') ? 'int64' : input.dtype;
}

/** A second pass over partial results, or arithmetic on the result. */
const isAftermath = (kernel: KernelFacts): boolean =>
  kernel.sub > 0 && (!/reduce/i.test(kernel.name) || /pass_?2|lastblock/i.test(kernel.name));

function forward(kind: Reduction, input: Tensor, result: Tensor, indices: boolean): Work {
  const [perInput, perResult] = kind.flops;
  const positions = indices ? [tensor(result.shape, 'int64')] : [];
  return trafficWork({
    flops: perInput * numel(input.shape) + perResult * numel(result.shape),
    reads: [input],
    writes: [result, ...positions],
    params: tensorParams(input),
    formula: `flops = ${perInput}·E + ${perResult}·E(result); bytes = input + result`,
    source: SOURCE,
  });
}

function backward(kind: Reduction, input: Tensor, result: Tensor, indices: boolean): Work {
  const [perElement, reread] = kind.backward;
  const positions = indices ? [tensor(result.shape, 'int64')] : [];
  return trafficWork({
    flops: perElement * numel(input.shape) + (reread ? numel(result.shape) : 0),
    reads: [result, ...positions, ...(reread ? [input, result] : [])],
    writes: [input],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E${reread ? ' + E(result)' : ''}; bytes = gradient of the result${reread ? ' + input + result' : ''} + gradient of the input`,
    source: SOURCE,
  });
}

function kindOf(call: OpCall): Reduction | undefined {
  const op = opName(call);
  return Object.hasOwn(KINDS, op) ? KINDS[op] : undefined;
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const kind = kindOf(call);
  const given = inputs(call);
  const input = subject(call);
  if (kind === undefined || given === null || input === null) return null;
  if (given.length === 2 && kind.pair !== undefined) return pointwiseAs(kind.pair, call, kernel);
  const dim = argument(call, 'dim', kind.dim)?.value;
  const shape = resultShape(input, dim);
  if (shape === null) return null;
  if (isAftermath(kernel)) return helperWork(tensorParams(input), SOURCE);
  const result = tensor(shape, resultType(kind, input, call));
  const indices = kind.indices === true && typeof dim === 'number';
  // A truth value or a position has no gradient: such a kernel computes the forward result again (checkpointing).
  const derives = kernel.dir === 'bprop' && kind.result !== 'bool' && kind.result !== 'int64';
  return derives ? backward(kind, input, result, indices) : forward(kind, input, result, indices);
}

export const reduction: Family = {
  id: 'reduction',
  title: 'Reductions: sum, mean, norm, variance, extrema, any, all',
  ops: Object.keys(KINDS),
  formulas: [
    'flops: sum, prod, max, argmax, any, all E; mean E + E(result); norm 2·E + E(result); var 3·E + E(result); logsumexp 4·E + 2·E(result)',
    'bytes = input + result (and int64 positions of max and min over a dimension)',
    'backward: sum 0 flops, gradient + gradient of the input; mean E; norm E + E(result), input and result read again',
    'kernels after the first are helpers, unless their names say that they reduce (the next call under one sequence id)',
  ],
  work,
};
