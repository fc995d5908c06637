/**
 * Output formats of tables, and the format with columns of fixed width for the terminal. No line exceeds the given width,
 * including the blanks between columns.
 */
import { escapeControls } from '../record/control-characters.js';
import { UserError } from '../record/errors.js';
import {
  isToTheRight,
  shownValue,
  textOf,
  type Column,
  type ColumnShape,
  type CellValue,
  type AnyTable,
} from '../table/column.js';
import { fitId, fitQuantity } from './cell-text.js';
import { cells, cut } from '../table/shortened-texts.js';

/** A row as its format stores it until it is written. */
export type Packed = string | readonly CellValue[];

/** The columns of a table and its layout. */
export interface Layout<Row> {
  readonly columns: readonly Column<Row>[];
  readonly header: boolean;
  /** Maximum line width, for formats that have one. */
  readonly width: number | null;
}

/** A table that is being written: the head, then rows in batches, then the end. */
export interface Sheet<Row> {
  head(): string;
  pack(row: Row): Packed;
  rows(packed: readonly Packed[]): string;
  /** Pieces that depend on all rows; the whole output of a binary format. */
  end(): Iterable<string | Uint8Array>;
}

/** An output format of tables. */
export interface Format {
  readonly id: string;
  readonly title: string;
  /** Whether it is binary and not text. */
  readonly binary?: true;
  /** Loads the format's library and returns the complete format, whose `open` is then used. */
  readonly load?: () => Promise<Format>;
  /** @throws UserError when the columns do not fit the width */
  open<Row>(layout: Layout<Row>): Sheet<Row>;
}

/** Width when none is given. It does not depend on the terminal, so that the same input gives the same bytes. */
export const DEFAULT_WIDTH = 132;
/** Minimum characters of a column without a fixed width. */
const LEAST_FLEXIBLE = 6;

export const columns: Format = {
  id: 'columns',
  title: `fixed-width columns; no line wider than -w (${DEFAULT_WIDTH})`,
  open(layout) {
    const places = placed(layout);
    const line = (texts: readonly string[]): string => `${texts.join(' ').trimEnd()}\n`;
    return {
      head: () => (layout.header ? line(places.map(({ column, width }) => header(column, width))) : ''),
      pack: (row) =>
        line(
          places.map(({ column, width }) => {
            const value = shownValue(column, row);
            const text =
              typeof value === 'number'
                ? fit(column, value, width)
                : (column.narrow?.(row, width) ?? textOf(column, value));
            const fitting = cut(escapeControls(text.length > 4 * width ? text.slice(0, 4 * width) : text), width);
            const blanks = ' '.repeat(width - cells(fitting));
            return isToTheRight(column) ? blanks + fitting : fitting + blanks;
          }),
        ),
      rows: (packed) => (packed as readonly string[]).join(''),
      end: () => [],
    };
  },
};

/** A real number has its fixed digits when they fit. */
function fit(column: ColumnShape, value: number, width: number): string {
  if (column.type !== 'real') return column.unit === undefined ? fitId(value, width) : fitQuantity(value, width);
  const text = textOf(column, value);
  return text.length <= width ? text : fitQuantity(value, width);
}

interface PlacedColumn<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

/**
 * Minimum width of the columns, including the blanks between them.
 * @param names characters that columns without a fixed width need together, if more than their minimum
 */
export function leastWidth(columns: readonly ColumnShape[], names = 0): number {
  const flexible = columns.filter(({ width }) => width === 0).length;
  const fixed = columns.reduce((sum, { width }) => sum + width, columns.length - 1);
  return fixed + Math.max(LEAST_FLEXIBLE * flexible, flexible > 0 ? names : 0);
}

/**
 * The first columns that fit a width; at least one.
 * @param width null for the default
 * @param names characters that columns without a fixed width need together
 */
export function fittingColumns<Shape extends ColumnShape>(
  columns: readonly Shape[],
  width: number | null,
  names = 0,
): readonly Shape[] {
  let count = columns.length;
  while (count > 1 && leastWidth(columns.slice(0, count), names) > (width ?? DEFAULT_WIDTH)) count--;
  return columns.slice(0, count);
}

/** Widths of the selected columns: flexible columns share the width that the fixed ones leave. */
function placed<Row>({ columns: chosen, width }: Layout<Row>): PlacedColumn<Row>[] {
  const total = width ?? DEFAULT_WIDTH;
  const least = leastWidth(chosen);
  if (total < least) {
    throw new UserError(`minimum width for ${chosen.map(({ key }) => key).join(',')} is ${least}`, {
      hint: `-w ${total} is too small; choose others with -c, or a larger -w`,
    });
  }
  const flexible = chosen.filter((column) => column.width === 0).length;
  const rest = total - chosen.reduce((sum, column) => sum + column.width, chosen.length - 1);
  let nth = 0;
  return chosen.map((column) => {
    if (column.width > 0) return { column, width: column.width };
    const share = Math.floor(rest / flexible) + (nth++ < rest % flexible ? 1 : 0);
    return { column, width: share };
  });
}

function header(column: ColumnShape, width: number): string {
  const full = column.header.length <= width ? column.header : (column.narrowHeader ?? column.header);
  const text = full.slice(0, width);
  return isToTheRight(column) ? text.padStart(width) : text.padEnd(width);
}

const ROWS_AT_ONCE = 1000;

interface TableLayout {
  readonly header?: boolean;
  /** Maximum width of fixed-width columns; by default as wide as the columns need, and at least the default width. */
  readonly width?: number | null;
}

export function* tableText(
  format: Format,
  { columns, rows }: AnyTable,
  layout: TableLayout = {},
): Generator<string | Uint8Array> {
  const { header = true, width = Math.max(DEFAULT_WIDTH, leastWidth(columns)) } = layout;
  const sheet = format.open({ columns, header, width });
  yield sheet.head();
  let packed: Packed[] = [];
  for (const row of rows) {
    if (packed.push(sheet.pack(row)) < ROWS_AT_ONCE) continue;
    yield sheet.rows(packed);
    packed = [];
  }
  yield sheet.rows(packed);
  yield* sheet.end();
}
