/** A kernel as one of those that an op call launched. */
import { LruCache } from '../../containers/lru-cache.js';
import { isProductKernel } from '../../ops/kernels/kernel-name.js';
import type { Family, Work } from '../../ops/family.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { KernelRecord, OpCall } from '../../record/record.js';

/** A kernel of the call, with its work by its name alone. */
export interface CallKernel {
  readonly record: Pick<KernelRecord, 'name' | 'short' | 'dur' | 'callIds'>;
  readonly described: ResolvedWork;
}

export const hasProductRole = ({ role }: Work): boolean => role === 'main' || role === 'dgrad' || role === 'wgrad';

/** Whether the kernel is a product by its name, and by what its op's family knows of it. */
export const isNamedProduct = ({ record, described }: CallKernel): boolean =>
  hasProductRole(described.work) && isProductKernel(record);

/** Calls whose parts are kept: those of a loop repeat. */
const KEPT = 2048;
const found = new LruCache<OpCall, { readonly family: Family; readonly parts: readonly Work[] | null }>(KEPT);

/** The parts of an op that computes several results with kernels of their own; null for all other ops. */
export function partsOf({ described: { call, family } }: CallKernel): readonly Work[] | null {
  if (family.parts === undefined) return null;
  const known = found.get(call);
  if (known?.family === family) return known.parts;
  const parts = family.parts(call);
  found.set(call, { family, parts });
  return parts;
}
