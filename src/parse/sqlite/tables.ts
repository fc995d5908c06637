/** The tables of a database, and temporary copies of those whose rows cannot be numbered or looked up in place. */
import type Database from 'better-sqlite3';

/** A table or view. */
export interface Table {
  /** In the database's own spelling. */
  readonly columns: ReadonlySet<string>;
  /** Columns that are declared to hold numbers: a text or bytes in them are of the wrong type. */
  readonly numbers: ReadonlySet<string>;
  /** The only column of the primary key; null for several or none. */
  readonly key: string | null;
  /** Whether its rows have numbers of SQLite's: those of views and of tables WITHOUT ROWID have none. */
  readonly hasRowids: boolean;
  /** Why it cannot be read; null when it can. */
  readonly problem: string | null;
}

interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly type: 'table' | 'view' | 'virtual' | 'shadow';
  /** 1 for WITHOUT ROWID. */
  readonly wr: number;
}

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Tables and views by name, in order of name. */
export function readTables(database: Database.Database): Map<string, Table> {
  const listed = (database.pragma('table_list') as ListedTable[]).filter(
    ({ schema, name }) => schema === 'main' && !name.startsWith('sqlite_'),
  );
  const byName = listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(byName.map((table) => [table.name, readTable(database, table)]));
}

/** A table that cannot be read matters only to who reads it: its columns are unknown. */
function readTable(database: Database.Database, { name, type, wr }: ListedTable): Table {
  const unreadable = { columns: new Set<string>(), numbers: new Set<string>(), key: null, hasRowids: false };
  if (type === 'virtual') return { ...unreadable, problem: 'is a virtual table' };
  try {
    const columns = database.pragma(`table_info(${quote(name)})`) as { name: string; type: string; pk: number }[];
    const [key, ...others] = columns.filter(({ pk }) => pk > 0);
    return {
      columns: new Set(columns.map((column) => column.name)),
      numbers: new Set(columns.filter(({ type: of }) => NUMBER.test(of)).map((column) => column.name)),
      key: key === undefined || others.length > 0 ? null : key.name,
      hasRowids: type !== 'view' && wr === 0 && !columns.some((column) => isRowid(column.name)),
      problem: null,
    };
  } catch (error) {
    // A view of a table that is missing.
    if (type === 'view' && error instanceof Error) return { ...unreadable, problem: `is a view: ${error.message}` };
    throw error;
  }
}

/** Declared types that SQLite keeps numbers in as such. */
const NUMBER = /INT|REAL|FLOA|DOUB|NUM|DEC/i;

/** A column of this name hides the numbers of rows. */
const isRowid = (column: string): boolean => column.toLowerCase() === 'rowid';

/** Whether the numbers of a table's rows are integers from 0 that a double holds. */
export function hasSmallRowids(database: Database.Database, name: string, { hasRowids }: Table): boolean {
  if (!hasRowids) return false;
  const limit = (of: 'min' | 'max'): string => `(SELECT ${of}(rowid) FROM ${quote(name)})`;
  const sql = `SELECT coalesce(${limit('min')}, 0) >= 0 AND coalesce(${limit('max')}, 0) <= ${Number.MAX_SAFE_INTEGER}`;
  return database.prepare(sql).pluck().get() === 1;
}

/**
 * Copies a table or view into a temporary table of SQLite's, which is a file of no name or in memory: its rows are
 * numbered from 1. @returns its name in SQL
 */
export function copyTable(database: Database.Database, name: string, { columns }: Table, number: number): string {
  const cells = [...columns].filter((column) => !isRowid(column)).map(quote);
  const copy = `temp.copy_${number}`;
  database.exec(`CREATE TABLE ${copy} AS SELECT ${cells.join(', ')} FROM ${quote(name)}`);
  return copy;
}

/** Writes values by an integer into such a table; of several with the same integer the smallest. @returns its name */
export function copyValues(database: Database.Database, select: string, number: number): string {
  const copy = `temp.values_${number}`;
  database.exec(`CREATE TABLE ${copy} (key INTEGER PRIMARY KEY, value); INSERT INTO ${copy} ${select}`);
  return copy;
}

/** Writes cells, `c0`, `c1` …, by an integer into such a table; of several rows with one integer the smallest. @returns its name */
export function indexRows(
  database: Database.Database,
  source: string,
  key: string,
  cells: readonly string[],
  number: number,
): string {
  const copy = `temp.rows_${number}`;
  const columns = cells.map((_, i) => `c${i}`).join(', ');
  database.exec(`CREATE TABLE ${copy} (key INTEGER PRIMARY KEY, ${columns});
    INSERT OR IGNORE INTO ${copy} SELECT CAST(${quote(key)} AS INTEGER), ${cells.join(', ')} FROM ${source}
      WHERE ${quote(key)} IS NOT NULL ORDER BY ${[...cells, '1'].join(', ')}`);
  return copy;
}
