/** Theoretical occupancy: the share of a multiprocessor's threads that a kernel's blocks can fill, and what limits it. */
import type { KernelRecord } from '../../record/record.js';

// What occupancy needs to know of a block, on a multiprocessor of any vendor.

/** What a kernel states of its blocks. */
type KernelResources = Pick<KernelRecord, 'block' | 'registers' | 'sharedBytes' | 'accumRegisters' | 'scalarRegisters'>;

/** What prevents further blocks on a multiprocessor. */
export type OccupancyLimit = 'threads' | 'blocks' | 'registers' | 'shared memory';

interface BlockLimits {
  /** Number of warps of a block, and the most that a multiprocessor can hold. */
  readonly warps: number;
  readonly mostWarps: number;
  /** How many blocks each of these allows. */
  readonly limits: Readonly<Record<OccupancyLimit, number>>;
}

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

const threadsOf = (block: readonly [number, number, number]): number => block[0] * block[1] * block[2];

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

// Blocks on a multiprocessor of NVIDIA.
//
// Sources: CUDA Programming Guide, compute capabilities (threads, blocks, registers and shared memory of a multiprocessor);
// NVIDIA's occupancy calculator (allocation units of registers and shared memory).

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
function limitsOnMultiprocessor(
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

// Blocks on a compute unit of AMD; on RDNA on a pair of them, whose local memory and vector units a block shares unless its
// program asks for one (WGP mode, the default of HIP).
//
// Sources: LLVM, AMDGPUBaseInfo.cpp (waves, registers and their allocation units, barriers, the 16 scalar registers that the
// trap handler of ROCm takes from each wave); AMDGPUUsage, "Kernel Descriptor" (allocation units of local memory);
// rocprofiler-sdk, code_object.cpp (what the recorded numbers of registers count).

/** Resources of a compute unit, or of a pair. */
interface ComputeUnit {
  /** Threads of a wave. */
  readonly wave: number;
  /** Vector units, each with waves and registers of its own. */
  readonly simds: number;
  readonly waves: number;
  /** Vector registers for each lane, and their allocation unit. */
  readonly registers: number;
  readonly registerUnit: number;
  /** Whether accumulation registers come out of the same registers. */
  readonly isUnified: boolean;
  /** Whether scalar registers may limit the number of waves. */
  readonly hasScalarLimit: boolean;
  /** Local memory in KiB, and its allocation unit in bytes. */
  readonly shared: number;
  readonly sharedUnit: number;
  /** Blocks of more than one wave; each needs a barrier. */
  readonly barriers: number;
}

const GCN: ComputeUnit = {
  ...{ wave: 64, simds: 4, waves: 10, registers: 256, registerUnit: 4, isUnified: false, hasScalarLimit: true },
  ...{ shared: 64, sharedUnit: 512, barriers: 16 },
};
const CDNA2: ComputeUnit = { ...GCN, waves: 8, registers: 512, registerUnit: 8, isUnified: true };
const RDNA2: ComputeUnit = {
  ...{ wave: 32, simds: 4, waves: 16, registers: 1024, registerUnit: 16, isUnified: false, hasScalarLimit: false },
  ...{ shared: 128, sharedUnit: 512, barriers: 32 },
};
/** RDNA3 and RDNA4 have 1.5 times the registers of RDNA2, except the smaller devices of RDNA3, which have as many. */
const RDNA3: ComputeUnit = { ...RDNA2, registers: 1536, registerUnit: 24 };

/** Compute units by architecture. */
export const COMPUTE_UNITS: Readonly<Record<string, ComputeUnit>> = {
  gfx906: GCN,
  gfx908: GCN,
  gfx90a: CDNA2,
  gfx942: CDNA2,
  gfx950: { ...CDNA2, shared: 160, sharedUnit: 1280 },
  ...Object.fromEntries([1030, 1031, 1032, 1033, 1034, 1035, 1036].map((gfx) => [`gfx${gfx}`, RDNA2])),
  ...Object.fromEntries([1102, 1103, 1150, 1152, 1153].map((gfx) => [`gfx${gfx}`, RDNA2])),
  ...Object.fromEntries([1100, 1101, 1151, 1200, 1201].map((gfx) => [`gfx${gfx}`, RDNA3])),
};

/** Scalar registers of a vector unit, their allocation unit, and those of each wave that the trap handler takes. */
const [SCALARS, SCALAR_UNIT, TRAP_HANDLER] = [800, 16, 16];

/**
 * The vector registers that a thread may have been given, the most first; none when unknown. On gfx950, tracers of before
 * mid-2026 record half of them and none for accumulation. Later ones record counts that add up to a multiple of 8, so that
 * any other count is of the older kind.
 */
function vectorRegisters(unit: ComputeUnit, arch: string, counts: KernelResources): readonly number[] {
  const { registers = null, accumRegisters = null } = counts;
  if (registers === null) return [];
  // An odd multiple of 4 comes from a wave of 64 threads, which few programs for RDNA use.
  if (unit.wave === 32) return registers % 8 === 0 ? [registers] : [];
  if (!unit.isUnified) return [Math.max(registers, accumRegisters ?? 0)];
  if (accumRegisters === null) return [];
  if (arch !== 'gfx950' || accumRegisters > 0) return [roundUp(registers, 4) + accumRegisters];
  return registers % 8 === 0 ? [2 * registers, registers] : [2 * registers];
}

/** Waves of a vector unit that scalar registers allow; NaN when unknown. */
const wavesByScalars = ({ hasScalarLimit }: ComputeUnit, count: number | null): number =>
  hasScalarLimit ? Math.floor(SCALARS / (roundUp(count ?? NaN, SCALAR_UNIT) + TRAP_HANDLER)) : Infinity;

/**
 * Blocks that registers allow, the fewest first: one number for each that a thread may have been given.
 * @param warps waves of a block
 */
function blocksByRegisters(unit: ComputeUnit, arch: string, warps: number, kernel: KernelResources): number[] {
  const byScalars = wavesByScalars(unit, kernel.scalarRegisters ?? null);
  const blocks = vectorRegisters(unit, arch, kernel).map((registers) => {
    const waves = Math.min(byScalars, Math.floor(unit.registers / roundUp(registers, unit.registerUnit)));
    return Math.floor((unit.simds * waves) / warps);
  });
  return blocks.filter((count) => count > 0); // The kernel ran.
}

/**
 * @param arch AMD's name, `gfx942`
 * @returns null when the block, its registers or the device's limits are unknown, and for a kernel that cannot run there
 */
function limitsOnComputeUnit(kernel: KernelResources, arch: string): BlockLimits | null {
  const { block, sharedBytes = null } = kernel;
  const unit = COMPUTE_UNITS[arch];
  if (unit === undefined || block === null || sharedBytes === null) return null;
  const [warps, mostWarps] = [Math.ceil(threadsOf(block) / unit.wave), unit.simds * unit.waves];
  const [registers, most] = blocksByRegisters(unit, arch, warps, kernel);
  if (registers === undefined) return null;
  const shared = roundUp(sharedBytes, unit.sharedUnit);
  const limits = {
    threads: Math.floor(mostWarps / warps),
    blocks: warps === 1 ? Infinity : unit.barriers,
    registers,
    'shared memory': shared === 0 ? Infinity : Math.floor((unit.shared * 1024) / shared),
  };
  const others = Math.min(limits.threads, limits.blocks, limits['shared memory']);
  return most === undefined || most === registers || others <= registers ? { warps, mostWarps, limits } : null;
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
  const [limit, blocks] = limits.reduce((least, other) => (other[1] < least[1] ? other : least));
  if (blocks < 1) return null;
  const warps = blocks * fit.warps;
  return { blocks, warps, mostWarps: fit.mostWarps, share: warps / fit.mostWarps, limit };
}
