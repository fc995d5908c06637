/** The values of a kernel that a page shows. */
import type { KernelRecord } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import type { Occupancy } from '../roofline/occupancy.js';
import type { Peaks } from '../roofline/peaks.js';
import type { KernelWork } from '../tally/kernel-tally.js';

export interface PageKernel extends KernelWork {
  readonly record: KernelRecord;
  readonly layer: readonly string[];
  readonly op: string | null;
  readonly dtype: string | null;
  readonly peaks: Peaks;
  readonly occupancy: Occupancy | null;
}

/** Reads each value once, because an annotated kernel derives it on every read, and several parts of a page use it. */
export function pageKernelOf(row: Annotated): PageKernel {
  const { record, layer, op, tc, flops, bytes, peaks, occupancy, placement } = row;
  const dtype = row.unitUse?.dtype ?? null;
  return { record, layer, op, tc, dtype, flops, bytes, peaks, occupancy, placement };
}
