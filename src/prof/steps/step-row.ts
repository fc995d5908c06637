/** One row of `dprof steps`. */
import type { ProfileRecord } from '../../record/record.js';
import type { StepSums } from './step-sums.js';

/** A step's number; '-' for work of no step, 'all' for the whole profile. */
type StepName = number | '-' | 'all';

export interface StepRow {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  readonly device: number;
  readonly step: StepName;
  /** Of operations that compute, and that communicate. */
  readonly sums: Pick<StepSums, 'kernels' | 'collectives'>;
  readonly times: StepSums['times'];
  /** Whether it is known which copies belong to the row. */
  readonly hasCopies: boolean;
  /** From the start of the step on the host to its first work on the device, ns; null when unknown. */
  readonly preparing: number | null;
}
