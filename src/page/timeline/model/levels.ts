/**
 * Levels of detail: what is drawn of a row where many events share a pixel. Events at least as wide as a box are drawn
 * each; the others are merged into one bar a column of pixels, which tells how much of it they cover and which of them
 * is longest.
 */
import { firstAtLeast, eventsInRange, type LaneRow } from './lane-rows.js';

/** What events of a row weigh: their time, or 0 where they are not asked for. */
export interface RowWeights {
  /** Sum of all before each place: one more than events. */
  readonly sums: Float64Array;
  /** How many before each place weigh anything or are asked for. */
  readonly counts: Uint32Array;
  readonly longest: LongestEvent;
}

const BLOCK = 16;
const SUPERBLOCK = BLOCK * BLOCK;

/** Answers which of a range of places weighs most, from the best of blocks of 16 and of 256. */
export class LongestEvent {
  readonly #values: Float64Array;
  readonly #blocks: Uint32Array;
  readonly #superblocks: Uint32Array;

  constructor(values: Float64Array) {
    this.#values = values;
    const bestOf = (count: number, placeOf: (i: number) => number): Uint32Array => {
      const best = new Uint32Array(Math.ceil(count / BLOCK));
      for (let i = 0; i < count; i++) {
        const block = Math.floor(i / BLOCK);
        const place = placeOf(i);
        if (i % BLOCK === 0 || this.#at(place) > this.#at(best[block] ?? 0)) best[block] = place;
      }
      return best;
    };
    this.#blocks = bestOf(values.length, (i) => i);
    this.#superblocks = bestOf(this.#blocks.length, (i) => this.#blocks[i] ?? 0);
  }

  #at(place: number): number {
    return this.#values[place] ?? 0;
  }

  /** The place of the greatest weight from..to (without to), the first of equals; -1 for an empty range. */
  in(from: number, to: number): number {
    let best = -1;
    let greatest = -Infinity;
    let at = from;
    while (at < to) {
      let place = at;
      if (at % BLOCK !== 0 || at + BLOCK > to) at++;
      else if (at % SUPERBLOCK !== 0 || at + SUPERBLOCK > to) {
        place = this.#blocks[at / BLOCK] ?? at;
        at += BLOCK;
      } else {
        place = this.#superblocks[at / SUPERBLOCK] ?? at;
        at += SUPERBLOCK;
      }
      const value = this.#values[place] ?? 0;
      if (value > greatest) {
        greatest = value;
        best = place;
      }
    }
    return best;
  }
}

/** @param asked per event number: 1 for those that weigh; all of them without */
export function weightsOf(row: LaneRow, asked?: Uint8Array): RowWeights {
  const count = row.events.length;
  const sums = new Float64Array(count + 1);
  const counts = new Uint32Array(count + 1);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const isAsked = asked === undefined || asked[row.events[i] ?? 0] === 1;
    // An event without duration is still longer than one that is not asked for.
    values[i] = isAsked ? Math.max(row.dur[i] ?? 0, Number.MIN_VALUE) : 0;
    sums[i + 1] = (sums[i] ?? 0) + (isAsked ? (row.dur[i] ?? 0) : 0);
    counts[i + 1] = (counts[i] ?? 0) + (isAsked ? 1 : 0);
  }
  return { sums, counts, longest: new LongestEvent(values) };
}

/** Takes what is to be drawn of a row, from left to right. */
export interface RowPainter {
  /** One event, at a place of the row. */
  box(row: LaneRow, place: number): void;
  /** All events from..to (without to) start in one column of pixels. */
  column(row: LaneRow, from: number, to: number, column: number): void;
}

/** Widths below this are merged, in pixels. */
export const BOX_PIXELS = 1.5;

/**
 * @param from ns, to ns: what is seen
 * @param perPixel ns of a pixel; columns are counted from time 0, so that panning does not change what they hold
 */
export function drawRow(row: LaneRow, from: number, to: number, perPixel: number, sink: RowPainter): void {
  const seen = eventsInRange(row, from, to);
  const wide = BOX_PIXELS * perPixel;
  for (let place = seen.from; place < seen.to;) {
    if ((row.dur[place] ?? 0) >= wide) {
      sink.box(row, place++);
      continue;
    }
    const column = Math.floor((row.start[place] ?? 0) / perPixel);
    const edge = (column + 1) * perPixel;
    const end = narrowEnd(row, place, nextColumn(row, place, edge, seen.to), wide);
    sink.column(row, place, end, column);
    place = end;
  }
}

/** First place whose event starts at or after a time: near places first, for most columns hold few. */
function nextColumn(row: LaneRow, place: number, edge: number, limit: number): number {
  let step = 1;
  let low = place + 1;
  while (low + step < limit && (row.start[low + step] ?? 0) < edge) {
    low += step;
    step *= 2;
  }
  return firstAtLeast(row.start, edge, low, Math.min(low + step, limit));
}

/**
 * Of the events that start in a column only the last can be wide, where none overlap; then it is a box of its own.
 * Where they do overlap, an earlier wide one stays merged.
 */
function narrowEnd(row: LaneRow, from: number, to: number, wide: number): number {
  return to - from > 1 && (row.dur[to - 1] ?? 0) >= wide ? to - 1 : to;
}

/** What part of a column of pixels events from..to of a row cover, from 0 to 1. */
export function coverage({ sums }: RowWeights, from: number, to: number, perPixel: number): number {
  return Math.min(1, ((sums[to] ?? 0) - (sums[from] ?? 0)) / perPixel);
}
