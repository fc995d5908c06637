/** Options that several commands share: files that belong to a profile, the width of the output, columns of tables. */
import { requireNamed, UsageError } from '../record/errors.js';
import { parseSortKeys, SortedOutput } from '../prof/query/sort.js';
import { meantKey, splitKeys, type AnyTable, type Column } from '../table/column.js';
import { aligned } from '../write/cell-text.js';
import { FORMATS } from '../write/formats.js';
import { integer, type Arguments, type Option } from './arguments.js';
import { terminalWidth } from './output.js';

/** Options of dparse for reading a profile. */
export const NEFF_OPTION: Option = {
  name: 'neff',
  takes: 'FILE',
  help: 'Neuron: the program (default: next to the trace)',
};
export const CAPTURE_OPTION: Option = {
  name: 'capture',
  takes: 'PATH',
  help: 'graph captures (default: capture_traces/)',
};
export const NCU_OPTION: Option = { name: 'ncu', takes: 'FILE', help: 'kernel counters: an Nsight Compute CSV' };
export const READING_OPTIONS = [NEFF_OPTION, CAPTURE_OPTION, NCU_OPTION] as const;

export const READING_NAMES = READING_OPTIONS.map(({ name }) => name);

/** Width of readable output. */
export const WIDTH_OPTION: Option = {
  name: 'width',
  short: 'w',
  takes: 'N',
  help: 'no line wider than N (the terminal)',
};

/** Maximum characters of a line; a whole line is kept in memory. */
const WIDEST = 10_000;
/** Minimum width, because a name, its value and the mark of a cut need some room. */
const NARROWEST = 20;

/**
 * Maximum number of characters in a line of the output: from `-w`, or else the width of the terminal; null for no
 * limit.
 * @param format the requested format
 * @throws UsageError for anything but a number, and for a format without a width
 */
export function widthOf(given: Arguments): number | null {
  const width = given.read('width', (text) => integer('-w', text, NARROWEST, WIDEST));
  const format = given.text('format');
  if (width !== undefined && format !== undefined && format !== 'text' && format !== 'fitted')
    throw new UsageError(`-w cannot be combined with -f ${format}`, '-f fitted has a width');
  return width ?? terminalWidth(given.text('output'));
}

/** Kernels by their columns. */
export const WHERE_OPTION: Option = {
  name: 'where',
  takes: 'EXPR',
  help: 'only kernels that match, e.g. op==conv2d && sil>9',
};

/** Options that select columns and rows of a table, with messages for commands that write no table. */
export const TABLE_NAMES: readonly string[] = ['cols', 'c', 'sort', 'top'];

/** Options that select columns, order and rows of a command's table. @param keys keys of its columns */
export const tableOptions = (keys: readonly string[]): readonly Option[] => [
  columnsOption(keys),
  sortOption(keys),
  TOP_OPTION,
];

/** The columns of a table. */
export const columnsOption = (keys: readonly string[]): Option => ({
  ...{ name: 'cols', short: 'c', takes: 'COLS', values: keys, list: true },
  help: 'columns of the table, comma-separated',
});

/** The order of a table. */
export const sortOption = (keys: readonly string[]): Option => ({
  ...{ name: 'sort', takes: 'COLS', values: keys, list: true },
  help: 'numbers largest first, text A to Z; +COL up, -COL down',
});
/** Paragraph of the help with the columns of a table. */
export const columnNotes = (
  title: string,
  columns: readonly { readonly key: string; readonly doc: string }[],
): string[] => [title, ...aligned(columns.map(({ key, doc }) => [`  ${key}`, doc]))];

export const TOP_OPTION: Option = { name: 'top', takes: 'N', help: 'only the first N rows' };

/** The columns, order and rows that the user selected. */
export interface TableChoice {
  /** A format of tables. */
  readonly format: string;
  /** The selected columns and rows. */
  of(table: AnyTable): AnyTable;
}

interface TableRequest {
  readonly format: string;
  readonly width: number | null;
  /** Formats that have no columns. */
  readonly documents?: readonly string[];
  /** Whether `--top` has another meaning in text. */
  readonly hasTextTop?: boolean;
  /** Keys of the columns that come first on a terminal, where not all have room. */
  readonly first?: readonly string[];
}

/** Columns that say which profile a row is about. */
const PLACES: ReadonlySet<string> = new Set(['profile', 'file', 'rank', 'device']);

/** The order of columns on a terminal: places that all rows share come last, because they do not distinguish any. */
function forTerminal({ columns }: AnyTable, rows: readonly unknown[], first: readonly string[]): AnyTable['columns'] {
  const orderOf = (column: AnyTable['columns'][number]): number => {
    if (!PLACES.has(column.key)) return first.indexOf(column.key) + 1 || first.length + 1;
    const values = new Set(rows.map((row) => column.value(row)));
    return values.size > 1 ? 0 : first.length + 2;
  };
  const orders = new Map(columns.map((column) => [column, orderOf(column)]));
  return [...columns].sort((a, b) => (orders.get(a) ?? 0) - (orders.get(b) ?? 0));
}

/**
 * The selection of `-c`, `--sort` and `--top`; null when none is given. With a selection, the table is written instead
 * of the text.
 * @param columns all columns of the table
 * @throws UsageError that suggests the nearest column, and for a format without columns
 */
export function tableChoice<Row>(
  given: Arguments,
  columns: readonly Column<Row>[],
  { format, width, documents = [], hasTextTop = false, first = [] }: TableRequest,
): TableChoice | null {
  const columnOf = (key: string): Column<Row> => requireNamed('column', key, columns, (column) => column.key, meantKey);
  const shown = given.read('cols', (text) => splitKeys('-c', text).map(columnOf));
  const sort = given.read('sort', (text) => parseSortKeys(text, columnOf));
  const top = given.read('top', (text) => integer('--top', text, 1));
  const isText = !FORMATS.some(({ id }) => id === format);
  const option = shown !== undefined ? '-c' : sort !== undefined ? '--sort' : top !== undefined ? '--top' : null;
  if (option === null || (option === '--top' && hasTextTop && (isText || documents.includes(format)))) return null;
  if (documents.includes(format) && given.text('format') !== undefined)
    throw new UsageError(`${option} cannot be combined with -f ${format}`, '-f csv has columns');
  return {
    format: !isText ? format : width === null ? 'space' : 'fitted',
    of: (table) => {
      const sorted = new SortedOutput<Row, Row>(sort ?? [], top);
      for (const row of table.rows) sorted.add(row as Row, (packed) => packed);
      const rows = [...sorted.batches()].flat();
      const all = isText && width !== null ? forTerminal(table, rows, first) : table.columns;
      return { columns: shown ?? all, rows };
    },
  };
}

/** Entries of `Tool.unfit` with the same advice for several options. */
export const unfit = (names: readonly string[], way: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, way]));
