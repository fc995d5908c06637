/**
 * Activations: pointwise functions of one tensor (and small parameter tensors), saved for the backward pass; their gradients
 * as the dispatcher names them; and the gradient of dropout, by the mask that the forward pass saved.
 */
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { resolveDimension, inputTensors, opName, inputTensor, tensorOf, integer } from '../../operands.js';
import { tensor, tensorParams, workOf } from '../../work.js';
import { elementwise, rules, workByRules, withTensors, type RuleCost } from '../../schema/op-rules.js';

const DROPOUT_SOURCE = 'PyTorch native_dropout_backward: a product with the mask and one with the scale';

const FORMULA = 'flops = 2·E; bytes = gradient + mask + gradient of the input';

const backward = withTensors('grad_output mask', (gradient) => ({
  flops: 2 * numel(gradient.shape),
  writes: [gradient],
  formula: FORMULA,
}));

const DROPOUT_RULES = rules`
  ${backward} native_dropout_backward _masked_scale: @grad_output @mask scale
`;

export const dropout: Family = {
  id: 'dropout',
  title: 'The gradient of dropout',
  ops: Object.keys(DROPOUT_RULES),
  formulas: [FORMULA],
  work: workByRules(DROPOUT_RULES, DROPOUT_SOURCE),
};

const GRADIENT_SOURCE = "one operation per element of the input's gradient; arguments: PyTorch native_functions.yaml";

/** The gradient has the extents of the saved tensor. */
const saved = (name: string): RuleCost => elementwise(1, name, name);

const RULES = rules`
  ${saved('self')} silu_backward mish_backward hardswish_backward hardsigmoid_backward: @grad_output @self
  ${saved('output')} sigmoid_backward tanh_backward: @grad_output @output
  ${saved('self')} threshold_backward: @grad_output @self threshold
  ${saved('self')} gelu_backward: @grad_output @self approximate
  ${saved('self')} glu_backward: @grad_output @self dim
  ${saved('self')} logit_backward: @grad_output @self eps
  ${saved('self')} hardshrink_backward softshrink_backward: @grad_output @self lambd
  ${saved('self')} hardtanh_backward: @grad_output @self min_val max_val
  ${saved('self')} softplus_backward: @grad_output @self beta threshold
  ${saved('self')} leaky_relu_backward: @grad_output @self negative_slope self_is_result
  ${saved('self_or_result')} elu_backward: @grad_output alpha scale input_scale is_result @self_or_result
  // The buffer is empty on a GPU.
  ${saved('self')} log_sigmoid_backward: @grad_output @self @buffer?
  ${saved('self')} rrelu_with_noise_backward: @grad_output @self @noise lower upper training self_is_result
  // The gradients of input and weight; the latter has the input's extents where it is yet to be summed.
  ${elementwise(2, 'self', 'self', 'self')} _prelu_kernel_backward: @grad_output @self @weight
  ${elementwise(2, 'self', 'self', 'weight')} prelu_backward: @grad_output @self @weight
`;

export const activationGradients: Family = {
  id: 'activation-gradients',
  title: 'Gradients of activations, where a profile names them: threshold_backward, gelu_backward …',
  ops: Object.keys(RULES),
  formulas: [
    'flops = E(gradient of the input); prelu 2·E, for the gradient of its weight too',
    'bytes = gradient of the result + saved tensor + gradient of the input',
  ],
  work: workByRules(RULES, GRADIENT_SOURCE),
};

const SOURCE = 'PyProf (one operation per element, backward three passes); PyTorch torch.nn.functional';

/** Operations per result element: a · sigmoid(b) of a gate, else one. */
const flopsPerElement = (op: string): number => (op === 'glu' ? 2 : 1);

const NAMES =
  'celu celu_ elu elu_ gelu gelu_ hardshrink hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ leaky_relu ' +
  'leaky_relu_ logsigmoid log_sigmoid mish mish_ prelu relu relu_ relu6 relu6_ rrelu rrelu_ selu selu_ silu silu_ ' +
  'softplus softshrink softsign tanhshrink threshold threshold_ glu _prelu_kernel log_sigmoid_forward rrelu_with_noise rrelu_with_noise_';

/** Half of the input along one dimension is the gate of the other half. */
function gatedShape(input: Tensor, call: OpCall): number[] | null {
  const dim = resolveDimension(integer(argument(call, 'dim', 1)?.value) ?? -1, input.shape.length);
  if (dim === null) return null;
  return input.shape.map((extent, i) => (i === dim ? Math.floor(extent / 2) : extent));
}

/** Extents of the result; a gate halves one dimension, whichever it is. */
function dispatchedShape(op: string, input: Tensor, call: OpCall): readonly number[] | null {
  if (op !== 'glu') return input.shape;
  const dim = positional(call)[1];
  return dim !== undefined && dim.value === undefined ? [numel(input.shape) / 2] : gatedShape(input, call);
}

function dispatched(op: string, call: OpCall): Work | null {
  const [first, ...others] = positional(call);
  const input = tensorOf(first);
  const shape = input === null ? null : dispatchedShape(op, input, call);
  if (input === null || shape === null || !Number.isInteger(numel(shape))) return null;
  // The op reads so many tensors in addition to its input; a tensor after them is the `out` tensor.
  const count = op === 'prelu' || op === '_prelu_kernel' ? 1 : 0;
  const parameters = others.slice(0, count).map(tensorOf);
  const out = tensorOf(others.slice(count).find((arg) => arg.shape !== undefined));
  const perElement = flopsPerElement(op);
  return workOf({
    flops: perElement * numel(shape),
    reads: [input, ...parameters.filter((parameter) => parameter !== null)],
    writes: [tensor(shape, out?.dtype ?? input.dtype)],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E(result); bytes = input${count > 0 ? ' + weight' : ''} + result`,
    source: SOURCE,
  });
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const op = opName(call);
  if (isDispatched(call)) return dispatched(op, call);
  const given = inputTensors(call);
  const input = given?.[0] ?? inputTensor(call);
  if (given === null || input === null) return null;
  const shape = op === 'glu' ? gatedShape(input, call) : input.shape;
  if (shape === null) return null;
  const result = tensor(shape, input.dtype);
  const parameters = given.slice(1);
  const perElement = flopsPerElement(op);
  const backward = kernel.dir === 'bprop';
  return workOf({
    flops: perElement * numel(shape),
    reads: backward ? [input, result, ...parameters] : [input, ...parameters],
    writes: backward ? [input, ...parameters] : [result],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E(result); bytes = ${backward ? 'input + gradient of the result + gradient of the input' : 'input + result'}`,
    source: SOURCE,
  });
}

export const activation: Family = {
  id: 'activation',
  title: 'Activations: ReLU and its relatives, GELU, SiLU, GLU',
  ops: NAMES.split(' '),
  formulas: [
    'flops = E(result); glu 2·E(result)',
    'bytes = input + parameters + result; backward: input + gradient + gradient of the input, parameters and theirs',
  ],
  work,
};
