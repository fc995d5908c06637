/** Gradients of activations, as the dispatcher names them: the gradient of the input from that of the result. */
import { elementwise, rules, workByRules, type RuleCost } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';

const SOURCE = "one operation per element of the input's gradient; arguments: PyTorch native_functions.yaml";

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
  work: workByRules(RULES, SOURCE),
};
