/** Operations of one rank, collected in order of their start. */
import { entryOf } from '../../../containers/map-entry.js';
import type { CollectiveKind } from '../../../ops/collective-bytes.js';
import type { CollectiveLine, KernelLine, ProfileLine } from '../../../record/record.js';
import { operationOf, type Operation, workOf } from '../../steps/step-work.js';
import type { OperationColumns } from './rank-part.js';

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
