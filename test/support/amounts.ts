/** What a kernel of a call has to do, in one line: role, FLOPs, bytes. */
import { expect } from 'chai';
import type { Arg, OpCall } from '../../src/record/record.js';
import { renderParams, type KernelFacts, type Work } from '../../src/ops/family.js';
import { resolveWork as describeLaunch } from '../../src/ops/resolve-work.js';
import { opName } from '../../src/ops/operands.js';
import { kernel } from './calls.js';

const ELEMENTWISE = 'void at::native::elementwise_kernel<512, 1>(int)';

export const forward = kernel(ELEMENTWISE);
export const backward = kernel(ELEMENTWISE, 'bprop');
export const secondBackward = kernel(ELEMENTWISE, 'bprop', 1);

/**
 * The work of a kernel that is the only one of its call. If the kernel's name does not make it a helper or a gradient, the
 * commands print the work of the whole call, which must be the same. Ops that only move elements have no FLOPs.
 */
export function workOf(opCall: OpCall, launched: KernelFacts = forward): Work | null {
  const found = describeLaunch([opCall], launched);
  if (found === null) return null;
  const { work, whole, family, call } = found;
  if (call.mod === 'aten' && family.onlyMoves?.test(opName(call)) === true) expect(work.flops).to.equal(0);
  if (work.role === 'main') expect([whole.flops, whole.bytes]).to.deep.equal([work.flops, work.bytes]);
  return work;
}

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
