/**
 * What is kept of one rank to compare it with the others of its job. Plain data, as JSON has it; columns of equal length
 * where there is a row for each operation or step. Times are ns of the rank's own clock since the start of its profile;
 * unknown is null.
 */
import type { CollectiveKind } from '../../../ops/collective-bytes.js';
import type { ProcessGroup } from '../../../record/fields/collective.js';
import type { MissingReason } from '../../input/device-activity.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { CollectiveLine, KernelLine, ProfileLine } from '../../../record/record.js';
import { operationOf, workOf, type Operation } from '../../steps/step-work.js';

/** Operations of a rank that are kept, some 100 bytes each. */
const MOST_OPERATIONS = 500_000;

/** Kinds of operations between two ranks. */
export const MESSAGES: ReadonlySet<CollectiveKind> = new Set(['send', 'receive', 'send-receive'] as const);

/** A record that the rows of a rank have, unless there are too many of them. */
type TimedOperation = (KernelLine | CollectiveLine) & { readonly dur: number };

/** The operation between ranks that a record is: these are counted, in order of records, by the index of the columns. */
export function timedOperation(record: ProfileLine): TimedOperation | null {
  const isOperation = workOf(record)?.work === 'communication';
  return isOperation && isTimed(record as KernelLine) ? (record as TimedOperation) : null;
}

const isTimed = ({ start, dur }: KernelLine | CollectiveLine): boolean =>
  dur !== null && dur >= 0 && Number.isFinite(start + dur);

const emptyColumns = () => ({
  groups: [] as (string | null)[],
  members: [] as (readonly number[] | null)[],
  sizes: [] as (number | null)[],
  group: [] as number[],
  kind: [] as (CollectiveKind | null)[],
  dtype: [] as (string | null)[],
  bytes: [] as (number | null)[],
  ordinal: [] as (number | null)[],
  peer: [] as (number | null)[],
  start: [] as number[],
  dur: [] as number[],
  step: [] as (number | null)[],
});

/** Operations of one rank, collected in order of their start. */
export class OperationRows {
  readonly #columns = emptyColumns();
  /** Of each name the groups that have it: of one name and other ranks are others. */
  readonly #groups = new Map<string | null, number[]>();
  /** Correlation id of the launch of each operation. */
  readonly launches: (number | null)[] = [];
  /** Operations without a time, or beyond the bound. */
  leftOut = 0;

  /**
   * @param record a communicating kernel, or a collective
   * @returns its kind; null where it is unknown, and for one that is left out
   */
  add(record: KernelLine | CollectiveLine): CollectiveKind | null {
    const columns = this.#columns;
    const timed = columns.start.length < MOST_OPERATIONS ? timedOperation(record) : null;
    if (timed === null) {
      this.leftOut++;
      return null;
    }
    const { start, dur, step = null } = timed;
    const operation = operationOf(record);
    columns.group.push(this.#groupOf(operation));
    columns.kind.push(operation.kind);
    columns.dtype.push(operation.dtype);
    columns.bytes.push(operation.bytes);
    columns.ordinal.push(operation.ordinal ?? null);
    columns.peer.push(operation.peer ?? null);
    columns.start.push(start);
    columns.dur.push(dur);
    columns.step.push(step);
    this.launches.push(record.corr ?? null);
    return operation.kind;
  }

  /** States the group and the ordinal of an operation of which the profiler records neither. */
  identify(at: number, ranks: readonly number[], ordinal: number): void {
    const columns = this.#columns;
    const group = ranks.join(',');
    columns.group[at] = this.#groupOf({ group, ranks, groupSize: ranks.length });
    columns.ordinal[at] = ordinal;
  }

  /** Whether its profiler names the group of an operation. */
  hasGroup(at: number): boolean {
    return this.#columns.groups[this.#columns.group[at] ?? 0] !== null;
  }

  get columns(): OperationColumns {
    const { members, sizes } = this.#columns;
    for (const named of this.#groups.values()) {
      const listed = named.filter((group) => members[group] !== null);
      for (const group of named) {
        // Operations of which the ranks are not listed are of the one group of that name that may be theirs.
        const [only, another] = listed.filter((one) => isOneSize(sizes[group] ?? null, sizes[one] ?? null));
        if (members[group] !== null || only === undefined || another !== undefined) continue;
        members[group] = members[only] ?? null;
        sizes[group] = sizes[only] ?? null;
      }
    }
    return this.#columns;
  }

  #groupOf({ group, ranks, groupSize }: Pick<Operation, 'group' | 'ranks' | 'groupSize'>): number {
    const { groups, members, sizes } = this.#columns;
    const named = entryOf(this.#groups, group, (): number[] => []);
    const found = named.find(
      (index) => isSameRanks(members[index] ?? null, ranks) && isOneSize(sizes[index] ?? null, groupSize),
    );
    if (found !== undefined) {
      sizes[found] ??= groupSize;
      return found;
    }
    const index = groups.push(group) - 1;
    members.push(ranks === null ? null : [...ranks].sort((a, b) => a - b));
    sizes.push(groupSize);
    named.push(index);
    return index;
  }
}

const isOneSize = (a: number | null, b: number | null): boolean => a === null || b === null || a === b;

/** @param sorted in rising order */
function isSameRanks(sorted: readonly number[] | null, ranks: readonly number[] | null): boolean {
  if (sorted === null || ranks === null) return sorted === ranks;
  if (sorted.length !== ranks.length) return false;
  if (ranks.every((rank, index) => rank === sorted[index])) return true;
  return [...ranks].sort((a, b) => a - b).every((rank, index) => rank === sorted[index]);
}

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
