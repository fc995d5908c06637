/**
 * Blocks on a multiprocessor of NVIDIA.
 *
 * Sources: CUDA Programming Guide, compute capabilities (threads, blocks, registers and shared memory of a multiprocessor);
 * NVIDIA's occupancy calculator (allocation units of registers and shared memory).
 */
import { roundUp, threadsOf, type BlockLimits, type KernelResources } from './block-limits.js';

/** Resources of a multiprocessor. */
interface Multiprocessor {
  readonly threads: number;
  readonly blocks: number;
  /** Shared memory in KiB. */
  readonly shared: number;
}

const WARP = 32;
const REGISTERS = 64 * 1024;
/** Allocation unit of a warp's registers, out of a quarter of the multiprocessor's. */
const REGISTER_UNIT = 256;
const PARTITIONS = 4;

/** `sm80`, `sm103`: the last digit is the minor version. */
const CAPABILITY = /^sm(\d+)\d$/;

/** Multiprocessors by compute capability. */
export const MULTIPROCESSORS: Readonly<Record<string, Multiprocessor>> = {
  sm50: { threads: 2048, blocks: 32, shared: 64 },
  sm52: { threads: 2048, blocks: 32, shared: 96 },
  sm53: { threads: 2048, blocks: 32, shared: 64 },
  sm60: { threads: 2048, blocks: 32, shared: 64 },
  sm61: { threads: 2048, blocks: 32, shared: 96 },
  sm62: { threads: 2048, blocks: 32, shared: 64 },
  sm70: { threads: 2048, blocks: 32, shared: 96 },
  sm72: { threads: 2048, blocks: 32, shared: 96 },
  sm75: { threads: 1024, blocks: 16, shared: 64 },
  sm80: { threads: 2048, blocks: 32, shared: 164 },
  sm86: { threads: 1536, blocks: 16, shared: 100 },
  sm87: { threads: 1536, blocks: 16, shared: 164 },
  sm89: { threads: 1536, blocks: 24, shared: 100 },
  sm90: { threads: 2048, blocks: 32, shared: 228 },
  sm100: { threads: 2048, blocks: 32, shared: 228 },
  sm103: { threads: 2048, blocks: 32, shared: 228 },
  sm120: { threads: 1536, blocks: 24, shared: 100 },
};

/** Bytes of shared memory that a block uses: from Ampere on, the system reserves 1 KiB per block. */
function sharedOfBlock(bytes: number, major: number): number {
  return major >= 8 ? roundUp(bytes + 1024, 128) : roundUp(bytes, 256);
}

/**
 * @param arch compute capability, `sm80`
 * @returns null when the block, its registers or the device's limits are unknown
 */
export function limitsOnMultiprocessor(
  { block, registers = null, sharedBytes = null }: KernelResources,
  arch: string,
): BlockLimits | null {
  const unit = MULTIPROCESSORS[arch];
  const major = Number(CAPABILITY.exec(arch)?.[1]);
  if (unit === undefined || block === null || registers === null || sharedBytes === null) return null;
  const [warps, mostWarps] = [Math.ceil(threadsOf(block) / WARP), unit.threads / WARP];
  const shared = sharedOfBlock(sharedBytes, major);
  const warpsByRegisters = PARTITIONS * Math.floor(REGISTERS / PARTITIONS / roundUp(registers * WARP, REGISTER_UNIT));
  const limits = {
    threads: Math.floor(mostWarps / warps),
    blocks: unit.blocks,
    registers: Math.floor(warpsByRegisters / warps),
    'shared memory': shared === 0 ? Infinity : Math.floor((unit.shared * 1024) / shared),
  };
  return { warps, mostWarps, limits };
}
