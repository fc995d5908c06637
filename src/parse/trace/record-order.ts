/**
 * The order of records: by start, then by contents only, so that it does not depend on the order of rows in the database.
 * Also merges records of several sources by time.
 */
import { compareCells } from '../../containers/numeric-column.js';
import { elementAt } from '../../containers/element.js';
import {
  allRows,
  keepRows,
  sortRows,
  groupAll,
  groupAt,
  type CompareRows,
  type RowGroups,
} from '../../containers/row-order.js';
import { kernelNameOf, type Trace } from './trace.js';
import { ACTIVITY_KINDS, REMOVED, type Activities, type ActivityKind, type Ranges } from './trace-columns.js';
import type { ProfileLine } from '../../record/record.js';

/** Text and domain of a range, for comparing ranges with equal times. */
export const rangeKey = ({ names, ranges }: Pick<Trace, 'names' | 'ranges'>, row: number): string =>
  `${names.rangeText(ranges.text.at(row)) ?? ''}\0${names.domainName(ranges.domainOf(row)) ?? ''}`;

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * Whether two ranges of a thread with equal text are one range that was written twice, because no program opens two
 * equal ranges over the same span.
 */
export const isRepeat = ({ start, end }: Ranges, a: number, b: number): boolean =>
  start.at(a) === start.at(b) && end.at(a) === end.at(b) && end.at(a) > start.at(a);

/**
 * Sorts ranges thread by thread, in order of start time, the longer first at equal starts, and leaves out repeated ones.
 * @param threads number of threads
 * @param compareText order of two ranges' strings; it decides only between ranges of the same times, so that the result
 *   does not depend on the order of rows
 */
export function orderRanges(ranges: Ranges, threads: number, compareText: (a: number, b: number) => number): RowGroups {
  const [start, end] = [ranges.start, ranges.end];
  const { rows, first } = groupAll(ranges.length, (row) => ranges.thread.at(row), threads);
  const kept = new Uint32Array(first.length);
  let next = 0;
  for (let thread = 0; thread < threads; thread++) {
    const sorted = groupAt({ rows, first }, thread);
    sortRows(sorted, (a, b) => {
      const byStart = start.at(a) - start.at(b);
      if (byStart !== 0) return byStart;
      return end.at(a) === end.at(b) ? compareText(a, b) : end.at(b) - end.at(a);
    });
    let last = -1;
    for (const row of sorted) {
      if (last === -1 || !isRepeat(ranges, last, row) || compareText(last, row) !== 0) rows[next++] = row;
      last = row;
    }
    kept[thread + 1] = next;
  }
  return { rows: rows.subarray(0, next), first: kept };
}

/** Start of a record in ns; records without a time come first. */
export const startOf = (record: ProfileLine): number => ('start' in record ? (record.start ?? -Infinity) : -Infinity);

/** Merges lists that are each in time order. If items have equal times, those of the earlier list come first. */
export function* merged<T>(timeOf: (item: T) => number, ...lists: readonly Iterable<T>[]): Generator<T> {
  const dated = lists.map((list) => new Dated(list, timeOf));
  try {
    for (;;) {
      let first: Dated<T> | null = null;
      for (const source of dated)
        if (source.isDue(Infinity) && (first === null || source.next < first.next)) first = source;
      if (first === null) return;
      yield first.take();
    }
  } finally {
    for (const source of dated) source.close();
  }
}

/** Iterator with one item of lookahead, over records or rows in time order. */
export class Dated<T> {
  readonly #items: Iterator<T>;
  #next: T | null = null;
  /** Time of the next item; Infinity when there is none. */
  next = Infinity;

  /** @param items in time order */
  constructor(
    items: Iterable<T>,
    private readonly timeOf: (item: T) => number,
  ) {
    this.#items = items[Symbol.iterator]();
    this.#advance();
  }

  /** Whether the next item is at or before a time. */
  isDue(time: number): boolean {
    return this.#next !== null && this.next <= time;
  }

  /** @throws RangeError when there is no next item */
  take(): T {
    const item = this.#next;
    if (item === null) throw new RangeError('nothing left');
    this.#advance();
    return item;
  }

  /** Stops the iteration early, because an open database query must end before its database can be closed. */
  close(): void {
    this.#items.return?.();
  }

  #advance(): void {
    const result: IteratorResult<T, unknown> = this.#items.next();
    this.#next = result.done === true ? null : result.value;
    this.next = this.#next === null ? Infinity : this.timeOf(this.#next);
  }
}

export function orderActivities(trace: Trace): Uint32Array {
  const { kind } = trace.activities;
  const rows = keepRows(allRows(kind.length), (row) => kind.at(row) !== REMOVED);
  sortRows(rows, activityOrder(trace));
  return rows;
}

/** Compares activities by all fields that are written; 0 for equal ones. */
export function activityOrder(trace: Trace): CompareRows {
  const { activities, threads } = trace;
  const { start, end, kind, device, stream, corr, process: processes, node } = activities;
  const shared = [end, kind, device, stream, corr, node];
  return (a, b) => {
    const byStart = start.at(a) - start.at(b);
    if (byStart !== 0) return byStart;
    for (const column of shared) {
      const difference = compareCells(column.at(a), column.at(b));
      if (difference !== 0) return difference;
    }
    return (
      compareOwn(activities, a, b) ||
      threads.compareProcesses(processes.at(a), processes.at(b)) ||
      compareNames(trace, a, b) ||
      compareLaunches(activities, a, b)
    );
  };
}

const kindOf = ({ kind }: Activities, row: number): ActivityKind => elementAt(ACTIVITY_KINDS, kind.at(row));

type NumberCells = Pick<Activities['start'], 'at'>;

/** Columns of each kind that decide its order. Names may be numbered in any order, so they are compared as strings. */
const OWN_COLUMNS: Readonly<Record<ActivityKind, (activities: Activities) => readonly NumberCells[]>> = {
  kernel: ({ kernels }) => [kernels.graphId],
  copy: ({ copies }) => [copies.bytes, copies.hostMemoryCode],
  set: ({ sets }) => [sets.bytes, sets.value],
  sync: () => [],
  graph: ({ graphs }) => [graphs.execId, graphs.graphId],
  collective: () => [],
};

/** Order of two rows of the same kind, by the columns of that kind. */
function compareOwn(activities: Activities, a: number, b: number): number {
  const { ownRow } = activities;
  for (const column of OWN_COLUMNS[kindOf(activities, a)](activities)) {
    const difference = compareCells(column.at(ownRow.at(a)), column.at(ownRow.at(b)));
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Order of two rows of the same kind, by the strings that are written. */
function compareNames(trace: Trace, a: number, b: number): number {
  const { activities, names } = trace;
  const { kernels, copies, syncs, ownRow } = activities;
  const kind = kindOf(activities, a);
  const number = (row: number): number => {
    const kindRow = ownRow.at(row);
    return kind === 'kernel'
      ? kernels.name.at(kindRow)
      : kind === 'copy'
        ? copies.kindCode.at(kindRow)
        : syncs.kindCode.at(kindRow);
  };
  const textOf = (row: number): string => {
    if (kind === 'kernel') return kernelNameOf(trace, number(row)) ?? '';
    if (kind === 'sync') return names.syncKind(number(row)) ?? '';
    return `${names.copyKind(number(row)) ?? ''}${trace.hostMemoryOf?.(row) ?? ''}`;
  };
  const isNamed = kind === 'kernel' || kind === 'copy' || kind === 'sync';
  return !isNamed || number(a) === number(b) ? 0 : compareTexts(textOf(a), textOf(b));
}

function compareLaunches(activities: Activities, a: number, b: number): number {
  if (kindOf(activities, a) !== 'kernel') return 0;
  const { ownRow, kernels } = activities;
  const { extents } = kernels;
  const [first, second] = [ownRow.at(a), ownRow.at(b)];
  for (let i = 0; i < 6; i++) {
    const difference = compareCells(extents.at(first, i), extents.at(second, i));
    if (difference !== 0) return difference;
  }
  const { registers, sharedBytes, accumRegisters, scalarRegisters } = kernels;
  for (const column of [registers, sharedBytes, accumRegisters, scalarRegisters]) {
    const difference = compareCells(column.at(first), column.at(second));
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The order of host ranges of all threads: by start, the longer first, then by contents. */
export function hostRangeOrder(trace: Pick<Trace, 'ranges' | 'threads' | 'names'>): CompareRows {
  const { ranges, threads } = trace;
  const { start, end, thread } = ranges;
  return (a, b) => {
    const byTime = start.at(a) - start.at(b) || (end.at(a) === end.at(b) ? 0 : end.at(b) - end.at(a));
    return (
      byTime ||
      threads.compare(thread.at(a), thread.at(b)) ||
      compareTexts(rangeKey(trace, a), rangeKey(trace, b)) ||
      a - b
    );
  };
}

/** Rows of all host ranges in order of start time, the longer first. */
export function orderHostRanges(trace: Pick<Trace, 'ranges' | 'threads' | 'names'>): Uint32Array<ArrayBuffer> {
  const rows = allRows(trace.ranges.length);
  sortRows(rows, hostRangeOrder(trace));
  return rows;
}
