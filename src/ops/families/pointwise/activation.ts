/**
 * Activations: pointwise functions of one tensor (and small parameter tensors), which is saved for the backward pass; their
 * gradients under the dispatcher's names; and the gradient of dropout, from the mask that the forward pass saved.
 */
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { resolveDimension } from '../../operands.js';
import { tensor } from '../../work.js';
import {
  elementwise,
  rules,
  ruleWork,
  workByRules,
  withTensors,
  type BoundCall,
  type RuleCost,
} from '../../schema/op-rules.js';

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
  title: 'Gradient of dropout',
  category: 'random',
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
  // The gradients of input and weight; the weight's has the input's extents when it is still to be summed.
  ${elementwise(2, 'self', 'self', 'self')} _prelu_kernel_backward: @grad_output @self @weight
  ${elementwise(2, 'self', 'self', 'weight')} prelu_backward: @grad_output @self @weight
`;

export const activationGradients: Family = {
  id: 'activation-gradients',
  title: 'Gradients of activations that a profile records by name: threshold_backward, gelu_backward …',
  category: 'elementwise',
  ops: Object.keys(RULES),
  formulas: [
    'flops = E(gradient of the input); prelu 2·E, including the gradient of its weight',
    'bytes = gradient of the result + saved tensor + gradient of the input',
  ],
  work: workByRules(RULES, GRADIENT_SOURCE),
};

const SOURCE = 'PyProf (one operation per element, backward three passes); PyTorch torch.nn.functional';

/** Half of the input along one dimension is the gate of the other half; null when the extents do not fit. */
function gatedShape(input: Tensor, bound: BoundCall): readonly number[] | null {
  const arg = bound.arg('dim');
  const elements = numel(input.shape);
  if (arg !== undefined && arg.value === undefined) return elements % 2 === 0 ? [elements / 2] : null;
  const dim = resolveDimension(bound.number('dim') ?? -1, input.shape.length);
  return dim === null ? null : input.shape.map((extent, i) => (i === dim ? Math.floor(extent / 2) : extent));
}

/** The gradient follows from that of the result and a saved tensor: the input, or a result of the same size. */
const activated = (
  perElement: number,
  shapeOf: (input: Tensor, bound: BoundCall) => readonly number[] | null = ({ shape }) => shape,
) =>
  withTensors('self', (input, bound) => {
    const shape = shapeOf(input, bound);
    if (shape === null) return null;
    const result = tensor(shape, bound.outs[0]?.dtype ?? input.dtype);
    const cost = { flops: perElement * numel(shape), formula: `flops = ${perElement}·E(result); bytes = ` };
    return bound.kernel.dir === 'bprop'
      ? {
          ...cost,
          reads: [input, result],
          writes: [input],
          formula: `${cost.formula}saved tensor + gradient + gradient of the input`,
        }
      : { ...cost, writes: [result], formula: `${cost.formula}input + result` };
  });

/**
 * One weight, or one for each channel. A kernel of the backward pass writes a product of the input's extents for the
 * gradient of the weight, which another kernel sums (aten/src/ATen/native/cuda/Activation.cu).
 */
const weighted = withTensors('self weight', (input, weight, bound) => {
  const elements = numel(input.shape);
  if (bound.kernel.dir !== 'bprop')
    return {
      flops: elements,
      writes: [tensor(input.shape, bound.outs[0]?.dtype ?? input.dtype)],
      formula: 'flops = E; bytes = input + weight + result',
    };
  return {
    flops: 2 * elements,
    reads: [input, input, weight],
    writes: [input, input],
    formula: 'flops = 2·E; bytes = gradient + input + weight + gradients of input and weight, E elements each',
  };
});

const PLAIN =
  'celu celu_ elu elu_ gelu gelu_ hardshrink hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ leaky_relu ' +
  'leaky_relu_ logsigmoid log_sigmoid mish mish_ relu relu_ relu6 relu6_ selu selu_ silu silu_ softplus softshrink ' +
  'softsign tanhshrink threshold threshold_ log_sigmoid_forward rrelu rrelu_';

const ACTIVATION_RULES = rules`
  ${activated(1)} ${PLAIN}: @self ...
  ${activated(1)} rrelu_with_noise rrelu_with_noise_: @self @noise ...
  ${activated(2, gatedShape)} glu: @self dim
  ${weighted} prelu _prelu_kernel: @self @weight
`;

export const activation: Family = {
  id: 'activation',
  title: 'Activations: ReLU variants, GELU, SiLU, GLU',
  category: 'elementwise',
  ops: Object.keys(ACTIVATION_RULES),
  formulas: [
    'flops = E(result); glu 2·E(result); backward of prelu 2·E',
    "bytes = input + weight + result; backward: saved tensor + gradient + gradient of the input; prelu: + weight + E products for the weight's gradient",
  ],
  work: (call, kernel) => ruleWork(ACTIVATION_RULES, call, kernel, SOURCE),
};
