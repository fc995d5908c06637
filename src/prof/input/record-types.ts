/** Sets of types of records. */
import type { ProfileLine } from '../../record/record.js';

export type RecordTypes = ReadonlySet<ProfileLine['type']>;

/** Types that a report of kernels needs. */
export const KERNEL_TYPES: RecordTypes = new Set<ProfileLine['type']>(['profile', 'kernel', 'end']);
/** Types that a table of what the host did needs. */
export const HOST_TYPES: RecordTypes = new Set<ProfileLine['type']>([
  ...(['profile', 'range', 'kernel', 'collective', 'copy', 'set', 'graph', 'end'] as const),
]);
/** Types that one of kernels and of the host's ranges needs. */
export const KERNEL_AND_RANGE_TYPES: RecordTypes = new Set<ProfileLine['type']>([...KERNEL_TYPES, 'range']);
