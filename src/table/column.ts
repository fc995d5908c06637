/**
 * A table, its columns, and columns by the keys that users write. The value of a column is raw: base units, unrounded,
 * null for unknown. Its text is for people and awk.
 */
import { UNKNOWN } from '../record/units.js';
import { nearest, UsageError } from '../record/errors.js';

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

/**
 * @param others what the user may have meant that is no column
 * @throws UsageError naming the nearest key
 */
export const requireColumnOf = <C extends ColumnShape>(
  columns: readonly C[],
  key: string,
  others: readonly string[] = [],
): C =>
  columns.find((column) => column.key === key) ?? refuse(key, [...columns.map((column) => column.key), ...others]);

function refuse(key: string, keys: readonly string[]): never {
  const near = nearest(key, keys);
  throw new UsageError(`unknown column '${key}'`, near === null ? '--columns lists them' : `did you mean ${near}?`);
}

/**
 * The keys of a comma-separated list.
 * @param option that the list was given with, for messages
 * @throws UsageError when there are none
 */
export function splitKeys(option: string, list: string): string[] {
  const keys = list.split(',').map((key) => key.trim());
  if (keys.every((key) => key === '')) throw new UsageError(`${option} names no column`, '--columns lists them');
  return keys;
}

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
  columns.map((column) => ({ ...column, derived: true }));

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
