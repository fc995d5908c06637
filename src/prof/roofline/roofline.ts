/**
 * Roofline of a kernel: the rates that it reached, their shares of the device's peaks, what bounds it, and the minimum time
 * that the device needs.
 *
 * Source: Williams, Waterman, Patterson, Roofline: an insightful visual performance model (CACM 52, 2009).
 */
import { matrixTypes, mathType, type MathType, typeOnUnit } from '../../ops/kernels/matrix-unit.js';
import { NS_PER_S } from '../../record/units.js';
import type { MatrixUnitCell } from '../work/work-model.js';
import type { Peaks } from './peaks.js';

/** Work of a kernel: FLOPs, bytes moved, duration in ns. */
export interface Load {
  readonly flops: number | null;
  readonly bytes: number | null;
  readonly dur: number | null;
}

/** The rates that limit a kernel. */
export interface Roof {
  /** FLOP/s of the unit on which the kernel ran; null if unknown. */
  readonly unit: number | null;
  /** FLOP/s of the fastest unit that could have done the kernel's arithmetic. */
  readonly fastest: number | null;
  /** Bytes/s of the memory. */
  readonly memory: number | null;
  /** Size in bytes of the cache that all units share; null if unknown. */
  readonly cache: number | null;
  /**
   * Whether it is a product. Other kernels do so few FLOPs per byte that, when their peak rate is unknown, only the
   * traffic is considered.
   */
  readonly product: boolean;
  /** Whether the algorithm does fewer FLOPs than are counted, so that a rate above the peak is not a defect. */
  readonly shortcut: boolean;
}

/** The roof of a kernel that waits for other devices: neither its units nor its memory limit it. */
export const NO_ROOF: Roof = {
  unit: null,
  fastest: null,
  memory: null,
  cache: null,
  product: false,
  shortcut: false,
};

/** What prevents a kernel from being faster. */
export type RooflineBound = 'compute' | 'memory' | 'latency';

/** Position of a kernel under its device's roofline: rates, shares of the peaks, bound, floor. */
export interface Placement {
  /** Arithmetic intensity in FLOP/byte; null without bytes. */
  readonly intensity: number | null;
  /** Achieved TFLOP/s and GB/s. */
  readonly tflops: number | null;
  readonly gbps: number | null;
  /** Shares of the peaks in percent. */
  readonly computeShare: number | null;
  readonly memoryShare: number | null;
  readonly bound: RooflineBound | null;
  /** Minimum time in ns: arithmetic at the fastest unit's peak or traffic at the memory's peak, whichever takes longer. */
  readonly floor: number | null;
  /** Duration divided by the floor. */
  readonly gap: number | null;
  /** The rates that are higher than the device's peak. */
  readonly above: { readonly compute: boolean; readonly memory: boolean };
}

/** Below this percentage of both peaks, a kernel is bound by neither: it waits, or does not fill the device. */
export const LATENCY_SHARE = 10;

/**
 * The largest last-level cache of a part in the table (MI300X, 256 MiB), which is used when the size of a device's cache is
 * not known.
 */
export const LARGEST_CACHE = 256 * 1024 ** 2;

const over = (amount: number | null, by: number | null): number | null =>
  amount === null || by === null || by === 0 ? null : amount / by;

/** A share of 0 can be computed without a peak. */
function share(rate: number | null, peak: number | null): number | null {
  if (rate === 0) return 0;
  const part = over(rate, peak);
  return part === null ? null : 100 * part;
}

/** The minimum time in ns. */
function floorOf({ flops, bytes }: Load, { fastest, memory, product }: Roof): number | null {
  const arithmetic = flops === 0 ? 0 : over(flops, fastest);
  const traffic = bytes === 0 ? 0 : over(bytes, memory);
  if (traffic === null || (arithmetic === null && product)) return null;
  return (arithmetic === null ? traffic : Math.max(arithmetic, traffic)) * NS_PER_S;
}

/** The larger share, if it is large enough to bound the kernel; null when an unknown share may be the larger one. */
function boundOf(load: Load, { product }: Roof, compute: number | null, memory: number | null): RooflineBound | null {
  if (load.flops === 0 && load.bytes === 0) return null;
  if ((compute === null && product) || memory === null) return null;
  const largest = compute === null ? memory : Math.max(compute, memory);
  if (largest < LATENCY_SHARE) return 'latency';
  return largest > memory ? 'compute' : 'memory';
}

/**
 * Whether bytes moved at an impossible rate. The shared cache may hold operands before the kernel and results after it,
 * so that up to twice its size never passes through memory: only traffic beyond that is compared with the memory's peak.
 */
function isBeyondMemory({ bytes, dur }: Load, { memory, cache }: Roof): boolean {
  if (bytes === null || dur === null || dur <= 0 || memory === null) return false;
  return ((bytes - 2 * (cache ?? LARGEST_CACHE)) / dur) * NS_PER_S > memory;
}

/**
 * Compares a kernel's rates with the device's peak rates. Amounts of 0 give rates and shares of 0; values that depend on an unknown amount are null.
 */
export function classifyRoofline(load: Load, roof: Roof): Placement {
  const dur = load.dur !== null && load.dur > 0 ? load.dur : null;
  const flopRate = over(load.flops, dur);
  const byteRate = over(load.bytes, dur);
  const computeShare = share(flopRate, over(roof.unit, NS_PER_S));
  const memoryShare = share(byteRate, over(roof.memory, NS_PER_S));
  const floor = floorOf(load, roof);
  return {
    intensity: over(load.flops, load.bytes),
    // FLOP/ns are GFLOP/s, bytes/ns are GB/s.
    tflops: over(load.flops, dur === null ? null : dur * 1000),
    gbps: byteRate,
    computeShare,
    memoryShare,
    bound: boundOf(load, roof, computeShare, memoryShare),
    floor,
    gap: over(dur, floor),
    above: {
      compute: !roof.shortcut && computeShare !== null && computeShare > 100,
      memory: isBeyondMemory(load, roof),
    },
  };
}

export interface Arithmetic {
  /** Element type as in the dtype column. */
  readonly dtype: string | null;
  /** The tc column. */
  readonly tc: MatrixUnitCell;
  /** Whether the matrix unit could do it; null if unknown. */
  readonly eligible: boolean | null;
  /** Whether FP16 products are accumulated in FP16. */
  readonly halfSums: boolean;
  /** Whether the kernel's algorithm does fewer FLOPs than are counted (Winograd, FFT). */
  readonly shortcut: boolean;
}

/** Elementwise arithmetic on 16-bit operands is done in FP32 (PyTorch's opmath types). */
const elementwiseRate = (type: MathType | null, { vector }: Peaks): number | null =>
  (type === null ? null : vector[type === 'fp16' || type === 'bf16' ? 'fp32' : type]) ?? null;

function matrixRate(type: MathType | null, { halfSums: sumsInHalf }: Arithmetic, peaks: Peaks): number | null {
  if (type === null) return null;
  if (sumsInHalf && type === 'fp16' && peaks.halfSums !== undefined) return peaks.halfSums;
  return peaks.matrix[type] ?? null;
}

/**
 * The roof of a kernel. A product that ran on the matrix unit is compared with the peak of that unit. A product that
 * ran elsewhere, and any other kernel, is compared with the peak of the vector units. If the unit of a product is
 * unknown, it is not compared.
 */
export function roofOf(arithmetic: Arithmetic, peaks: Peaks): Roof {
  const { dtype, tc, eligible, shortcut } = arithmetic;
  const type = mathType(dtype);
  const memory = { memory: peaks.bytesPerS, cache: peaks.cacheBytes, shortcut };
  if (tc !== 0 && tc !== 1 && tc !== '?') {
    const unit = elementwiseRate(type, peaks);
    return { unit, fastest: unit, ...memory, product: false };
  }
  const types = matrixTypes(peaks.arch ?? undefined) ?? [];
  const vector = (type === null ? null : peaks.vector[type]) ?? null;
  const onUnit = tc === '?' && type !== null ? typeOnUnit(type, types) : type;
  const matrix = matrixRate(onUnit, arithmetic, peaks);
  if (tc === '?') return { unit: null, fastest: matrix, ...memory, product: true };
  // FP32 operands could use the unit as TF32, but that would be different arithmetic.
  const could = tc === 1 || (eligible === true && type !== null && types.includes(type));
  return { unit: tc === 1 ? matrix : vector, fastest: could ? matrix : vector, ...memory, product: true };
}
