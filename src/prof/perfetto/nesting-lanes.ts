/**
 * Lanes for slices that overlap without nesting: viewers take the slices of one track for calls within calls, and cut what
 * overlaps. A lane keeps the slices that are open at its last start; a slice that starts before that goes to another lane.
 */
import { elementAt } from '../../containers/element.js';
import type { TimedSlice } from './reorder-buffer.js';

interface OpenLane {
  start: number;
  /** Ends of the open slices, from the outermost to the innermost. */
  readonly ends: number[];
}

/** More than any device or host needs: only records in no order at all exceed it. */
const MOST_LANES = 512;
/** Viewers drop slices at a depth above 255: some room is left for marks. */
const MOST_DEPTH = 200;

export class NestingLanes {
  readonly #lanes: OpenLane[] = [];

  /** @param nesting whether a slice may lie within another */
  constructor(private readonly nesting: boolean) {}

  /** Number of the first lane where the slice fits, from 0; null when no lane is left. */
  place({ start, end }: TimedSlice): number | null {
    const found = this.#lanes.findIndex((lane) => this.#fits(lane, start, end));
    if (found < 0) return this.#lanes.length === MOST_LANES ? null : this.#lanes.push({ start, ends: [end] }) - 1;
    const lane = elementAt(this.#lanes, found);
    lane.start = start;
    lane.ends.push(end);
    return found;
  }

  /** Closes slices that ended before the start; whether the slice fits then. */
  #fits(lane: OpenLane, start: number, end: number): boolean {
    if (start < lane.start) return false;
    let innermost = lane.ends.at(-1);
    while (innermost !== undefined && innermost <= start) {
      lane.ends.pop();
      innermost = lane.ends.at(-1);
    }
    return innermost === undefined || (this.nesting && end <= innermost && lane.ends.length < MOST_DEPTH);
  }
}
