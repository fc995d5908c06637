/**
 * Read-only access to SQLite databases by column name: a missing table has no rows, a missing column is null.
 * The only importer of better-sqlite3. Holds one read transaction, so that many point look-ups cost no locking.
 */
import Database from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { UserError } from '../../record/errors.js';
import { refuseUnreadable } from './database-header.js';
import { layoutOf, type ColumnInfo, type Layout, type Part, type Want } from './page-layout.js';
import { Pages, readPageFormat, type PageFormat } from './database-pages.js';
import { readNumbers } from './number-text.js';
import { TableScan } from './page-scan.js';

export { isSqlite } from './database-header.js';

/** What SQLite gives for a cell; integers above 2^53 must be split, rebased or cast to text in SQL. */
export type Cell = number | string | Buffer | null;
export type Row = Cell[];

/** Access to the cells of one column by rowid. */
export interface Cells {
  readonly one: (rowid: number) => Cell;
  /** Cells of the rows from one rowid to another, both included, with their rowids. */
  readonly block: (from: number, to: number) => readonly (readonly [rowid: number, cell: Cell])[];
}

/** Takes a row of numbers; the array is used again for the next row. */
export type TakeNumbers = (cells: readonly number[]) => void;

/**
 * A column by name, or an expression over columns that must all be there, else it is null. `part` says what the
 * expression takes of its one column, where it is that simple: such cells are read faster.
 */
export type Selection =
  string | { readonly needs: readonly string[]; readonly sql: string; readonly part?: Exclude<Part, 'whole'> };

/** Conditions that must all hold; one over a column that is missing is left out. */
export type Filter = readonly { readonly needs: readonly string[]; readonly sql: string }[];

/** Rows of a table with numbers above one, and about how many of them at most. */
export interface Span {
  readonly after: bigint;
  readonly rows: number;
}

/** Rowids are signed 64-bit integers. */
const FIRST_ROWID = -(2n ** 63n);
export const EVERYTHING: Span = { after: FIRST_ROWID, rows: Infinity };

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export class SqliteFile {
  readonly #database: Database.Database;
  readonly #layouts = new Map<string, Layout | null>();
  /** The file itself, once it has been asked for. */
  #file: { readonly descriptor: number; readonly format: PageFormat | null } | null = null;
  /** Columns by table, in the database's own spelling. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(
    readonly path: string,
    database: Database.Database,
  ) {
    this.#database = database;
    this.tables = this.#guard(() => {
      database.exec('BEGIN');
      return readTables(database);
    });
  }

  /**
   * Opens a database for reading.
   * @throws UserError when it is cut short, locked, in WAL mode (reading it would write beside it) or damaged
   */
  static open(path: string): SqliteFile {
    refuseUnreadable(path);
    try {
      return new SqliteFile(path, new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 }));
    } catch (error) {
      throw asUserError(error, path);
    }
  }

  has(table: string): boolean {
    return this.tables.has(table);
  }

  /** Whether the table, or the variant that stands for it, has the column. */
  hasColumn(table: string, column: string): boolean {
    return this.tables.get(this.table(table) ?? table)?.has(column) ?? false;
  }

  /** The table of this name, else its variant with the highest number (`…_KERNEL_V3`), else null. */
  table(name: string): string | null {
    if (this.has(name)) return name;
    const version = (table: string): number => Number(/_V(\d+)$/.exec(table)?.[1] ?? 0);
    const variants = [...this.tables.keys()].filter((table) => table.startsWith(`${name}_V`) && version(table) > 0);
    return variants.sort((a, b) => version(b) - version(a))[0] ?? null;
  }

  /** Rows of a table as arrays, in storage order, cells as selected; none when the table is missing. */
  *rows(table: string, select: readonly Selection[], filter: Filter = []): Generator<Row> {
    const name = this.table(table);
    if (name === null) return;
    const cells = select.map((cell) => this.#expression(name, cell)).join(', ');
    try {
      const sql = `SELECT ${cells} FROM ${quote(name)} WHERE ${this.#condition(name, filter)}`;
      yield* this.#database.prepare(sql).raw().iterate() as IterableIterator<Row>;
    } catch (error) {
      throw asUserError(error, this.path);
    }
  }

  /**
   * Hands the rows of a table to `take`, all cells as numbers: NaN for null and for whatever is no integer. Rows are
   * read from the pages of the file where columns and `part`s of them are all that is asked for; else, and from the
   * first row that is not plain, SQLite writes blocks of them as text and one loop reads the text: half of what `rows`
   * costs.
   * @param take gets the same array every time
   * @returns where to go on; null when all rows have been handed out
   */
  eachNumbers(
    table: string,
    select: readonly Selection[],
    take: TakeNumbers,
    filter: Filter = [],
    span: Span = EVERYTHING,
  ): bigint | null {
    const name = this.table(table);
    if (name === null) return null;
    const scanned = filter.length > 0 ? { ...span, ended: false } : this.#scan(name, select, false, take, span);
    if (scanned.ended) return null;
    const width = select.length;
    const rows = `SELECT rowid, * FROM ${quote(name)} WHERE rowid > ? AND ${this.#condition(name, filter)} ORDER BY rowid LIMIT ?`;
    const prepare = (cell: (expression: string) => string): Database.Statement<unknown[], Block> => {
      const cells = select.map((selection) => cell(this.#expression(name, selection))).join(', ');
      const line = `concat_ws(' ', ${cells})`;
      const sql = `SELECT CAST(group_concat(${line}, ' ') || ' ' AS BLOB), max(rowid), count(*) FROM (${rows})`;
      return this.#database.prepare<unknown[], Block>(sql).raw();
    };
    return this.#guard(() => {
      let { rows: left } = scanned;
      if (left <= 0) return scanned.after;
      const fast = prepare((cell) => `ifnull(${cell}, 'n')`);
      const numbers = new Float64Array(BLOCK_ROWS * width);
      const cells = new Array<number>(width).fill(NaN);
      let last = scanned.after;
      while (left > 0) {
        const [text, lastOfBlock, count] = fast.get(last, BLOCK_ROWS) ?? NO_BLOCK;
        if (text === null) return null;
        if (readNumbers(text, numbers) !== count * width) {
          // Some cell is text with blanks: this block again, each cell by its type.
          const strict = prepare((cell) => `iif(typeof(${cell}) = 'integer', ${cell}, 'n')`);
          readNumbers(strict.get(last, BLOCK_ROWS)?.[0] ?? text, numbers);
        }
        for (let row = 0; row < count; row++) {
          for (let column = 0; column < width; column++) cells[column] = numbers[row * width + column] ?? NaN;
          take(cells);
        }
        last = BigInt(lastOfBlock);
        left -= count;
      }
      return last;
    });
  }

  /**
   * As `eachNumbers`, for cells that may have decimals: every number as it is stored.
   */
  eachReal(table: string, select: readonly Selection[], take: TakeNumbers): void {
    const name = this.table(table);
    if (name === null) return;
    const scanned = this.#scan(name, select, true, take, EVERYTHING);
    if (scanned.ended) return;
    const width = select.length;
    // The text of a number by `quote` is the number exactly.
    const line = select
      .map((selection) => this.#expression(name, selection))
      .map((cell) => `CASE typeof(${cell}) WHEN 'integer' THEN ${cell} WHEN 'real' THEN quote(${cell}) ELSE 'null' END`)
      .join(', ');
    const rows = `SELECT rowid, * FROM ${quote(name)} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
    const sql = `SELECT '[' || group_concat(concat_ws(',', ${line})) || ']', max(rowid), count(*) FROM (${rows})`;
    this.#guard(() => {
      const statement = this.#database.prepare<unknown[], [string | null, number, number]>(sql).raw();
      const cells = new Array<number>(width).fill(NaN);
      for (let last = scanned.after; ;) {
        const [text, lastOfBlock, count] = statement.get(last, BLOCK_ROWS) ?? [null, 0, 0];
        if (text === null) return;
        const numbers = JSON.parse(text) as (number | null)[];
        for (let row = 0; row < count; row++) {
          for (let column = 0; column < width; column++) cells[column] = numbers[row * width + column] ?? NaN;
          take(cells);
        }
        last = BigInt(lastOfBlock);
      }
    });
  }

  /** How many rows of a table meet a condition over columns that are there. */
  count(table: string, condition: string): number {
    const name = this.table(table);
    if (name === null) return 0;
    const sql = `SELECT count(*) FROM ${quote(name)} WHERE ${condition}`;
    return this.#guard(() => this.#database.prepare(sql).pluck().get() as number);
  }

  /** How many rows a table has. */
  rowsOf(table: string): number {
    const name = this.table(table);
    if (name === null) return 0;
    return this.#guard(
      () =>
        this.#database
          .prepare(`SELECT count(*) FROM ${quote(name)}`)
          .pluck()
          .get() as number,
    );
  }

  /** One value per call by rowid, null when there is no such row; null instead of a function without the table. */
  lookup(table: string, column: Selection): ((rowid: number) => Cell) | null {
    const name = this.table(table);
    if (name === null) return null;
    const sql = `SELECT ${this.#expression(name, column)} FROM ${quote(name)} WHERE rowid = ?`;
    return this.#guard(() => {
      const statement = this.#database.prepare(sql).pluck();
      return (rowid: number) => (statement.get(rowid) as Cell | undefined) ?? null;
    });
  }

  /** Cells of a column by rowid, one or a block at a time; null without the table. */
  cells(table: string, column: Selection): Cells | null {
    const one = this.lookup(table, column);
    const name = this.table(table);
    if (one === null || name === null) return null;
    const sql = `SELECT rowid, ${this.#expression(name, column)} FROM ${quote(name)} WHERE rowid BETWEEN ? AND ?`;
    return this.#guard(() => {
      const statement = this.#database.prepare<[number, number], [number, Cell]>(sql).raw();
      return { one, block: (from, to) => statement.all(from, to) };
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
    this.#database.close();
    // Not before: closing any descriptor of a file gives up the locks that the process has on it.
    if (this.#file !== null) closeSync(this.#file.descriptor);
    this.#file = null;
  }

  /** Reads rows from the pages of the file. @returns what is left for SQLite, and whether these were all */
  #scan(
    table: string,
    select: readonly Selection[],
    real: boolean,
    take: TakeNumbers,
    span: Span,
  ): Span & { readonly ended: boolean } {
    const layout = this.#layoutOf(table);
    const wants = layout === null ? null : this.#wants(table, layout, select);
    const { descriptor, format } = (this.#file ??= openFile(this.path));
    if (layout === null || wants === null || format === null) return { ...span, ended: false };
    const scan = new TableScan(new Pages(descriptor, format), layout, wants, real, take);
    const ended = scan.run(span);
    return { after: scan.lastRowid === null ? span.after : BigInt(scan.lastRowid), rows: scan.left, ended };
  }

  /** What a selection is of the columns; null where it is more than a part of each. */
  #wants(table: string, layout: Layout, select: readonly Selection[]): Want[] | null {
    const wants: Want[] = [];
    for (const selection of select) {
      const { needs, part } =
        typeof selection === 'string' ? { needs: [selection], part: 'whole' as const } : selection;
      if (part === undefined) return null;
      const [name] = needs;
      const isThere = needs.every((column) => this.hasColumn(table, column));
      wants.push({ column: isThere ? layout.columns.findIndex((column) => column.name === name) : NO_COLUMN, part });
    }
    return wants;
  }

  #layoutOf(table: string): Layout | null {
    let layout = this.#layouts.get(table);
    if (layout === undefined) this.#layouts.set(table, (layout = this.#guard(() => readLayout(this.#database, table))));
    return layout;
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

/** Of a column that a table has not: its cells stay NaN. */
const NO_COLUMN = -1;

function openFile(path: string): { descriptor: number; format: PageFormat | null } {
  const descriptor = openSync(path, 'r');
  return { descriptor, format: readPageFormat(descriptor) };
}

/** Null for what is no table with rows of its own: a view, a virtual table. */
function readLayout(database: Database.Database, table: string): Layout | null {
  const root = database.prepare("SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?").pluck();
  const columns = database.prepare(`PRAGMA table_xinfo(${quote(table)})`).all() as ColumnInfo[];
  const indexes = database.prepare(`PRAGMA index_list(${quote(table)})`).all() as { origin: string }[];
  const page = (root.get(table) as number | undefined) ?? 0;
  return layoutOf(page, columns, indexes.some(({ origin }) => origin === 'pk')); // prettier-ignore
}

/** Rows in one block of text: enough that the cost of a query vanishes, few enough that a block stays in the cache. */
const BLOCK_ROWS = 2000;

/** Cells of a block as text, its last rowid, how many rows it has. */
type Block = [text: Buffer | null, lastRowid: number, rows: number];
const NO_BLOCK: Block = [null, 0, 0];

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
