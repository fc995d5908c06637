/**
 * Sorts row numbers with a stable natural merge sort. Profiles are nearly sorted by time, and a sorted or reversed column
 * takes one pass; the worst case is O(n log n) with 4 bytes of scratch memory for each row.
 */
import { elementAt } from './element.js';

/**
 * Counts how many of the first n values, in ascending order, are below a limit, by binary search.
 * @param n number of values
 * @param valueAt the value at an index
 * @param equal whether values equal to the limit are counted too
 */
export function countBelow(n: number, valueAt: (index: number) => number, limit: number, equal = false): number {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = valueAt(middle);
    if (value < limit || (equal && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts how many of the first n values, in ascending order, are not above a limit. */
export const countUpTo = (n: number, valueAt: (index: number) => number, limit: number): number =>
  countBelow(n, valueAt, limit, true);

/** Negative when row a comes before row b, positive when it comes after, 0 when their contents are the same. */
export type CompareRows = (a: number, b: number) => number;

export function sortRows(rows: Uint32Array, compare: CompareRows): void {
  let runs = findRuns(rows, compare);
  let from: Uint32Array = rows;
  let to: Uint32Array = new Uint32Array(runs.length > 2 ? rows.length : 0);
  while (runs.length > 2) {
    const merged = [0];
    for (let i = 0; i + 1 < runs.length; i += 2) {
      const middle = elementAt(runs, i + 1);
      const end = runs[i + 2] ?? middle;
      merge(from, to, elementAt(runs, i), middle, end, compare);
      merged.push(end);
    }
    runs = merged;
    [from, to] = [to, from];
  }
  if (from !== rows) rows.set(from);
}

/** Finds boundaries of ascending runs, from 0 to the length; strictly descending runs are reversed in place. */
function findRuns(rows: Uint32Array, compare: CompareRows): number[] {
  const boundaries = [0];
  const n = rows.length;
  const before = (i: number, j: number): number => compare(rows[i] as number, rows[j] as number);
  for (let start = 0; start < n;) {
    let end = start + 1;
    if (end < n && before(start, end) > 0) {
      while (end < n && before(end - 1, end) > 0) end++;
      rows.subarray(start, end).reverse();
    }
    while (end < n && before(end - 1, end) <= 0) end++;
    boundaries.push(end);
    start = end;
  }
  return boundaries;
}

function merge(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
  compare: CompareRows,
): void {
  let [left, right] = [start, middle];
  for (let position = start; position < end; position++) {
    const takeLeft = left < middle && (right >= end || compare(from[left] as number, from[right] as number) <= 0);
    to[position] = (takeLeft ? from[left++] : from[right++]) as number;
  }
}

/** Row numbers 0 … n-1. */
export function allRows(n: number): Uint32Array<ArrayBuffer> {
  const rows = new Uint32Array(n);
  for (let row = 0; row < n; row++) rows[row] = row;
  return rows;
}

/**
 * Keeps some rows, in place: `filter` of a typed array holds 8 bytes for each row while it runs.
 * @param keep called with a row, its position, and the rows; those from the previous position on are still unchanged
 */
export function keepRows(
  rows: Uint32Array<ArrayBuffer>,
  keep: (row: number, position: number, rows: Uint32Array) => boolean,
): Uint32Array<ArrayBuffer> {
  let kept = 0;
  for (let position = 0; position < rows.length; position++) {
    const row = elementAt(rows, position);
    if (keep(row, position, rows)) rows[kept++] = row;
  }
  return rows.subarray(0, kept);
}

export interface RowGroups {
  readonly rows: Uint32Array<ArrayBuffer>;
  /** For each key, the position of its first row in `rows`; one more entry holds the end. */
  readonly first: Uint32Array<ArrayBuffer>;
}

/** The rows of a key, without a copy. */
export const groupAt = ({ rows, first }: RowGroups, key: number): Uint32Array<ArrayBuffer> =>
  rows.subarray(first[key], first[key + 1]);

/** Groups rows 0 … n-1 by a small integer key (a stable counting sort). */
export const groupAll = (n: number, keyOf: (row: number) => number, keys: number): RowGroups =>
  countingSort(n, (position) => position, keyOf, keys);

/** Groups some rows, given by number, in the same way. */
export const groupRows = (rows: ArrayLike<number>, keyOf: (row: number) => number, keys: number): RowGroups =>
  countingSort(rows.length, (position) => elementAt(rows, position), keyOf, keys);

/**
 * All rows of groups in one order. Memory: some bytes for each group.
 * @param compare the order in which the rows of each group already are; it must distinguish all rows
 */
export function* mergeGroups({ rows, first }: RowGroups, compare: CompareRows): Generator<number> {
  const next = first.slice(0, -1);
  /** Groups with rows left: a binary heap by their next rows. */
  const heap = [...next.keys()].filter((group) => elementAt(first, group) < elementAt(first, group + 1));
  const rowOf = (place: number): number => rows[next[heap[place] as number] as number] as number;
  const sink = (from: number): void => {
    for (let at = from, least = at; ; at = least) {
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && compare(rowOf(child), rowOf(least)) < 0) least = child;
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least] as number, heap[at] as number];
    }
  };
  for (let place = heap.length >> 1; place >= 0; place--) sink(place);
  for (let group = heap[0]; group !== undefined; group = heap[0]) {
    yield rowOf(0);
    next[group] = elementAt(next, group) + 1;
    if (next[group] === first[group + 1]) {
      const last = heap.pop() as number;
      if (last === group) continue;
      heap[0] = last;
    }
    sink(0);
  }
}

function countingSort(
  n: number,
  rowAt: (position: number) => number,
  keyOf: (row: number) => number,
  keys: number,
): RowGroups {
  const first = new Uint32Array(keys + 1);
  for (let i = 0; i < n; i++) {
    const key = keyOf(rowAt(i)) + 1;
    first[key] = elementAt(first, key) + 1;
  }
  for (let key = 1; key <= keys; key++) first[key] = elementAt(first, key) + elementAt(first, key - 1);
  const next = first.slice();
  const grouped = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const row = rowAt(i);
    const key = keyOf(row);
    const position = elementAt(next, key);
    grouped[position] = row;
    next[key] = position + 1;
  }
  return { rows: grouped, first };
}
