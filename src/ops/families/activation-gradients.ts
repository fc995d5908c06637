/**
 * Gradients of activations, as the dispatcher names them: the gradient of the input from that of the result.
 */
import type { Family } from '../family.js';
import { opName } from '../operands.js';
import { signatureWork, type SignatureOp } from './by-signature.js';

const SOURCE = "one operation per element of the input's gradient; arguments: PyTorch native_functions.yaml";

/** Op and its arguments. The gradient has the extents of the argument that `like` names. */
const ROWS: readonly (readonly [op: string, signature: string, like: string])[] = [
  ['threshold_backward', '@grad_output @self threshold', 'self'],
  ['gelu_backward', '@grad_output @self approximate', 'self'],
  ['silu_backward', '@grad_output @self', 'self'],
  ['mish_backward', '@grad_output @self', 'self'],
  ['sigmoid_backward', '@grad_output @output', 'output'],
  ['tanh_backward', '@grad_output @output', 'output'],
  ['logit_backward', '@grad_output @self eps', 'self'],
  ['elu_backward', '@grad_output alpha scale input_scale is_result @self_or_result', 'self_or_result'],
  ['leaky_relu_backward', '@grad_output @self negative_slope self_is_result', 'self'],
  ['hardtanh_backward', '@grad_output @self min_val max_val', 'self'],
  ['hardswish_backward', '@grad_output @self', 'self'],
  ['hardsigmoid_backward', '@grad_output @self', 'self'],
  ['hardshrink_backward', '@grad_output @self lambd', 'self'],
  ['softshrink_backward', '@grad_output @self lambd', 'self'],
  ['softplus_backward', '@grad_output @self beta threshold', 'self'],
  // The buffer is empty on a GPU.
  ['log_sigmoid_backward', '@grad_output @self @buffer?', 'self'],
  ['glu_backward', '@grad_output @self dim', 'self'],
  ['rrelu_with_noise_backward', '@grad_output @self @noise lower upper training self_is_result', 'self'],
];

/** The gradients of input and weight; the latter of the input's extents when it is yet to be summed. */
const prelu = (weight: string): SignatureOp => ({
  ...{ signature: '@grad_output @self @weight', makes: ['self', weight], flops: 2, per: 'self' },
});

const OPS: ReadonlyMap<string, SignatureOp> = new Map([
  ...ROWS.map(([op, signature, like]) => [op, { signature, makes: [like], flops: 1, per: like }] as const),
  ['_prelu_kernel_backward', prelu('self')],
  ['prelu_backward', prelu('weight')],
]);

export const activationGradients: Family = {
  id: 'activation-gradients',
  title: 'Gradients of activations, where a profile names them: threshold_backward, gelu_backward …',
  ops: [...OPS.keys()],
  formulas: [
    'flops = E(gradient of the input); prelu 2·E, for the gradient of its weight too',
    'bytes = gradient of the result + saved tensor + gradient of the input',
  ],
  work(call) {
    const op = OPS.get(opName(call));
    return op === undefined ? null : signatureWork(op, call, SOURCE);
  },
};
