/**
 * The kernels of one profile in a partial answer: groups of kernels with equal values in some columns, in order of their
 * first kernels. Plain data, in the form of the JSON output; times are ns.
 */
import type { CellValue } from '../../../table/column.js';
import { elementAt } from '../../../containers/element.js';
import {
  ABOVE_COMPUTE,
  COUNT,
  FIRST_KNOWN,
  kernelSum,
  type KernelSum,
  KNOWN_SUM_SIZE,
  TALLY_SIZE,
  TIME,
} from '../../tally/kernel-tally.js';

export interface KernelPart {
  /** Keys of the columns in which the kernels of a group are equal. */
  readonly keys: readonly string[];
  /** Distinct values of each of these columns. */
  readonly values: readonly (readonly CellValue[])[];
  /** Steps in order of their first kernel; null is work outside of steps. */
  readonly steps: readonly (number | null)[];
  /**
   * Whether durations of each step are stored one by one; otherwise those of a group are accurate to 1.6 %, and each step
   * has sums.
   */
  readonly exact: boolean;
  /** Whether lists of durations contain differences from the previous one, which is not possible for fractional times. */
  readonly differences: boolean;
  readonly groups: readonly GroupPart[];
  /** Number of kernels of groups beyond the maximum, which are in one group together. */
  readonly others: number;
  /** Number of leading steps that have sums; the number of all steps when none is missing. */
  readonly summedSteps: number;
  /** Counts about the pairing of all kernels, for the kernel report; see `ReportTally`. */
  readonly evicted: number;
  readonly incomplete: number;
}

/** One group. Fields with nothing to report are absent. */
export interface GroupPart {
  /** For each key, the index of its value. */
  readonly key: readonly number[];
  /** When durations are exact: for each step its index in `steps`, then the durations in ascending order. */
  readonly times?: readonly (readonly number[])[];
  /** When they are not exact: durations, each followed by its count. */
  readonly spread?: readonly number[];
  /** Together with `spread`: index, number of kernels and time of each step. */
  readonly sums?: readonly (readonly [step: number, kernels: number, time: number])[];
  /** With `spread`: number and time of the kernels that `sums` leaves out, first those in steps, then all others. */
  readonly rest?: readonly [inSteps: readonly [number, number], inNone: readonly [number, number]];
  /** Work of the kernels; see `encodeWork`. */
  readonly work?: readonly WorkPart[];
  readonly odd?: OddKernels;
}

/**
 * A `KnownSum`: 0 for nothing; sum and its rounding error (absent when 0) when all kernels of the group have it; else
 * number of kernels, time, sum and rounding error.
 */
export type WorkPart = number | readonly number[];

/** Kernels of a group with anomalies, by kind. */
export interface OddKernels {
  /** Number of kernels without a duration. */
  readonly untimed?: number;
  /** Negative durations. */
  readonly negative?: readonly number[];
  readonly withoutOp?: number;
  readonly unknownFlops?: number;
  readonly ambiguousForward?: number;
  readonly withoutForward?: number;
  readonly abovePeak?: number;
  /** Number of instructions that only wait. */
  readonly waits?: number;
  /** Ids of the first kernels above a peak. */
  readonly firstAbovePeak?: readonly number[];
}

/** Key value of the group for kernels beyond the maximum. */
export const OTHER_KERNELS = '[other kernels]';

const KNOWN_SUMS = (ABOVE_COMPUTE - FIRST_KNOWN) / KNOWN_SUM_SIZE;

/** Leaves out count and time, which follow from the durations, and empty sums at the end. */
export function encodeWork({ numbers, count, time }: KernelSum): WorkPart[] {
  const parts: WorkPart[] = [];
  for (let at = FIRST_KNOWN; at < ABOVE_COMPUTE; at += KNOWN_SUM_SIZE) {
    const [known, knownTime, sum, leftOut] = [0, 1, 2, 3].map((offset) => elementAt(numbers, at + offset));
    const sums = leftOut === 0 ? [sum ?? 0] : [sum ?? 0, leftOut ?? 0];
    if (known === 0) parts.push(0);
    else if (known === count && knownTime === time) parts.push(sums);
    else parts.push([known ?? 0, knownTime ?? 0, sum ?? 0, leftOut ?? 0]);
  }
  for (const above of numbers.slice(ABOVE_COMPUTE)) parts.push(above);
  while (parts.at(-1) === 0) parts.pop();
  return parts;
}

/** @param time ns of all kernels of the group */
export function decodedSum(parts: readonly WorkPart[], count: number, time: number): KernelSum {
  const numbers = new Float64Array(TALLY_SIZE);
  numbers[COUNT] = count;
  numbers[TIME] = time;
  parts.forEach((part, i) => {
    const sums = Math.min(i, KNOWN_SUMS);
    const at = FIRST_KNOWN + sums * KNOWN_SUM_SIZE + i - sums;
    if (typeof part === 'number') numbers[at] = part;
    else if (part.length === KNOWN_SUM_SIZE) numbers.set(part, at);
    else numbers.set([count, time, ...part], at);
  });
  return kernelSum(numbers);
}
