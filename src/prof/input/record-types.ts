/** Sets of record types. */
import type { ProfileLine } from '../../record/record.js';

export type RecordTypes = ReadonlySet<ProfileLine['type']>;

/** Types that a report of kernels needs. */
export const KERNEL_TYPES: RecordTypes = new Set<ProfileLine['type']>(['profile', 'kernel', 'end']);
/** Types that a table of host activity needs. */
export const HOST_TYPES: RecordTypes = new Set<ProfileLine['type']>([
  ...(['profile', 'range', 'kernel', 'collective', 'copy', 'set', 'graph', 'end'] as const),
]);
/** Types that a report of kernels and host ranges needs. */
export const KERNEL_AND_RANGE_TYPES: RecordTypes = new Set<ProfileLine['type']>([...KERNEL_TYPES, 'range']);
