/** A column of a table. Its value is raw: base units, unrounded, null for unknown. Its text is for people and awk. */
import { UNKNOWN } from '../record/units.js';

/** The raw value of a cell: base units, unrounded, null for unknown. */
export type CellValue = number | string | readonly (number | string)[] | null;

/** A column without access to its rows. */
export interface ColumnShape {
  /** Name in JSON and in lists of columns. */
  readonly key: string;
  /** Name in all other formats. */
  readonly header: string;
  /** Replaces a header that is longer than the column is wide. */
  readonly narrowHeader?: string;
  readonly unit?: 'ns' | 'us' | 's' | 'bytes' | 'MiB' | 'FLOP' | 'FLOP/s' | 'FLOP/B' | 'TFLOP/s' | 'GB/s' | '%';
  /** A real number has a fixed number of digits in text for people and awk, and all of them in CSV and JSON. */
  readonly type: 'int' | 'real' | 'str';
  /** Whether its texts stand to the right, as numbers do. */
  readonly toTheRight?: boolean;
  /** Digits after the point of a real number in text. */
  readonly digits?: number;
  /** Significant digits of a real number in text, in place of `digits`. */
  readonly significant?: number;
  /** Whether text marks a rise by a plus sign. */
  readonly signed?: boolean;
  /** Characters in the columns format; columns of width 0 share what the others leave. */
  readonly width: number;
  /** True when the value comes from the op's formula rather than from the record. */
  readonly derived?: boolean;
  /** Whether screens and Markdown reports leave the column out. */
  readonly machineOnly?: boolean;
  /** Whether its texts are fixed words of the program rather than names of the profiled one: Markdown needs no escape. */
  readonly vocabulary?: boolean;
  /** One line for help and docs. */
  readonly doc: string;
  /** What its values are lists of, where they are lists; `type` is then `str`, since a list of numbers is no number. */
  readonly list?: 'int' | 'str';
  /** The list separator in text; ',' by default. */
  readonly separator?: string;
  /** Follows the text of a list that is not empty. */
  readonly suffix?: string;
}

/** A column over rows of one kind. */
export interface Column<Row> extends ColumnShape {
  value(row: Row): CellValue;
  /** Text for the columns format where that is shorter than the full text. */
  narrow?(row: Row): string;
  /** Whether the value is a rate above the device's peak: text shows `!` for it. */
  impossible?(row: Row): boolean;
  /** Whether Markdown sets the text in bold, which is for columns of the program's own words. */
  emphasis?(row: Row): boolean;
}

/** The fields of a column that do not read its rows. */
export const shapeOf = <Row>(column: Column<Row>): ColumnShape =>
  Object.fromEntries(
    Object.entries(column).filter(([, field]) => typeof field !== 'function'),
  ) as unknown as ColumnShape;

/** In text in place of a rate above the device's peak: a defect of the counting. */
const IMPOSSIBLE = '!';

/** The value for people: `!` for a value that the device cannot reach. */
export const shownValue = <Row>(column: Column<Row>, row: Row): CellValue =>
  column.impossible?.(row) === true ? IMPOSSIBLE : column.value(row);

/** Whether values are numbers: compared as such, sorted largest first, right-aligned. */
export const isNumeric = ({ type }: ColumnShape): boolean => type !== 'str';

export const isToTheRight = (column: ColumnShape): boolean => isNumeric(column) || column.toTheRight === true;

function numberText({ digits, significant, signed }: ColumnShape, value: number): string {
  const text =
    significant !== undefined
      ? String(Number(value.toPrecision(significant)))
      : digits === undefined
        ? String(value)
        : value.toFixed(digits);
  return signed === true ? withSign(text) : text;
}

/** `+1.5`, `-1.5`; what rounds to 0 has no sign. */
function withSign(text: string): string {
  const number = Number(text);
  return number > 0 ? `+${text}` : number === 0 ? text.replace('-', '') : text;
}

/** Text of a value: `-` for an empty list, `na` for unknown. */
export const textOf = (column: ColumnShape, value: CellValue): string => {
  if (value === null) return UNKNOWN;
  if (typeof value === 'number') return numberText(column, value);
  if (typeof value === 'string') return value;
  return value.length === 0 ? '-' : value.join(column.separator ?? ',') + (column.suffix ?? '');
};
