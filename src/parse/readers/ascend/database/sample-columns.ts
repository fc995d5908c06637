/**
 * The rows of a table of values over time, in columns. Memory: 8 bytes a cell; of tables that come with every event, only
 * rows that change something are held.
 */
import { Column } from '../../../column.js';
import { allRows, sortRows } from '../../../order.js';
import type { SqliteFile, TakeNumbers } from '../../../sqlite.js';
import { isNear, type Clock } from './clock.js';
import type { SampleTable } from './sample-tables.js';

/** Of a series, the row that was read last: where its values stay as they were, the next is not needed. */
interface Latest {
  start: number;
  readonly values: number[];
}

/** The rows of one table, given out in order of time. */
export class SampleColumns {
  start = Column.floats();
  device = Column.floats();
  until = Column.floats();
  #values: readonly Column[] = [];
  #labels: readonly Column[] = [];
  readonly #order: Uint32Array;
  #place = 0;

  constructor(
    private readonly database: SqliteFile,
    private readonly clock: Clock,
    readonly table: SampleTable,
  ) {
    // Rows stand in order of time, as the profiler writes them; else all are needed.
    if (table.onChange !== true || !this.#read(new Map())) this.#read(null);
    this.#order = this.#inOrder([this.device, ...this.#labels, ...this.#values, this.until]);
  }

  /** Time of the next row; Infinity when there is none. */
  get next(): number {
    const row = this.#order[this.#place];
    return row === undefined ? Infinity : this.start.at(row);
  }

  /** The next row; to be called when there is one. */
  take(): number {
    return this.#order[this.#place++] ?? 0;
  }

  value(i: number, row: number): number {
    return this.#values[i]?.at(row) ?? NaN;
  }

  label(i: number, row: number): number {
    return this.#labels[i]?.at(row) ?? NaN;
  }

  /** The same for rows of one device with the same labels. */
  key(row: number): number | string {
    const labels = this.#labels.map((column) => column.at(row));
    return keyOf(this.device.at(row), labels);
  }

  /**
   * Reads the table.
   * @param latest to leave out rows that change nothing; null to keep all
   * @returns whether that could be done: rows stand in order of time
   */
  #read(latest: Map<number | string, Latest> | null): boolean {
    const { table, clock, database } = this;
    const [values, labels] = [table.values.length, table.labels.length];
    this.#values = table.values.map(() => Column.floats());
    this.#labels = table.labels.map(() => Column.floats());
    [this.start, this.device, this.until] = [Column.floats(), Column.floats(), Column.floats()];
    const own = [this.device, ...this.#values, ...this.#labels, ...(table.until === undefined ? [] : [this.until])];
    const columns = [
      clock.since(table.time),
      'deviceId',
      ...table.values.map(({ column }) => column),
      ...table.labels.map(({ column }) => column),
      ...(table.until === undefined ? [] : [clock.since(table.until)]),
    ];
    let inOrder = true;
    const take: TakeNumbers = (cells) => {
      const start = cells[0] ?? NaN;
      if (!isNear(start) || !inOrder) return;
      if (latest !== null) {
        const key = keyOf(cells[1] ?? NaN, cells.slice(2 + values, 2 + values + labels));
        const before = latest.get(key);
        const news = cells.slice(2, 2 + values);
        if (before === undefined) latest.set(key, { start, values: news });
        else {
          const changes = news.some((value, i) => !Object.is(value, before.values[i]));
          if (start < before.start || (start === before.start && changes)) inOrder = false;
          before.start = start;
          if (!changes) return;
          before.values.splice(0, values, ...news);
        }
      }
      this.start.push(start);
      for (let i = 0; i < own.length; i++) own[i]?.push(cells[i + 1] ?? NaN);
    };
    if (table.decimals === true) database.eachReal(table.table, columns, take);
    else database.eachNumbers(table.table, columns, take);
    return inOrder;
  }

  /** In order of time, those of one time by what they hold. */
  #inOrder(columns: readonly Column[]): Uint32Array {
    const rows = allRows(this.start.length);
    const filled = columns.filter(({ length }) => length > 0);
    sortRows(rows, (a, b) => {
      const first = this.start.at(a) - this.start.at(b);
      if (first !== 0) return first;
      for (const column of filled) {
        const difference = column.at(a) - column.at(b);
        // NaN, where a cell of either is missing, tells no order.
        if (difference < 0 || difference > 0) return difference;
      }
      return 0;
    });
    return rows;
  }
}

/** Numbers are found sooner than texts. */
function keyOf(device: number, labels: readonly number[]): number | string {
  const [first = NaN] = labels;
  return labels.length === 1 && device >= 0 && device < 256 ? first * 256 + device : `${device},${labels.join()}`;
}
