/**
 * Counters of rows, in columns. Rows whose counters have the same names share a list of the names. Memory: 8 bytes for each
 * value and 2 to 8 for each row.
 */
import { entryOf } from '../../containers/map-entry.js';
import { elementAt } from '../../containers/element.js';
import { NarrowColumn, NumericColumn } from '../../containers/numeric-column.js';

type Counters = Readonly<Record<string, number>>;

export class RowCounters {
  readonly #lists: (readonly string[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #values = NumericColumn.floats();
  /** For each row: the number of its list of names, from 1; 0 for none. */
  readonly #list = NarrowColumn.counts();
  /** For each row: where its values begin. */
  readonly #first = NarrowColumn.counts();

  /** Adds those of the next row. @param counters null when it has none */
  push(counters: Counters | null): void {
    const names = counters === null ? null : Object.keys(counters);
    this.#first.push(names === null ? 0 : this.#values.length);
    this.#list.push(names === null ? 0 : entryOf(this.#numbers, names.join('\0'), () => this.#lists.push(names)));
    if (counters !== null) for (const value of Object.values(counters)) this.#values.push(value);
  }

  of(row: number): Counters | null {
    const list = this.#list.at(row);
    if (!(list > 0)) return null;
    const first = this.#first.at(row);
    return Object.fromEntries(elementAt(this.#lists, list - 1).map((name, i) => [name, this.#values.at(first + i)]));
  }
}
