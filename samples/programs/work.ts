/** Pieces of device work with their size, and how long a device plausibly takes for them. */
import type { Gpu } from './gpu.js';
import type { Kernel } from './kernels.js';
import type { Shape } from './markers.js';
import type { CopyKind, Extent } from './timeline.js';

export interface KernelWork {
  readonly kind: 'kernel';
  readonly kernel: Kernel;
  readonly grid: Extent;
  readonly flops: number;
  readonly bytes: number;
  /** Runs on the matrix units. */
  readonly matrix: boolean;
}

export interface SetWork {
  readonly kind: 'set';
  readonly bytes: number;
  readonly value: number;
}

interface CopyWork {
  readonly kind: 'copy';
  readonly copy: CopyKind;
  readonly bytes: number;
  readonly pinned: boolean;
}

export type Work = KernelWork | SetWork | CopyWork;

export const count = (shape: Shape): number => shape.reduce((product, extent) => product * extent, 1);

/** A kernel over `elements`, with `operands` tensors read or written, four elements a thread. */
export const elementwise = (kernel: Kernel, elements: number, operands: number, size: number): KernelWork => ({
  kind: 'kernel',
  kernel,
  grid: [Math.ceil(elements / (kernel.threads * 4)), 1, 1],
  flops: elements,
  bytes: elements * operands * size,
  matrix: false,
});

/** A kernel with one block a row. */
export const rowwise = (kernel: Kernel, rows: number, width: number, operands: number, size: number): KernelWork => ({
  kind: 'kernel',
  kernel,
  grid: [rows, 1, 1],
  flops: 5 * rows * width,
  bytes: rows * width * operands * size,
  matrix: false,
});

export interface GemmExtents {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch?: number;
}

/** C[m,n] = A[m,k] B[k,n]; 2mnk floating-point operations, each operand moved once. */
export function gemm(kernel: Kernel, { m, n, k, batch = 1 }: GemmExtents, size: number): KernelWork {
  return {
    kind: 'kernel',
    kernel,
    grid: [Math.ceil(n / 64), Math.ceil(m / 64), batch],
    flops: 2 * batch * m * n * k,
    bytes: size * batch * (m * n + m * k + n * k),
    matrix: size === 2,
  };
}

/** Shares of the peak that the samples' kernels reach: well below it, as small kernels do. */
const ARITHMETIC_SHARE = 0.3;
const MEMORY_SHARE = 0.55;
/** Launching and draining a grid. */
const FIXED_NS = 1300;
/** PCIe 3.0 x16, page-locked and pageable host memory. */
const HOST_LINK_BYTES_PER_NS = { pinned: 12, pageable: 4 } as const;

/** Nanoseconds the work takes on the device, always longer than the device's peaks allow. */
export function durationNs(work: Work, gpu: Gpu): number {
  const moved = (bytes: number): number => bytes / ((gpu.memBytesPerS * MEMORY_SHARE) / 1e9);
  if (work.kind === 'set') return Math.round(FIXED_NS + moved(work.bytes));
  if (work.kind === 'copy') {
    if (work.copy === 'DtoD') return Math.round(FIXED_NS + moved(2 * work.bytes));
    return Math.round(FIXED_NS + work.bytes / HOST_LINK_BYTES_PER_NS[work.pinned ? 'pinned' : 'pageable']);
  }
  const peak = work.matrix ? gpu.matrixFlopsPerS : gpu.flopsPerS;
  return Math.round(FIXED_NS + Math.max(work.flops / ((peak * ARITHMETIC_SHARE) / 1e9), moved(work.bytes)));
}
