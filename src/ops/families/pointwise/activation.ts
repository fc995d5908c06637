/** Activations: pointwise functions of one tensor (and small parameter tensors), saved for the backward pass. */
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { resolveDimension, inputTensors, opName, inputTensor, tensorOf, integer } from '../../operands.js';
import { tensor, tensorParams, workOf } from '../../work.js';

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
