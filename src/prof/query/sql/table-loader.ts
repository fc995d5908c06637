/** Rows → tables of the database, a chunk at a time. */
import type { DuckDBAppender, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api';
import { elementAt } from '../../../containers/element.js';
import type { Database } from './duckdb.js';
import { type SqlColumn, converterOf, quoted, typeName, typeOf } from './sql-types.js';

/** Rows of a chunk of DuckDB. */
const CHUNK = 2048;

/** Where the tables are whose columns are those that a query reads. */
const SCHEMA = 'loaded';

/** The table behind a view. */
export class TableLoader<Row> {
  readonly #columns: readonly (readonly [value: (row: Row) => unknown, convert: (value: unknown) => DuckDBValue])[];
  readonly #values: DuckDBValue[][];
  #rows = 0;

  private constructor(
    columns: readonly SqlColumn<Row>[],
    { library }: Database,
    private readonly appender: DuckDBAppender,
    private readonly chunk: DuckDBDataChunk,
  ) {
    this.#columns = columns.map(({ kind, value }) => [value, converterOf(library, kind)]);
    this.#values = columns.map(() => []);
  }

  /**
   * Makes the view in place of the empty table, and the table behind it of the columns that are read; the other columns
   * of the view are null.
   */
  static async create<Row>(
    database: Database,
    { name, columns }: { readonly name: string; readonly columns: readonly SqlColumn<Row>[] },
    read: ReadonlySet<string>,
  ): Promise<TableLoader<Row>> {
    const { connection, library } = database;
    const wanted = columns.filter((column) => read.has(column.name));
    // A table has a column, also where rows are only counted.
    const loaded = wanted.length > 0 ? wanted : columns.slice(0, 1);
    const table = `${SCHEMA}.${quoted(name)}`;
    const isLoaded = new Set(loaded.map((column) => column.name));
    await connection.run(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await connection.run(`DROP TABLE ${quoted(name)}`);
    await connection.run(
      `CREATE TABLE ${table} (${loaded.map((one) => `${quoted(one.name)} ${typeName(one.kind)}`).join(', ')})`,
    );
    const shown = columns.map((one) =>
      isLoaded.has(one.name) ? quoted(one.name) : `NULL::${typeName(one.kind)} AS ${quoted(one.name)}`,
    );
    await connection.run(`CREATE VIEW ${quoted(name)} AS SELECT ${shown.join(', ')} FROM ${table}`);
    const chunk = library.DuckDBDataChunk.create(loaded.map(({ kind }) => typeOf(library, kind)));
    return new TableLoader(loaded, database, await connection.createAppender(name, SCHEMA), chunk);
  }

  add(row: Row): void {
    for (const [i, [value, convert]] of this.#columns.entries()) elementAt(this.#values, i).push(convert(value(row)));
    if (++this.#rows >= CHUNK) this.#append();
  }

  /** Completes the table. */
  finish(): void {
    if (this.#rows > 0) this.#append();
    this.appender.flushSync();
    this.appender.closeSync();
  }

  #append(): void {
    this.chunk.reset();
    this.chunk.rowCount = this.#rows;
    this.chunk.setColumns(this.#values);
    this.appender.appendDataChunk(this.chunk);
    // What was appended goes into the table, where it may be put into the temporary folder.
    this.appender.flushSync();
    for (const column of this.#values) column.length = 0;
    this.#rows = 0;
  }
}
