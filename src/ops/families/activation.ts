/**
 * Activations: pointwise functions of one tensor (and small parameter tensors), saved for the backward pass.
 */
import { argument, numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { dimension, inputs, opName, subject, whole } from '../operands.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'PyProf (one operation per element, backward three passes); PyTorch torch.nn.functional';

/** Operations per result element other than 1. */
const FLOPS: Readonly<Record<string, number>> = {
  // a · sigmoid(b)
  glu: 2,
};

const NAMES =
  'celu celu_ elu elu_ gelu gelu_ hardshrink hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ leaky_relu ' +
  'leaky_relu_ logsigmoid log_sigmoid mish mish_ prelu relu relu_ relu6 relu6_ rrelu rrelu_ selu selu_ silu silu_ ' +
  'softplus softshrink softsign tanhshrink threshold threshold_ glu';

/** Half of the input along one dimension is the gate of the other half. */
function gatedShape(input: Tensor, call: OpCall): number[] | null {
  const dim = dimension(whole(argument(call, 'dim', 1)?.value) ?? -1, input.shape.length);
  if (dim === null) return null;
  return input.shape.map((extent, i) => (i === dim ? Math.floor(extent / 2) : extent));
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const op = opName(call);
  const given = inputs(call);
  const input = given?.[0] ?? subject(call);
  if (given === null || input === null) return null;
  const shape = op === 'glu' ? gatedShape(input, call) : input.shape;
  if (shape === null) return null;
  const result = tensor(shape, input.dtype);
  const parameters = given.slice(1);
  const perElement = Object.hasOwn(FLOPS, op) ? (FLOPS[op] ?? 1) : 1;
  const backward = kernel.dir === 'bprop';
  return trafficWork({
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
