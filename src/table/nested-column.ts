/** Columns over a part of a row. */
import { textOf, type Column, type ColumnShape, type CellValue } from './column.js';

/** The column over rows that have the column's own rows as a part. */
export function nestedColumn<Part, Row>(column: Column<Part>, part: (row: Row) => Part): Column<Row> {
  const shape: ColumnShape = column;
  const value = (row: Row): CellValue => column.value(part(row));
  return {
    ...shape,
    value,
    ...(column.narrow === undefined
      ? {}
      : { narrow: (row: Row) => column.narrow?.(part(row)) ?? textOf(column, value(row)) }),
    ...(column.impossible === undefined ? {} : { impossible: (row: Row) => column.impossible?.(part(row)) === true }),
    ...(column.emphasis === undefined ? {} : { emphasis: (row: Row) => column.emphasis?.(part(row)) === true }),
  };
}
