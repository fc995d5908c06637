/**
 * The database library, loaded only when the first database is opened (traces and records do not need it), and block-wise
 * reading of rows of numbers.
 */
import type Database from 'better-sqlite3';
import { elementAt } from '../../containers/element.js';
import { lateLibrary } from '../../containers/late-library.js';
import { UserError } from '../../record/errors.js';
import { duringCall } from './termination.js';

const library = lateLibrary<typeof Database>('better-sqlite3');

/** Versions of Node by their module ABI version. Source: nodejs/node, doc/abi_version_registry.json. */
const NODE_OF_MODULES: Readonly<Record<string, string>> = { 115: '20', 127: '22', 131: '23', 137: '24', 141: '25' };
const nodeOf = (modules = ''): string => NODE_OF_MODULES[modules] ?? `of NODE_MODULE_VERSION ${modules}`;

/**
 * Turns an error of loading the library's binary into a UserError.
 * @param error error thrown when the first database was opened
 * @returns any other error unchanged
 */
export function asLoadError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isMissing = error.message.startsWith('Could not locate the bindings file');
  const [built, running] = Array.from(error.message.matchAll(/NODE_MODULE_VERSION (\d+)/g), ([, version]) => version);
  const isRefused = 'code' in error && error.code === 'ERR_DLOPEN_FAILED';
  if (!isMissing && !isRefused) return error;
  const [reason = ''] = error.message.split('\n', 1);
  const why =
    built === undefined
      ? isMissing
        ? 'has no binary for this machine'
        : `cannot be loaded: ${reason}`
      : `is built for Node ${nodeOf(built)}, and this is Node ${nodeOf(running)}`;
  return new UserError(`better-sqlite3, needed to read databases, ${why}`, { hint: 'npm rebuild better-sqlite3' });
}

/**
 * Opens a database for reading only.
 * @param timeout how many ms to wait for another program that has locked it; the library's 5 s when not given
 * @throws SqliteError when it cannot be opened, UserError when the library's binary cannot be loaded
 */
export function openDatabase(path: string, timeout?: number): Database.Database {
  const Library = library();
  try {
    const options = { readonly: true, fileMustExist: true, ...(timeout === undefined ? {} : { timeout }) };
    return duringCall(() => new Library(path, options));
  } catch (error) {
    throw asLoadError(error);
  }
}

/** A database that may be written. */
export type NewDatabase = Database.Database;

/** Creates a database in an empty file, or opens it again, in an open transaction. Nothing else reads it, so it needs no journal. */
export function createDatabase(path: string): NewDatabase {
  const Library = library();
  try {
    const database = new Library(path);
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    return database;
  } catch (error) {
    throw asLoadError(error);
  }
}

export const isSqliteError = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof library().SqliteError;

/** A cell as SQLite returns it. Integers above 2^53 must be split, rebased or cast to text in SQL. */
export type Cell = number | string | Buffer | null;

/** Maximum number of rows of a block, which one query reads. */
export const BLOCK_ROWS = 1000;

/** A query for rows of numbers of one table, as SQL fragments. */
interface NumberQuery {
  readonly table: string;
  /** The columns, and perhaps an expression that is 1 in rows with a value of the wrong type. */
  readonly expressions: readonly string[];
  readonly columns: number;
  readonly condition: string;
  /** Condition for rows that are counted but not read; null when there are none. */
  readonly leftOut: string | null;
  /** Reads a cell as a number, or NaN. */
  readonly read: (cell: Cell | undefined) => number;
  /** Whether `read` leaves integers as they are, and makes NaN of null. */
  readonly areIntegers: boolean;
}

/** Rows of a block: the numbers of each row one after another, then 1 for a row with a value of the wrong type, else 0. */
export interface NumberBlock {
  readonly rows: number;
  readonly cells: Float64Array;
  /** Rowid of the block's last row. */
  readonly last: unknown;
  readonly isLast: boolean;
  /** Number of rows that `leftOut` selects, after the previous block up to the end of this one. */
  readonly leftOut: number;
}

/** Reads the block of rows above a rowid, in ascending order of rowid. */
export type ReadBlock = (above: number) => NumberBlock;

/**
 * Writes the numbers of one block at most.
 * @param range the rowid after which it begins, then the last rowid if the query has an upper bound
 */
type FillBlock = (into: Float64Array, ...range: readonly number[]) => { readonly rows: number; readonly last: unknown };

/** Blocks that are bounded by rowids alone, so that each can be read without the previous one. */
export interface BoundedBlocks {
  /** Identifies the rows: equal keys mean equal rows. */
  readonly key: string;
  /** Numbers per row of a block. */
  readonly width: number;
  /** Rowid of the last row of the table in the block above a rowid; `LAST_ROWID` in the table's last block. */
  readonly endAbove: (above: number) => number;
  /** Reads a block into `into`. Its `last` is the end of the block; NaN when rows are out of order. */
  readonly fill: (into: Float64Array, above: number, end: number) => Omit<NumberBlock, 'cells'>;
}

/** The largest rowid that a JavaScript number holds exactly. */
export const LAST_ROWID = Number.MAX_SAFE_INTEGER;

/** Prepares to read blocks of `BLOCK_ROWS` rows that meet the condition. */
export function numberBlocks(database: Database.Database, query: NumberQuery): ReadBlock {
  const fill = filler(database, query, '');
  const cells = new Float64Array(BLOCK_ROWS * (query.columns + 1));
  return (above) => {
    const { rows, last } = fill(cells, above);
    return { rows, cells, last, isLast: rows < BLOCK_ROWS, leftOut: 0 };
  };
}

/**
 * Prepares to read blocks that each span `BLOCK_ROWS` rows of the table, whether or not these meet the condition.
 */
export function boundedBlocks(database: Database.Database, query: NumberQuery): BoundedBlocks {
  const { table, expressions, condition, columns } = query;
  const ends = database
    .prepare<[number], number>(
      `SELECT rowid FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1 OFFSET ${BLOCK_ROWS - 1}`,
    )
    .pluck();
  const fill = filler(database, query, 'AND rowid <= ?');
  const leftOut = `SELECT count(*) FROM ${table} WHERE rowid > ? AND rowid <= ? AND ${query.leftOut ?? 'FALSE'}`;
  const count = query.leftOut === null ? null : database.prepare<[number, number], number>(leftOut).pluck();
  return {
    key: [table, condition, query.leftOut, query.areIntegers, ...expressions].join(),
    width: columns + 1,
    endAbove: (above) => ends.get(above) ?? LAST_ROWID,
    fill: (into, above, end) => {
      const { rows, last } = fill(into, above, end);
      const isInOrder = end > above && (rows < BLOCK_ROWS || last === end);
      const isLast = isInOrder && end === LAST_ROWID;
      return { rows, last: isInOrder ? end : NaN, isLast, leftOut: count?.get(above, end) ?? 0 };
    },
  };
}

/**
 * Prepares the query of a block. Columns of integers are read as one JSON array each. From the first block with other
 * values on, cells are read one by one, because JSON has no bytes and only 15 digits of a decimal. (Bytes that are an
 * integer in SQLite's binary JSON are read as that integer.)
 */
function filler(database: Database.Database, query: NumberQuery, bound: string): FillBlock {
  if (!query.areIntegers) return cellFiller(database, query, bound);
  const { expressions, columns } = query;
  const named = expressions.map((expression, column) => `${expression} AS c${column}, `).join('');
  const arrays = expressions.map((_, column) => `json_group_array(c${column}), `).join('');
  const sql = `SELECT ${arrays}count(*), max(r) FROM (SELECT ${named}rowid AS r ${blockOf(query, bound)})`;
  const statement = database.prepare<number[], unknown[]>(sql).raw();
  let byCells: FillBlock | null = null;
  return (into, ...range) => {
    const row = byCells === null ? readOrNull(statement, range) : null;
    const texts = row?.slice(0, expressions.length).map(String);
    if (row === null || texts === undefined || texts.some(hasDecimalsOrTexts)) {
      return (byCells ??= cellFiller(database, query, bound))(into, ...range);
    }
    const rows = Number(elementAt(row, expressions.length));
    for (let column = 0; column <= columns; column++) {
      const text = texts[column];
      const cells = text === undefined ? null : (JSON.parse(text) as (number | null)[]);
      const missing = column === columns ? 0 : NaN;
      for (let at = 0, to = column; at < rows; at++, to += columns + 1) into[to] = cells?.[at] ?? missing;
    }
    return { rows, last: row.at(-1) };
  };
}

/** Prepares reading cell by cell. */
function cellFiller(database: Database.Database, query: NumberQuery, bound: string): FillBlock {
  const { columns, read } = query;
  const cells = [...query.expressions, 'rowid'];
  const statement = database.prepare<number[], Cell[]>(`SELECT ${cells.join(', ')} ${blockOf(query, bound)}`).raw();
  return (into, ...range) => {
    const block = statement.all(...range);
    let to = 0;
    for (const row of block) {
      let isBad = query.expressions.length > columns && row[columns] === 1;
      for (let column = 0; column < columns; column++) {
        const cell = row[column];
        const number = read(cell);
        into[to++] = number;
        if (Number.isNaN(number) && cell !== null && cell !== undefined) isBad = true;
      }
      into[to++] = isBad ? 1 : 0;
    }
    return { rows: block.length, last: block.at(-1)?.at(-1) };
  };
}

/** The row of a query; null when the query fails, as JSON functions do on bytes. */
function readOrNull(statement: Database.Statement<number[], unknown[]>, range: readonly number[]): unknown[] | null {
  try {
    return statement.get(...range) ?? null;
  } catch (error) {
    if (isSqliteError(error)) return null;
    throw error;
  }
}

/** Whether a JSON array from SQLite contains decimals, which have a point, or strings. */
const hasDecimalsOrTexts = (json: string): boolean => json.includes('.') || json.includes('"');

const blockOf = ({ table, condition }: NumberQuery, bound: string): string =>
  `FROM ${table} WHERE rowid > ? ${bound} AND ${condition} ORDER BY rowid LIMIT ${BLOCK_ROWS}`;
