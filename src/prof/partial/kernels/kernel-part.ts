/**
 * The kernels of one profile as a partial answer has them: groups of kernels that are equal in some columns, in the order
 * in which their first kernels came. Plain data, as JSON has it; times are ns.
 */
import type { CellValue } from '../../../table/column.js';
import { elementAt } from '../../../containers/element.js';
import {
  ABOVE_COMPUTE,
  COUNT,
  FIRST_KNOWN,
  KernelSum,
  KNOWN_SUM_SIZE,
  TALLY_SIZE,
  TIME,
} from '../../tally/kernel-tally.js';

export interface KernelPart {
  /** Keys of the columns in which the kernels of a group are equal. */
  readonly keys: readonly string[];
  /** Values of each of these columns, each once. */
  readonly values: readonly (readonly CellValue[])[];
  /** Steps in the order in which they first had a kernel; null is work of no step. */
  readonly steps: readonly (number | null)[];
  /** Durations of each step, one by one; else those of a group are known to 1.6 %, and each step has sums. */
  readonly exact: boolean;
  /** Whether lists of durations hold differences from the one before; of times that are not whole they cannot. */
  readonly differences: boolean;
  readonly groups: readonly GroupPart[];
  /** Kernels of groups beyond the bound, which are in one together. */
  readonly others: number;
  /** Steps that have sums, of those above the first ones; a count of all of them where none is missing. */
  readonly summedSteps: number;
  /** What the report of kernels says of the pairing of all kernels: see `ReportTally`. */
  readonly evicted: number;
  readonly incomplete: number;
}

/** One group; what is not there is nothing. */
export interface GroupPart {
  /** Of each key the place of its value. */
  readonly key: readonly number[];
  /** Where durations are exact: of each step its place in `steps`, then the durations in rising order. */
  readonly times?: readonly (readonly number[])[];
  /** Where they are not: durations, each followed by how many there are. */
  readonly spread?: readonly number[];
  /** With these: of each step its place, kernels and time. */
  readonly sums?: readonly (readonly [step: number, kernels: number, time: number])[];
  /** With these: kernels and time of steps beyond those that have sums: in steps, and in none. */
  readonly rest?: readonly [inSteps: readonly [number, number], inNone: readonly [number, number]];
  /** What the kernels did: see `encodeWork`. */
  readonly work?: readonly WorkPart[];
  readonly odd?: OddKernels;
}

/**
 * A `KnownSum`: 0 for nothing; sum and what its rounding left out (absent when 0) where all kernels of the group have it;
 * else kernels, time, sum and that.
 */
export type WorkPart = number | readonly number[];

/** Kernels of a group with something odd, by what it is. */
export interface OddKernels {
  /** Without a duration. */
  readonly untimed?: number;
  /** Durations below 0. */
  readonly negative?: readonly number[];
  readonly withoutOp?: number;
  readonly unknownFlops?: number;
  readonly ambiguousForward?: number;
  readonly withoutForward?: number;
  readonly abovePeak?: number;
  /** Ids of the first kernels above a peak. */
  readonly firstAbovePeak?: readonly number[];
}

/** In place of a key's value, in the group of those beyond the bound. */
export const OTHER_KERNELS = '[other kernels]';

const KNOWN_SUMS = (ABOVE_COMPUTE - FIRST_KNOWN) / KNOWN_SUM_SIZE;

/** Without count and time, which follow from the durations, and without what is nothing at the end. */
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
  return new KernelSum(numbers);
}
