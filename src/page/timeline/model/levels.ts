/**
 * Levels of detail: how a row is drawn when many events share a pixel. Events that are wide enough for a box are drawn
 * individually; the others are merged into one bar per pixel column, with the share of the column that they cover and the
 * colour of the longest.
 */
import { elementAt } from '../../../containers/element.js';
import { firstAtLeast, eventsInRange, type LaneRow } from './lane-rows.js';

/** Weights of a row's events: their durations, or the time that they represent when that differs. */
export interface RowWeights {
  /** Prefix sums of the weights, one more than there are events. */
  readonly sums: Float64Array;
  readonly longest: LongestEvent;
}

/** Weights of the events that match a search; those of all others are 0. */
export interface MatchWeights extends RowWeights {
  /** Prefix counts of the matching events. */
  readonly counts: Uint32Array;
}

const BLOCK = 16;
const SUPERBLOCK = BLOCK * BLOCK;

/** Finds the index of the greatest weight in any range, using the maxima of blocks of 16 and of 256. */
export class LongestEvent {
  readonly #blocks: Uint32Array;
  readonly #superblocks: Uint32Array;

  constructor(private readonly values: Float64Array) {
    const bestOf = (count: number, placeOf: (i: number) => number): Uint32Array => {
      const best = new Uint32Array(Math.ceil(count / BLOCK));
      for (let i = 0; i < count; i++) {
        const block = Math.floor(i / BLOCK);
        const place = placeOf(i);
        if (i % BLOCK === 0 || this.#at(place) > this.#at(elementAt(best, block))) best[block] = place;
      }
      return best;
    };
    this.#blocks = bestOf(values.length, (i) => i);
    this.#superblocks = bestOf(this.#blocks.length, (i) => elementAt(this.#blocks, i));
  }

  #at(place: number): number {
    return elementAt(this.values, place);
  }

  /** Index of the greatest weight in `from` to `to` (exclusive), the first of equals; -1 for an empty range. */
  in(from: number, to: number): number {
    let best = -1;
    let greatest = -Infinity;
    let at = from;
    while (at < to) {
      let place = at;
      if (at % BLOCK !== 0 || at + BLOCK > to) at++;
      else if (at % SUPERBLOCK !== 0 || at + SUPERBLOCK > to) {
        place = elementAt(this.#blocks, at / BLOCK);
        at += BLOCK;
      } else {
        place = elementAt(this.#superblocks, at / SUPERBLOCK);
        at += SUPERBLOCK;
      }
      const value = this.#at(place);
      if (value > greatest) {
        greatest = value;
        best = place;
      }
    }
    return best;
  }
}

/** Sums of a list up to each of its places. */
function prefixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sums[i + 1] = sum += elementAt(values, i);
  return sums;
}

/** @param times for each event, the time in ns that it represents, when that differs from its duration */
const timesOf = ({ events, dur }: LaneRow, times: Float64Array | undefined): Float64Array =>
  times === undefined ? dur : Float64Array.from(events, (event) => elementAt(times, event));

/** @param times for each event, the time in ns that it represents, when that differs from its duration */
export function weightsOf(row: LaneRow, times?: Float64Array): RowWeights {
  const values = timesOf(row, times);
  return { sums: prefixSums(values), longest: new LongestEvent(values) };
}

/** @param isMatch for each event, 1 if it matches the search. @param times as for all events */
export function matchWeightsOf(row: LaneRow, isMatch: Uint8Array, times?: Float64Array): MatchWeights {
  const counts = new Uint32Array(row.events.length + 1);
  const sums = new Float64Array(counts.length);
  const values = timesOf(row, times).map((time, i) => {
    const matches = isMatch[elementAt(row.events, i)] === 1;
    counts[i + 1] = elementAt(counts, i) + Number(matches);
    sums[i + 1] = elementAt(sums, i) + (matches ? time : 0);
    // A matching event without duration still outweighs one that does not match.
    return matches ? Math.max(time, Number.MIN_VALUE) : 0;
  });
  return { counts, sums, longest: new LongestEvent(values) };
}

/** Receives the parts of a row to draw, from left to right. */
export interface RowPainter {
  /** A single event, by its index in the row. */
  box(row: LaneRow, place: number): void;
  /** Merged events `from` to `to` (exclusive), which start in one pixel column. */
  column(row: LaneRow, from: number, to: number, column: number): void;
}

/** Minimum width of a box in pixels; narrower events are merged. */
export const BOX_PIXELS = 1.5;

/**
 * @param from start of the view, in ns
 * @param to end of the view, in ns
 * @param perPixel ns per pixel; columns are counted from time 0, so that panning does not change their contents
 */
export function drawRow(row: LaneRow, from: number, to: number, perPixel: number, sink: RowPainter): void {
  const inView = eventsInRange(row, from, to);
  const wide = BOX_PIXELS * perPixel;
  for (let place = inView.from; place < inView.to;) {
    if (elementAt(row.dur, place) >= wide) {
      sink.box(row, place++);
      continue;
    }
    const column = Math.floor(elementAt(row.start, place) / perPixel);
    const edge = (column + 1) * perPixel;
    const end = narrowEnd(row, place, nextColumn(row, place, edge, inView.to), wide);
    sink.column(row, place, end, column);
    place = end;
  }
}

/** Index of the first event that starts at or after a time; a galloping search, because most columns contain few events. */
function nextColumn(row: LaneRow, place: number, edge: number, limit: number): number {
  let step = 1;
  let low = place + 1;
  while (low + step < limit && elementAt(row.start, low + step) < edge) {
    low += step;
    step *= 2;
  }
  return firstAtLeast(row.start, edge, low, Math.min(low + step, limit));
}

/**
 * When events do not overlap, only the last of those that start in a column can be wide, and it gets a separate box. When
 * they overlap, an earlier wide one stays merged.
 */
function narrowEnd(row: LaneRow, from: number, to: number, wide: number): number {
  return to - from > 1 && elementAt(row.dur, to - 1) >= wide ? to - 1 : to;
}

/** Share of a pixel column that events `from` to `to` of a row cover, from 0 to 1. */
export function coverage({ sums }: RowWeights, from: number, to: number, perPixel: number): number {
  return Math.min(1, (elementAt(sums, to) - elementAt(sums, from)) / perPixel);
}
