/**
 * What a column is. Its value is raw: base units, unrounded, null for unknown. Its text is for people and awk.
 */

export type Value = number | string | readonly (number | string)[] | null;

/** What there is to know of a column without its rows. */
export interface ColumnShape {
  readonly key: string;
  readonly header: string;
  /** Where the header does not fit its width. */
  readonly narrowHeader?: string;
  readonly unit?: 'ns' | 's' | 'bytes' | 'FLOP' | 'FLOP/s' | 'FLOP/B' | 'TFLOP/s' | 'GB/s' | '%';
  /** A real number has a fixed number of digits in text for people and awk, and all of them in CSV and JSON. */
  readonly type: 'int' | 'real' | 'str';
  /** Digits after the point of a real number in text. */
  readonly digits?: number;
  /** Characters in the columns format; 0 shares what the others leave. */
  readonly width: number;
  /** True when the value comes from the op's formula rather than from the record. */
  readonly derived?: boolean;
  /** One line for help and docs. */
  readonly doc: string;
  /** The list separator in text; ',' when not given. */
  readonly separator?: string;
  /** Ends the text of a list that is not empty. */
  readonly ending?: string;
}

/** A column of rows of one kind. */
export interface Column<Row> extends ColumnShape {
  value(row: Row): Value;
  /** Text for the columns format where that is shorter than the full text. */
  narrow?(row: Row): string;
  /** Whether the value is one that the device cannot reach: text shows `!` for it. */
  impossible?(row: Row): boolean;
}

/** Stands in text for a rate above the device's peak: a defect of the counting. */
export const IMPOSSIBLE = '!';

/** The value for people: what the device cannot reach is marked as such. */
export const shown = <Row>(column: Column<Row>, row: Row): Value =>
  column.impossible?.(row) === true ? IMPOSSIBLE : column.value(row);

/** Whether values are numbers: compared as such, largest first, right-aligned. */
export const isNumeric = ({ type }: ColumnShape): boolean => type !== 'str';

/** A number as text: a real one with the column's digits. */
const numberText = ({ digits }: ColumnShape, value: number): string =>
  digits === undefined ? String(value) : value.toFixed(digits);

/** Text of a value: `-` for an empty list, `na` for unknown. */
export const textOf = (column: ColumnShape, value: Value): string => {
  if (value === null) return 'na';
  if (typeof value === 'number') return numberText(column, value);
  if (typeof value === 'string') return value;
  return value.length === 0 ? '-' : value.join(column.separator ?? ',') + (column.ending ?? '');
};
