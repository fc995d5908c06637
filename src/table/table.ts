/** Rows under columns: what analyses return and every writer takes. */
import type { CellValue, Column } from './column.js';

interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: Iterable<Row>;
}

/** A table whose rows only its own columns read. */
export type AnyTable = Table<unknown>;

/** A row as JSON has it: raw values by the keys of the columns. */
export type RowObject = Readonly<Record<string, CellValue>>;

export const rowObject = <Row>(columns: readonly Column<Row>[], row: Row): RowObject =>
  Object.fromEntries(columns.map((column) => [column.key, column.value(row)]));

export const rowObjects = ({ columns, rows }: AnyTable): RowObject[] => [...rows].map((row) => rowObject(columns, row));
