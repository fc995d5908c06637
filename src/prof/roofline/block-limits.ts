/** What occupancy needs to know of a block, on a multiprocessor of any vendor. */

import type { KernelRecord } from '../../record/record.js';

/** What a kernel states of its blocks. */
export type KernelResources = Pick<
  KernelRecord,
  'block' | 'registers' | 'sharedBytes' | 'accumRegisters' | 'scalarRegisters'
>;

/** What prevents further blocks on a multiprocessor. */
export type OccupancyLimit = 'threads' | 'blocks' | 'registers' | 'shared memory';

export interface BlockLimits {
  /** Number of warps of a block, and the most that a multiprocessor can hold. */
  readonly warps: number;
  readonly mostWarps: number;
  /** How many blocks each of these allows. */
  readonly limits: Readonly<Record<OccupancyLimit, number>>;
}

export const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

export const threadsOf = (block: readonly [number, number, number]): number => block[0] * block[1] * block[2];
