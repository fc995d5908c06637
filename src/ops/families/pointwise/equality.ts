/** Whether two tensors are equal throughout: a comparison, and a reduction of its truth values. */
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensors } from '../../operands.js';
import { helperWork, tensor, tensorListParams, workOf } from '../../work.js';

const SOURCE = 'PyTorch equal: eq, then all';

/** Comparison and reduction, as one op. */
const whole = (first: Tensor, second: Tensor): Work =>
  workOf({
    flops: 2 * numel(first.shape),
    reads: [first, second],
    writes: [tensor([], 'bool')],
    params: tensorListParams([first, second]),
    formula: 'flops = 2·E (compare, reduce); bytes = both tensors + 1',
    source: SOURCE,
  });

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const operands = inputTensors(call);
  const [first, second] = operands ?? [];
  if (operands?.length !== 2 || first === undefined || second === undefined) return null;
  const params = tensorListParams(operands);
  if (!isDispatched(call) && /pass_?2|lastblock/i.test(kernel.name)) return helperWork(params, SOURCE);
  const truths = tensor(first.shape, 'bool');
  const reduces = /reduce/i.test(kernel.name);
  if (isDispatched(call)) return whole(first, second);
  return workOf({
    flops: numel(first.shape),
    reads: reduces ? [truths] : [first, second],
    writes: [reduces ? tensor([], 'bool') : truths],
    params,
    formula: reduces ? 'flops = E; bytes = E truth values + 1' : 'flops = E; bytes = both tensors + E truth values',
    source: SOURCE,
  });
}

export const equality: Family = {
  id: 'equality',
  title: 'Equality of two tensors: equal',
  ops: ['equal'],
  formulas: [
    'comparison: flops = E; bytes = both tensors + E',
    'reduction: flops = E; bytes = E + 1',
    'as one op of the dispatcher: flops = 2·E; bytes = both tensors + 1',
  ],
  work,
};
