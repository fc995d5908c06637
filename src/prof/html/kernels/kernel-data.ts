/** Data of a page about kernels, ops and call stacks. Times are ns, shares are fractions of 1, unknown values are null. */
import type { Category } from '../../../ops/category.js';
import type { KnownWork } from '../../tally/kernel-tally.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import type { OccupancyLimit } from '../../roofline/occupancy.js';

/** Kernels by what they compute, as in `dprof --by category`. */
export interface CategoryTotal extends KnownWork {
  /** Null for kernels whose category is unknown. */
  readonly category: Category | null;
  readonly count: number;
  readonly time: number;
  /** Share of its time on the matrix unit; null if unknown. */
  readonly tc: number | null;
}

export interface KernelTotal {
  readonly name: string;
  readonly count: number;
  readonly time: number;
  /** Time of the longest kernel and of the shortest. */
  readonly max: number;
  readonly min: number;
  /** Share of its time on the matrix unit; null if unknown. */
  readonly tc: number | null;
  /** The part of its time in which it communicated; absent when 0. */
  readonly communicating?: number;
  /** Null when no launch has any of these values. */
  readonly launch: LaunchShape | null;
}

/** Minimum and maximum of a value over all launches. */
export type Extremes = readonly [least: number, most: number];

/** Resources that a kernel's launches request; each is null when no launch has the value. */
export interface LaunchShape {
  /** The most common one, and the number of different ones, at most 1000. */
  readonly grid: CommonExtent | null;
  readonly block: CommonExtent | null;
  /** Registers per thread. */
  readonly registers: Extremes | null;
  /** Bytes per block. */
  readonly sharedBytes: Extremes | null;
  /** Theoretical occupancy, as a share of the threads that a multiprocessor can hold. */
  readonly occupancy: Extremes | null;
  /** What limits the lowest occupancy. */
  readonly limit: OccupancyLimit | null;
}

export interface CommonExtent {
  readonly extent: readonly number[];
  readonly different: number;
}

/** Kernels by op, as in `dprof --by op`, and the calls of the op on the host. */
export interface OpTotal extends KnownWork {
  /** Null for kernels whose op is unknown. */
  readonly op: string | null;
  /** Null, like the times, when the profile has no device work, because it is then unknown whether any was launched. */
  readonly count: number | null;
  readonly time: number | null;
  /** The part of its time that kernels of communication took; absent when 0. */
  readonly communicating?: number;
  /** Time of all kernels that were launched within calls of the op, including those of ops that it calls. */
  readonly within: number | null;
  /** Host time in the calls that launched its kernels, without graphs, which launch kernels of many ops. */
  readonly launch: number | null;
  /** Number of calls of the op, host time in them, and host time without the ops that they call; null when not recorded. */
  readonly passes: number | null;
  readonly host: number | null;
  readonly hostSelf: number | null;
  /** Present when it has bytes and no rate, because its transfers outlast the instructions that start them. */
  readonly isUnrated?: true;
  /** Rates and shares of the peaks; null when they are known for less than half of the time. */
  readonly flopsPerS: number | null;
  readonly bytesPerS: number | null;
  readonly ofCompute: number | null;
  readonly ofMemory: number | null;
  /** Share of its time on the matrix unit. */
  readonly tc: number | null;
  /** What bounds most of its time, and that time. */
  readonly bound: { readonly name: RooflineBound; readonly time: number } | null;
  /** The line with most of its time, and that time; absent when unknown. */
  readonly line?: { readonly name: string; readonly time: number };
  /** Call stacks of the op with the largest times. */
  readonly stacks: readonly OpStack[];
  /** Number of different call stacks. */
  readonly stackCount: number;
}

export interface OpStack {
  /** Innermost frame, as index of a node in the tree of stacks. */
  readonly node: number;
  readonly count: number;
  readonly time: number;
}

/** Kernels by the innermost frame of their call stack. */
export interface LineTotal extends Pick<KnownWork, 'flops' | 'flopsKnown'> {
  /** `train.py:184`; null for kernels whose line is unknown. */
  readonly line: string | null;
  readonly count: number;
  readonly time: number;
  /** The op with the most time; null when none is known. */
  readonly op: string | null;
  /** Number of different ops, at most 100. */
  readonly ops: number;
}

/** Kernels by call stack: a tree of frames, each parent before its children. */
export interface StackTree {
  readonly frames: readonly string[];
  /** For each node: its parent (-1 for none), its frame, and the kernels and time of it and of all nodes below. */
  readonly parents: readonly number[];
  readonly frameOf: readonly number[];
  readonly counts: readonly number[];
  readonly times: readonly number[];
  /** Number of nodes that are left out, which have the smallest times. */
  readonly leftOut: number;
}
