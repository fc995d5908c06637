/** The values of a kernel that a page shows. */
import type { Category } from '../../ops/category.js';
import type { KernelRecord } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import type { Occupancy } from '../roofline/occupancy.js';
import type { Peaks } from '../roofline/peaks.js';
import { communicates } from '../steps/step-work.js';
import type { KernelWork } from '../tally/kernel-tally.js';

export interface PageKernel extends SummedKernel {
  readonly record: KernelRecord;
  readonly peaks: Peaks;
}

type SummedFields = 'id' | 'short' | 'start' | 'dir' | 'device' | 'grid' | 'block' | 'registers' | 'sharedBytes';

/** The values that the sums of kernels need, from a kernel or from its event in a timeline. */
export interface SummedKernel extends KernelWork {
  readonly record: Pick<KernelRecord, SummedFields>;
  readonly layer: readonly string[];
  readonly op: string | null;
  readonly category: Category | null;
  readonly dtype: string | null;
  readonly isCommunication: boolean;
  /** Null if unknown. */
  readonly peaks: Peaks | null;
  readonly occupancy: Occupancy | null;
}

/** Reads each value once, because an annotated kernel derives it on every read, and several parts of a page use it. */
export function pageKernelOf(row: Annotated): PageKernel {
  const { record, layer, op, category, tc, flops, bytes, peaks, occupancy, placement } = row;
  const dtype = row.unitUse?.dtype ?? null;
  const isCommunication = communicates(record);
  return { record, layer, op, category, tc, dtype, isCommunication, flops, bytes, peaks, occupancy, placement };
}
