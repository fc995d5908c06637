/** Index of the rows of the timed tables: offset and time. Memory: 20 bytes a row, and 4 to 8 more during the sort. */
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';

/** Length (26 bits) and table (6 bits) of a row share a cell. */
const TABLES = 64;
export const LONGEST_ROW = 2 ** 26 - 1;

export class RowIndex {
  readonly #starts = NumericColumn.floats();
  readonly #offsets = NumericColumn.floats();
  readonly #extents = NumericColumn.counts();
  #earliest = Infinity;
  #latest = -Infinity;

  /** @param length at most LONGEST_ROW */
  add(table: number, start: number, offset: number, length: number): void {
    this.#starts.push(start);
    this.#offsets.push(offset);
    this.#extents.push(length * TABLES + table);
    this.#earliest = Math.min(this.#earliest, start);
    this.#latest = Math.max(this.#latest, start);
  }

  get length(): number {
    return this.#starts.length;
  }

  /** First and last start; infinite when there is no row. */
  get range(): readonly [earliest: number, latest: number] {
    return [this.#earliest, this.#latest];
  }

  start(row: number): number {
    return this.#starts.at(row);
  }

  offset(row: number): number {
    return this.#offsets.at(row);
  }

  size(row: number): number {
    return Math.floor(this.#extents.at(row) / TABLES);
  }

  table(row: number): number {
    return this.#extents.at(row) % TABLES;
  }

  /** Rows in order of start; those of one start in file order. */
  inOrder(): Uint32Array {
    const rows = allRows(this.length);
    const starts = this.#starts.values;
    sortRows(rows, (a, b) => (starts[a] as number) - (starts[b] as number));
    return rows;
  }
}
