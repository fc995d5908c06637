/**
 * `--sort` and `--top`. Sorts the rows of a report. Only the output of a row is kept, so a sorted report needs the
 * memory of its text, or of N rows with --top N.
 */
import { elementAt } from '../../containers/element.js';
import { isNumeric, textOf, type Column } from '../../table/column.js';
import { UsageError } from '../../record/errors.js';

export interface SortKey<Row> {
  readonly column: Column<Row>;
  readonly descending: boolean;
}

/**
 * Sort keys of a comma-separated list. Numbers are sorted largest first and strings from A to Z; `+` before a key makes its
 * order ascending, `-` descending.
 * @param columnOf returns the column of a key; throws for an unknown one
 * @throws UsageError for an empty key
 */
export function parseSortKeys<Row>(list: string, columnOf: (key: string) => Column<Row>): SortKey<Row>[] {
  return list.split(',').map((item) => {
    const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(item.trim()) ?? [];
    const key = rest.trimStart();
    if (key === '') throw new UsageError('--sort needs a column', '--columns lists them');
    const column = columnOf(key);
    return { column, descending: sign === '' ? isNumeric(column) : sign === '-' };
  });
}

type Comparable = number | string | null;

interface SortValues<Row> extends SortKey<Row> {
  readonly values: Comparable[];
}

/**
 * The rows kept so far. Every row has a slot; its sort keys, arrival number and output are in one array each, which takes a
 * fraction of the memory of one object per row.
 */
export class SortedOutput<Output, Row> {
  readonly #keys: readonly SortValues<Row>[];
  /** Arrival numbers, by which equal rows are ordered. */
  readonly #arrival: number[] = [];
  readonly #outputs: Output[] = [];
  /** Slots in use. When there are `top` of them, they are a heap with the last row in sort order on top. */
  readonly #slots: number[] = [];
  #rows = 0;

  /** @param top how many rows to keep; Infinity for all */
  constructor(
    sortKeys: readonly SortKey<Row>[],
    private readonly top = Infinity,
  ) {
    this.#keys = sortKeys.map((key) => ({ ...key, values: [] }));
  }

  /** @param pack makes the output of the row; called only if the row is among the first `top` so far */
  add(row: Row, pack: (row: Row) => Output): void {
    // The slot after the last one is for the current row.
    const slot = this.#slots.length;
    for (const { column, values } of this.#keys) values[slot] = comparable(row, column);
    this.#arrival[slot] = this.#rows++;
    if (slot < this.top) {
      this.#outputs[slot] = pack(row);
      this.#slots.push(slot);
      if (slot + 1 === this.top) this.#slots.sort((a, b) => this.#compare(b, a));
      return;
    }
    const last = this.#slots[0];
    if (last === undefined || this.#compare(slot, last) >= 0) return;
    for (const { values } of this.#keys) values[last] = elementAt(values, slot);
    this.#arrival[last] = elementAt(this.#arrival, slot);
    this.#outputs[last] = pack(row);
    this.#siftDown();
  }

  /** The outputs, in order and in batches. Nothing may be added afterwards. */
  *batches(size = 1000): Generator<Output[]> {
    this.#slots.sort((a, b) => this.#compare(a, b));
    for (let at = 0; at < this.#slots.length; at += size) {
      yield this.#slots.slice(at, at + size).map((slot) => this.#outputs[slot] as Output);
    }
  }

  #compare(a: number, b: number): number {
    for (const { values, descending } of this.#keys) {
      const order = compare(elementAt(values, a), elementAt(values, b), descending);
      if (order !== 0) return order;
    }
    return elementAt(this.#arrival, a) - elementAt(this.#arrival, b);
  }

  /** Restores the heap after its top was replaced. */
  #siftDown(): void {
    const heap = this.#slots;
    for (let at = 0; ;) {
      let last = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#compare(elementAt(heap, child), elementAt(heap, last)) > 0) last = child;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [elementAt(heap, last), elementAt(heap, at)];
      at = last;
    }
  }
}

function comparable<Row>(row: Row, column: Column<Row>): Comparable {
  const value = column.value(row);
  return typeof value === 'object' && value !== null ? textOf(column, value) : value;
}

/** Unknown values come last in either direction. */
function compare(a: Comparable, b: Comparable, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = a < b ? -1 : a > b ? 1 : 0;
  return descending ? -order : order;
}
