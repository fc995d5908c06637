/** Theoretical occupancy: the share of a multiprocessor's threads that a kernel's blocks can fill, and what limits it. */
import type { KernelResources, OccupancyLimit } from './block-limits.js';
import { limitsOnComputeUnit } from './compute-unit.js';
import { limitsOnMultiprocessor } from './multiprocessor.js';

export interface Occupancy {
  /** Number of blocks on a multiprocessor at a time. */
  readonly blocks: number;
  /** Number of warps of these blocks, and maximum number of warps of a multiprocessor. */
  readonly warps: number;
  readonly mostWarps: number;
  /** Warps as a share of the maximum, 0 to 1. */
  readonly share: number;
  readonly limit: OccupancyLimit;
}

/**
 * @param arch the device's compute capability, `sm80`, or AMD's name of its architecture, `gfx942`
 * @returns null when the block, its registers or the device's limits are unknown, and for a kernel that cannot run there
 */
export function occupancyOf(kernel: KernelResources, arch: string | undefined): Occupancy | null {
  const fit =
    arch?.startsWith('gfx') === true ? limitsOnComputeUnit(kernel, arch) : limitsOnMultiprocessor(kernel, arch ?? '');
  if (fit === null) return null;
  const limits = Object.entries(fit.limits) as [OccupancyLimit, number][];
  const [limit, blocks] = limits.reduce((least, one) => (one[1] < least[1] ? one : least));
  if (blocks < 1) return null;
  const warps = blocks * fit.warps;
  return { blocks, warps, mostWarps: fit.mostWarps, share: warps / fit.mostWarps, limit };
}
