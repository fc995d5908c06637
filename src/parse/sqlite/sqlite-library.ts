/**
 * The database library, loaded only when the first database is opened (traces and records do not need it), and block-wise
 * reading of rows of numbers.
 */
import type Database from 'better-sqlite3';
import { elementAt } from '../../containers/element.js';
import { lateLibrary } from '../../containers/late-library.js';
import { UserError } from '../../record/errors.js';

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
    return new Library(path, { readonly: true, fileMustExist: true, ...(timeout === undefined ? {} : { timeout }) });
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

/** Rows read at a time, by one query. */
const BLOCK_ROWS = 1000;

/** A query over one table, as SQL fragments. */
interface NumberQuery {
  readonly table: string;
  readonly expressions: readonly string[];
  readonly condition: string;
}

interface NumberBlock {
  readonly rows: number;
  readonly cell: (row: number, expression: number) => unknown;
  /** Rowid of the block's last row. */
  readonly last: unknown;
  readonly isLast: boolean;
}

/** Reads the block of rows above a rowid, in ascending order of rowid. */
type ReadBlock = (above: number) => NumberBlock;

/** Prepares reading cell by cell. */
export function cellBlocks(database: Database.Database, query: NumberQuery): ReadBlock {
  const cells = [...query.expressions, 'rowid'];
  const statement = database.prepare<[number], unknown[]>(`SELECT ${cells.join(', ')} ${blockOf(query)}`).raw();
  return (above) => {
    const block = statement.all(above);
    const cell = (row: number, expression: number): unknown => block[row]?.[expression];
    return { rows: block.length, cell, last: block.at(-1)?.at(-1), isLast: block.length < BLOCK_ROWS };
  };
}

/**
 * Prepares reading of columns of integers, with one JSON array for each column. From the first block with other values
 * on, cells are read one by one, because JSON has no bytes and only 15 digits of a decimal. (Bytes that are an integer
 * in SQLite's binary JSON are read as that integer.)
 */
export function integerBlocks(database: Database.Database, query: NumberQuery): ReadBlock {
  const { expressions } = query;
  const named = expressions.map((expression, column) => `${expression} AS c${column}, `).join('');
  const arrays = expressions.map((_, column) => `json_group_array(c${column}), `).join('');
  const sql = `SELECT ${arrays}count(*), max(r) FROM (SELECT ${named}rowid AS r ${blockOf(query)})`;
  const statement = database.prepare<[number], unknown[]>(sql).raw();
  let byCells: ReadBlock | null = null;
  return (above) => {
    const row = byCells === null ? readOrNull(statement, above) : null;
    const texts = row?.slice(0, expressions.length).map(String);
    if (row === null || texts === undefined || texts.some(hasDecimalsOrTexts)) {
      return (byCells ??= cellBlocks(database, query))(above);
    }
    const rows = Number(elementAt(row, expressions.length));
    const columns = texts.map((text) => JSON.parse(text) as (number | null)[]);
    const cell = (at: number, expression: number): unknown => columns[expression]?.[at];
    return { rows, cell, last: row.at(-1), isLast: rows < BLOCK_ROWS };
  };
}

/** The row of a query; null when the query fails, as JSON functions do on bytes. */
function readOrNull(statement: Database.Statement<[number], unknown[]>, above: number): unknown[] | null {
  try {
    return statement.get(above) ?? null;
  } catch (error) {
    if (isSqliteError(error)) return null;
    throw error;
  }
}

/** Whether a JSON array from SQLite contains decimals, which have a point, or strings. */
const hasDecimalsOrTexts = (json: string): boolean => json.includes('.') || json.includes('"');

const blockOf = ({ table, condition }: NumberQuery): string =>
  `FROM ${table} WHERE rowid > ? AND ${condition} ORDER BY rowid LIMIT ${BLOCK_ROWS}`;
