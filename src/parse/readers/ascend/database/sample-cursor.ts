/**
 * The rows of a table of values over time, in order of time, with one row of lookahead. SQLite sorts them, in a temporary
 * file where they are many.
 */
import { integerOf, numberOf, type SqliteFile, type SqliteRow } from '../../../sqlite/sqlite.js';
import { isNear, type DatabaseClock } from './database-clock.js';
import type { SampleTable } from './sample-tables.js';

/** NaN stands for a missing cell. */
export interface SampleRow {
  readonly start: number;
  readonly device: number;
  /** In the order of the table's `labels` and `values`. */
  readonly labels: readonly number[];
  readonly values: readonly number[];
  readonly until: number;
}

export class SampleCursor {
  readonly #rows: Iterator<SqliteRow>;
  #next: SampleRow | null = null;

  constructor(
    database: SqliteFile,
    clock: DatabaseClock,
    readonly table: SampleTable,
  ) {
    // Rows of one time are in order of these cells too.
    const columns = [
      clock.since(table.time),
      'deviceId',
      ...table.labels.map(({ column }) => column),
      ...table.values.map(({ column }) => column),
      ...(table.until === undefined ? [] : [clock.since(table.until)]),
    ];
    this.#rows = database.rows(table.table, columns, [], true);
    this.#advance();
  }

  /** Time of the next row; Infinity when there is none. */
  get next(): number {
    return this.#next?.start ?? Infinity;
  }

  /** @throws RangeError when there is no next row */
  take(): SampleRow {
    const row = this.#next;
    if (row === null) throw new RangeError('no row left');
    this.#advance();
    return row;
  }

  /** Ends the query; until then the database cannot be closed. */
  close(): void {
    this.#rows.return?.();
  }

  #advance(): void {
    const { labels, values, decimals } = this.table;
    const read = decimals === true ? numberOf : integerOf;
    this.#next = null;
    while (this.#next === null) {
      const result: IteratorResult<SqliteRow, unknown> = this.#rows.next();
      if (result.done === true) return;
      const [start = NaN, device = NaN, ...cells] = result.value.map(read);
      if (!isNear(start)) continue;
      const ofLabels = cells.splice(0, labels.length);
      const ofValues = cells.splice(0, values.length);
      const [until = NaN] = cells;
      this.#next = { start, device, labels: ofLabels, values: ofValues, until };
    }
  }
}
