/** Softmax and its logarithm. */
import { argument, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensors, opName } from '../../operands.js';
import { dtypeGiven } from '../../schema/dtype-argument.js';
import { ruleWork } from '../../schema/op-rules.js';
import { SOFTMAX, SOFTMAX_RULES } from './fused-softmax.js';
import { helperWork, tensor, tensorParams, workOf } from '../../work.js';

const SOURCE = 'per element: maximum, subtraction, exponential, sum, division; backward: products, sum, subtraction';

/** Of the operations backward, the products g·y. */
const PRODUCT_FLOPS = 1;

/** Operations per element of this kernel; 0 for one that is neither the first nor named after the op. */
function flopsPerElement(op: string, kernel: KernelFacts): number {
  const isNamed = /softmax/i.test(kernel.name);
  if (kernel.sub > 0 && !isNamed) return 0;
  if (kernel.dir !== 'bprop') return SOFTMAX.forward;
  // Before PyTorch 1.6 an elementwise kernel made the products of gradient and result for the softmax kernel.
  const split = op === 'softmax' || op === '_softmax';
  if (split && /elementwise/i.test(kernel.name)) return PRODUCT_FLOPS;
  return split && kernel.sub > 0 ? SOFTMAX.backward - PRODUCT_FLOPS : SOFTMAX.backward;
}

export function softmaxWork(op: string, input: Tensor, result: Tensor, kernel: KernelFacts): Work {
  const backward = kernel.dir === 'bprop';
  const perElement = flopsPerElement(op, kernel);
  const params = tensorParams(input);
  if (perElement === 0) return helperWork(params, SOURCE);
  return workOf({
    flops: perElement * numel(input.shape),
    reads: backward ? [result, result] : [input],
    writes: backward ? [input] : [result],
    params,
    formula: `flops = ${perElement}·E; bytes = ${backward ? 'gradient + saved result + gradient of the input' : 'input + result'}`,
    source: SOURCE,
  });
}

const PLAIN = ['softmax', 'log_softmax', 'softmin', '_softmax', '_log_softmax', '_safe_softmax'];

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (!PLAIN.includes(opName(call))) return ruleWork(SOFTMAX_RULES, call, kernel, SOURCE);
  const input = inputTensors(call)?.[0];
  if (input === undefined) return null;
  // aten's form says in its third argument whether half precision goes in and single precision comes out.
  const halfToFloat = opName(call).startsWith('_') && argument(call, 'half_to_float', 2)?.value === true;
  const result = halfToFloat ? 'float32' : (dtypeGiven(call) ?? input.dtype);
  return softmaxWork(opName(call), input, tensor(input.shape, result), kernel);
}

export const softmax: Family = {
  id: 'softmax',
  title: 'Softmax and log-softmax',
  ops: [...PLAIN, ...Object.keys(SOFTMAX_RULES)],
  formulas: [
    'flops = 5·E (maximum, subtraction, exponential, sum, division); backward 4·E, of which E in an elementwise kernel where there is one',
    'bytes = input + result; backward: gradient + saved result + gradient of the input',
    'a scale or a mask: E more; with a causal mask half of the elements are read and computed, all are written',
  ],
  work,
};
