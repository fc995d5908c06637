/** The columns on what a kernel takes of a multiprocessor. */
import { column, int, real, str } from '../../table/column-kinds.js';
import type { KernelColumn } from './kernel-column.js';

export const OCCUPANCY_COLUMNS: readonly KernelColumn[] = [
  column('regs', 'Regs', int(4), 'registers of a thread', ({ record }) => record.registers ?? null),
  column('smem', 'SMem(B)', int(7, 'bytes'), 'shared memory of a block', ({ record }) => record.sharedBytes ?? null),
  column(
    'occ',
    'Occ(%)',
    real(6, 1, '%'),
    'theoretical occupancy: threads that a multiprocessor can hold of the kernel, of those that it can hold at all',
    ({ occupancy }) => (occupancy === null ? null : 100 * occupancy.share),
  ),
  column(
    'occby',
    'OccBy',
    str(13),
    'what limits the occupancy: threads, blocks, registers, shared memory',
    ({ occupancy }) => occupancy?.limit ?? null,
    { vocabulary: true },
  ),
];
