/**
 * Which ranges enclose a launch: one sweep per thread, ranges and launches in order of start. A range encloses a
 * launch when it starts no later and ends no earlier. Ranges may overlap without nesting (start/end ranges), so the
 * sweep keeps the open ones in order of start instead of a stack. Cost: linear in ranges and in enclosing pairs.
 */
import type { Ranges } from './capture.js';
import { groupAll, sortRows } from '../../containers/row-order.js';

/** Ranges of every thread in order of start, the longer first at equal starts. */
export interface RangeOrder {
  readonly rows: Uint32Array;
  /** Place of the first range of each thread; one entry more at the end. */
  readonly first: Uint32Array;
}

/**
 * @param compareText order of two ranges' texts: decides only between ranges of the same times, so that the result
 *   does not depend on the order of rows
 */
export function orderRanges(
  ranges: Ranges,
  threads: number,
  compareText: (a: number, b: number) => number,
): RangeOrder {
  const [start, end] = [ranges.start, ranges.end];
  const { rows, first } = groupAll(ranges.length, (row) => ranges.thread.at(row), threads);
  for (let thread = 0; thread < threads; thread++) {
    sortRows(rows.subarray(first[thread], first[thread + 1]), (a, b) => {
      const byStart = start.at(a) - start.at(b);
      if (byStart !== 0) return byStart;
      return end.at(a) === end.at(b) ? compareText(a, b) : end.at(b) - end.at(a);
    });
  }
  return { rows, first };
}

/** A range that has started and may enclose launches; `reading` is whatever the sweep's user keeps with it. */
export interface OpenRange<T> {
  readonly row: number;
  readonly end: number;
  reading: T | null;
}

/** The sweep over one thread. Launches must be asked for in order of start. */
export class Sweep<T> {
  #next: number;
  readonly #last: number;
  /** In order of start; compacted when one has ended. */
  readonly #open: OpenRange<T>[] = [];

  constructor(
    private readonly ranges: Ranges,
    private readonly order: RangeOrder,
    thread: number,
  ) {
    this.#next = order.first[thread] ?? 0;
    this.#last = order.first[thread + 1] ?? 0;
  }

  /** The ranges around a launch, outermost first. */
  enclosing(launchStart: number, launchEnd: number): OpenRange<T>[] {
    this.#close(launchStart);
    const { start, end } = this.ranges;
    for (; this.#next < this.#last; this.#next++) {
      const row = this.order.rows[this.#next] ?? 0;
      if (start.at(row) > launchStart) break;
      // A range that ended before this launch cannot enclose it or any later one.
      const rangeEnd = end.at(row);
      if (rangeEnd >= launchStart) this.#open.push({ row, end: rangeEnd, reading: null });
    }
    return this.#open.filter((range) => range.end >= launchEnd);
  }

  /** Lets go of the ranges that ended before a time. */
  #close(time: number): void {
    let kept = 0;
    for (const range of this.#open) {
      if (range.end >= time) this.#open[kept++] = range;
    }
    this.#open.length = kept;
  }
}
