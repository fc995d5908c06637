/**
 * Which ranges enclose a launch: one sweep per thread, ranges and launches in order of start. A range encloses a
 * launch when it starts no later and ends no earlier. Ranges may overlap without nesting (start/end ranges), so the
 * sweep keeps the open ones in order of start instead of a stack. Cost: linear in ranges and in enclosing pairs.
 */
import type { Ranges } from './capture.js';
import { allRows, groupRows, sortRows } from './order.js';

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
  const { rows, first } = groupRows(allRows(ranges.length), (row) => ranges.thread.at(row), threads);
  for (let thread = 0; thread < threads; thread++) {
    sortRows(rows.subarray(first[thread], first[thread + 1]), (a, b) => {
      const byStart = start.at(a) - start.at(b);
      if (byStart !== 0) return byStart;
      return end.at(a) === end.at(b) ? compareText(a, b) : end.at(b) - end.at(a);
    });
  }
  return { rows, first };
}

/** The sweep over one thread. Launches must be asked for in order of start. */
export class Sweep {
  #next: number;
  readonly #last: number;
  /** Ranges that have started and may still enclose a later launch, in order of start. */
  #open: number[] = [];

  constructor(
    private readonly ranges: Ranges,
    private readonly order: RangeOrder,
    thread: number,
  ) {
    this.#next = order.first[thread] ?? 0;
    this.#last = order.first[thread + 1] ?? 0;
  }

  /** Rows of the ranges around a launch, outermost first. */
  enclosing(launchStart: number, launchEnd: number): number[] {
    const { start, end } = this.ranges;
    for (; this.#next < this.#last; this.#next++) {
      const row = this.order.rows[this.#next] ?? 0;
      if (start.at(row) > launchStart) break;
      // A range that ended before this launch cannot enclose it or any later one.
      if (end.at(row) >= launchStart) this.#open.push(row);
    }
    this.#open = this.#open.filter((row) => end.at(row) >= launchStart);
    return this.#open.filter((row) => end.at(row) >= launchEnd);
  }
}
