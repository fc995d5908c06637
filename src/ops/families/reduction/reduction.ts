/**
 * Reductions: sums, means, norms, extrema and truth over some or all dimensions; and scans, which make every result element
 * from the elements before it along a dimension.
 */
import { entryOf, mapEntries, type ByName } from '../../by-name.js';
import { numel, type Tensor } from '../../call.js';
import type { ArgValue, OpCall, Arg } from '../../../record/record.js';
import { dtypeAt } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensor, tensorAt, resolveDimension, integers } from '../../operands.js';
import { helperCost, tensor, tensorParams } from '../../work.js';
import { pointwiseAs } from '../pointwise/pointwise.js';
import { category, floatingType } from '../../schema/promotion.js';
import {
  rules,
  ruleWork,
  withTensors,
  workByRules,
  type BoundCall,
  type OpRules,
  type RuleCost,
} from '../../schema/op-rules.js';

const SCAN_SOURCE = 'updates the running value once per element; reads and writes each element once';

/** The result: with the input's extents, and the type of the `out` tensor, `dtype`, or the default. */
const running = (bound: BoundCall, input: Tensor, byDefault: string): Tensor =>
  tensor(input.shape, bound.outs[0]?.dtype ?? dtypeAt(bound.arg('dtype')) ?? byDefault);

/** @param widens whether sums of integers are int64 */
const plain = (flops: number, widens: boolean): RuleCost =>
  withTensors('self', (input, bound) => {
    const inputCategory = category(input.dtype);
    const result = running(
      bound,
      input,
      widens && (inputCategory === 'int' || inputCategory === 'bool') ? 'int64' : input.dtype,
    );
    const formula = `flops = ${flops}·E; bytes = input + result`;
    return { flops: flops * numel(input.shape), writes: [result], formula };
  });

/** Values, and int64 positions; the kernel writes them to the arguments if they are passed. */
const scanExtremum = withTensors('self', (input, bound) => {
  const given = bound.tensorsOf('values indices');
  const made = [running(bound, input, input.dtype), tensor(input.shape, 'int64')];
  const formula = 'flops = 1·E; bytes = input + values and positions';
  return { flops: numel(input.shape), writes: given.length > 0 ? given : made, formula };
});

/** Maximum of two, difference, exponential, logarithm, sum. */
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
  category: 'reduction',
  ops: Object.keys(RULES),
  formulas: ['flops = E; logcumsumexp 5·E', 'bytes = input + result (and int64 positions of cummax and cummin)'],
  work: workByRules(RULES, SCAN_SOURCE),
};

/** Extents without the given dimensions, or without any for an empty list; null when a dimension does not exist. */
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
  /** Type of the result: the input's, int64 for sums of integers, floating point, bool, or int64 positions. */
  readonly result: 'same' | 'sum' | 'float' | 'bool' | 'int64';
  /** Whether, with `dim`, positions are returned in addition to the values. */
  readonly indices?: boolean;
  /** Backward: operations per input element, and whether input and result are read again. */
  readonly backward: readonly [flops: number, saved: boolean];
  /** The op on two tensors with the same name. */
  readonly pair?: string;
  /** PyProf's count, where it is not `flops`. */
  readonly pyprof?: readonly [perInput: number, perResult: number];
  /** Signatures for `bind`; the first one fits Python. */
  readonly signatures: readonly string[];
  /** Number of results of one type; by default one. */
  readonly results?: number;
}

const reduce = (
  flops: readonly [number, number],
  result: Reduction['result'],
  more: Partial<Reduction> = {},
): Reduction => ({
  flops,
  result,
  backward: [0, false],
  signatures: ['@self dim keepdim', '@self'],
  ...more,
});

const saved: Partial<Reduction> = { backward: [1, true] };
const summed: Partial<Reduction> = { signatures: ['@self dim keepdim dtype', '@self dtype', '@self dim dtype'] };
const spread: Partial<Reduction> = {
  ...saved,
  signatures: ['@self dim unbiased keepdim', '@self unbiased', '@self dim correction keepdim'],
};
const norm: Partial<Reduction> = {
  ...saved,
  signatures: ['@self p dim keepdim dtype', '@self p', '@self p dim keepdim', '@self p dtype'],
};
const vectorNorm: Partial<Reduction> = { ...saved, signatures: ['@self ord dim keepdim dtype'] };
const overOneDim: Partial<Reduction> = { signatures: ['@self dim keepdim'] };
const extremum = reduce([1, 0], 'same', { indices: true });
/** A mean takes n − 1 additions and a division. */
const mean = reduce([1, 0], 'same', { ...summed, backward: [1, false], pyprof: [1, 1] });
const prod = reduce([1, 0], 'sum', { ...saved, ...summed });

const REDUCTIONS: ByName<Reduction> = {
  sum: reduce([1, 0], 'sum', summed),
  nansum: reduce([1, 0], 'sum', { signatures: ['@self dim keepdim dtype'] }),
  mean,
  nanmean: mean,
  // A product and a sum per element, a root per result.
  norm: reduce([2, 1], 'float', norm),
  linalg_vector_norm: reduce([2, 1], 'float', vectorNorm),
  vector_norm: reduce([2, 1], 'float', vectorNorm),
  // Welford's update per element: difference from a running mean, product, sum; a division (and a root) per result.
  var: reduce([3, 1], 'float', spread),
  std: reduce([3, 2], 'float', spread),
  var_mean: reduce([3, 2], 'float', { ...spread, results: 2 }),
  std_mean: reduce([3, 3], 'float', { ...spread, results: 2 }),
  prod,
  logsumexp: reduce([4, 2], 'float', { ...saved, ...overOneDim }),
  max: { ...extremum, pair: 'maximum' },
  min: { ...extremum, pair: 'minimum' },
  amax: reduce([1, 0], 'same', { ...saved, ...overOneDim }),
  amin: reduce([1, 0], 'same', { ...saved, ...overOneDim }),
  // Two comparisons per element.
  aminmax: reduce([2, 0], 'same', { ...saved, ...overOneDim, results: 2 }),
  _aminmax: reduce([2, 0], 'same', { results: 2 }),
  argmax: reduce([1, 0], 'int64', overOneDim),
  argmin: reduce([1, 0], 'int64', overOneDim),
  any: reduce([1, 0], 'bool'),
  all: reduce([1, 0], 'bool'),
  count_nonzero: reduce([1, 0], 'int64', { signatures: ['@self dim'] }),
  // Selection compares every element at least once.
  median: extremum,
  nanmedian: extremum,
  mode: { ...extremum, ...overOneDim },
  kthvalue: { ...extremum, signatures: ['@self k dim keepdim'] },
};

const SOURCE =
  'operations per element: src/ops/families/reduction/reduction.ts; result types: PyTorch; backward: the derivative of the op';

/** A second pass over partial results, or arithmetic on the result. */
const isSecondPass = (kernel: KernelFacts): boolean =>
  kernel.sub > 0 && (!/reduce/i.test(kernel.name) || /pass_?2|lastblock/i.test(kernel.name));

/**
 * Extents of the result without `keepdim`, or the reason why they are unknown: dimensions unspecified or out of range.
 */
type ReducedExtents = readonly number[] | 'unspecified' | 'misfit';

function extents(input: Tensor, dim: Arg | undefined): ReducedExtents {
  if (dim === undefined || dim.type === 'NoneType' || dim.value === null || typeof dim.value === 'boolean') return [];
  // If there is at most one dimension, reducing it reduces everything.
  if (dim.value === undefined) return input.shape.length <= 1 ? [] : 'unspecified';
  // A tensor without dimensions may be reduced over dimension 0.
  return input.shape.length === 0 ? [] : (reducedShape(input, dim.value) ?? 'misfit');
}

/** Values, and their positions if the op returns these for a dimension. */
function resultsOf(kind: Reduction, input: Tensor, bound: BoundCall, shape: readonly number[]): Tensor[] {
  const values = tensor(shape, bound.outs[0]?.dtype ?? reducedType(kind, input, dtypeAt(bound.arg('dtype'))));
  const positioned = kind.indices === true && bound.arg('dim') !== undefined;
  return [...Array.from({ length: kind.results ?? 1 }, () => values), ...(positioned ? [tensor(shape, 'int64')] : [])];
}

/** The gradient, spread over the input, of an op whose result is neither a truth value nor a position. */
function spreadGradient(kind: Reduction, input: Tensor, results: readonly Tensor[]) {
  const [perElement, reread] = kind.backward;
  const result = results.slice(0, 1);
  const positions = results.slice(kind.results ?? 1);
  return {
    flops: perElement * numel(input.shape) + (reread ? numel(result[0]?.shape ?? []) : 0),
    reads: [...result, ...positions, ...(reread ? [input, ...result] : [])],
    writes: [input],
    formula: `flops = ${perElement}·E${reread ? ' + E(result)' : ''}; bytes = gradient of the result${reread ? ' + input + result' : ''} + gradient of the input`,
  };
}

const reduced = (kind: Reduction): RuleCost =>
  withTensors('self', (input, bound) => {
    const { kernel, call } = bound;
    const recorded = extents(input, bound.arg('dim'));
    // The gradient of the result (`OpCall.out`) has the same extents.
    const shape = recorded === 'unspecified' ? (call.out?.[0] ?? recorded) : recorded;
    if (shape === 'misfit') return null;
    if (isSecondPass(kernel)) return helperCost(tensorParams(input));
    const [perInput, perResult] = (kernel.convention === 'pyprof' ? kind.pyprof : undefined) ?? kind.flops;
    const results = shape === 'unspecified' ? [] : resultsOf(kind, input, bound, shape);
    // A boolean or a position has no gradient, so the kernel recomputes the forward result (checkpointing).
    if (kernel.dir === 'bprop' && kind.result !== 'bool' && kind.result !== 'int64')
      return spreadGradient(kind, input, results);
    const isKnown = shape !== 'unspecified';
    const flops = perInput * numel(input.shape) + perResult * numel(results[0]?.shape ?? []);
    return {
      flops: isKnown || perResult === 0 ? flops : null,
      writes: isKnown ? results : null,
      formula: `flops = ${perInput}·E${perResult > 0 ? ` + ${perResult}·E(result)` : ''}; bytes = input + ${results.length > 1 ? 'results' : 'result'}`,
      ...(isKnown ? {} : { unknown: 'the reduced dimensions are unspecified' }),
    };
  });

const REDUCTION_RULES: OpRules = mapEntries(REDUCTIONS, (kind) => ({
  fact: reduced(kind),
  signatures: kind.signatures,
}));

/**
 * Whether it is the maximum or minimum of two tensors: the second tensor has dimensions (an out tensor of a full reduction
 * has none).
 */
function isPair(call: OpCall): boolean {
  const [input, other] = [inputTensor(call), tensorAt(call, 'other', 1)];
  return other !== null && (other.shape.length > 0 || input?.shape.length === 0);
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const pair = entryOf(REDUCTIONS, call)?.pair;
  return pair !== undefined && isPair(call)
    ? pointwiseAs(pair, call, kernel)
    : ruleWork(REDUCTION_RULES, call, kernel, SOURCE);
}

export const reduction: Family = {
  id: 'reduction',
  title: 'Reductions: sum, mean, norm, variance, extrema, median, any, all',
  category: 'reduction',
  ops: Object.keys(REDUCTIONS),
  formulas: [
    'flops: sum, prod, max, argmax, any, all E; mean E (n − 1 additions and a division); norm 2·E + E(result); var 3·E + E(result); logsumexp 4·E + 2·E(result)',
    'aminmax 2·E; median, mode, kthvalue at least E; `--convention pyprof`: mean E + E(result)',
    'bytes = input + result (and int64 positions of max and min over a dimension); unknown where the dimensions are unspecified',
    'backward: sum 0 flops, bytes = gradient + gradient of the input; mean E flops; norm E + E(result) flops, input and result read again',
    'kernels after the first are helpers, unless named as reductions (then they belong to the next call with the same sequence id)',
  ],
  work,
};
