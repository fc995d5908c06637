/** The tables of a database, and temporary copies of tables whose rows cannot be looked up in place. */
import type Database from 'better-sqlite3';

/** A table or view. */
export interface Table {
  /** Name of the table in the database. */
  readonly name: string;
  /** Column names in the database's own spelling. */
  readonly columns: ReadonlySet<string>;
  /** Columns declared to hold numbers: a string or bytes in them are of the wrong type. */
  readonly numbers: ReadonlySet<string>;
  /** The only column of the primary key; null when the key has several columns or is missing. */
  readonly key: string | null;
  /** Why the table cannot be read, and how to copy it to a table that can be read; null when it can be read. */
  readonly problem: { readonly what: string; readonly hint: string } | null;
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
  return newest(new Map(byName.map((table) => [table.name, readTable(database, table)])));
}

/** `CUPTI_ACTIVITY_KIND_KERNEL_V3`, which some exports have in place of the table of that name. */
const VERSION = /^(CUPTI_ACTIVITY_KIND_\w+)_V(\d{1,3})$/;

/** Tables with the newest of those that differ in a version under the name without it, unless there is such a table. */
function newest(tables: ReadonlyMap<string, Table>): Map<string, Table> {
  const versionOf = ({ name }: Table): number => Number(VERSION.exec(name)?.[2] ?? Infinity);
  const named = new Map<string, Table>();
  for (const table of tables.values()) {
    const name = VERSION.exec(table.name)?.[1] ?? table.name;
    const known = named.get(name);
    if (known === undefined) named.set(name, table);
    else {
      const [older, newer] = versionOf(known) < versionOf(table) ? [known, table] : [table, known];
      named.set(name, newer).set(older.name, older);
    }
  }
  return named;
}

/** The columns of a view or a virtual table are unknown. */
function readTable(database: Database.Database, listed: ListedTable): Table {
  const { name, type } = listed;
  const columns =
    type === 'view' || type === 'virtual'
      ? []
      : (database.pragma(`table_info(${quote(name)})`) as { name: string; type: string; pk: number }[]);
  const [key, ...others] = columns.filter(({ pk }) => pk > 0);
  const names = new Set(columns.map((column) => column.name));
  return {
    name,
    columns: names,
    numbers: new Set(columns.filter(({ type: declared }) => NUMBER.test(declared)).map((column) => column.name)),
    key: key === undefined || others.length > 0 ? null : key.name,
    problem: problemOf(listed, names),
  };
}

/** Kinds of tables that no profiler writes, by SQLite's names. */
const FORMS: Readonly<Record<string, string>> = { view: 'is a view', virtual: 'is a virtual table' };

/** The reason why a table cannot be read; null for a plain table with rowids, which is what profilers write. */
function problemOf({ name, type, wr }: ListedTable, columns: ReadonlySet<string>): Table['problem'] {
  const what = wr === 1 ? 'is WITHOUT ROWID' : FORMS[type];
  if (what !== undefined) {
    const drop = `DROP ${type === 'view' ? 'VIEW' : 'TABLE'} ${name}`;
    const copied = `CREATE TABLE copy AS SELECT * FROM ${name}; ${drop}; ALTER TABLE copy RENAME TO ${name}`;
    return { what, hint: `make it a plain table: sqlite3 FILE '${copied}'` };
  }
  const rowid = [...columns].find((column) => column.toLowerCase() === 'rowid');
  if (rowid === undefined) return null;
  const renamed = `ALTER TABLE ${name} RENAME COLUMN ${rowid} TO number`;
  return { what: `has a column ${rowid}`, hint: `rename it: sqlite3 FILE '${renamed}'` };
}

/** Declared types for which SQLite stores numbers as numbers. */
const NUMBER = /INT|REAL|FLOA|DOUB|NUM|DEC/i;

/** Whether the numbers of a plain table's rows are integers from 0 that a double holds. */
export function hasSmallRowids(database: Database.Database, name: string): boolean {
  const limit = (aggregate: 'min' | 'max'): string => `(SELECT ${aggregate}(rowid) FROM ${quote(name)})`;
  const sql = `SELECT coalesce(${limit('min')}, 0) >= 0 AND coalesce(${limit('max')}, 0) <= ${Number.MAX_SAFE_INTEGER}`;
  return database.prepare(sql).pluck().get() === 1;
}

/**
 * Writes cells `c0`, `c1` … by an integer into a temporary table of SQLite, which is in memory or in a file without a
 * name. If several rows have the same integer, the smallest is used.
 * @returns its name in SQL
 */
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
