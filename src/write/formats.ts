/** The table formats, and the implementation of most of them. Help, docs and completion use the list at the end. */
import { requireNamed } from '../record/errors.js';
import { markdown } from './markdown.js';
import { fitted, leastWidths, leftOutLine, planColumns } from './fitted-table.js';
import { columns, type Format } from './columns.js';
import type * as CsvStringify from 'csv-stringify/sync';
import { lateLibrary } from '../containers/late-library.js';
import {
  textOf,
  shownValue,
  rowObject,
  type ColumnShape,
  type CellValue,
  isToTheRight,
  type Column,
} from '../table/column.js';
import { csvText } from '../table/csv-cell.js';
import { jsonOf, escapeControls } from '../record/control-characters.js';
import { cellText, word } from './cell-text.js';
import type CliTable from 'cli-table3';
import { elementAt } from '../containers/element.js';
import { boundedEntryOf } from '../containers/map-entry.js';
import { withThousands } from '../record/plural.js';
import { cells, cut, shortenedTexts } from '../table/shortened-texts.js';

/** A binary format, whose code is loaded only when it is written: libraries take longer to load than most reports. */
function binaryFormat(id: string, title: string, load: () => Promise<Format['open']>): Format {
  const format: Format = {
    ...{ id, title },
    binary: true,
    load: async () => ({ ...format, open: await load() }),
    open() {
      throw new TypeError(`${id} is loaded before it is opened`);
    },
  };
  return format;
}

const parquet = binaryFormat(
  'parquet',
  'Parquet, for DuckDB, pandas and Spark: column keys, raw values, null for unknown; with -o FILE',
  async () => (await import('./parquet/parquet-rows.js')).openParquet,
);

const xlsx = binaryFormat(
  'xlsx',
  'a workbook for Excel, LibreOffice and pandas: raw values, empty cells for unknown; with -o FILE',
  async () => (await import('./workbook.js')).openWorkbook,
);

const space: Format = {
  id: 'space',
  title: 'one space between cells, none inside, for awk (the default, except on a terminal)',
  open({ columns, header }) {
    const line = (texts: readonly string[]): string => `${texts.join(' ')}\n`;
    return {
      head: () => (header ? line(columns.map((column) => column.header)) : ''),
      pack: (row) => line(columns.map((column) => cellText(column, shownValue(column, row), word))),
      rows: (packed) => packed.join(''),
      end: () => [],
    };
  },
};

const jsonl: Format = {
  id: 'jsonl',
  title: 'one JSON object per line: column keys, raw values, null for unknown',
  open({ columns }) {
    return {
      head: () => '',
      pack: (row) => `${jsonOf(rowObject(columns, row))}\n`,
      rows: (packed) => packed.join(''),
      end: () => [],
    };
  },
};

/** Its rows are those of `jsonl`; the commands write the envelope around them. */
const json: Format = {
  ...jsonl,
  id: 'json',
  title: 'one JSON document: the objects of jsonl, with the inputs, doubts and what could not be computed',
};

/** Loaded only for CSV. */
const csvStringify = lateLibrary<typeof CsvStringify>('csv-stringify/sync');

const OPTIONS = { record_delimiter: '\n' } as const;

/** CSV as in RFC 4180, but lines end with a line feed only, as Unix tools expect. csv-stringify writes it. */
export const csv: Format = {
  id: 'csv',
  title: 'comma-separated (RFC 4180, lines end in LF)',
  open({ columns, header }) {
    return {
      head: () => (header ? lines([columns.map((column) => column.header)]) : ''),
      pack: (row) => columns.map((column) => cell(column, column.value(row))),
      rows: (packed) => lines(packed as readonly (readonly string[])[]),
      end: () => [],
    };
  },
};

const lines = (rows: readonly (readonly string[])[]): string => csvStringify().stringify(rows as string[][], OPTIONS);

/** Numbers keep all digits, because CSV is for programs. */
const cell = (column: ColumnShape, value: CellValue): string =>
  typeof value !== 'number'
    ? csvText(textOf(column, value))
    : Number.isFinite(value)
      ? String(value)
      : textOf(column, value);

/** Loaded only for a framed table, because it consists of a dozen files. */
const cliTable = lateLibrary<typeof CliTable>('cli-table3');

const WIDEST_CELL = 48;
/** Characters of a line at its edges, and between columns. */
const [EDGES, BETWEEN] = ['│  │'.length, ' │ '.length];
/** Separators between stored cells and rows, which cannot occur in strings because control characters are escaped. */
const [CELL_END, ROW_END] = ['\t', '\n'];

/**
 * A framed table for readers. All rows are held until the end, because a column is as wide as its widest cell. They are
 * held as bytes, which are returned in pieces.
 *
 * cli-table3 draws only the frame and the header, because drawing whole tables takes 34 times the CPU at 1,000 rows
 * (`npm run bench formats`: median of 9 pairs), and more for longer ones.
 */
const table: Format = {
  id: 'table',
  title: 'framed, for reading, at most as wide as -w (holds all rows in memory)',
  open({ columns: all, header, width }) {
    const kept: Buffer[] = [];
    const natural = all.map((column) => (header ? cells(column.header) : 0));
    const long = all.map(() => new LongTexts());
    return {
      head: () => '',
      pack: (row) => all.map((column) => framedCell(column, shownValue(column, row), column.narrow?.(row, Infinity))),
      rows: (packed) => {
        if (packed.length === 0) return '';
        const rows = (packed as readonly (readonly string[])[]).map((row) =>
          row.map((text, i) => {
            natural[i] = Math.max(elementAt(natural, i), Math.min(WIDEST_CELL, cells(text)));
            return isToTheRight(elementAt(all, i)) ? text : elementAt(long, i).keep(text);
          }),
        );
        kept.push(Buffer.from(rows.map((row) => row.join(CELL_END)).join(ROW_END)));
        return '';
      },
      *end() {
        if (kept.length === 0 && !header) return;
        const widths = width === null ? natural : fittingWidths(all, natural, width);
        const columns = all.slice(0, widths.length);
        const { top, bottom } = frame(columns, widths, header, kept.length > 0);
        for (const [i, width] of widths.entries()) elementAt(long, i).shorten(width);
        yield top;
        for (const rows of kept)
          yield rows
            .toString()
            .split(ROW_END)
            .map((row) =>
              line(
                columns,
                widths,
                row.split(CELL_END).map((text, i) => elementAt(long, i).shown(text)),
              ),
            )
            .join('');
        yield bottom;
        const leftOut = all.slice(widths.length).map(({ key }) => key);
        if (leftOut.length > 0 && width !== null) yield `${leftOutLine(leftOut, width)}\n`;
      },
    };
  },
};

/** Widths of the first columns that fit a line between the edges of the frame. */
const fittingWidths = <Row>(columns: readonly Column<Row>[], natural: readonly number[], width: number) =>
  planColumns(
    natural,
    leastWidths(columns, natural, (column) => column.header),
    width - EDGES,
    BETWEEN,
  ).widths;

/** The frame around the rows, taken from the library's frame around one blank row. */
function frame(
  columns: readonly ColumnShape[],
  widths: readonly number[],
  header: boolean,
  rows: boolean,
): { readonly top: string; readonly bottom: string } {
  const framed = new (cliTable())({
    ...(header ? { head: columns.map((column) => column.header) } : {}),
    colAligns: columns.map((column) => (isToTheRight(column) ? 'right' : 'left')),
    colWidths: widths.map((width) => width + 2),
    // Colours would make the text depend on its destination.
    style: { head: [], border: [], compact: true },
  });
  if (rows) framed.push(columns.map(() => ''));
  const lines = framed.toString().split('\n');
  const bottom = lines.pop() ?? '';
  if (rows) lines.pop();
  return { top: lines.map((text) => `${text}\n`).join(''), bottom: `${bottom}\n` };
}

function line(columns: readonly ColumnShape[], widths: readonly number[], texts: readonly string[]): string {
  const framed = widths.map((width, i) => {
    const text = shortened(elementAt(texts, i), width);
    const blanks = ' '.repeat(width - cells(text));
    return isToTheRight(elementAt(columns, i)) ? blanks + text : text + blanks;
  });
  return `│ ${framed.join(' │ ')} │\n`;
}

/** Strings of at most this length are not shortened with the others of their column. */
const SHORT = 8;
/** Maximum number of different long strings of a column that stay different when they are shortened. */
const MOST_LONG = 100_000;
/** Begins a stored cell that is the number of a long string. */
const NUMBERED = '\u0001';

/**
 * The different long strings of a column. They are shortened together, so that those that only differ at their ends stay
 * different.
 */
class LongTexts {
  readonly #numbers = new Map<string, number>();
  #short: readonly string[] = [];

  /** The text as it is stored until the end of the table. */
  keep(text: string): string {
    if (text.length <= SHORT) return text;
    const number = boundedEntryOf(this.#numbers, text, MOST_LONG, () => this.#numbers.size);
    return number === null ? shortened(text, WIDEST_CELL) : NUMBERED + String(number);
  }

  shorten(width: number): void {
    this.#short = shortenedTexts([...this.#numbers.keys()], width);
  }

  shown(stored: string): string {
    return stored.startsWith(NUMBERED) ? elementAt(this.#short, Number(stored.slice(NUMBERED.length))) : stored;
  }
}

/** Quantities have thousands separators. */
function framedCell(column: ColumnShape, value: CellValue, narrow: string | undefined): string {
  if (typeof value === 'number' && column.unit !== undefined) {
    return withThousands(value.toFixed(column.digits ?? 0));
  }
  return escapeControls(narrow ?? textOf(column, value));
}

const shortened = (text: string, width: number): string => (cells(text) <= width ? text : `${cut(text, width - 1)}…`);

/** All output formats of tables, in help order. */
export const FORMATS: readonly Format[] = [columns, csv, space, json, jsonl, table, fitted, markdown, parquet, xlsx];

/**
 * The output format with an id.
 * @throws UsageError that suggests the nearest format
 */
export const requireFormat = (id: string): Format => requireNamed('format', id, FORMATS, (format) => format.id);

/** The format with its library loaded, ready to be opened. */
export const loadFormat = async (format: Format): Promise<Format> => (await format.load?.()) ?? format;
