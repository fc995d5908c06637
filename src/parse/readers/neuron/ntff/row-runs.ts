/**
 * Stretches of rows that are nearly in order, put in order each on its own: what an engine or a queue did stands in a
 * trace nearly as it happened, one engine after the other. Cheaper than to sort them all, where there are few.
 */
import { compareRows, startOf, type RowView } from './rows.js';

/** How many rows one may stand behind the place where it belongs, for a run to hold both. */
const FARTHEST = 1 << 10;
/** How many rows are passed on the way back, to each row so far, before sorting is cheaper. */
const STEPS_PER_ROW = 8;

export interface Runs {
  /** Positions of rows, run after run. */
  readonly order: Uint32Array<ArrayBuffer>;
  /** Where each run ends in `order`. */
  readonly ends: readonly number[];
}

/**
 * Runs in the order in which their rows stand; equal rows of a run keep theirs. Memory: 12 bytes a row.
 * @param mostRuns at least one
 * @returns null when there are more runs, or when rows are so mixed that sorting is cheaper
 */
export function runsOf(rows: RowView, count: number, mostRuns: number): Runs | null {
  const order = new Uint32Array(count);
  const starts = new Float64Array(count);
  const ends: number[] = [];
  let [first, last, steps] = [0, -1, 0];
  for (let row = 0; row < count; row++) {
    const start = startOf(rows, row);
    let place = row;
    if (start <= last) {
      const farthest = Math.max(first, row - FARTHEST);
      while (place > farthest && isAfter(rows, starts[place - 1] ?? 0, order[place - 1] ?? 0, start, row)) place--;
      steps += row - place;
      if (place === farthest && place > first) {
        ends.push(row);
        first = place = row;
      }
      if (steps > FARTHEST * (mostRuns + STEPS_PER_ROW) + row * STEPS_PER_ROW || ends.length === mostRuns) return null;
      starts.copyWithin(place + 1, place, row);
      order.copyWithin(place + 1, place, row);
    }
    starts[place] = start;
    order[place] = row;
    last = starts[row] ?? 0;
  }
  return { order, ends: [...ends, count] };
}

const isAfter = (rows: RowView, startA: number, a: number, startB: number, b: number): boolean =>
  startA > startB || (startA === startB && compareRows(rows, a, rows, b) > 0);
