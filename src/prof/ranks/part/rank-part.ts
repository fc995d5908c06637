/**
 * Data of a rank that is kept for the comparison with the other ranks of its job. Plain data, in the form of the JSON
 * output; rows for operations and steps are stored as columns of equal length. Times are ns on the rank's own clock
 * since the start of its profile; unknown values are null.
 */
import type { CollectiveKind } from '../../../ops/collective-bytes.js';
import type { ProcessGroup } from '../../../record/fields/collective.js';
import type { MissingReason } from '../../input/device-activity.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { CollectiveLine, KernelLine, ProfileLine } from '../../../record/record.js';
import { operationOf, workOf, type Operation } from '../../steps/step-work.js';

/** Maximum number of operations of a rank to keep, about 100 bytes each. */
const MOST_OPERATIONS = 500_000;

/** Kinds of operations between two ranks. */
export const MESSAGES: ReadonlySet<CollectiveKind> = new Set(['send', 'receive', 'send-receive'] as const);

/** A record that has a row in the columns of a rank, within the limit. */
type TimedOperation = (KernelLine | CollectiveLine) & { readonly dur: number };

/** The record if it is an operation between ranks; the columns are indexed by the order of these records. */
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
  received: [] as (number | null)[],
  spread: [] as (number | null)[],
  start: [] as number[],
  dur: [] as number[],
  step: [] as (number | null)[],
});

/** Operations of one rank, collected in order of their start. */
export class OperationRows {
  readonly #columns = emptyColumns();
  /** The groups of each name. Groups with the same name but other ranks are different. */
  readonly #groups = new Map<string | null, number[]>();
  /** Correlation id of the launch of each operation. */
  readonly launches: (number | null)[] = [];
  /** Number of operations without a time, or beyond the limit. */
  leftOut = 0;

  /**
   * @param record a communicating kernel, or a collective
   * @returns its kind; null when it is unknown, or the operation is left out
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
    columns.received.push(operation.kind === 'all-to-all' ? (operation.bytesOut ?? null) : null);
    columns.spread.push(spreadOf(operation.splitsIn));
    columns.start.push(start);
    columns.dur.push(dur);
    columns.step.push(step);
    this.launches.push(record.corr ?? null);
    return operation.kind;
  }

  /** Sets the group and the ordinal of an operation for which the profiler records neither. */
  identify(at: number, ranks: readonly number[], ordinal: number): void {
    const columns = this.#columns;
    const group = ranks.join(',');
    columns.group[at] = this.#groupOf({ group, ranks, groupSize: ranks.length });
    columns.ordinal[at] = ordinal;
  }

  /** Whether the profiler names the operation's group. */
  hasGroup(at: number): boolean {
    return this.#columns.groups[this.#columns.group[at] ?? 0] !== null;
  }

  get columns(): OperationColumns {
    const { members, sizes } = this.#columns;
    for (const named of this.#groups.values()) {
      const listed = named.filter((group) => members[group] !== null);
      for (const group of named) {
        // Operations without a list of ranks belong to the only group of that name whose size fits, if there is exactly
        // one.
        const [only, another] = listed.filter((other) => isOneSize(sizes[group] ?? null, sizes[other] ?? null));
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

/** The largest part of a message divided by the mean; null when no parts are recorded, or all are empty. */
function spreadOf(splits: readonly number[] = []): number | null {
  const sum = splits.reduce((all, size) => all + size, 0);
  return sum === 0 ? null : (splits.reduce((most, size) => Math.max(most, size), 0) * splits.length) / sum;
}

const isOneSize = (a: number | null, b: number | null): boolean => a === null || b === null || a === b;

/** @param sorted ranks in ascending order */
function isSameRanks(sorted: readonly number[] | null, ranks: readonly number[] | null): boolean {
  if (sorted === null || ranks === null) return sorted === ranks;
  if (sorted.length !== ranks.length) return false;
  if (ranks.every((rank, index) => rank === sorted[index])) return true;
  return [...ranks].sort((a, b) => a - b).every((rank, index) => rank === sorted[index]);
}

/** Operations between ranks, in order of their start. */
export interface OperationColumns {
  /** Names of groups; null for the unknown group. Groups with the same name but other ranks are different. */
  readonly groups: readonly (string | null)[];
  /** Index in `groups` of each operation. */
  readonly group: readonly number[];
  /** Ranks of each of `groups` in ascending order, as the operations list them; null when they do not. */
  readonly members: readonly (readonly number[] | null)[];
  /** Size of each of `groups`; null when the operations do not give it. */
  readonly sizes: readonly (number | null)[];
  readonly kind: readonly (CollectiveKind | null)[];
  readonly dtype: readonly (string | null)[];
  /** S in NCCL's definition of the algorithm bandwidth, in bytes. */
  readonly bytes: readonly (number | null)[];
  /** Recorded index among the operations of the group. */
  readonly ordinal: readonly (number | null)[];
  /** The other rank of a message between two ranks. */
  readonly peer: readonly (number | null)[];
  /** Bytes that the rank receives in an all-to-all; may be absent in partial answers, as `spread` may. */
  readonly received?: readonly (number | null)[];
  /** The most that the rank sends to one rank in an all-to-all, divided by the mean of all ranks. */
  readonly spread?: readonly (number | null)[];
  readonly start: readonly number[];
  readonly dur: readonly number[];
  readonly step: readonly (number | null)[];
}

/** Steps of the rank on its device, in order. */
export interface StepColumns {
  /** Step numbers; null for the whole profile when it has no steps. */
  readonly step: readonly (number | null)[];
  /** First start and last end of the step's work. */
  readonly start: readonly number[];
  readonly end: readonly number[];
  /** Lengths of unions: compute, communication, and communication while no compute runs. */
  readonly compute: readonly number[];
  readonly communication: readonly number[];
  readonly exposed: readonly number[];
  /** Time of sending or receiving while no compute and no other communication runs; may be absent in partial answers. */
  readonly messages?: readonly number[];
  readonly copies: readonly number[];
  /** Time in which nothing runs, between the first start and the last end; null when work, or its duration, is missing. */
  readonly idle: readonly (number | null)[];
  /** Time from the start of the step on the host to its first work. */
  readonly preparing: readonly (number | null)[];
  /** Sum over the kernels whose FLOPs are known. */
  readonly flops: readonly (number | null)[];
  /** Tokens of a server's step. */
  readonly tokens: readonly (number | null)[];
  /** Maximum memory in use while the host was in the step, in bytes. */
  readonly memory: readonly (number | null)[];
}

/** Time in ns of computing kernels grouped by a common property: for each name, a sum for each step. */
export interface WorkTable {
  readonly names: readonly string[];
  /** One row per name, one column per step. */
  readonly times: readonly (readonly number[])[];
}

/** Properties by which work is compared between ranks. */
export const WORK_KEYS = ['layer', 'op', 'kernel'] as const;
export type WorkKey = (typeof WORK_KEYS)[number];

export interface RankPart {
  readonly file: string;
  /**
   * Rank of its process; when a profile has several devices, the rank of the device, or the device number. Null when
   * unknown.
   */
  readonly rank: number | null;
  /** Whether it is one of several devices of a profile, so that `rank` is the device's rank or number. */
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
   * Hash of the device's work, from its times, names and launching processes: equal for copies of a profile, whatever their
   * rank numbers. May be absent in partial answers.
   */
  readonly content?: string;
  /** Number of operations without a time, and of steps and names beyond the limits, which are left out. */
  readonly leftOut: { readonly operations: number; readonly steps: number; readonly names: number };
}

/** A profile in which no device worked: only the identity of its rank is known. */
export interface ProfileWithoutWork {
  readonly profile: number;
  /** A part without operations and steps; its device is NaN. */
  readonly part: RankPart;
  /** Why no device worked, if the profiler recorded that. */
  readonly reason: MissingReason | null;
}
