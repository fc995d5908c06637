/** Pooling over sliding and adaptive windows, fractional pooling, and the gradients of the dispatcher's ops. */
import { argument, numel, type Tensor } from '../call.js';
import type { OpCall, ArgValue } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { isDispatched } from '../schema/dispatched.js';
import { opName, inputTensor, integers, rankInName } from '../operands.js';
import { ruleWork, rules, withTensors, type BoundCall } from '../schema/op-rules.js';
import { tensor, tensorParams, workOf, writing } from '../work.js';
import { elementAt } from '../../containers/element.js';

/** Max pooling writes the positions of the maxima too. */
const isMax = (op: string): boolean => op.includes('max');

/** One number per dimension of the window; a single number applies to all. */
function perDimension(
  value: ArgValue | undefined,
  rank: number,
  fallback: readonly number[],
): readonly number[] | null {
  if (value === undefined || value === null) return fallback;
  const list = integers(value);
  if (list?.length === 0) return fallback;
  if (list?.length === 1) return new Array<number>(rank).fill(elementAt(list, 0));
  return list?.length === rank ? list : null;
}

interface Window {
  readonly result: Tensor;
  readonly elements: number;
}

/** Positions of dilation and ceil_mode differ between max and average pooling. */
function slidingWindow(call: OpCall, input: Tensor): Window | null {
  const op = opName(call);
  const rank = rankInName(op);
  const given = (name: string, position: number, fallback: readonly number[]): readonly number[] | null =>
    perDimension(argument(call, name, position)?.value, rank, fallback);
  const ones = new Array<number>(rank).fill(1);
  const size = given('kernel_size', 1, []);
  if (size?.length !== rank) return null;
  const stride = given('stride', 2, size);
  const padding = given('padding', 3, new Array<number>(rank).fill(0));
  const dilation = isMax(op) ? given('dilation', 4, ones) : ones;
  const up = argument(call, 'ceil_mode', isMax(op) ? 5 : 4)?.value === true;
  if (stride === null || padding === null || dilation === null || input.shape.length < rank) return null;
  const kept = input.shape.slice(0, -rank);
  const extents = input.shape.slice(-rank).map((extent, i) => {
    const [k, s] = [elementAt(size, i), elementAt(stride, i)];
    const [p, d] = [elementAt(padding, i), elementAt(dilation, i)];
    const steps = (extent + 2 * p - d * (k - 1) - 1) / s;
    const count = (up ? Math.ceil(steps) : Math.floor(steps)) + 1;
    // A window that starts in the padding after the input is left out.
    return up && (count - 1) * s >= extent + p ? count - 1 : count;
  });
  const valid = size.every((k) => k > 0) && extents.every((extent) => Number.isInteger(extent) && extent >= 0);
  return valid ? { result: tensor([...kept, ...extents], input.dtype), elements: numel(size) } : null;
}

/** Adaptive windows partition the input: elements in two overlapping windows are counted once. */
function adaptiveWindow(call: OpCall, input: Tensor): Window | null {
  const rank = rankInName(opName(call));
  if (input.shape.length < rank) return null;
  const own = input.shape.slice(-rank);
  const value = argument(call, 'output_size', 1)?.value;
  // None keeps an extent.
  const filled = Array.isArray(value) ? (value as readonly ArgValue[]).map((size, i) => size ?? own[i] ?? null) : value;
  const extents = perDimension(filled, rank, []);
  if (extents?.length !== rank || extents.some((extent) => extent <= 0)) return null;
  const result = tensor([...input.shape.slice(0, -rank), ...extents], input.dtype);
  return { result, elements: numel(input.shape) / numel(result.shape) };
}

const SOURCE = 'PyTorch output-size formula; one operation per window element; max pooling writes int64 positions';

const FORMULA = 'flops = window·E(result); bytes = input + result';
const UNSPECIFIED = 'the extents of the window are unspecified';

/** Whether the extents of the window, or of an adaptive op's result, are unspecified. */
const isUnspecified = (call: OpCall): boolean =>
  isDispatched(call) && integers(argument(call, 'kernel_size', 1)?.value) === null;

function forward(call: OpCall, kernel: KernelFacts): Work | null {
  const op = opName(call);
  const input = inputTensor(call);
  if (input === null) return null;
  const params = tensorParams(input);
  if (isUnspecified(call))
    return workOf({ writes: null, flops: null, params, formula: FORMULA, source: SOURCE, unknown: UNSPECIFIED });
  const window = op.includes('adaptive') ? adaptiveWindow(call, input) : slidingWindow(call, input);
  if (window === null || !Number.isSafeInteger(numel(window.result.shape))) return null;
  const { result, elements } = window;
  const positions = isMax(op) ? [tensor(result.shape, 'int64')] : [];
  const backward = kernel.dir === 'bprop';
  const perResult = backward && isMax(op) ? 1 : elements;
  const flops = Math.round(perResult * numel(result.shape));
  if (!Number.isSafeInteger(flops)) return null;
  return workOf({
    flops,
    reads: backward ? [result, ...positions] : [input],
    writes: backward ? [input] : [result, ...positions],
    params,
    formula: `flops = ${backward && isMax(op) ? '1' : 'window'}·E(result); bytes = input + result${isMax(op) ? ' + int64 positions' : ''}`,
    source: SOURCE,
  });
}

const NAMES =
  'max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices ' +
  'avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d ' +
  '_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d';

const FORWARD = NAMES.split(' ');

/** Gradients and fractional windows of the dispatcher have rules. */
const work = (call: OpCall, kernel: KernelFacts): Work | null =>
  FORWARD.includes(opName(call)) ? forward(call, kernel) : ruleWork(POOLING_RULES, call, kernel, SOURCE);

/** One addition for each maximum. */
const ofMaximum = withTensors('self grad_output', (input, gradient, bound) => ({
  flops: numel(gradient.shape),
  reads: bound.tensorsOf('grad_output indices'),
  writes: [input],
  formula: 'flops = E(result); bytes = gradient + positions + gradient of the input',
}));

/** Elements of one window by `kernel_size`; null when it is unspecified. */
function windowElements(bound: BoundCall): number | null {
  const size = perDimension(bound.value('kernel_size'), rankInName(opName(bound.call)), []);
  return size === null || size.length === 0 ? null : numel(size);
}

/** Every gradient goes to all elements of its window. */
const ofAverage = withTensors('self grad_output', (input, gradient, bound) => {
  const window = windowElements(bound);
  return {
    flops: window === null ? null : window * numel(gradient.shape),
    reads: [gradient],
    writes: [input],
    formula: 'flops = window·E(result); bytes = gradient + gradient of the input',
    ...(window === null ? { unknown: UNSPECIFIED } : {}),
  };
});

/** The windows partition the input: one addition for each of its elements. */
const ofAdaptiveAverage = withTensors('self grad_output', (input, gradient) => ({
  flops: Math.max(numel(input.shape), numel(gradient.shape)),
  reads: [gradient],
  writes: [input],
  formula: 'flops = E(input); bytes = gradient + gradient of the input',
}));

/** The result of an op with an argument `output_size`; null when it is unspecified. */
function sized(bound: BoundCall, input: Tensor): Tensor | null {
  const rank = rankInName(opName(bound.call));
  const size = perDimension(bound.value('output_size'), rank, []);
  if (size?.length !== rank || input.shape.length < rank) return null;
  return tensor([...input.shape.slice(0, -rank), ...size], input.dtype);
}

const fractional = withTensors('self', (input, bound) => {
  const [result, window] = [sized(bound, input), windowElements(bound)];
  const formula = 'flops = window·E(result); bytes = input + samples + result + int64 positions';
  if (result === null || window === null) return { flops: null, writes: null, formula, unknown: UNSPECIFIED };
  const writes = [result, tensor(result.shape, 'int64')];
  return { flops: window * numel(result.shape), writes, formula };
});

/** Maxima go back to their positions; the rest is zero. */
const unpooled = withTensors('self', (input, bound) => ({
  flops: 0,
  ...writing(sized(bound, input), 'the extents of the result are unspecified'),
  formula: 'flops = 0; bytes = input + positions + result',
}));

const WINDOW = 'kernel_size stride padding';

const POOLING_RULES = rules`
  ${ofMaximum} max_pool2d_with_indices_backward max_pool3d_with_indices_backward: @grad_output @self ${WINDOW}
      dilation ceil_mode @indices
  ${ofAverage} avg_pool2d_backward avg_pool3d_backward: @grad_output @self ${WINDOW} ceil_mode count_include_pad
      divisor_override
  ${ofAdaptiveAverage} _adaptive_avg_pool2d_backward adaptive_avg_pool3d_backward _adaptive_avg_pool3d_backward:
      @grad_output @self
  ${ofMaximum} adaptive_max_pool2d_backward adaptive_max_pool3d_backward: @grad_output @self @indices
  ${fractional} fractional_max_pool2d fractional_max_pool3d: @self kernel_size output_size @random_samples
  ${ofMaximum} fractional_max_pool2d_backward fractional_max_pool3d_backward: @grad_output @self kernel_size
      output_size @indices
  ${unpooled} max_unpool2d: @self @indices output_size
  ${unpooled} max_unpool3d: @self @indices output_size stride padding
`;

export const pooling: Family = {
  id: 'pooling',
  title: 'Pooling: maximum, average, adaptive',
  ops: [...FORWARD, ...Object.keys(POOLING_RULES)],
  formulas: [
    'flops = window·E(result), a comparison or addition per element; adaptive: E(input); backward of max: E(result)',
    'bytes = input + result, max also 8·E(result) for the positions; backward the same, the other way round',
  ],
  work,
};
