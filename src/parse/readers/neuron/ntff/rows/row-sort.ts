/** LSD radix sort of rows by start, 11 bits a pass, then a comparison sort among rows of one start. */
import { compareRows, nanoseconds, ROW_DOUBLES, START, startOf, type RowView } from './rows.js';

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const WORD = 2 ** 32;

/** Groups of one start up to this length are sorted by insertion. */
const SHORT_RUN = 32;

/** Row numbers and their keys, in parallel. */
interface Keyed {
  positions: Uint32Array<ArrayBuffer>;
  keys: Uint32Array<ArrayBuffer>;
}

const emptyKeyed = (count: number): Keyed => ({ positions: new Uint32Array(count), keys: new Uint32Array(count) });

/** Row numbers in order of start; stable. Temporary memory: 16 bytes a row. */
export function orderOfRows(rows: RowView, count: number): Uint32Array<ArrayBuffer> {
  const order = emptyKeyed(count);
  const spare = emptyKeyed(count);
  const { least, range } = keyByStart(rows, order);
  sortByKeys(order, spare, Math.min(range, WORD - 1));
  if (range >= WORD) {
    order.keys = order.positions.map((row) => (startOf(rows, row) - least) / WORD);
    sortByKeys(order, spare, range / WORD);
    order.keys = order.positions.map((row) => startOf(rows, row) - least);
  }
  settleTies(rows, order);
  return order.positions;
}

/** Initialises row numbers, and keys: the low 32 bits of the ns since the first start. */
function keyByStart(rows: RowView, { positions, keys }: Keyed): { least: number; range: number } {
  let [first, last] = [Infinity, 0];
  for (let row = 0; row < keys.length; row++) {
    const ps = rows.doubles[row * ROW_DOUBLES + START] ?? 0;
    if (ps < first) first = ps;
    if (ps > last) last = ps;
  }
  const least = nanoseconds(first);
  for (let row = 0; row < keys.length; row++) {
    positions[row] = row;
    keys[row] = startOf(rows, row) - least;
  }
  return { least, range: nanoseconds(last) - least };
}

/** Stable radix sort by key. `greatest` is an upper bound of the keys. */
function sortByKeys(order: Keyed, spare: Keyed, greatest: number): void {
  for (let shift = 0; greatest >= 2 ** shift; shift += DIGIT_BITS) {
    const places = placesOf(order.keys, shift);
    if (places === null) continue;
    const { positions, keys } = order;
    const { positions: toPositions, keys: toKeys } = spare;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? 0;
      const digit = (key >>> shift) & (DIGITS - 1);
      const place = places[digit] ?? 0;
      places[digit] = place + 1;
      toKeys[place] = key;
      toPositions[place] = positions[i] ?? 0;
    }
    [order.positions, order.keys, spare.positions, spare.keys] = [toPositions, toKeys, positions, keys];
  }
}

/** First position of each digit's keys; null when all keys have the same digit. */
function placesOf(keys: Uint32Array, shift: number): Uint32Array | null {
  const counts = new Uint32Array(DIGITS);
  for (let i = 0; i < keys.length; i++) {
    const digit = ((keys[i] ?? 0) >>> shift) & (DIGITS - 1);
    counts[digit] = (counts[digit] ?? 0) + 1;
  }
  if (counts.includes(keys.length)) return null;
  let place = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] ?? 0;
    counts[digit] = place;
    place += count;
  }
  return counts;
}

/** Sorts groups of equal keys, whose rows have one start or starts that differ by multiples of 2^32 ns. */
function settleTies(rows: RowView, { positions, keys }: Keyed): void {
  for (let from = 0; from < keys.length;) {
    const key = keys[from];
    let to = from + 1;
    while (to < keys.length && keys[to] === key) to++;
    if (to - from > SHORT_RUN) positions.subarray(from, to).sort((a, b) => compareRows(rows, a, rows, b) || a - b);
    else if (to - from > 1) insertInOrder(rows, positions, from, to);
    from = to;
  }
}

function insertInOrder(rows: RowView, order: Uint32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const row = order[i] ?? 0;
    let place = i;
    while (place > from && compareRows(rows, order[place - 1] ?? 0, rows, row) > 0) {
      order[place] = order[place - 1] ?? 0;
      place--;
    }
    order[place] = row;
  }
}
