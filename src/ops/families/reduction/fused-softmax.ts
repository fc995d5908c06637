/** Softmax ops with a mask or scale, and the gradients of softmax. */
import { numel, type Tensor } from '../../call.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';

/**
 * Operations per element. Forward: maximum, subtraction, exponential, sum, division (or subtraction of the logarithm).
 * Backward: y·(g − Σ g·y), or g − exp(y)·Σ g.
 */
export const SOFTMAX = { forward: 5, backward: 4 } as const;
const [FORWARD, BACKWARD] = [SOFTMAX.forward, SOFTMAX.backward];
/** A scale or a mask. */
const EACH = 1;

/** y·(g − Σ g·y), or g − exp(y)·Σ g. The type of the result is a number, in older versions that of the input. */
const backward = withTensors('grad_output output', (gradient, output, bound) => {
  const dtype = bound.tensor('self')?.dtype ?? dtypeAt(bound.arg('input_dtype')) ?? gradient.dtype;
  return {
    flops: BACKWARD * numel(output.shape),
    reads: bound.tensorsOf('grad_output output mask'),
    writes: [tensor(output.shape, dtype)],
    formula: `flops = ${BACKWARD}·E; bytes = gradient + saved result + gradient of the input`,
  };
});

const masked = withTensors('self', (input) => ({
  flops: (FORWARD + EACH) * numel(input.shape),
  writes: [input],
  formula: `flops = ${FORWARD + EACH}·E; bytes = input + mask + result`,
}));

/** Of a square matrix the part on and below the diagonal. */
function lowerHalf({ shape, dtype }: Tensor): Tensor | null {
  const [rows, columns] = [shape.at(-2), shape.at(-1)];
  if (rows === undefined || columns === undefined || rows !== columns) return null;
  return tensor([numel(shape.slice(0, -2)), (rows * (rows + 1)) / 2], dtype);
}

/** Above the diagonal the result is 0: it is written, but nothing is computed. */
const causal = (perElement: number, operands: number): RuleCost =>
  withTensors('input', (input) => {
    const half = lowerHalf(input);
    if (half === null) return null;
    return {
      flops: perElement * numel(half.shape),
      reads: new Array<Tensor>(operands).fill(half),
      writes: [input],
      formula: `flops = ${perElement}·E/2 (lower half); bytes = ${operands === 1 ? 'half the input' : 'half of gradient and saved result'} + result`,
    };
  });

const scaled = withTensors('input', (input, bound) => {
  const perElement = FORWARD + EACH + bound.tensorsOf('mask').length * EACH;
  const formula = `flops = ${perElement}·E; bytes = input + mask + result`;
  return { flops: perElement * numel(input.shape), writes: [input], formula };
});

/** An autograd function is given the gradient alone; its saved result has the same extents. */
const scaledBackward = withTensors('input', (gradient) => ({
  flops: (BACKWARD + EACH) * numel(gradient.shape),
  reads: [gradient, gradient],
  writes: [gradient],
  formula: `flops = ${BACKWARD + EACH}·E; bytes = gradient + saved result + gradient of the input`,
}));

/** Arguments as in PyTorch's native_functions.yaml, and as Megatron's and Apex's functions take them. */
export const SOFTMAX_RULES = rules`
  ${backward} _softmax_backward_data _log_softmax_backward_data: @grad_output @output dim input_dtype
      | @grad_output @output dim @self
  ${masked} _masked_softmax: @self @mask dim mask_type
  ${backward} _masked_softmax_backward: @grad_output @output @mask dim
  ${scaled} ScaledSoftmax scaled_softmax_forward: @input scale
  ${scaled} ScaledMaskedSoftmax scaled_masked_softmax_forward: @input @mask scale
  ${causal(FORWARD + EACH, 1)} ScaledUpperTriangMaskedSoftmax scaled_upper_triang_masked_softmax_forward: @input scale
  ${scaledBackward} ScaledSoftmaxBackward ScaledMaskedSoftmaxBackward: @input
  ${causal(BACKWARD + EACH, 2)} ScaledUpperTriangMaskedSoftmaxBackward: @input
`;
