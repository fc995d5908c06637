/** Fused optimiser steps. */
import { dtypeShort } from '../../../record/element-types.js';
import { numel } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensors } from '../../operands.js';
import { helperWork, tensorParams, workOf } from '../../work.js';

const SOURCE = 'apex fused_adam_cuda.adam; Kingma & Ba, Adam (algorithm 1)';

/**
 * Per weight: gradient unscaled (1), first moment (two products, a sum), second moment (three products, a sum),
 * root and epsilon (2), quotient, product with the step size, subtraction (3).
 */
export const ADAM_FLOPS = 13;

/** adam(weights, half-precision copy or empty, first moment, second moment, gradient, …). */
function work(call: OpCall, kernel: KernelFacts): Work | null {
  const [weights, copy, first, second, gradient] = inputTensors(call) ?? [];
  if (!weights || !copy || !first || !second || !gradient) return null;
  if ([first, second, gradient].some(({ shape }) => numel(shape) !== numel(weights.shape))) return null;
  const params = [...tensorParams(weights), ['', dtypeShort(gradient.dtype)] as const];
  if (kernel.sub > 0) return helperWork(params, SOURCE);
  // A copy of the weights in the gradient's type is written where that differs, as PyProf has it.
  const copies = gradient.dtype === weights.dtype ? [] : [gradient];
  const state = [weights, first, second];
  return workOf({
    flops: ADAM_FLOPS * numel(weights.shape),
    reads: [...state, gradient],
    writes: [...state, ...copies],
    params,
    formula: `flops = ${ADAM_FLOPS}·E; bytes = 2·(weights + both moments) + gradient (+ weights in its type)`,
    source: SOURCE,
  });
}

export const optimizer: Family = {
  id: 'optimizer',
  title: 'Fused optimiser step: apex Adam',
  ops: ['fused_adam_cuda.adam'],
  formulas: [
    'flops = 13·E; bytes = 2·(weights + both moments) + gradient, + a copy of the weights in its type if it differs',
  ],
  work,
};
