/**
 * Joining tensors: cat and stack.
 */
import { numel } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { inputs } from '../operands.js';
import { promote } from '../promotion.js';
import { helperWork, tensor, tensorListParams, trafficWork } from '../work.js';

const SOURCE = 'every element read and written once; PyTorch type promotion';

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const parts = inputs(call);
  if (parts === null || parts.length === 0) return null;
  const params = tensorListParams(parts);
  if (kernel.sub > 0) return helperWork(params, SOURCE);
  const elements = parts.reduce((sum, { shape }) => sum + numel(shape), 0);
  if (!Number.isSafeInteger(elements)) return null;
  return trafficWork({
    flops: 0,
    reads: parts,
    writes: [tensor([elements], promote(parts))],
    params,
    formula: 'flops = 0; bytes = operands + result',
    source: SOURCE,
  });
}

export const joining: Family = {
  id: 'joining',
  title: 'Joining: cat, stack',
  ops: ['cat', 'concat', 'concatenate', 'stack', 'hstack', 'vstack', 'dstack', '_cat'],
  formulas: ['flops = 0; bytes = operands + result (backward the same, the other way round)'],
  work,
};
