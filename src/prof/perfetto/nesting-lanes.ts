/**
 * Side by side what does not nest: viewers take the slices of one track for calls within calls, and cut what overlaps.
 * A lane remembers the slices that are open at the last start; what starts before that goes to another lane.
 */
import type { TimedSlice } from './reorder-buffer.js';

/** What is open on a lane, ends from the outermost to the innermost. */
interface OpenLane {
  start: number;
  readonly ends: number[];
}

/** More than any device or host has: slices in a wild order only. */
const MOST_LANES = 512;
/** Viewers drop what stands within 255 others: room is left for marks. */
const MOST_DEPTH = 200;

export class NestingLanes {
  readonly #lanes: OpenLane[] = [];

  /** @param nesting whether a slice may stand within another */
  constructor(private readonly nesting: boolean) {}

  /** The number of the first lane where the slice fits, from 0; null when there is none left. */
  place({ start, end }: TimedSlice): number | null {
    const found = this.#lanes.findIndex((lane) => this.#fits(lane, start, end));
    if (found < 0 && this.#lanes.length === MOST_LANES) return null;
    const number = found < 0 ? this.#lanes.push({ start, ends: [] }) - 1 : found;
    const lane = this.#lanes[number];
    if (lane !== undefined) {
      lane.start = start;
      lane.ends.push(end);
    }
    return number;
  }

  /** Closes what ended before; whether there is room for the slice then. */
  #fits(lane: OpenLane, start: number, end: number): boolean {
    if (start < lane.start) return false;
    while ((lane.ends.at(-1) ?? Infinity) <= start) lane.ends.pop();
    const innermost = lane.ends.at(-1);
    return innermost === undefined || (this.nesting && end <= innermost && lane.ends.length < MOST_DEPTH);
  }
}
