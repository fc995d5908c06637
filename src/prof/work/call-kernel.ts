/** A kernel as one of those that an op call launched. */
import type { Work } from '../../ops/family.js';
import { isProductKernel } from '../../ops/product.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { KernelRecord } from '../../record/record.js';

/** A kernel of the call, with its work by its name alone. */
export interface CallKernel {
  readonly record: Pick<KernelRecord, 'name' | 'short' | 'dur' | 'callIds'>;
  readonly described: ResolvedWork;
}

export const hasProductRole = ({ role }: Work): boolean => role === 'main' || role === 'dgrad' || role === 'wgrad';

/** Whether the kernel is a product by its name, and by what its op's family knows of it. */
export const isNamedProduct = ({ record, described }: CallKernel): boolean =>
  hasProductRole(described.work) && isProductKernel(record);
