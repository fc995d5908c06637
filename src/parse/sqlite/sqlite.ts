/**
 * Read-only access to SQLite databases by column name: a missing table has no rows, a missing column is null.
 * Holds one read transaction, so that many point look-ups cost no locking.
 */
import Database from 'better-sqlite3';
import { UserError } from '../../record/errors.js';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { firstBytes } from '../files.js';
import { cellBlocks, integerBlocks } from './number-blocks.js';
import { hasFilledLog, openCopy, usesLog, type OpenedDatabase } from './wal-copy.js';

/** What SQLite gives for a cell; integers above 2^53 must be split, rebased or cast to text in SQL. */
export type Cell = number | string | Buffer | null;
export type SqliteRow = Cell[];

/** Takes a row of numbers; the array is used again for the next row. */
export type TakeNumbers = (cells: readonly number[]) => void;

/** A column by name, or an expression over columns; null where the table lacks one of the columns. */
export type Selection = string | { readonly needs: readonly string[]; readonly sql: string };

/** Conditions that must all hold; one over a column that is missing is left out. */
export type Filter = readonly { readonly needs: readonly string[]; readonly sql: string }[];

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export class SqliteFile {
  readonly #database: Database.Database;
  /** Rows that are read: a database cannot be closed under them, as after an error in what reads another table. */
  readonly #unfinished = new Set<IterableIterator<SqliteRow>>();
  /** Columns by table, in the database's own spelling. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(
    readonly path: string,
    database: Database.Database,
    private readonly removeCopy: () => void,
  ) {
    this.#database = database;
    this.tables = this.#guard(() => {
      database.exec('BEGIN');
      return readTables(database);
    });
  }

  /**
   * Opens a database for reading; one with a write-ahead log by a private copy.
   * @throws UserError when it is cut short, locked or damaged, or when there is no room for its copy
   */
  static open(path: string): SqliteFile {
    // What belongs to a database is next to the file that a link leads to.
    const file = realpathSync(path);
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

  /** Whether the table, or its variant, has the column. */
  hasColumn(table: string, column: string): boolean {
    return this.tables.get(this.table(table) ?? table)?.has(column) ?? false;
  }

  /** The table of this name, else its variant with the highest number (`…_KERNEL_V3`), else null. */
  table(name: string): string | null {
    if (this.has(name)) return name;
    const version = (table: string): number => Number(/_V(\d+)$/.exec(table)?.[1]);
    const variants = [...this.tables.keys()].filter((table) => table.startsWith(`${name}_V`) && version(table) > 0);
    return variants.sort((a, b) => version(b) - version(a))[0] ?? null;
  }

  /**
   * Rows of a table as arrays, cells as selected; none when the table is missing.
   * @param sorted whether in order of the first cell, then of the next; else in storage order
   */
  *rows(table: string, select: readonly Selection[], filter: Filter = [], sorted = false): Generator<SqliteRow> {
    const name = this.table(table);
    if (name === null) return;
    const cells = select.map((cell) => this.#expression(name, cell)).join(', ');
    let rows: IterableIterator<SqliteRow> | null = null;
    const order = sorted ? `ORDER BY ${select.map((_, i) => i + 1).join(', ')}` : '';
    try {
      const sql = `SELECT ${cells} FROM ${quote(name)} WHERE ${this.#condition(name, filter)} ${order}`;
      rows = this.#database.prepare(sql).raw().iterate() as IterableIterator<SqliteRow>;
      this.#unfinished.add(rows);
      yield* rows;
    } catch (error) {
      throw asUserError(error, this.path);
    } finally {
      if (rows !== null) this.#unfinished.delete(rows);
    }
  }

  /**
   * Calls `take` with each row of a table in ascending order of rowid.
   * @param take gets the same array every time
   * @param read reads a cell; by default as an integer, NaN for null and for whatever is none
   * @throws UserError when the database is damaged
   */
  eachNumbers(
    table: string,
    select: readonly Selection[],
    take: TakeNumbers,
    filter: Filter = [],
    read: (cell: Cell | undefined) => number = integerOf,
  ): void {
    const name = this.table(table);
    if (name === null) return;
    const expressions = select.map((cell) => this.#expression(name, cell));
    const query = { table: quote(name), expressions, condition: this.#condition(name, filter) };
    this.#guard(() => {
      const readBlock = (read === integerOf ? integerBlocks : cellBlocks)(this.#database, query);
      const numbers = new Array<number>(select.length).fill(NaN);
      for (let above = FIRST_ROWID; ;) {
        const { rows, cell, last, isLast } = readBlock(above);
        for (let row = 0; row < rows; row++) {
          for (let column = 0; column < numbers.length; column++) numbers[column] = read(cell(row, column) as Cell);
          take(numbers);
        }
        if (isLast) return;
        above = this.#later(name, above, last);
      }
    });
  }

  /** @throws UserError when a rowid is not above the one before: pages that are overwritten would be read forever */
  #later(table: string, last: bigint, rowid: unknown): bigint {
    const next = typeof rowid === 'string' && /^-?\d+$/.test(rowid) ? BigInt(rowid) : null;
    if (next !== null && next > last) return next;
    throw new UserError(`database is damaged: rows of ${table} are out of order`, {
      where: this.path,
      hint: 'copy or export it again',
    });
  }

  /** How many rows of a table meet a condition over columns that are there. */
  count(table: string, condition = 'TRUE'): number {
    const name = this.table(table);
    if (name === null) return 0;
    const sql = `SELECT count(*) FROM ${quote(name)} WHERE ${condition}`;
    return this.#guard(() => this.#database.prepare(sql).pluck().get() as number);
  }

  /** One value per call by rowid, null when there is no such row; null instead of a function without the table. */
  lookup(table: string, column: Selection): ((rowid: number) => Cell) | null {
    const name = this.table(table);
    if (name === null) return null;
    const sql = `SELECT ${this.#expression(name, column)} FROM ${quote(name)} WHERE rowid = ?`;
    return this.#guard(() => {
      const statement = this.#database.prepare(sql).pluck();
      return (rowid: number) => this.#guard(() => (statement.get(rowid) as Cell | undefined) ?? null);
    });
  }

  /** The smallest integer of a column as decimal text, null when there is none. */
  minimum(table: string, column: string, where = 'TRUE'): string | null {
    const name = this.table(table);
    if (name === null || !this.hasColumn(name, column)) return null;
    const sql = `SELECT CAST(min(${quote(column)}) AS TEXT) FROM ${quote(name)} WHERE typeof(${quote(column)}) = 'integer' AND ${where}`;
    return this.#guard(() => this.#database.prepare(sql).pluck().get() as string | null);
  }

  close(): void {
    for (const rows of this.#unfinished) rows.return?.();
    this.#database.close();
    this.removeCopy();
  }

  #expression(table: string, selection: Selection): string {
    const { needs, sql } = typeof selection === 'string' ? { needs: [selection], sql: quote(selection) } : selection;
    return needs.every((column) => this.hasColumn(table, column)) ? sql : 'NULL';
  }

  #condition(table: string, filter: Filter): string {
    const known = filter.filter(({ needs }) => needs.every((column) => this.hasColumn(table, column)));
    return ['TRUE', ...known.map(({ sql }) => sql)].join(' AND ');
  }

  #guard<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw asUserError(error, this.path);
    }
  }
}

/** Rowids are signed 64-bit integers. */
const FIRST_ROWID = -(2n ** 63n);

/** A cell as a number, NaN for anything else: SQLite's infinity is none. */
export const numberOf = (cell: Cell | undefined): number => (Number.isFinite(cell) ? (cell as number) : NaN);

/** A cell as an integer, NaN for anything else. Some exporters store integers as text. */
export function integerOf(cell: Cell | undefined): number {
  if (typeof cell === 'number') return Number.isInteger(cell) ? cell : NaN;
  return typeof cell === 'string' && /^-?\d+$/.test(cell) ? Number(cell) : NaN;
}

function readTables(database: Database.Database): Map<string, Set<string>> {
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").pluck();
  const tables = new Map<string, Set<string>>();
  for (const name of (names.all() as string[]).sort()) {
    const columns = database.prepare(`PRAGMA table_info(${quote(name)})`).all() as { name: string }[];
    tables.set(name, new Set(columns.map((column) => column.name)));
  }
  return tables;
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  SQLITE_BUSY: ['database is locked by another program', 'close that program, or read a copy'],
  SQLITE_LOCKED: ['database is locked by another program', 'close that program, or read a copy'],
  SQLITE_CORRUPT: ['database is damaged', 'copy or export it again'],
  SQLITE_NOTADB: ['not an SQLite database, or encrypted', 'dparse --formats lists what can be read'],
  SQLITE_CANTOPEN: ['database cannot be opened', 'check its permissions'],
  SQLITE_IOERR: ['database cannot be read', 'check the disk'],
};

function asUserError(error: unknown, where: string): Error {
  if (!(error instanceof Database.SqliteError)) return error instanceof Error ? error : new Error(String(error));
  const known = Object.entries(REASONS).find(([code]) => error.code.startsWith(code));
  const [what, hint] = known?.[1] ?? [`database cannot be read: ${error.message}`, 'copy or export it again'];
  return new UserError(what, { where, hint });
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

export const isSqlite = (head: Buffer): boolean => head.subarray(0, MAGIC.length).toString('latin1') === MAGIC;

function openInPlace(path: string): OpenedDatabase {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 });
    return { database, remove: () => undefined };
  } catch (error) {
    throw asUserError(error, path);
  }
}

/** Refuses what SQLite cannot read, with a clearer message than its own. @throws UserError */
function refuseUnreadable(header: Buffer, path: string): void {
  if (!isSqlite(header)) throw new UserError('not an SQLite database', { where: path });
  if (existsSync(`${path}-journal`) && statSync(`${path}-journal`).size > 0) {
    throw new UserError('database has an unfinished write next to it (-journal)', {
      where: path,
      hint: 'let the program that writes it finish, or open it once with sqlite3',
    });
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const expected = pageSize * header.readUInt32BE(28);
  // The page count is only valid when the change counter equals the version-valid-for number (SQLite file format §1.3.8).
  const valid = header.readUInt32BE(24) === header.readUInt32BE(92);
  const { size } = statSync(path);
  if (valid && size < expected && !hasFilledLog(path)) {
    throw new UserError(`database is cut short: ${size} of ${expected} bytes`, {
      where: path,
      hint: 'copy or export it again',
    });
  }
}
