/**
 * Tables and their columns, which users select by key. The value of a column is raw: base units, unrounded, null for
 * unknown. Its text is for readers and for awk.
 */
import { UNKNOWN } from '../record/units.js';
import { nearest, UsageError } from '../record/errors.js';

interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: Iterable<Row>;
}

/** A table whose rows are read only through its columns. */
export type AnyTable = Table<unknown>;

/** A row as in JSON: raw values by column key. */
export type RowObject = Readonly<Record<string, CellValue>>;

export const rowObject = <Row>(columns: readonly Column<Row>[], row: Row): RowObject =>
  Object.fromEntries(columns.map((column) => [column.key, column.value(row)]));

export const rowObjects = ({ columns, rows }: AnyTable): RowObject[] => [...rows].map((row) => rowObject(columns, row));

/**
 * @param others other names that the user may have meant, which are not columns
 * @throws UsageError that suggests the nearest key
 */
export const requireColumnOf = <C extends ColumnShape>(
  columns: readonly C[],
  key: string,
  others: readonly string[] = [],
): C =>
  columns.find((column) => column.key === key) ?? refuse(key, [...columns.map((column) => column.key), ...others]);

/** Words that users may type for columns, by the keys that they may mean, the likeliest first. */
const COLUMN_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    trace: ['line', 'lines', 'source', 'src', 'location', 'stack', 'callstack', 'file', 'filename'],
    kernel: ['name', 'names', 'function', 'func'],
    'sil,total,span,stage,active': ['time', 'duration', 'dur', 'ns', 'us', 'ms', 'runtime', 'elapsed', 'latency'],
    device: ['gpu', 'gpus', 'npu', 'tpu', 'xpu', 'card', 'dev'],
    'bytes,size_from': ['size', 'sizes', 'memory', 'traffic'],
    params: ['shape', 'shapes', 'dims', 'input_shapes', 'arguments', 'args'],
    mod: ['module', 'library', 'namespace'],
    op: ['operator', 'operation', 'aten'],
    dtype: ['type', 'types', 'precision', 'datatype'],
    tc: ['tensorcore', 'tensorcores', 'tensor_core', 'matrixcore', 'mma'],
    'tflops,flops': ['flop', 'gflops', 'rate', 'throughput'],
    'gbps,bw': ['bandwidth', 'gb'],
    tid: ['thread'],
    pid: ['process'],
    'dir,kind': ['direction', 'pass', 'forward', 'backward'],
    'collective,kind': ['coll', 'collectives', 'comm', 'communication', 'nccl', 'rccl', 'hccl'],
    step: ['iteration', 'iter'],
    ranges: ['range', 'nvtx', 'annotation', 'annotations', 'marker'],
    api: ['launch', 'call'],
    queue: ['delay', 'launch_delay'],
    mean: ['avg', 'average'],
    share: ['percent', 'percentage', '%'],
    count: ['number', 'calls', 'launches', 'n'],
    bound: ['roofline', 'limiter'],
    peak: ['utilization', 'utilisation', 'efficiency', 'mfu'],
  }).flatMap(([keys, words]) => words.map((word) => [word, keys.split(',')] as const)),
);

/** The key that a word probably means, by `COLUMN_WORDS`, or else the nearest key; null if none is likely. */
export const meantKey = (word: string, keys: readonly string[]): string | null =>
  COLUMN_WORDS.get(word.toLowerCase())?.find((key) => keys.includes(key)) ?? nearest(word, keys);

function refuse(key: string, keys: readonly string[]): never {
  const near = meantKey(key, keys);
  throw new UsageError(`unknown column '${key}'`, near === null ? '--columns lists them' : `did you mean ${near}?`);
}

/**
 * Splits a comma-separated list of keys.
 * @param option the option with the list, for messages
 * @throws UsageError when the list is empty
 */
export function splitKeys(option: string, list: string): string[] {
  const keys = list.split(',').map((key) => key.trim());
  if (keys.every((key) => key === '')) throw new UsageError(`${option} needs a column`, '--columns lists them');
  return keys;
}

/** How values of a column are formatted. */
export type ColumnFormat = Pick<ColumnShape, 'type' | 'unit' | 'digits' | 'significant' | 'width'>;

/** A column of strings. @param width 0 to share the width that other columns leave */
export const str = (width: number): ColumnFormat => ({ type: 'str', width });

/** A column of whole numbers. */
export const int = (width: number, unit?: ColumnShape['unit']): ColumnFormat => ({
  type: 'int',
  width,
  ...(unit === undefined ? {} : { unit }),
});

/** @param digits decimals; all of them by default */
export const real = (width: number, digits?: number, unit?: ColumnShape['unit']): ColumnFormat => ({
  ...int(width, unit),
  type: 'real',
  ...(digits === undefined ? {} : { digits }),
});

/** Makes a column. `doc` is its line for help and docs; `more` has the fields that are rarely needed. */
export const column = <Row>(
  key: string,
  header: string,
  format: ColumnFormat,
  doc: string,
  value: Column<Row>['value'],
  more: Partial<Column<Row>> = {},
): Column<Row> => ({ key, header, ...format, doc, value, ...more });

/** Makes a column whose value is never unknown, which the type of `value` guarantees. */
export const knownColumn = <Row>(
  key: string,
  header: string,
  format: ColumnFormat,
  doc: string,
  value: (row: Row) => NonNullable<CellValue>,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({ ...column(key, header, format, doc, value, more), known: true });

/** Marks columns whose values come from the op's formula instead of the record. */
export const derived = <Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns.map((column) => ({ ...column, derived: true }));

/** The raw value of a cell: base units, unrounded, null for unknown. */
export type CellValue = number | string | readonly (number | string)[] | null;

/** A column without access to its rows. */
export interface ColumnShape {
  /** Name of the column in JSON and in lists of columns. */
  readonly key: string;
  /** Name of the column in all other formats. */
  readonly header: string;
  /** Replaces a header that is wider than the column. */
  readonly narrowHeader?: string;
  readonly unit?: 'ns' | 'us' | 's' | 'bytes' | 'MiB' | 'FLOP' | 'FLOP/s' | 'FLOP/B' | 'TFLOP/s' | 'GB/s' | '%';
  /** Type of the values. A real number has a fixed number of digits in text, and all digits in CSV and JSON. */
  readonly type: 'int' | 'real' | 'str';
  /** Whether some values of a column of strings are numbers, such as those of steps that have a number. */
  readonly hasNumbers?: true;
  /** Whether its strings are right-aligned, like numbers. */
  readonly toTheRight?: boolean;
  /** Decimals of a real number in text. */
  readonly digits?: number;
  /** Significant digits of a real number in text, instead of `digits`. */
  readonly significant?: number;
  /** Whether text has a plus sign for positive values. */
  readonly signed?: boolean;
  /** Width in characters in the columns format; columns of width 0 share the width that the others leave. */
  readonly width: number;
  /** True when the value comes from the op's formula instead of the record. */
  readonly derived?: boolean;
  /** Whether screens and Markdown reports omit the column. */
  readonly machineOnly?: boolean;
  /**
   * Whether its strings are fixed words of this program and not names from the profiled one, so that Markdown needs no
   * escapes.
   */
  readonly vocabulary?: boolean;
  /** Present when no value is ever unknown. */
  readonly known?: true;
  /** One line for help and docs. */
  readonly doc: string;
  /** Element type of values that are lists; `type` is `str` then, because a list of numbers is not a number. */
  readonly list?: 'int' | 'str';
  /** The list separator in text; ',' by default. */
  readonly separator?: string;
  /** Text appended to a list that is not empty. */
  readonly suffix?: string;
}

/** A column with access to its rows. */
export interface Column<Row> extends ColumnShape {
  value(row: Row): CellValue;
  /**
   * Text in readable tables, if it is shorter than the full text. The width is infinite for tables that shorten strings
   * themselves.
   */
  narrow?(row: Row, width: number): string;
  /** Whether the value is a rate above the device's peak; text then shows `!`. */
  impossible?(row: Row): boolean;
  /** Whether Markdown prints the text in bold; for columns with this program's own words. */
  emphasis?(row: Row): boolean;
}

/** The fields of a column that do not access its rows. */
export const shapeOf = <Row>(column: Column<Row>): ColumnShape =>
  Object.fromEntries(
    Object.entries(column).filter(([, field]) => typeof field !== 'function'),
  ) as unknown as ColumnShape;

/** Shown as text instead of a rate above the device's peak, which is an error in the counting. */
const IMPOSSIBLE = '!';

/** The readable value: `!` for a rate that the device cannot reach. */
export const shownValue = <Row>(column: Column<Row>, row: Row): CellValue =>
  column.impossible?.(row) === true ? IMPOSSIBLE : column.value(row);

/** Whether values are numbers: compared numerically, sorted largest first, right-aligned. */
export const isNumeric = ({ type }: ColumnShape): boolean => type !== 'str';

export const isToTheRight = (column: ColumnShape): boolean => isNumeric(column) || column.toTheRight === true;

/** An infinite number or NaN, as DuckDB and most readers of numbers write it. */
const notFinite = (value: number): string => (Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf');

function numberText({ digits, significant, signed }: ColumnShape, value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const text =
    significant !== undefined
      ? String(Number(value.toPrecision(significant)))
      : digits === undefined
        ? String(value)
        : value.toFixed(digits);
  return signed === true ? withSign(text) : text;
}

/** `+1.5`, `-1.5`; a value that rounds to 0 has no sign. */
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

/** A column over rows that contain the given column's rows as a part. */
export function nestedColumn<Part, Row>(column: Column<Part>, part: (row: Row) => Part): Column<Row> {
  const shape: ColumnShape = column;
  const value = (row: Row): CellValue => column.value(part(row));
  return {
    ...shape,
    value,
    ...(column.narrow === undefined
      ? {}
      : { narrow: (row: Row, width: number) => column.narrow?.(part(row), width) ?? textOf(column, value(row)) }),
    ...(column.impossible === undefined ? {} : { impossible: (row: Row) => column.impossible?.(part(row)) === true }),
    ...(column.emphasis === undefined ? {} : { emphasis: (row: Row) => column.emphasis?.(part(row)) === true }),
  };
}
