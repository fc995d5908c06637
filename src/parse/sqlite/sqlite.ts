/**
 * Read-only access to SQLite databases by column name. A missing table has no rows; a missing column is null. It holds one
 * read transaction, so that many point look-ups cost no locking.
 */
import type Database from 'better-sqlite3';
import { Diagnostics } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { realpathSync, statSync } from 'node:fs';
import { firstBytes, isFile } from '../files.js';
import type { SharedBlocks } from './shared-blocks.js';
import { boundedBlocks, isSqliteError, numberBlocks, openDatabase, type Cell } from './sqlite-library.js';
import { hasSmallRowids, indexRows, quote, readTables, type Table } from './tables.js';
import { betweenCalls, duringCall, inCalls } from './termination.js';
import { hasFilledLog, openCopy, usesLog, type OpenedDatabase } from './wal-copy.js';

export type { Cell };
export type SqliteRow = Cell[];

/** The text for a number in a cell; null for a number without a string, and for any other cell. */
export type TextLookup = (id: Cell) => string | null;

/** Receives a row of numbers; the array is reused for the next row. */
export type TakeNumbers = (cells: readonly number[]) => void;

/** Column name for expressions over `rowid`, which every table has. */
export const ROWID = 'rowid';

/** A column by name, or an expression over columns; null when the table lacks one of these columns. */
export type Selection = string | { readonly needs: readonly string[]; readonly sql: string };

/** Conditions that must all hold; a condition over a missing column is left out. */
export type Filter = readonly { readonly needs: readonly string[]; readonly sql: string }[];

export class SqliteFile {
  readonly #database: Database.Database;
  /**
   * Row iterators in use. Unfinished queries. They must end before the database can be closed, for example after an
   * error in code that reads another table.
   */
  readonly #unfinished = new Set<IterableIterator<SqliteRow>>();
  /** Tables and views by name. */
  readonly tables: ReadonlyMap<string, Table>;
  #copies = 0;
  /** Conditions whose columns have been checked. */
  readonly #filtered = new Set<string>();
  /** Counts rows with a value of the wrong type that the code reading them has not counted. */
  diagnostics = new Diagnostics();
  /**
   * Shares the decoding of `eachNumbers` with other threads, which must make the same calls; null to decode all rows.
   */
  shared: SharedBlocks | null = null;

  private constructor(
    readonly path: string,
    database: Database.Database,
    private readonly removeCopy: () => void,
  ) {
    this.#database = database;
    this.tables = this.#guard(() => {
      // Views in the file cannot call functions other than SQLite's own harmless ones.
      database.pragma('trusted_schema = OFF');
      database.exec('BEGIN');
      return readTables(database);
    });
  }

  /**
   * Opens a database for reading. A database with a write-ahead log is copied first.
   * @throws UserError when it is cut short, locked or damaged, or when there is no room for its copy
   */
  static open(path: string): SqliteFile {
    // Log and journal are next to the file itself, not next to a link to it.
    const file = realpathSync(path);
    if (!isFile(file)) throw new UserError('is not a file', { where: path });
    const header = Buffer.concat([firstBytes(file, HEADER_BYTES)], HEADER_BYTES); // Bytes beyond the end are 0.
    refuseUnreadable(header, file);
    const { database, remove } = usesLog(header, file) ? openCopy(file) : openInPlace(file);
    try {
      return new SqliteFile(path, database, remove);
    } catch (error) {
      database.close();
      throw error;
    } finally {
      remove();
    }
  }

  has(table: string): boolean {
    return this.tables.has(table);
  }

  hasColumn(table: string, column: string): boolean {
    return this.tables.get(table)?.columns.has(column) ?? false;
  }

  /**
   * Rows of a table as arrays, with cells as selected; no rows when the table is missing.
   * @param sorted whether to sort by the first cell, then by the next; otherwise in storage order
   */
  *rows(table: string, select: readonly Selection[], filter: Filter = [], sorted = false): Generator<SqliteRow> {
    if (!this.has(table)) return;
    const cells = [...select.map((cell) => this.#expression(table, cell)), this.#isWrong(table, select)].join(', ');
    const leftOut = this.#leftOut(table, filter);
    if (leftOut !== null) this.#countBadRows(table, leftOut);
    let rows: IterableIterator<SqliteRow> | null = null;
    const order = sorted ? `ORDER BY ${select.map((_, i) => i + 1).join(', ')}` : '';
    try {
      const isNumbered = select.some((cell) => typeof cell !== 'string' && cell.needs.includes(ROWID));
      const source = isNumbered ? this.#numbered(table) : this.#source(table);
      const sql = `SELECT ${cells} FROM ${source} WHERE ${this.#condition(table, filter)} ${order}`;
      rows = inCalls(() => this.#database.prepare(sql).raw().iterate() as IterableIterator<SqliteRow>);
      this.#unfinished.add(rows);
      for (const row of rows) {
        const before = row.pop() === 1 ? this.diagnostics.get('bad-row') : null;
        yield row;
        this.#countBad(before);
      }
    } catch (error) {
      throw asUserError(error, this.path);
    } finally {
      if (rows !== null) this.#unfinished.delete(rows);
    }
  }

  /** The same, but each row is an object of named cells: `{ start: clock.since('start'), name: 'description_id' }`. */
  *cells<Name extends string>(
    table: string,
    select: Readonly<Record<Name, Selection>>,
    filter: Filter = [],
  ): Generator<Readonly<Record<Name, Cell>>> {
    const names = Object.keys(select) as Name[];
    for (const row of this.rows(table, Object.values(select), filter)) yield named(names, row);
  }

  /**
   * Selects cells of the row that has a given integer in a column, to join this table to another. Cells are null when there
   * is no such row, or no table; of several rows the smallest is used.
   * @param key column with the integer
   */
  joined<Name extends string>(
    table: string,
    key: string,
    select: Readonly<Record<Name, Selection>>,
  ): (id: Cell) => Readonly<Record<Name, Cell>> {
    const names = Object.keys(select) as Name[];
    if (!this.#reads(table, key)) return () => named(names, []);
    return this.#guard(() => {
      const rows = this.#rowsBy(table, key, Object.values(select));
      return (id: Cell) =>
        named(
          names,
          this.#guard(() => (rows.get(id) as SqliteRow | undefined) ?? []),
        );
    });
  }

  /**
   * Selects a cell of the row of another table whose `key` is the integer in a column of the table that is read. SQLite
   * joins them, which is several times faster than `joined` for a row that few others refer to.
   * @param by column of the table that is read; the other table must not have a column of this name
   */
  reference(table: string, key: string, column: string, by: string): Selection {
    if (!this.#reads(table, key) || !this.hasColumn(table, column)) return { needs: [], sql: 'NULL' };
    const isKey = this.tables.get(table)?.key === key;
    const copy = isKey
      ? null
      : this.#guard(() => indexRows(this.#database, this.#source(table), key, [quote(column)], ++this.#copies));
    const sql = isKey
      ? `SELECT ${quote(column)} FROM ${this.#source(table)} WHERE ${quote(key)}`
      : `SELECT c0 FROM ${String(copy)} WHERE key`;
    return { needs: [by], sql: `(${sql} = ${quote(by)})` };
  }

  /** Cells of the row with an integer in a column. If the column is not the key, it becomes the key of a copy. */
  #rowsBy(table: string, key: string, select: readonly Selection[]): Database.Statement {
    const source = this.#source(table);
    const cells = select.map((cell) => this.#expression(table, cell));
    const isKey = this.tables.get(table)?.key === key;
    const columns = isKey ? cells : cells.map((_, i) => `c${i}`);
    const from = isKey ? source : indexRows(this.#database, source, key, cells, ++this.#copies);
    return this.#database
      .prepare(`SELECT ${columns.join(', ')} FROM ${from} WHERE ${isKey ? quote(key) : 'key'} = ?`)
      .raw();
  }

  /**
   * Calls `take` with each row of a table in ascending order of rowid.
   * @param take gets the same array every time
   * @param read reads a cell; by default as an integer, with NaN for null and for values that are not integers
   * @throws UserError when the database is damaged
   */
  eachNumbers(
    table: string,
    select: readonly Selection[],
    take: TakeNumbers,
    filter: Filter = [],
    read: (cell: Cell | undefined) => number = integerOf,
  ): void {
    if (!this.has(table)) return;
    const isWrong = this.#isWrong(
      table,
      select.filter((cell) => typeof cell !== 'string'),
    );
    const expressions = [...select.map((cell) => this.#expression(table, cell)), ...(isWrong === '0' ? [] : [isWrong])];
    this.#guard(() => {
      const query = {
        table: this.#numbered(table),
        expressions,
        columns: select.length,
        condition: this.#condition(table, filter),
        leftOut: this.#leftOut(table, filter),
        read,
        areIntegers: read === integerOf,
      };
      const shared = this.shared?.begin(boundedBlocks(this.#database, query)) ?? null;
      if (shared === null && query.leftOut !== null) this.#countBadRows(table, query.leftOut);
      const readBlock = shared ?? numberBlocks(this.#database, query);
      const numbers = new Array<number>(select.length).fill(NaN);
      for (let above = -1; ;) {
        const { rows, cells, last, isLast, leftOut } = readBlock(above);
        if (leftOut > 0) this.diagnostics.count('bad-row', leftOut);
        for (let row = 0, at = 0; row < rows; row++) {
          for (let column = 0; column < numbers.length; column++) numbers[column] = cells[at++] as number;
          const before = cells[at++] === 1 ? this.diagnostics.get('bad-row') : null;
          take(numbers);
          this.#countBad(before);
        }
        if (isLast) break;
        above = this.#later(table, above, last);
        betweenCalls();
      }
      if (shared !== null) this.shared?.finish();
    });
  }

  /**
   * Counts a row with a value of the wrong type, unless the code reading it has done so.
   * @param before the count before the row was passed on; null for rows that are not bad
   */
  #countBad(before: number | null): void {
    if (this.diagnostics.get('bad-row') === before) this.diagnostics.count('bad-row');
  }

  /**
   * Condition for the rows that a filter leaves out because of a value of the wrong type; null when there can be none,
   * or when rows with a wrong value in these columns have already been counted.
   */
  #leftOut(table: string, filter: Filter): string | null {
    const isWrong = this.#isWrong(table, filter);
    if (isWrong === '0' || this.#filtered.has(table + isWrong)) return null;
    this.#filtered.add(table + isWrong);
    return `${isWrong} AND (${this.#condition(table, filter)}) IS NOT TRUE`;
  }

  #countBadRows(table: string, condition: string): void {
    this.diagnostics.count('bad-row', this.count(table, condition));
  }

  /** SQL for whether a column declared to hold numbers holds something else. Null is not wrong. */
  #isWrong(table: string, selections: readonly Selection[]): string {
    const numbers = this.tables.get(table)?.numbers;
    // Columns read as hexadecimal hold bytes, those read as JSON hold strings.
    const needs = selections.flatMap((selection) =>
      typeof selection === 'string' ? [selection] : /^hex\(|\bjson_valid\(/.test(selection.sql) ? [] : selection.needs,
    );
    const checked = [...new Set(needs)].filter((column) => numbers?.has(column));
    if (checked.length === 0) return '0';
    return `(${checked.map((column) => `typeof(${quote(column)}) IN ('text', 'blob')`).join(' OR ')})`;
  }

  /**
   * The rowid from which to go on.
   * @throws UserError when a rowid is not above the previous one: overwritten pages would be read forever
   */
  #later(table: string, last: number, rowid: unknown): number {
    if (typeof rowid === 'number' && rowid > last) return rowid;
    throw new UserError(`database is damaged: rows of ${table} are out of order`, {
      where: this.path,
      hint: 'copy or export it again',
    });
  }

  /** Number of rows of a table that meet a condition. The columns in the condition must exist. */
  count(table: string, condition = 'TRUE'): number {
    if (!this.has(table)) return 0;
    return this.#guard(() => {
      const sql = `SELECT count(*) FROM ${this.#source(table)} WHERE ${condition}`;
      return this.#database.prepare(sql).pluck().get() as number;
    });
  }

  /**
   * A function that returns one value for an integer, or null when there is no such row; null instead of a function when
   * the table is missing.
   * @param key column with the integer; rowid when not given
   */
  lookup(table: string, column: Selection, key?: string): ((id: number) => Cell) | null {
    if (!this.has(table)) return null;
    return this.#guard(() => {
      const rows =
        key !== undefined && this.hasColumn(table, key)
          ? this.#rowsBy(table, key, [column])
          : this.#database.prepare(
              `SELECT ${this.#expression(table, column)} FROM ${this.#numbered(table)} WHERE rowid = ?`,
            );
      const value = rows.pluck();
      return (id: number) => this.#guard(() => (value.get(id) as Cell | undefined) ?? null);
    });
  }

  /** Looks up strings by an integer in a column of a table. */
  texts(table: string, column: string, key: string): TextLookup {
    const lookup = this.lookup(table, column, key);
    return (id) => {
      const text = typeof id === 'number' ? lookup?.(id) : null;
      return typeof text === 'string' ? text : null;
    };
  }

  /** The smallest integer of a column as decimal text; null when there is none. */
  minimum(table: string, column: string, where = 'TRUE'): string | null {
    if (!this.#reads(table, column)) return null;
    return this.#guard(() => {
      const cell = quote(column);
      const sql = `SELECT CAST(min(${cell}) AS TEXT) FROM ${this.#source(table)} WHERE typeof(${cell}) = 'integer' AND ${where}`;
      return this.#database.prepare(sql).pluck().get() as string | null;
    });
  }

  /**
   * The smallest and the largest integers of an expression, in ascending order; all of them when there are at most 2 ·
   * `most`. Empty when the table or a column is missing. Linear in the number of rows.
   * @param most number of the smallest integers, and of the largest
   */
  extremes(table: string, select: Selection, filter: Filter, most: number): number[] {
    if (!this.has(table)) return [];
    const value = this.#expression(table, select);
    const sql = `SELECT ${value} FROM ${this.#source(table)} WHERE ${value} IS NOT NULL AND ${this.#condition(table, filter)}`;
    const first = (order: string): number[] =>
      this.#guard(() => {
        const rows = this.#database.prepare(`${sql} ORDER BY 1 ${order} LIMIT ${2 * most}`);
        return rows.pluck().all() as number[];
      });
    const least = first('ASC');
    return least.length < 2 * most ? least : [...least.slice(0, most), ...first('DESC').slice(0, most).reverse()];
  }

  close(): void {
    this.shared?.leave();
    for (const rows of this.#unfinished) rows.return?.();
    this.#database.close();
    this.removeCopy();
  }

  /** Whether the table has this column. @throws UserError as in `#source` */
  #reads(table: string, column: string): boolean {
    if (this.has(table)) this.#source(table);
    return this.hasColumn(table, column);
  }

  /** The name of a table in the database. */
  #nameOf(table: string): string {
    return this.tables.get(table)?.name ?? table;
  }

  /** A table in SQL. @throws UserError when it is of a form that no profiler writes */
  #source(table: string): string {
    const problem = this.tables.get(table)?.problem ?? null;
    if (problem === null) return quote(this.#nameOf(table));
    throw new UserError(`table ${table} ${problem.what}`, { where: this.path, hint: problem.hint });
  }

  /** Name in SQL of a table that can be read by rowid. @throws UserError when it cannot */
  #numbered(table: string): string {
    const source = this.#source(table);
    if (hasSmallRowids(this.#database, this.#nameOf(table))) return source;
    throw new UserError(`table ${table} has row numbers below 0 or above 2^53`, {
      where: this.path,
      hint: 'renumber its rows: sqlite3 OLD .dump | sqlite3 NEW',
    });
  }

  #expression(table: string, selection: Selection): string {
    const { needs, sql } = typeof selection === 'string' ? { needs: [selection], sql: quote(selection) } : selection;
    return needs.every((column) => column === ROWID || this.hasColumn(table, column)) ? sql : 'NULL';
  }

  #condition(table: string, filter: Filter): string {
    const known = filter.filter(({ needs }) => needs.every((column) => this.hasColumn(table, column)));
    return ['TRUE', ...known.map(({ sql }) => sql)].join(' AND ');
  }

  #guard<T>(body: () => T): T {
    try {
      return duringCall(body);
    } catch (error) {
      throw asUserError(error, this.path);
    }
  }
}

/** Cells by name; null for cells that the row lacks. */
function named<Name extends string>(names: readonly Name[], row: SqliteRow): Readonly<Record<Name, Cell>> {
  const cells = {} as Record<Name, Cell>;
  for (let i = 0; i < names.length; i++) cells[names[i] as Name] = row[i] ?? null;
  return cells;
}

/** A cell as a number; NaN for any other value, including SQLite's infinity. */
export const numberOf = (cell: Cell | undefined): number => (Number.isFinite(cell) ? (cell as number) : NaN);

/** A cell as an integer; NaN for any other value. Some exporters store integers as text. */
export function integerOf(cell: Cell | undefined): number {
  if (typeof cell === 'number') return Number.isInteger(cell) ? cell : NaN;
  return typeof cell === 'string' && /^-?\d+$/.test(cell) ? Number(cell) : NaN;
}

type Reason = readonly [what: string, hint: string];

const NO_ROOM: Reason = ["no space for the database's temporary files", 'set TMPDIR to a folder with more room'];

/** Reasons by the beginning of SQLite's error code; the first match is used. */
const REASONS: Readonly<Record<string, Reason>> = {
  SQLITE_BUSY: ['database is locked by another program', 'close that program or read a copy'],
  SQLITE_LOCKED: ['database is locked by another program', 'close that program or read a copy'],
  SQLITE_CORRUPT: ['database is damaged', 'copy or export it again'],
  SQLITE_NOTADB: ['not an SQLite database, or encrypted', 'dparse --formats lists what can be read'],
  // The database is only read, so this error can only come from temporary tables and sorted rows.
  SQLITE_FULL: NO_ROOM,
  SQLITE_IOERR_WRITE: NO_ROOM,
  SQLITE_CANTOPEN: ['database cannot be opened', 'check its permissions'],
  SQLITE_IOERR: ['database cannot be read', 'check the disk'],
};

function asUserError(error: unknown, where: string): Error {
  if (!isSqliteError(error)) return error instanceof Error ? error : new Error(String(error));
  const known = Object.entries(REASONS).find(([code]) => error.code.startsWith(code));
  const [what, hint] = known?.[1] ?? [`database cannot be read: ${error.message}`, 'copy or export it again'];
  return new UserError(what, { where, hint });
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

export const isSqlite = (head: Buffer): boolean => head.subarray(0, MAGIC.length).toString('latin1') === MAGIC;

function openInPlace(path: string): OpenedDatabase {
  try {
    const database = openDatabase(path, 1000);
    return { database, remove: () => undefined };
  } catch (error) {
    throw asUserError(error, path);
  }
}

/**
 * Rejects files that SQLite cannot read, with a clearer message than SQLite's.
 * @throws UserError
 */
function refuseUnreadable(header: Buffer, path: string): void {
  if (!isSqlite(header)) throw new UserError('not an SQLite database', { where: path });
  const journal = statSync(`${path}-journal`, { throwIfNoEntry: false });
  // SQLite would open the journal and, if it is a pipe, wait forever.
  if (journal !== undefined && (journal.size > 0 || !journal.isFile())) {
    throw new UserError('database has an unfinished write next to it (-journal)', {
      where: path,
      hint: 'wait until the writing program has finished, or open it once with sqlite3',
    });
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const expected = pageSize * header.readUInt32BE(28);
  // The page count is only valid when the change counter equals the version-valid-for number (SQLite file format §1.3.8).
  const valid = header.readUInt32BE(24) === header.readUInt32BE(92);
  const { size } = statSync(path);
  if (valid && size < expected && !hasFilledLog(path)) {
    throw new UserError(`database is truncated: ${size} of ${expected} bytes`, {
      where: path,
      hint: 'copy or export it again',
    });
  }
}
