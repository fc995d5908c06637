/** Decoded rows of a table in a column format (Parquet, Arrow). */

/** A column of some rows of a table. */
export interface TableColumn {
  readonly name: string;
  /** Type in SQLite. */
  readonly type: 'INTEGER' | 'REAL' | 'TEXT';
  readonly cellAt: (row: number) => unknown;
}

/** Some rows of a table. */
export interface TableRows {
  /** Name of the table; null when only the file's name states it. */
  readonly table: string | null;
  readonly columns: readonly TableColumn[];
  readonly rows: number;
}

/** Minimum size of a value in memory, in bytes. */
export const CELL_BYTES = 8;
