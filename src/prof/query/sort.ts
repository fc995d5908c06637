/**
 * `--sort` and `--top`. What is kept is not the row but what is to be written of it, so that a sorted report needs
 * the memory of its own text, or of N rows with --top N.
 */
import { requireColumn } from '../columns/columns.js';
import { isNumeric, textOf, type Column } from '../../table/column.js';
import { UsageError } from '../../record/errors.js';
import type { Annotated } from '../annotate.js';

export interface SortKey<Row = Annotated> {
  readonly column: Column<Row>;
  readonly descending: boolean;
}

/**
 * Sort keys of a comma-separated list. Numbers come largest first and texts from A to Z, as one mostly wants them;
 * `+` in front of a key asks for ascending, `-` for descending order.
 */
export const parseSort = (list: string): SortKey[] => parseSortOf(list, requireColumn);

/** Sort keys of rows of another kind. */
export function parseSortOf<Row>(list: string, columnOf: (key: string) => Column<Row>): SortKey<Row>[] {
  return list.split(',').map((item) => {
    const [, sign, key] = /^\s*([+-]?)\s*(.*?)\s*$/.exec(item) ?? [];
    if (key === undefined || key === '') throw new UsageError('--sort names no column', '--columns lists them');
    const column = columnOf(key);
    return { column, descending: sign === '' ? isNumeric(column) : sign === '-' };
  });
}

type Comparable = number | string | null;

/**
 * The rows kept so far. Every row has a slot; its sort keys, place of arrival and item stand in one array each, which
 * takes a fraction of the memory of an object a row.
 */
export class Sorted<T, Row = Annotated> {
  readonly #keys: Comparable[][];
  /** Place of arrival: equal rows stay in it. */
  readonly #arrival: number[] = [];
  readonly #items: T[] = [];
  /** Slots in use; when there are `top` of them, a heap with the last in order on top. */
  readonly #slots: number[] = [];
  #seen = 0;

  /** @param top how many rows to keep; Infinity for all */
  constructor(
    private readonly sortKeys: readonly SortKey<Row>[],
    private readonly top = Infinity,
  ) {
    this.#keys = sortKeys.map(() => []);
  }

  /** @param pack makes what is kept of the row; only called when the row is among the first */
  add(row: Row, pack: (row: Row) => T): void {
    // The slot after the last one is for the row at hand.
    const slot = this.#slots.length;
    for (const [i, { column }] of this.sortKeys.entries()) this.#keysOf(i)[slot] = comparable(row, column);
    this.#arrival[slot] = this.#seen++;
    if (slot < this.top) {
      this.#items[slot] = pack(row);
      this.#slots.push(slot);
      if (slot + 1 === this.top) this.#slots.sort((a, b) => this.#compare(b, a));
      return;
    }
    const last = this.#slots[0];
    if (last === undefined || this.#compare(slot, last) >= 0) return;
    for (const keys of this.#keys) keys[last] = keys[slot] ?? null;
    this.#arrival[last] = this.#arrival[slot] ?? 0;
    this.#items[last] = pack(row);
    this.#siftDown();
  }

  /** What was kept, in order and in batches. Nothing may be added after this. */
  *batches(size = 1000): Generator<T[]> {
    this.#slots.sort((a, b) => this.#compare(a, b));
    for (let at = 0; at < this.#slots.length; at += size) {
      yield this.#slots.slice(at, at + size).map((slot) => this.#items[slot] as T);
    }
  }

  #keysOf(i: number): Comparable[] {
    return this.#keys[i] ?? [];
  }

  #compare(a: number, b: number): number {
    for (let i = 0; i < this.sortKeys.length; i++) {
      const keys = this.#keysOf(i);
      const order = compare(keys[a] ?? null, keys[b] ?? null, this.sortKeys[i]?.descending === true);
      if (order !== 0) return order;
    }
    return (this.#arrival[a] ?? 0) - (this.#arrival[b] ?? 0);
  }

  /** Restores the heap after its top was replaced. */
  #siftDown(): void {
    const heap = this.#slots;
    for (let at = 0; ;) {
      let last = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#compare(heap[child] ?? 0, heap[last] ?? 0) > 0) last = child;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last] ?? 0, heap[at] ?? 0];
      at = last;
    }
  }
}

function comparable<Row>(row: Row, column: Column<Row>): Comparable {
  const value = column.value(row);
  return typeof value === 'object' && value !== null ? textOf(column, value) : value;
}

/** Unknown comes last in either direction. */
function compare(a: Comparable, b: Comparable, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = a < b ? -1 : a > b ? 1 : 0;
  return descending ? -order : order;
}
