/** Softmax and its logarithm, softmax with a mask or scale, and the gradients. */
import { numel, type Tensor } from '../../call.js';
import type { Family, KernelFacts, OpCost, Work } from '../../family.js';
import { opName } from '../../operands.js';
import { dtypeAt } from '../../schema/dispatched.js';
import { ruleWork, rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { helperCost, tensor, tensorParams, workOf } from '../../work.js';

/**
 * Operations per element. Forward: maximum, subtraction, exponential, sum, division (or subtraction of the logarithm).
 * Backward: y·(g − Σ g·y), or g − exp(y)·Σ g.
 */
export const SOFTMAX = { forward: 5, backward: 4 } as const;
const [FORWARD, BACKWARD] = [SOFTMAX.forward, SOFTMAX.backward];
/** Operations for a scale or a mask. */
const EACH = 1;

/**
 * y·(g − Σ g·y), or g − exp(y)·Σ g. The type of the result is passed as a number; in older versions it is that of the
 * input.
 */
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

/** The part of a square matrix on and below the diagonal. */
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

/** An autograd function gets only the gradient; its saved result has the same extents. */
const scaledBackward = withTensors('input', (gradient) => ({
  flops: (BACKWARD + EACH) * numel(gradient.shape),
  reads: [gradient, gradient],
  writes: [gradient],
  formula: `flops = ${BACKWARD + EACH}·E; bytes = gradient + saved result + gradient of the input`,
}));

const SOURCE = 'per element: maximum, subtraction, exponential, sum, division; backward: products, sum, subtraction';

/** The products g·y, a part of the backward operations. */
const PRODUCT_FLOPS = 1;

/** Operations per element of this kernel; 0 for a kernel that is neither the first nor named after the op. */
function flopsPerElement(op: string, kernel: KernelFacts): number {
  const isNamed = /softmax/i.test(kernel.name);
  if (kernel.sub > 0 && !isNamed) return 0;
  if (kernel.dir !== 'bprop') return SOFTMAX.forward;
  // Before PyTorch 1.6, an elementwise kernel multiplied gradient and result for the softmax kernel.
  const split = op === 'softmax' || op === '_softmax';
  if (split && /elementwise/i.test(kernel.name)) return PRODUCT_FLOPS;
  return split && kernel.sub > 0 ? SOFTMAX.backward - PRODUCT_FLOPS : SOFTMAX.backward;
}

function softmaxCost(op: string, input: Tensor, result: Tensor, kernel: KernelFacts): OpCost {
  const backward = kernel.dir === 'bprop';
  const perElement = flopsPerElement(op, kernel);
  const params = tensorParams(input);
  if (perElement === 0) return helperCost(params);
  return {
    flops: perElement * numel(input.shape),
    reads: backward ? [result, result] : [input],
    writes: [backward ? input : result],
    params,
    formula: `flops = ${perElement}·E; bytes = ${backward ? 'gradient + saved result + gradient of the input' : 'input + result'}`,
  };
}

export const softmaxWork = (op: string, input: Tensor, result: Tensor, kernel: KernelFacts): Work =>
  workOf({ source: SOURCE, ...softmaxCost(op, input, result, kernel) });

/** The dispatcher's form states whether half precision goes in and single precision comes out. */
const plain = withTensors('self', (input, bound) => {
  const dtype = bound.flag('half_to_float') === true ? 'float32' : dtypeAt(bound.arg('dtype'));
  const result = tensor(input.shape, bound.outs[0]?.dtype ?? dtype ?? input.dtype);
  return softmaxCost(opName(bound.call), input, result, bound.kernel);
});

/** Arguments as in PyTorch's native_functions.yaml, and in Megatron's and Apex's functions. */
const SOFTMAX_RULES = rules`
  ${plain} softmax log_softmax softmin _safe_softmax: @self dim dtype
  ${plain} _softmax _log_softmax: @self dim half_to_float
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

export const softmax: Family = {
  id: 'softmax',
  title: 'Softmax and log-softmax',
  category: 'softmax',
  ops: Object.keys(SOFTMAX_RULES),
  formulas: [
    'flops = 5·E (maximum, subtraction, exponential, sum, division); backward 4·E, E of them in a separate elementwise kernel if there is one',
    'bytes = input + result; backward: gradient + saved result + gradient of the input',
    '+ E with a scale or a mask; with a causal mask half of the elements are read and computed, and all are written',
  ],
  work: (call, kernel) => ruleWork(SOFTMAX_RULES, call, kernel, SOURCE),
};
