/**
 * The rows of a table of values over time, in columns. Memory: 8 bytes a cell; of tables with a row for every event, only
 * rows that change a value are held; tables in order of time are read in chunks.
 */
import { elementAt } from '../../../../containers/element.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';
import { EVERYTHING, type RowRange, type SqliteFile, type TakeNumbers } from '../../../sqlite/sqlite.js';
import { isNear, type DatabaseClock } from './database-clock.js';
import type { SampleTable } from './sample-tables.js';

/** The last row of a series: a next row with the same values is redundant. */
interface LastRow {
  start: number;
  readonly values: number[];
}

/** Rows that are read at a time from tables in order of time. */
const CHUNK_ROWS = 16384;

/** Iterates over the rows of one table in order of time. */
export class SampleColumns {
  readonly start = NumericColumn.floats();
  readonly device = NumericColumn.floats();
  readonly until = NumericColumn.floats();
  readonly #values: readonly NumericColumn[];
  readonly #labels: readonly NumericColumn[];
  /** The rows that are held, in order; those before `#end` are final. */
  #order = new Uint32Array();
  #end = 0;
  #place = 0;
  /** The last row of each series, when redundant rows are left out. */
  #latest: Map<number | string, LastRow> | null = null;
  /** Where the next chunk begins; null when all has been read. */
  #rest: bigint | null = null;

  constructor(
    private readonly database: SqliteFile,
    private readonly clock: DatabaseClock,
    readonly table: SampleTable,
  ) {
    this.#values = table.values.map(() => NumericColumn.floats());
    this.#labels = table.labels.map(() => NumericColumn.floats());
    const order = table.onChange === true ? this.#checkOrder() : 'none';
    if (order !== 'none') this.#latest = new Map();
    if (order === 'all') {
      this.#rest = EVERYTHING.after;
      this.#readOn();
    } else {
      this.#read((cells) => {
        this.#add(cells);
      });
      this.#order = this.#inOrder();
      this.#end = this.#order.length;
    }
  }

  /** Time of the next row; Infinity when there is none. */
  get next(): number {
    if (this.#place >= this.#end && this.#rest !== null) this.#readOn();
    const row = this.#place < this.#end ? this.#order[this.#place] : undefined;
    return row === undefined ? Infinity : this.start.at(row);
  }

  /** Removes the next row, of which there must be one; its cells are valid until `next` is read again. */
  take(): number {
    return elementAt(this.#order, this.#place++);
  }

  value(i: number, row: number): number {
    return elementAt(this.#values, i).at(row);
  }

  label(i: number, row: number): number {
    return elementAt(this.#labels, i).at(row);
  }

  /** Identifies the series of a row: its device and labels. */
  key(row: number): number | string {
    const labels = this.#labels.map((column) => column.at(row));
    return keyOf(this.device.at(row), labels);
  }

  /** Columns other than the time, in the order in which they are read. */
  get #own(): readonly NumericColumn[] {
    return [this.device, ...this.#values, ...this.#labels, ...(this.table.until === undefined ? [] : [this.until])];
  }

  /**
   * Which rows are in order of time: those of each series, so that redundant ones are recognised while reading; or all,
   * as the profiler writes them.
   */
  #checkOrder(): 'all' | 'series' | 'none' {
    const latest = new Map<number | string, LastRow>();
    const holds = { inSeries: true, inAll: true };
    let last = -Infinity;
    this.#read((cells) => {
      const start = cells[0] as number;
      if (!isNear(start) || !holds.inSeries) return;
      if (start < last) holds.inAll = false;
      last = start;
      const before = this.#latestOf(latest, cells)?.start ?? -Infinity;
      const isNew = this.#note(latest, cells);
      if (start < before || (start === before && isNew)) holds.inSeries = false;
    });
    if (!holds.inSeries) return 'none';
    return holds.inAll ? 'all' : 'series';
  }

  #latestOf(latest: ReadonlyMap<number | string, LastRow>, cells: readonly number[]): LastRow | undefined {
    return latest.get(this.#keyOf(cells));
  }

  #keyOf(cells: readonly number[]): number | string {
    const labels = 2 + this.#values.length;
    return keyOf(cells[1] as number, cells.slice(labels, labels + this.#labels.length));
  }

  /** Stores a row as the last of its series. @returns whether it changes the series */
  #note(latest: Map<number | string, LastRow>, cells: readonly number[]): boolean {
    const key = this.#keyOf(cells);
    const start = cells[0] as number;
    const before = latest.get(key);
    const { length } = this.#values;
    if (before === undefined) {
      latest.set(key, { start, values: cells.slice(2, 2 + length) });
      return true;
    }
    before.start = start;
    let changes = false;
    for (let i = 0; i < length; i++) {
      const value = cells[2 + i] as number;
      if (Object.is(value, before.values[i])) continue;
      before.values[i] = value;
      changes = true;
    }
    return changes;
  }

  #add(cells: readonly number[]): void {
    const start = cells[0] as number;
    if (!isNear(start) || (this.#latest !== null && !this.#note(this.#latest, cells))) return;
    this.start.push(start);
    const own = this.#own;
    for (let i = 0; i < own.length; i++) (own[i] as NumericColumn).push(cells[i + 1] as number);
  }

  /** Reads the table or a part of it. @returns where the next part begins */
  #read(take: TakeNumbers, span: RowRange = EVERYTHING): bigint | null {
    const { table, clock, database } = this;
    const columns = [
      clock.since(table.time),
      'deviceId',
      ...table.values.map(({ column }) => column),
      ...table.labels.map(({ column }) => column),
      ...(table.until === undefined ? [] : [clock.since(table.until)]),
    ];
    if (table.decimals !== true) return database.eachNumbers(table.table, columns, take, [], span);
    database.eachReal(table.table, columns, take);
    return null;
  }

  /** Reads the next chunk. Rows of its last time are not final, because more of them may follow. */
  #readOn(): void {
    while (this.#place >= this.#end && this.#rest !== null) {
      this.#keepFrom(this.#place);
      this.#rest = this.#read(
        (cells) => {
          this.#add(cells);
        },
        { after: this.#rest, rows: CHUNK_ROWS },
      );
      this.#order = this.#inOrder();
      this.#place = 0;
      this.#end = this.#order.length;
      if (this.#rest === null) return;
      if (this.#end === 0) continue;
      const last = this.start.at(elementAt(this.#order, this.#end - 1));
      while (this.#end > 0 && this.start.at(elementAt(this.#order, this.#end - 1)) === last) this.#end--;
    }
  }

  /** Drops the rows before a position in the order. */
  #keepFrom(place: number): void {
    const columns = [this.start, ...this.#own];
    const kept = Array.from(this.#order.subarray(place), (row) => columns.map((column) => column.at(row)));
    for (const column of columns) column.clear();
    for (const cells of kept) for (const [i, cell] of cells.entries()) columns[i]?.push(cell);
  }

  /** In order of time, rows of one time by their cells. */
  #inOrder(): Uint32Array<ArrayBuffer> {
    const rows = allRows(this.start.length);
    const filled = [this.device, ...this.#labels, ...this.#values, this.until].filter(({ length }) => length > 0);
    sortRows(rows, (a, b) => {
      const first = this.start.at(a) - this.start.at(b);
      if (first !== 0) return first;
      for (const column of filled) {
        const difference = column.at(a) - column.at(b);
        // NaN, for a missing cell, is unordered.
        if (difference < 0 || difference > 0) return difference;
      }
      return 0;
    });
    return rows;
  }
}

/** A number where possible, since number keys are faster than texts. */
function keyOf(device: number, labels: readonly number[]): number | string {
  const [first = NaN] = labels;
  return labels.length === 1 && device >= 0 && device < 256 ? first * 256 + device : `${device},${labels.join()}`;
}
