/** What a kernel of a call has to do, in one line: role, FLOPs, bytes. */
import type { Arg, OpCall } from '../../src/record/record.js';
import { renderParams, type KernelFacts, type Work } from '../../src/ops/family.js';
import { resolveWork as describeLaunch } from '../../src/ops/resolve-work.js';
import { kernel } from './calls.js';

const ELEMENTWISE = 'void at::native::elementwise_kernel<512, 1>(int)';

export const forward = kernel(ELEMENTWISE);
export const backward = kernel(ELEMENTWISE, 'bprop');
export const secondBackward = kernel(ELEMENTWISE, 'bprop', 1);

export const workOf = (opCall: OpCall, launched: KernelFacts = forward): Work | null =>
  describeLaunch([opCall], launched)?.work ?? null;

/** `main 4096 49152`; null when the call fits no family. */
export function amount(opCall: OpCall, launched: KernelFacts = forward): string | null {
  const work = workOf(opCall, launched);
  return work === null ? null : `${work.role} ${work.flops ?? 'na'} ${work.bytes ?? 'na'}`;
}

export const paramsOf = (opCall: OpCall, launched = forward): string | null => {
  const work = workOf(opCall, launched);
  return work === null ? null : renderParams(work.params);
};

/** Python numbers, and 0-dim tensors as the markers write them. */
export const int = (value: number, name = ''): Arg => ({ name, type: 'int', value });
export const float = (value: number, name = ''): Arg => ({ name, type: 'float', value });
export const list = (value: readonly number[], name = ''): Arg => ({ name, type: 'tuple', value });
