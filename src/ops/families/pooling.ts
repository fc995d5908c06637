/** Pooling over sliding and adaptive windows, fractional pooling, and their gradients. */
import { numel, type Tensor } from '../call.js';
import type { ArgValue } from '../../record/record.js';
import type { Family } from '../family.js';
import { opName, integers, rankInName } from '../operands.js';
import { ruleWork, rules, withTensors, type BoundCall, type RuleCost } from '../schema/op-rules.js';
import { tensor, writing } from '../work.js';
import { elementAt } from '../../containers/element.js';

/** One number for each dimension of the window; a single number applies to all. */
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

/** The result, and the total number of elements in its windows. */
interface Windows {
  readonly result: Tensor;
  readonly elements: number;
}

/** Windows of the given size; null when the arguments do not fit. */
type WindowsOf = (bound: BoundCall, input: Tensor, size: readonly number[]) => Windows | null;

const sliding: WindowsOf = (bound, input, size) => {
  const rank = size.length;
  const given = (name: string, fallback: readonly number[]): readonly number[] | null =>
    perDimension(bound.value(name), rank, fallback);
  const [stride, padding] = [given('stride', size), given('padding', new Array<number>(rank).fill(0))];
  const dilation = given('dilation', new Array<number>(rank).fill(1));
  const up = bound.flag('ceil_mode') === true;
  if (stride === null || padding === null || dilation === null) return null;
  const extents = input.shape.slice(-rank).map((extent, i) => {
    const [k, s] = [elementAt(size, i), elementAt(stride, i)];
    const [p, d] = [elementAt(padding, i), elementAt(dilation, i)];
    const steps = (extent + 2 * p - d * (k - 1) - 1) / s;
    const count = (up ? Math.ceil(steps) : Math.floor(steps)) + 1;
    // A window that starts in the padding after the input is not used.
    return up && (count - 1) * s >= extent + p ? count - 1 : count;
  });
  if (!size.every((k) => k > 0) || !extents.every((extent) => Number.isInteger(extent) && extent >= 0)) return null;
  const result = tensor([...input.shape.slice(0, -rank), ...extents], input.dtype);
  return { result, elements: numel(size) * numel(result.shape) };
};

/**
 * Adaptive windows partition the input; an element in two overlapping windows is counted once. Every window has at
 * least one element, even if there are more windows than elements.
 */
const adaptive: WindowsOf = (_, input, size) => {
  if (size.some((extent) => extent <= 0)) return null;
  const result = tensor([...input.shape.slice(0, -size.length), ...size], input.dtype);
  return { result, elements: Math.max(numel(input.shape), numel(result.shape)) };
};

const SOURCE = 'PyTorch output-size formula; one operation per window element; max pooling writes int64 positions';

const UNSPECIFIED = 'the size of the window is unspecified';

/** The gradient adds once for each maximum. */
const maximumGradient = (input: Tensor, gradient: Tensor, positions: readonly Tensor[]) => ({
  flops: numel(gradient.shape),
  reads: [gradient, ...positions],
  writes: [input],
  formula: 'flops = E(result); bytes = gradient + positions + gradient of the input',
});

/** Every gradient is added to all elements of its window. */
const averageGradient = (input: Tensor, gradient: Tensor, elements: number | null) => ({
  flops: elements,
  reads: [gradient],
  writes: [input],
  formula: 'flops = window·E(result), adaptive E(input); bytes = gradient + gradient of the input',
});

/**
 * The size of the windows, or of an adaptive op's result, in which None keeps the extent of the input; [] if
 * unspecified.
 */
function sizeOf(bound: BoundCall, input: Tensor): readonly number[] | null {
  const arg = bound.arg('kernel_size') ?? bound.arg('output_size');
  if (arg === undefined) return null;
  const [rank, { value }] = [rankInName(opName(bound.call)), arg];
  const kept = input.shape.slice(-rank);
  const filled = Array.isArray(value)
    ? (value as readonly ArgValue[]).map((size, i) => size ?? kept[i] ?? null)
    : value;
  return perDimension(filled, rank, []);
}

/** Max pooling also writes the positions of the maxima. */
const pooled = (windowsOf: WindowsOf, isMaximum: boolean): RuleCost =>
  withTensors('self', (input, bound) => {
    const size = sizeOf(bound, input);
    if (size === null || input.shape.length < size.length) return null;
    const formula = `flops = window·E(result), adaptive E(input); bytes = input + result${isMaximum ? ' + int64 positions' : ''}`;
    if (size.length === 0) return { flops: null, writes: null, formula, unknown: UNSPECIFIED };
    const windows = windowsOf(bound, input, size);
    if (windows === null) return null;
    const { result, elements } = windows;
    const positions = isMaximum ? [tensor(result.shape, 'int64')] : [];
    if (bound.kernel.dir !== 'bprop') return { flops: elements, writes: [result, ...positions], formula };
    return isMaximum ? maximumGradient(input, result, positions) : averageGradient(input, result, elements);
  });

const ofMaximum = withTensors('self grad_output', (input, gradient, bound) =>
  maximumGradient(input, gradient, bound.tensors('indices')),
);

/** Number of elements in one window, from `kernel_size`; null when it is unspecified. */
function windowElements(bound: BoundCall): number | null {
  const size = perDimension(bound.value('kernel_size'), rankInName(opName(bound.call)), []);
  return size === null || size.length === 0 ? null : numel(size);
}

const ofAverage = withTensors('self grad_output', (input, gradient, bound) => {
  const window = windowElements(bound);
  if (window === null) return { ...averageGradient(input, gradient, null), unknown: UNSPECIFIED };
  return averageGradient(input, gradient, window * numel(gradient.shape));
});

const ofAdaptiveAverage = withTensors('self grad_output', (input, gradient) =>
  averageGradient(input, gradient, Math.max(numel(input.shape), numel(gradient.shape))),
);

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

/** Maxima are copied back to their positions; the rest is zero. */
const unpooled = withTensors('self', (input, bound) => ({
  flops: 0,
  ...writing(sized(bound, input), 'the shape of the result is unspecified'),
  formula: 'flops = 0; bytes = input + positions + result',
}));

const WINDOW = 'kernel_size stride padding';

const SLIDING =
  'max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices';

const POOLING_RULES = rules`
  ${pooled(sliding, true)} ${SLIDING}: @self ${WINDOW} dilation ceil_mode
  ${pooled(sliding, false)} avg_pool1d avg_pool2d avg_pool3d: @self ${WINDOW} ceil_mode count_include_pad divisor_override
  ${pooled(adaptive, false)} adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool2d
      _adaptive_avg_pool3d: @self output_size
  ${pooled(adaptive, true)} adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d: @self output_size
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
  category: 'resampling',
  ops: Object.keys(POOLING_RULES),
  formulas: [
    'flops = window·E(result), a comparison or addition per element; adaptive: E(input), but at least E(result); backward of max: E(result)',
    'bytes = input + result, max also 8·E(result) for the positions; backward: the same, reads and writes swapped',
  ],
  work: (call, kernel) => ruleWork(POOLING_RULES, call, kernel, SOURCE),
};
