/** Rows of tables for the writers of Parquet and Arrow, and the types of their columns. */
import Database from 'better-sqlite3';

export type Row = Readonly<Record<string, unknown>>;
type Type = 'INT64' | 'DOUBLE' | 'STRING' | 'BOOLEAN' | 'BYTE_ARRAY';

/** Files by name. */
export type TableFiles = Readonly<Record<string, Uint8Array>>;

/** The rows of each table of a database; integers are `bigint`. */
export function rowsByTable(bytes: Buffer): Readonly<Record<string, readonly Row[]>> {
  const database = new Database(bytes);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  const rows = tables.map((table) => [table, database.prepare(`SELECT * FROM "${table}"`).safeIntegers().all()]);
  database.close();
  return Object.fromEntries(rows) as Readonly<Record<string, readonly Row[]>>;
}

/** Type of the values of a column; text when they have several, or none is known. */
export function typeOf(values: readonly unknown[]): Type {
  const known = values.filter((value) => value !== null && value !== undefined);
  const all = (is: (value: unknown) => boolean): boolean => known.length > 0 && known.every(is);
  if (all((value) => typeof value === 'bigint' || Number.isSafeInteger(value))) return 'INT64';
  if (all((value) => typeof value === 'number' || typeof value === 'bigint')) return 'DOUBLE';
  if (all((value) => typeof value === 'boolean')) return 'BOOLEAN';
  return all((value) => value instanceof Uint8Array) ? 'BYTE_ARRAY' : 'STRING';
}

/** A value in the type of its column; null when it is unknown. */
export function valueOf(value: unknown, type: Type): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'INT64') return BigInt(value as number | bigint);
  if (type === 'DOUBLE') return Number(value);
  return type === 'STRING' && typeof value !== 'string' ? JSON.stringify(value) : value;
}
