/**
 * Self times of host ranges: how long each was the one of its thread that began last. For ranges that nest this is the
 * time outside of the ranges within. Linear in ranges; memory: 8 bytes each.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Ranges } from './trace-columns.js';

/** Ranges of one thread that have begun and not ended, in order of start; some below the last may have ended too. */
class OpenRanges {
  readonly #rows: number[] = [];
  /** Up to when time has been counted. */
  #time = -Infinity;

  constructor(
    private readonly endOf: (row: number) => number,
    private readonly self: Float64Array,
  ) {}

  begin(row: number, start: number): void {
    this.countTo(start);
    this.#rows.push(row);
  }

  /** Counts the time up to some time, of each moment to the open range that began last. */
  countTo(time: number): void {
    for (let row = this.#rows.at(-1); row !== undefined; row = this.#rows.at(-1)) {
      const until = Math.min(this.endOf(row), time);
      if (until > this.#time) {
        this.self[row] = elementAt(this.self, row) + until - this.#time;
        this.#time = until;
      }
      if (this.endOf(row) > time) break;
      this.#rows.pop();
    }
    this.#time = Math.max(this.#time, time);
  }
}

/**
 * Self times by row, ns.
 * @param inOrder rows of all ranges in order of start, the longer first
 * @param last end of ranges that are still open at the end of the profile, ns
 */
export function selfTimes(
  { end, start, thread }: Pick<Ranges, 'end' | 'start' | 'thread'>,
  inOrder: Uint32Array,
  last: number,
): Float64Array {
  const self = new Float64Array(start.length);
  const endOf = (row: number): number => Math.min(end.at(row), last);
  const threads = new Map<number, OpenRanges>();
  for (const row of inOrder) {
    entryOf(threads, thread.at(row), () => new OpenRanges(endOf, self)).begin(row, start.at(row));
  }
  for (const open of threads.values()) open.countTo(Infinity);
  return self;
}
