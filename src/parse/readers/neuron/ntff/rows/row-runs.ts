/**
 * Splits nearly sorted rows into runs and sorts each by insertion: a trace has the records of one engine or queue after
 * the other, each nearly in order. Cheaper than a full sort when there are few runs.
 */
import { compareRows, startOf, type RowView } from './rows.js';

/** Greatest distance that a row is moved back within a run. */
const FARTHEST = 1 << 10;
/** Insertion steps a row beyond which a full sort is cheaper. */
const STEPS_PER_ROW = 8;

export interface Runs {
  /** Row numbers, run after run. */
  readonly order: Uint32Array<ArrayBuffer>;
  /** End of each run in `order`. */
  readonly ends: readonly number[];
}

/**
 * Runs in file order; equal rows of a run keep their order. Memory: 12 bytes a row.
 * @param mostRuns at least one
 * @returns null when there are more runs, or when rows are so unordered that a full sort is cheaper
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
