/** Copies of databases that hold the same rows in another way. */
import Database from 'better-sqlite3';
import { freshPath } from './fresh-path.js';

/** How a copy keeps the rows of a table. */
export interface Rewriting {
  /** Statements before the first table is made, such as those of the encoding and the size of pages. */
  readonly pragmas?: readonly string[];
  /** `declared`: as the original; `plain`: columns without types and keys; `keyed`: WITHOUT ROWID; `view`: a view. */
  readonly form?: 'declared' | 'plain' | 'keyed' | 'view';
  /** The number of the n-th row of a plain table, from 0; by default SQLite's own. */
  readonly rowid?: (n: number) => bigint;
  /** Statements after the last row. */
  readonly finally?: readonly string[];
}

const quote = (name: string): string => `"${name}"`;

/** The copy's path. */
export function rewritten(path: string, { pragmas = [], form = 'declared', rowid, ...how }: Rewriting): string {
  const from = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  const copy = freshPath();
  const to = new Database(copy);
  for (const pragma of pragmas) to.pragma(pragma);
  to.exec('BEGIN');
  const tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  for (const { name, sql } of from.prepare(tables).all() as { name: string; sql: string }[]) {
    const rows = from.prepare(`SELECT * FROM ${quote(name)}`).raw();
    const columns = rows.columns().map((column) => column.name);
    const stored = columns.map((_, i) => `c${i}`);
    const [target, cells] = form === 'view' ? [`rows of ${name}`, stored] : [name, columns];
    const definitions = {
      declared: sql,
      plain: `CREATE TABLE ${quote(target)} (${cells.map(quote).join(', ')})`,
      keyed: `CREATE TABLE ${quote(target)} (${cells.map(quote).join(', ')}, "#" PRIMARY KEY) WITHOUT ROWID`,
      view: `CREATE TABLE ${quote(target)} (${cells.join(', ')}); CREATE VIEW ${quote(name)} (${columns.map(quote).join(', ')}) AS SELECT * FROM ${quote(target)}`,
    };
    to.exec(definitions[form]);
    const number = form === 'keyed' ? ['"#"'] : rowid === undefined ? [] : ['rowid'];
    const into = [...cells.map(quote), ...number];
    const insert = to.prepare(
      `INSERT INTO ${quote(target)} (${into.join(', ')}) VALUES (${into.map(() => '?').join(', ')})`,
    );
    let n = 0;
    for (const row of rows.iterate() as IterableIterator<unknown[]>) {
      insert.run(...row, ...number.map(() => rowid?.(n) ?? BigInt(n)));
      n++;
    }
  }
  to.exec('COMMIT');
  for (const statement of how.finally ?? []) to.exec(statement);
  from.close();
  to.close();
  return copy;
}
