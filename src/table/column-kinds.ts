/** Short forms for tables of columns: what the values of a column are, and the column itself. */
import type { Column, ColumnShape } from './column.js';

/** How the values of a column look. */
export type ColumnFormat = Pick<ColumnShape, 'type' | 'unit' | 'digits' | 'significant' | 'width'>;

/** Texts. @param width 0 to share what other columns leave */
export const str = (width: number): ColumnFormat => ({ type: 'str', width });

/** Whole numbers. */
export const int = (width: number, unit?: ColumnShape['unit']): ColumnFormat => ({
  type: 'int',
  width,
  ...(unit === undefined ? {} : { unit }),
});

/** @param digits after the point; all of them when not given */
export const real = (width: number, digits?: number, unit?: ColumnShape['unit']): ColumnFormat => ({
  ...int(width, unit),
  type: 'real',
  ...(digits === undefined ? {} : { digits }),
});

/** `doc` is one line for help and docs, `more` what few columns have. */
export const column = <Row>(
  key: string,
  header: string,
  format: ColumnFormat,
  doc: string,
  value: Column<Row>['value'],
  more: Partial<Column<Row>> = {},
): Column<Row> => ({ key, header, ...format, doc, value, ...more });

/** Columns whose values come from the op's formula rather than from the record. */
export const derived = <Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns.map((one) => ({ ...one, derived: true }));
