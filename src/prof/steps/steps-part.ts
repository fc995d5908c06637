/** What a partial answer has of the steps of one profile: their rows, and counts for notes. Plain data, as JSON has it. */
import type { StepRow } from './step-columns.js';

/** Counts of all profiles. */
export interface StepCounts {
  /** Activities of computing or communication with a time. */
  activities: number;
  /** Activities without a time, which are left out. */
  untimed: number;
  /** Activities of partial answers that came out of order. */
  late: number;
  /** Graph launches traced as a whole. */
  graphs: number;
  /** Launches without their work. */
  missing: number;
}

export const stepCounts = (): StepCounts => ({ activities: 0, untimed: 0, late: 0, graphs: 0, missing: 0 });

type PlainRow = Omit<StepRow, 'profile' | 'header'>;

export type StepsPart =
  | { readonly rows: readonly PlainRow[]; readonly counts: Readonly<StepCounts> }
  /** Says how many steps are too many. */
  | { readonly tooMany: string };

/** The row without its profile, in an order of fields that does not depend on the kind of row. */
export function plainRow({ sums, times, kernelTimes, ...row }: StepRow): PlainRow {
  const { device, step, served, iteration, hasCopies, preparing, isLost } = row;
  return {
    ...{ device, step, iteration, preparing, hasCopies, served },
    sums: { kernels: sums.kernels, collectives: sums.collectives },
    times,
    kernelTimes: { all: kernelTimes.all, own: kernelTimes.own },
    ...(isLost === undefined ? undefined : { isLost }),
  };
}
