/**
 * What is kept of one rank to compare it with the others of its job. Plain data, as JSON has it; columns of equal length
 * where there is a row for each operation or step. Times are ns of the rank's own clock since the start of its profile;
 * unknown is null.
 */
import type { CollectiveKind } from '../../../ops/collective-bytes.js';
import type { ProcessGroup } from '../../../record/fields/collective.js';
import type { MissingReason } from '../../input/missing-device.js';

/** Operations between ranks, in order of their start. */
export interface OperationColumns {
  /** Names of groups; null is the unknown one. Groups of one name and other ranks are others. */
  readonly groups: readonly (string | null)[];
  /** Index in `groups` of each operation. */
  readonly group: readonly number[];
  /** Ranks of each of `groups` in rising order, as the operations list them; null where they do not. */
  readonly members: readonly (readonly number[] | null)[];
  /** Size of each of `groups`, likewise. */
  readonly sizes: readonly (number | null)[];
  readonly kind: readonly (CollectiveKind | null)[];
  readonly dtype: readonly (string | null)[];
  /** S of NCCL's definition of the algorithm bandwidth, bytes. */
  readonly bytes: readonly (number | null)[];
  /** As recorded: the place among the operations of the group. */
  readonly ordinal: readonly (number | null)[];
  /** Of a message between two: the other rank. */
  readonly peer: readonly (number | null)[];
  readonly start: readonly number[];
  readonly dur: readonly number[];
  readonly step: readonly (number | null)[];
}

/** Steps of the rank on its device, in order. */
export interface StepColumns {
  /** Numbers; null for the whole profile, where it has no steps. */
  readonly step: readonly (number | null)[];
  /** First start and last end of its work. */
  readonly start: readonly number[];
  readonly end: readonly number[];
  /** Unions: computing, communicating, and communicating while nothing else runs. */
  readonly compute: readonly number[];
  readonly communication: readonly number[];
  readonly exposed: readonly number[];
  /** Sending or receiving while nothing else runs; parts of partial answers may lack it. */
  readonly messages?: readonly number[];
  readonly copies: readonly number[];
  /** Nothing runs, between the first start and the last end; null where work, or its duration, is missing. */
  readonly idle: readonly (number | null)[];
  /** From the begin of the step on the host to its first work. */
  readonly preparing: readonly (number | null)[];
  /** Of the kernels whose FLOPs are known. */
  readonly flops: readonly (number | null)[];
  /** Of a server's step. */
  readonly tokens: readonly (number | null)[];
  /** Most memory in use while the host was in the step, bytes. */
  readonly memory: readonly (number | null)[];
}

/** Time of kernels that compute by what they have in common, ns: of each name a sum for each step. */
export interface WorkTable {
  readonly names: readonly string[];
  /** A row a name, a column a step. */
  readonly times: readonly (readonly number[])[];
}

/** By what work is compared between ranks. */
export const WORK_KEYS = ['layer', 'op', 'kernel'] as const;
export type WorkKey = (typeof WORK_KEYS)[number];

export interface RankPart {
  readonly file: string;
  /** Of its process; where one profile has several devices, that of the device or its number. Null when unknown. */
  readonly rank: number | null;
  /** Whether it is one of several devices of a profile, whose `rank` is theirs or their number. */
  readonly isDevice: boolean;
  readonly device: number;
  readonly deviceName: string | null;
  readonly worldSize: number | null;
  readonly host: string | null;
  readonly startUnixNs: string | null;
  readonly processGroups: readonly ProcessGroup[];
  readonly operations: OperationColumns;
  readonly steps: StepColumns;
  readonly work: Readonly<Record<WorkKey, WorkTable>>;
  /**
   * Stands for the work of the device, by its times, names and the processes that launched it: equal for copies of a profile,
   * whatever ranks they are given as. Parts of partial answers may lack it.
   */
  readonly content?: string;
  /** Operations without a time, and steps and names beyond the bounds, which are left out. */
  readonly leftOut: { readonly operations: number; readonly steps: number; readonly names: number };
}

/** A profile in which no device worked: of its rank nothing is known but who it is. */
export interface ProfileWithoutWork {
  /** Its number. */
  readonly profile: number;
  /** Without operations and steps; the device is NaN. */
  readonly part: RankPart;
  /** Why, where its profiler recorded that. */
  readonly reason: MissingReason | null;
}
