/** Reductions: sums, means, norms, extrema and truth over some or all dimensions. */
import { entryOf } from '../../by-name.js';
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { ArgValue, OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { dtypeGiven } from '../../schema/dtype-argument.js';
import { inputTensors, inputTensor, tensorOf } from '../../operands.js';
import { helperWork, tensor, tensorParams, workOf } from '../../work.js';
import { pointwiseAs } from '../pointwise/pointwise.js';
import { dispatchedReduction } from './reduction-call.js';
import { REDUCTIONS, type Reduction } from './reduction-ops.js';
import { reducedShape, reducedType } from './reduction-result.js';

const SOURCE = 'PyProf (sum E, mean E + 1, norm 2·E + 1), per result element; backward: the derivative of the op';

/** Extents of the result without `keepdim`; null when `dim` does not fit. */
const resultShape = (input: Tensor, dim: ArgValue | undefined): number[] | null =>
  dim === undefined || dim === null || typeof dim === 'boolean' || typeof dim === 'string'
    ? []
    : reducedShape(input, dim);

/** A second pass over partial results, or arithmetic on the result. */
const isSecondPass = (kernel: KernelFacts): boolean =>
  kernel.sub > 0 && (!/reduce/i.test(kernel.name) || /pass_?2|lastblock/i.test(kernel.name));

function forward(kind: Reduction, input: Tensor, result: Tensor, indices: boolean): Work {
  const [perInput, perResult] = kind.flops;
  const positions = indices ? [tensor(result.shape, 'int64')] : [];
  return workOf({
    flops: perInput * numel(input.shape) + perResult * numel(result.shape),
    reads: [input],
    writes: [result, ...positions],
    params: tensorParams(input),
    formula: `flops = ${perInput}·E + ${perResult}·E(result); bytes = input + result`,
    source: SOURCE,
  });
}

function backward(kind: Reduction, input: Tensor, result: Tensor, indices: boolean): Work {
  const [perElement, reread] = kind.backward;
  const positions = indices ? [tensor(result.shape, 'int64')] : [];
  return workOf({
    flops: perElement * numel(input.shape) + (reread ? numel(result.shape) : 0),
    reads: [result, ...positions, ...(reread ? [input, result] : [])],
    writes: [input],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E${reread ? ' + E(result)' : ''}; bytes = gradient of the result${reread ? ' + input + result' : ''} + gradient of the input`,
    source: SOURCE,
  });
}

/** The larger of two: the second tensor has dimensions too (an out tensor of a full reduction has none). */
function isPair(call: OpCall, input: Tensor): boolean {
  const other = tensorOf(positional(call)[1]);
  return other !== null && (other.shape.length > 0 || input.shape.length === 0);
}

function dispatched(kind: Reduction, call: OpCall, kernel: KernelFacts): Work | null {
  const input = tensorOf(positional(call)[0]);
  if (input === null) return null;
  if (kind.pair !== undefined && isPair(call, input)) return pointwiseAs(kind.pair, call, kernel);
  return dispatchedReduction(kind, call);
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const kind = entryOf(REDUCTIONS, call);
  if (kind !== undefined && isDispatched(call)) return dispatched(kind, call, kernel);
  const given = inputTensors(call);
  const input = inputTensor(call);
  if (kind === undefined || given === null || input === null) return null;
  if (given.length === 2 && kind.pair !== undefined) return pointwiseAs(kind.pair, call, kernel);
  const dim = argument(call, 'dim', kind.dim)?.value;
  const shape = resultShape(input, dim);
  if (shape === null) return null;
  if (isSecondPass(kernel)) return helperWork(tensorParams(input), SOURCE);
  const result = tensor(shape, reducedType(kind, input, dtypeGiven(call)));
  const indices = kind.indices === true && typeof dim === 'number';
  // A truth value or a position has no gradient: such a kernel computes the forward result again (checkpointing).
  const derives = kernel.dir === 'bprop' && kind.result !== 'bool' && kind.result !== 'int64';
  return derives ? backward(kind, input, result, indices) : forward(kind, input, result, indices);
}

export const reduction: Family = {
  id: 'reduction',
  title: 'Reductions: sum, mean, norm, variance, extrema, median, any, all',
  ops: Object.keys(REDUCTIONS),
  formulas: [
    'flops: sum, prod, max, argmax, any, all E; mean E + E(result); norm 2·E + E(result); var 3·E + E(result); logsumexp 4·E + 2·E(result)',
    'a mean as the dispatcher runs it: E (n − 1 additions and a division); aminmax 2·E; median, mode, kthvalue at least E',
    'bytes = input + result (and int64 positions of max and min over a dimension); unknown where the dimensions are unspecified',
    'backward: sum 0 flops, gradient + gradient of the input; mean E; norm E + E(result), input and result read again',
    'kernels after the first are helpers, unless their names say that they reduce (the next call under one sequence id)',
  ],
  work,
};
