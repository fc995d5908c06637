/**
 * How a table stands in the pages of a database, as far as its rows can be read from them.
 * Source: sqlite.org/fileformat2.html §2.4 (INTEGER PRIMARY KEY), sqlite.org/datatype3.html §3.1 (affinity).
 */

/** How a table is stored. */
export interface Layout {
  /** Page of the table's root. */
  readonly root: number;
  readonly columns: readonly ColumnLayout[];
}

interface ColumnLayout {
  readonly name: string;
  /** Whether the cells are the numbers of the rows. */
  readonly isRowid: boolean;
  /** Whether whole numbers are numbers with decimals that are stored shorter. */
  readonly isReal: boolean;
  /** Whether rows that are older than the column have a value. */
  readonly hasDefault: boolean;
}

/** The number itself, the upper or lower 32 of its 64 bits, or the number less another (also of digits as text). */
export type Part = 'whole' | 'high' | 'low' | { readonly minus: bigint };

/** What is wanted of a table's column, by its place. */
export interface Want {
  readonly column: number;
  readonly part: Part;
}

/** A row of `PRAGMA table_xinfo`. */
export interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly dflt_value: string | null;
  /** Place in the primary key, from 1; 0 outside of it. */
  readonly pk: number;
  /** Not 0 for computed columns, which may not be stored. */
  readonly hidden: number;
}

/**
 * @param root page of the root, 0 for what is no table of its own
 * @param hasKeyIndex whether the primary key has an index, so that it is not the numbers of the rows
 * @returns null where rows are not stored column by column
 */
export function layoutOf(root: number, columns: readonly ColumnInfo[], hasKeyIndex: boolean): Layout | null {
  if (root < 2 || columns.some(({ hidden }) => hidden !== 0)) return null;
  const hasOneKey = !hasKeyIndex && columns.filter(({ pk }) => pk > 0).length === 1;
  return {
    root,
    columns: columns.map(({ name, type, pk, dflt_value }) => ({
      name,
      isRowid: hasOneKey && pk > 0 && type.toUpperCase() === 'INTEGER',
      isReal: isReal(type.toUpperCase()),
      hasDefault: dflt_value !== null,
    })),
  };
}

/** Whether a declared type gives a column numbers with decimals. */
const isReal = (type: string): boolean => !/INT|CHAR|CLOB|TEXT|BLOB/.test(type) && /REAL|FLOA|DOUB/.test(type);
