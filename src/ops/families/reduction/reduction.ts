/**
 * Reductions: sums, means, norms, extrema and truth over some or all dimensions, by functions of Python and by the
 * dispatcher's ops; and scans, which make every result element from the elements before it along a dimension.
 */
import { entryOf, type ByName } from '../../by-name.js';
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { ArgValue, OpCall, Arg } from '../../../record/record.js';
import { isDispatched, dtypeGiven, dtypeAt } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensors, inputTensor, tensorOf, resolveDimension, integers } from '../../operands.js';
import { helperWork, tensor, tensorParams, workOf } from '../../work.js';
import { pointwiseAs } from '../pointwise/pointwise.js';
import { category, floatingType } from '../../schema/promotion.js';
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { bind, type BoundArguments } from '../../schema/binding.js';

const SCAN_SOURCE = 'one update of the running value per element; each element read once and written once';

/** The result: of the input's extents, and the type of the `out` tensor, `dtype`, or the default. */
const running = (bound: BoundCall, input: Tensor, byDefault: string): Tensor =>
  tensor(input.shape, bound.outs[0]?.dtype ?? dtypeAt(bound.arg('dtype')) ?? byDefault);

/** @param widens whether sums of whole numbers are int64 */
const plain = (flops: number, widens: boolean): RuleCost =>
  withTensors('self', (input, bound) => {
    const own = category(input.dtype);
    const result = running(bound, input, widens && (own === 'int' || own === 'bool') ? 'int64' : input.dtype);
    const formula = `flops = ${flops}·E; bytes = input + result`;
    return { flops: flops * numel(input.shape), writes: [result], formula };
  });

/** Values, and int64 positions; where these are arguments, the kernel writes them. */
const scanExtremum = withTensors('self', (input, bound) => {
  const given = bound.tensorsOf('values indices');
  const made = [running(bound, input, input.dtype), tensor(input.shape, 'int64')];
  const formula = 'flops = 1·E; bytes = input + values and positions';
  return { flops: numel(input.shape), writes: given.length > 0 ? given : made, formula };
});

/** Larger of two, difference, exponential, logarithm, sum. */
const LOG_SUM_EXP = 5;

const RULES = rules`
  ${plain(1, true)} cumsum cumprod: @self dim dtype
  ${plain(1, false)} cumsum_ cumprod_: @self dim dtype
  ${plain(1, true)} _cumsum _cumprod: @self dim
  ${plain(LOG_SUM_EXP, false)} logcumsumexp _logcumsumexp: @self dim
  ${scanExtremum} cummax cummin: @self dim
  ${scanExtremum} _cummax_helper _cummin_helper: @self !values !indices dim
`;

export const scan: Family = {
  id: 'scan',
  title: 'Scans: cumulative sums, products, extrema, log-sum-exp',
  ops: Object.keys(RULES),
  formulas: ['flops = E; logcumsumexp 5·E', 'bytes = input + result (and int64 positions of cummax and cummin)'],
  work: workByRules(RULES, SCAN_SOURCE),
};

/** Extents without those of the given dimensions, of all for an empty list; null when there is none such. */
function reducedShape({ shape }: Tensor, dim: ArgValue): number[] | null {
  const dims = integers(dim)?.map((at) => resolveDimension(at, shape.length));
  if (dims === undefined || dims.includes(null)) return null;
  const reduced = new Set(dims);
  return reduced.size === 0 ? [] : shape.filter((_, at) => !reduced.has(at));
}

/** @param dtype the argument `dtype`, or null */
function reducedType({ result }: Reduction, input: Tensor, dtype: string | null): string | null {
  if (result === 'bool' || result === 'int64') return result;
  if (dtype !== null) return dtype;
  const kind = category(input.dtype);
  if (result === 'float') return floatingType(input.dtype);
  return result === 'sum' && (kind === 'bool' || kind === 'int') ? 'int64' : input.dtype;
}

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

const REDUCTIONS: ByName<Reduction> = {
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

const SOURCE = 'PyProf (sum E, mean E + 1, norm 2·E + 1), per result element; backward: the derivative of the op';

/** Extents of the result without `keepdim`; null when `dim` does not fit. */
const resultShape = (input: Tensor, dim: ArgValue | undefined): number[] | null =>
  dim === undefined || dim === null || typeof dim === 'boolean' || typeof dim === 'string'
    ? []
    : reducedShape(input, dim);

/** A second pass over partial results, or arithmetic on the result. */
const isSecondPass = (kernel: KernelFacts): boolean =>
  kernel.sub > 0 && (!/reduce/i.test(kernel.name) || /pass_?2|lastblock/i.test(kernel.name));

function forward(kind: Reduction, input: Tensor, result: Tensor, indices: boolean): Work {
  const [perInput, perResult] = kind.flops;
  const positions = indices ? [tensor(result.shape, 'int64')] : [];
  return workOf({
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
  return workOf({
    flops: perElement * numel(input.shape) + (reread ? numel(result.shape) : 0),
    reads: [result, ...positions, ...(reread ? [input, result] : [])],
    writes: [input],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E${reread ? ' + E(result)' : ''}; bytes = gradient of the result${reread ? ' + input + result' : ''} + gradient of the input`,
    source: SOURCE,
  });
}

/** The larger of two: the second tensor has dimensions too (an out tensor of a full reduction has none). */
function isPair(call: OpCall, input: Tensor): boolean {
  const other = tensorOf(positional(call)[1]);
  return other !== null && (other.shape.length > 0 || input.shape.length === 0);
}

function dispatched(kind: Reduction, call: OpCall, kernel: KernelFacts): Work | null {
  const input = tensorOf(positional(call)[0]);
  if (input === null) return null;
  if (kind.pair !== undefined && isPair(call, input)) return pointwiseAs(kind.pair, call, kernel);
  return dispatchedReduction(kind, call);
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const kind = entryOf(REDUCTIONS, call);
  if (kind !== undefined && isDispatched(call)) return dispatched(kind, call, kernel);
  const given = inputTensors(call);
  const input = inputTensor(call);
  if (kind === undefined || given === null || input === null) return null;
  if (given.length === 2 && kind.pair !== undefined) return pointwiseAs(kind.pair, call, kernel);
  const dim = argument(call, 'dim', kind.dim)?.value;
  const shape = resultShape(input, dim);
  if (shape === null) return null;
  if (isSecondPass(kernel)) return helperWork(tensorParams(input), SOURCE);
  const result = tensor(shape, reducedType(kind, input, dtypeGiven(call)));
  const indices = kind.indices === true && typeof dim === 'number';
  // A truth value or a position has no gradient: such a kernel computes the forward result again (checkpointing).
  const derives = kernel.dir === 'bprop' && kind.result !== 'bool' && kind.result !== 'int64';
  return derives ? backward(kind, input, result, indices) : forward(kind, input, result, indices);
}

export const reduction: Family = {
  id: 'reduction',
  title: 'Reductions: sum, mean, norm, variance, extrema, median, any, all',
  ops: Object.keys(REDUCTIONS),
  formulas: [
    'flops: sum, prod, max, argmax, any, all E; mean E + E(result); norm 2·E + E(result); var 3·E + E(result); logsumexp 4·E + 2·E(result)',
    'a mean as the dispatcher runs it: E (n − 1 additions and a division); aminmax 2·E; median, mode, kthvalue at least E',
    'bytes = input + result (and int64 positions of max and min over a dimension); unknown where the dimensions are unspecified',
    'backward: sum 0 flops, gradient + gradient of the input; mean E; norm E + E(result), input and result read again',
    'kernels after the first are helpers, unless their names say that they reduce (the next call under one sequence id)',
  ],
  work,
};

const CALL_SOURCE = 'operations per element: src/ops/families/reduction/reduction.ts; result types: PyTorch';

/** Extents of the result without `keepdim`; or that the dimensions are unspecified, or out of range. */
type ReducedExtents = readonly number[] | 'unspecified' | 'misfit';

function extents(input: Tensor, dim: Arg | undefined): ReducedExtents {
  if (dim === undefined || dim.type === 'NoneType' || dim.value === null) return [];
  // One dimension at most: reducing it reduces all.
  if (dim.value === undefined) return input.shape.length <= 1 ? [] : 'unspecified';
  // A tensor without dimensions may be reduced over its first.
  return input.shape.length === 0 ? [] : (reducedShape(input, dim.value) ?? 'misfit');
}

/** Values, and their positions where the op returns these for a dimension. */
function resultsOf(kind: Reduction, input: Tensor, bound: BoundArguments, shape: readonly number[]): Tensor[] {
  const values = tensor(shape, bound.outs[0]?.dtype ?? reducedType(kind, input, dtypeAt(bound.arg('dtype'))));
  const positioned = kind.indices === true && bound.arg('dim') !== undefined;
  return [...Array.from({ length: kind.results ?? 1 }, () => values), ...(positioned ? [tensor(shape, 'int64')] : [])];
}

/** The work of the dispatcher's call; null when its arguments do not fit. */
function dispatchedReduction(kind: Reduction, call: OpCall): Work | null {
  const bound = bind(call, ...kind.signatures);
  const input = bound?.tensor('self') ?? null;
  if (bound === null || input === null) return null;
  const recorded = extents(input, bound.arg('dim'));
  // The gradient of the result (`OpCall.out`) has its extents.
  const shape = recorded === 'unspecified' ? (call.out?.[0] ?? recorded) : recorded;
  if (shape === 'misfit') return null;
  const [perInput, perResult] = kind.dispatched ?? kind.flops;
  const results = shape === 'unspecified' ? [] : resultsOf(kind, input, bound, shape);
  const flops = perInput * numel(input.shape) + perResult * numel(results[0]?.shape ?? []);
  const isKnown = shape !== 'unspecified';
  return workOf({
    flops: isKnown || perResult === 0 ? flops : null,
    reads: [input],
    writes: isKnown ? results : null,
    params: tensorParams(input),
    formula: `flops = ${perInput}·E${perResult > 0 ? ` + ${perResult}·E(result)` : ''}; bytes = input + ${results.length > 1 ? 'results' : 'result'}`,
    source: CALL_SOURCE,
    ...(isKnown ? {} : { unknown: 'the reduced dimensions are unspecified' }),
  });
}
