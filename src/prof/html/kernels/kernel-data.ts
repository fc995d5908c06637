/** The parts of a page's data on kernels, ops and call stacks. Times are ns, shares fractions of 1, unknown is null. */
import type { RooflineBound } from '../../roofline/roofline.js';
import type { OccupancyLimit } from '../../roofline/occupancy.js';

export interface KernelTotal {
  readonly name: string;
  readonly count: number;
  readonly time: number;
  /** Longest and shortest. */
  readonly max: number;
  readonly min: number;
  /** Share of its time on the matrix unit; null where that is not known. */
  readonly tc: number | null;
  /** Null where no launch records any of it. */
  readonly launch: LaunchShape | null;
}

/** The least and the most of a value over all launches. */
export type Extremes = readonly [least: number, most: number];

/** What a kernel's launches ask of a device; each is null where no launch records it. */
export interface LaunchShape {
  /** The commonest, and how many different ones there are, at most 1000. */
  readonly grid: CommonExtent | null;
  readonly block: CommonExtent | null;
  /** Of a thread. */
  readonly registers: Extremes | null;
  /** Bytes of a block. */
  readonly sharedBytes: Extremes | null;
  /** Theoretical occupancy, a share of the threads that a multiprocessor can hold. */
  readonly occupancy: Extremes | null;
  /** What limits the least occupancy. */
  readonly limit: OccupancyLimit | null;
}

export interface CommonExtent {
  readonly extent: readonly number[];
  readonly different: number;
}

/** Kernels by op, as `dprof --by op` has them, and the calls of the op on the host. */
export interface OpTotal {
  /** Null for kernels of which no op is known. */
  readonly op: string | null;
  /** Null, as the times, where the profile has no work of a device: whether any was launched is not known. */
  readonly count: number | null;
  readonly time: number | null;
  /** Time of all kernels that were launched within calls of the op, those of ops that it calls too. */
  readonly within: number | null;
  /** Time of the host in the calls that launched its kernels; graphs, which launch those of many ops, left out. */
  readonly launch: number | null;
  /** Calls of the op, time of the host in them, and without what they call; null where they are not recorded. */
  readonly passes: number | null;
  readonly host: number | null;
  readonly hostSelf: number | null;
  /** Of the kernels whose FLOPs or bytes are known; null where none are. */
  readonly flops: number | null;
  readonly bytes: number | null;
  readonly flopsPerS: number | null;
  readonly bytesPerS: number | null;
  /** Shares of the peaks. */
  readonly ofCompute: number | null;
  readonly ofMemory: number | null;
  /** Share of its time on the matrix unit. */
  readonly tc: number | null;
  /** What bounds most of its time, and how much of it. */
  readonly bound: { readonly name: RooflineBound; readonly time: number } | null;
  /** Its call stacks with the most time. */
  readonly stacks: readonly OpStack[];
  /** How many different ones it has. */
  readonly stackCount: number;
}

export interface OpStack {
  /** Innermost frame: index of a node of the tree of stacks. */
  readonly node: number;
  readonly count: number;
  readonly time: number;
}

/** Kernels by call stack: a tree of frames, a parent before its children. */
export interface StackTree {
  readonly frames: readonly string[];
  /** Of each node: the one above it, -1 for none; its frame; kernels and time of it and of all beneath. */
  readonly parents: readonly number[];
  readonly frameOf: readonly number[];
  readonly counts: readonly number[];
  readonly times: readonly number[];
  /** Nodes that are left out, which have the least time. */
  readonly leftOut: number;
}
