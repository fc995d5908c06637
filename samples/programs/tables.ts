/**
 * A small writer of SQLite databases: tables come into being with their first row, rows are given by column name.
 * The database lives in memory until it is handed out, so the bytes depend on the statements alone.
 */
import Database from 'better-sqlite3';

type Cell = null | number | bigint | string | Buffer;
export type Row = Readonly<Record<string, Cell>>;

/** Columns in order: name and declaration. */
export type Columns = readonly (readonly [name: string, declaration: string])[];
export type Schema = Readonly<Record<string, Columns>>;

export const createStatement = (table: string, columns: Columns): string =>
  `CREATE TABLE ${table} (${columns.map(([name, declaration]) => `${name} ${declaration}`.trim()).join(', ')})`;

export class Tables {
  readonly #db = new Database(':memory:');
  readonly #inserts = new Map<string, (row: Row) => void>();

  constructor(
    readonly schema: Schema,
    /** Further statements that a new table needs (indexes). */
    readonly after: (table: string) => readonly string[] = () => [],
  ) {
    this.#db.exec('PRAGMA page_size = 4096; BEGIN');
  }

  insert(table: string, row: Row): void {
    this.table(table)(row);
  }

  /** Creates a table, which may stay empty. @returns inserts a row */
  table(table: string): (row: Row) => void {
    let insert = this.#inserts.get(table);
    if (insert === undefined) {
      insert = this.#create(table);
      this.#inserts.set(table, insert);
    }
    return insert;
  }

  /** The finished file. The writer is closed by it. */
  bytes(): Buffer {
    this.#db.exec('COMMIT; VACUUM');
    const bytes = this.#db.serialize();
    this.#db.close();
    return bytes;
  }

  #create(table: string): (row: Row) => void {
    const columns = this.schema[table];
    if (columns === undefined) throw new Error(`no table ${table} in the schema`);
    this.#db.exec(createStatement(table, columns));
    for (const statement of this.after(table)) this.#db.exec(statement);
    const names = columns.map(([name]) => name);
    const insert = this.#db.prepare(`INSERT INTO ${table} VALUES (${names.map(() => '?').join(', ')})`);
    return (row) => {
      const unknown = Object.keys(row).find((name) => !names.includes(name));
      if (unknown !== undefined) throw new Error(`no column ${unknown} in ${table}`);
      insert.run(names.map((name) => row[name] ?? null));
    };
  }
}

/** Ids for strings, in order of first use. */
export class Interned {
  readonly #ids = new Map<string, number>();

  constructor(
    readonly first: number,
    readonly added: (id: number, text: string) => void,
  ) {}

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.first + this.#ids.size;
    this.#ids.set(text, id);
    this.added(id, text);
    return id;
  }
}
