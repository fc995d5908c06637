/**
 * Which ranges enclose a launch: one sweep per thread over ranges and launches in order of start. A range encloses a
 * launch when it starts no later and ends no earlier. Ranges may overlap without nesting (start/end ranges), so the
 * sweep keeps a list of open ones in order of start instead of a stack. Cost: linear in ranges, and in launches by at most
 * 2,048 ranges each, the latest of those that are open.
 */
import { elementAt } from '../../containers/element.js';
import type { Trace } from './trace.js';
import type { Ranges } from './trace-columns.js';
import { groupAll, sortRows, type RowGroups } from '../../containers/row-order.js';

/** Text and domain of a range, to compare ranges of the same times by. */
export const rangeKey = ({ names, ranges }: Pick<Trace, 'names' | 'ranges'>, row: number): string =>
  `${names.rangeText(ranges.text.at(row)) ?? ''}\0${names.domainName(ranges.domainOf(row)) ?? ''}`;

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Whether two ranges of a thread, the same in text, are one that was written twice: a program cannot be so fast. */
export const isRepeat = ({ start, end }: Ranges, a: number, b: number): boolean =>
  start.at(a) === start.at(b) && end.at(a) === end.at(b) && end.at(a) > start.at(a);

/**
 * Sorts ranges thread by thread, in order of start, the longer first at equal starts; without those that repeat another.
 * @param threads number of threads
 * @param compareText order of two ranges' texts: decides only between ranges of the same times, so that the result
 *   does not depend on the order of rows
 */
export function orderRanges(ranges: Ranges, threads: number, compareText: (a: number, b: number) => number): RowGroups {
  const [start, end] = [ranges.start, ranges.end];
  const { rows, first } = groupAll(ranges.length, (row) => ranges.thread.at(row), threads);
  const kept = new Uint32Array(first.length);
  let next = 0;
  for (let thread = 0; thread < threads; thread++) {
    const sorted = rows.subarray(first[thread], first[thread + 1]);
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

/** A range that has started and may enclose launches. */
export interface OpenRange<T> {
  readonly row: number;
  readonly end: number;
  /** What the caller keeps with the range; null at first. */
  reading: T | null;
}

/**
 * Most ranges around a launch. A damaged profile may end none of its ranges: each launch would have all that started
 * before it. Whole ones have had 1,406.
 */
const MOST_OPEN = 2048;

/** The sweep over one thread. Launches must come in order of start. */
export class RangeSweep<T> {
  /** Index of the next range in the order. */
  #next: number;
  readonly #end: number;
  /** Open ranges in order of start; compacted when some have ended. */
  readonly #open: OpenRange<T>[] = [];

  constructor(
    private readonly ranges: Ranges,
    private readonly order: RowGroups,
    thread: number,
    /** Takes the number of ranges that are left out because so many others within them are open. */
    private readonly leaveOut: (ranges: number) => void = () => undefined,
  ) {
    this.#next = elementAt(order.first, thread);
    this.#end = elementAt(order.first, thread + 1);
  }

  /** The ranges around a launch, outermost first. */
  enclosing(launchStart: number, launchEnd: number): OpenRange<T>[] {
    this.#close(launchStart);
    const { start, end } = this.ranges;
    for (; this.#next < this.#end; this.#next++) {
      const row = elementAt(this.order.rows, this.#next);
      if (start.at(row) > launchStart) break;
      // A range that ended before this launch cannot enclose it or any later one.
      const rangeEnd = end.at(row);
      if (rangeEnd >= launchStart) this.#open.push({ row, end: rangeEnd, reading: null });
    }
    const beyond = this.#open.length - MOST_OPEN;
    if (beyond > 0) this.leaveOut(this.#open.splice(0, beyond).length);
    return this.#open.filter((range) => range.end >= launchEnd);
  }

  /** Removes the ranges that ended before a time. */
  #close(time: number): void {
    let kept = 0;
    for (const range of this.#open) {
      if (range.end >= time) this.#open[kept++] = range;
    }
    this.#open.length = kept;
  }
}
