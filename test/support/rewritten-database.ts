/** Copies of databases that hold the same rows in another way. */
import Database from 'better-sqlite3';
import { freshPath } from './fresh-path.js';

/** How a copy keeps the rows of a table. */
export interface Rewriting {
  /** Statements before the first table is made, such as those of the encoding and the size of pages. */
  readonly pragmas?: readonly string[];
  /** `declared`: as the original; `plain`: columns without types and keys. */
  readonly form?: 'declared' | 'plain';
  /** Statements after the last row. */
  readonly finally?: readonly string[];
}

const quote = (name: string): string => `"${name}"`;

/** The copy's path. */
export function rewritten(path: string, { pragmas = [], form = 'declared', ...how }: Rewriting): string {
  const from = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  const copy = freshPath();
  const to = new Database(copy);
  for (const pragma of pragmas) to.pragma(pragma);
  to.exec('BEGIN');
  const tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  for (const { name, sql } of from.prepare(tables).all() as { name: string; sql: string }[]) {
    const rows = from.prepare(`SELECT * FROM ${quote(name)}`).raw();
    const columns = rows.columns().map((column) => quote(column.name));
    to.exec(form === 'declared' ? sql : `CREATE TABLE ${quote(name)} (${columns.join(', ')})`);
    const insert = to.prepare(
      `INSERT INTO ${quote(name)} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of rows.iterate() as IterableIterator<unknown[]>) insert.run(...row);
  }
  to.exec('COMMIT');
  for (const statement of how.finally ?? []) to.exec(statement);
  from.close();
  to.close();
  return copy;
}
