/**
 * Levels of detail: how a row is drawn where many events share a pixel. Events at least as wide as a box are drawn one by
 * one; the others are merged into one bar per column of pixels, with the share of it that they cover and the colour of the
 * longest.
 */
import { elementAt } from '../../../containers/element.js';
import { firstAtLeast, eventsInRange, type LaneRow } from './lane-rows.js';

/** Weights of the events of a row: their durations, or 0 for events that do not match a search. */
export interface RowWeights {
  /** Prefix sums of the weights: one more than events. */
  readonly sums: Float64Array;
  /** Prefix counts of the events that match. */
  readonly counts: Uint32Array;
  readonly longest: LongestEvent;
}

const BLOCK = 16;
const SUPERBLOCK = BLOCK * BLOCK;

/** Index of the greatest weight of any range, from the greatest of blocks of 16 and of 256. */
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

  /** Index of the greatest weight from..to (without to), the first of equals; -1 for an empty range. */
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

/**
 * @param isMatch per event: 1 for those that match a search; all match without it
 * @param times per event: ns that it stands for, where that is not its duration
 */
export function weightsOf(row: LaneRow, isMatch?: Uint8Array, times?: Float64Array): RowWeights {
  const count = row.events.length;
  const sums = new Float64Array(count + 1);
  const counts = new Uint32Array(count + 1);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const event = elementAt(row.events, i);
    const time = elementAt(times ?? row.dur, times === undefined ? i : event);
    const matches = isMatch === undefined || isMatch[event] === 1;
    // A matching event without duration still outweighs one that does not match.
    values[i] = matches ? Math.max(time, Number.MIN_VALUE) : 0;
    sums[i + 1] = elementAt(sums, i) + (matches ? time : 0);
    counts[i + 1] = elementAt(counts, i) + (matches ? 1 : 0);
  }
  return { sums, counts, longest: new LongestEvent(values) };
}

/** Receives the parts of a row that are drawn, from left to right. */
export interface RowPainter {
  /** One event, by its index in the row. */
  box(row: LaneRow, place: number): void;
  /** Merged events from..to (without to), which start in one column of pixels. */
  column(row: LaneRow, from: number, to: number, column: number): void;
}

/** Widths below this are merged, in pixels. */
export const BOX_PIXELS = 1.5;

/**
 * @param from start of the view, ns
 * @param to end of the view, ns
 * @param perPixel ns of a pixel; columns are counted from time 0, so that panning does not change their contents
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

/** Index of the first event that starts at or after a time; galloping search, as most columns hold few events. */
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
 * Where no events overlap, only the last of those that start in a column can be wide: it is a box of its own. Where they
 * do overlap, an earlier wide one stays merged.
 */
function narrowEnd(row: LaneRow, from: number, to: number, wide: number): number {
  return to - from > 1 && elementAt(row.dur, to - 1) >= wide ? to - 1 : to;
}

/** Share of a column of pixels that events from..to of a row cover, from 0 to 1. */
export function coverage({ sums }: RowWeights, from: number, to: number, perPixel: number): number {
  return Math.min(1, (elementAt(sums, to) - elementAt(sums, from)) / perPixel);
}
