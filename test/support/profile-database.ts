/**
 * Small profile databases for tests: full tables of a real schema, filled from a handful of cells. What a row does not
 * give is NULL, or 0 where the schema says NOT NULL.
 */
import Database from 'better-sqlite3';
import { freshPath } from './fresh-path.js';

export type Cell = number | bigint | string | Uint8Array | null;
export type Cells = Readonly<Record<string, Cell>>;

/** Columns by table, separated by blanks; `!` marks NOT NULL, `$` text; `_id_` and the strings' `id` are primary keys. */
export type Schema = Readonly<Record<string, string>>;

/** How the written database differs from the schema. */
export interface Variations {
  /** Columns left out, by table. */
  readonly without?: Readonly<Record<string, readonly string[]>>;
  /** Tables under another name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Tables created though they have no rows. */
  readonly empty?: readonly string[];
}

export class ProfileDatabase {
  readonly #rows = new Map<string, Cells[]>();
  readonly #strings = new Map<string, number>();

  constructor(
    private readonly schema: Schema,
    /** Table of the strings, and its columns of id and value. */
    private readonly strings: readonly [table: string, id: string],
  ) {}

  /** Id of a string in the string table. */
  string(text: string): number {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    const id = this.#strings.size + 1;
    this.#strings.set(text, id);
    const [table, key] = this.strings;
    this.row(table, { [key]: id, value: text });
    return id;
  }

  row(table: string, cells: Cells): this {
    const rows = this.#rows.get(table) ?? [];
    this.#rows.set(table, rows);
    rows.push(cells);
    return this;
  }

  /** Rows of every table in another order. */
  reordered(order: (rows: readonly Cells[]) => readonly Cells[]): this {
    for (const [table, rows] of this.#rows) this.#rows.set(table, [...order(rows)]);
    return this;
  }

  /** Writes the database; its path. */
  write({ without = {}, renamed = {}, empty = [] }: Variations = {}, path = freshPath()): string {
    const db = new Database(path);
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.exec('BEGIN');
    for (const table of new Set([...empty, ...this.#rows.keys()])) {
      const columns = this.#columns(table).filter(({ name }) => !(without[table] ?? []).includes(name));
      const target = `"${renamed[table] ?? table}"`;
      db.exec(`CREATE TABLE ${target} (${columns.map(({ sql }) => sql).join(', ')})`);
      const insert = db.prepare(`INSERT INTO ${target} VALUES (${columns.map(() => '?').join(', ')})`);
      for (const row of this.#rows.get(table) ?? []) {
        insert.run(columns.map(({ name, otherwise }) => (name in row ? row[name] : otherwise)));
      }
    }
    db.exec('COMMIT');
    db.close();
    return path;
  }

  #columns(table: string): { name: string; sql: string; otherwise: Cell }[] {
    const columns = this.schema[table];
    if (columns === undefined) throw new Error(`the schema has no table ${table}`);
    return columns.split(' ').map((column) => {
      const name = column.replace(/[!$]/g, '');
      if (name === '_id_') return { name, sql: '_id_ INTEGER PRIMARY KEY AUTOINCREMENT', otherwise: null };
      if (name === 'id' && table === 'StringIds') return { name, sql: 'id INTEGER PRIMARY KEY', otherwise: null };
      // Declared without NOT NULL, so that a test can store NULL where the schema forbids it.
      const type = column.includes('$') ? 'TEXT' : 'INTEGER';
      return { name, sql: `"${name}" ${type}`, otherwise: column.includes('!') ? 0 : null };
    });
  }
}
