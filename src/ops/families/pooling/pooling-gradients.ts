/** Gradients of the dispatcher's pooling ops, and fractional pooling. */
import { numel, type Tensor } from '../../call.js';
import { rules, withTensors, type BoundCall } from '../../schema/op-rules.js';
import { opName } from '../../operands.js';
import { tensor, writing } from '../../work.js';
import { perDimension } from './pooling-window.js';
import { rankInName } from '../rank-in-name.js';

const UNSPECIFIED = 'the extents of the window are unspecified';

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

export const POOLING_RULES = rules`
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
