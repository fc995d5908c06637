/** The table formats, and the implementation of the short ones. Help, docs and completion use the list at the end. */
import { requireNamed } from '../record/errors.js';
import { markdown } from './markdown.js';
import { fitted } from './fitted-table.js';
import { table } from './framed-table.js';
import { columns, type Format } from './columns.js';
import type * as CsvStringify from 'csv-stringify/sync';
import { lateLibrary } from '../containers/late-library.js';
import { textOf, shownValue, rowObject, type ColumnShape, type CellValue } from '../table/column.js';
import { csvText } from '../table/csv-cell.js';
import { jsonOf } from '../record/control-characters.js';
import { cellText, word } from './cell-text.js';

const parquet: Format = {
  id: 'parquet',
  title: 'Parquet, for DuckDB, pandas and Spark: column keys, raw values, null for unknown; with -o FILE',
  binary: true,
  // Loading the library takes longer than computing most reports.
  load: async () => {
    const { openParquet } = await import('./parquet/parquet-rows.js');
    return { ...parquet, open: openParquet };
  },
  open() {
    throw new TypeError('parquet is loaded before it is opened');
  },
};

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

const json: Format = {
  id: 'json',
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
  typeof value === 'number' ? String(value) : csvText(textOf(column, value));

/** All output formats of tables, in help order. */
export const FORMATS: readonly Format[] = [columns, csv, space, json, table, fitted, markdown, parquet];

/**
 * The output format with an id.
 * @throws UsageError that suggests the nearest format
 */
export const requireFormat = (id: string): Format => requireNamed('format', id, FORMATS, (format) => format.id);

/** The format with its library loaded, ready to be opened. */
export const loadFormat = async (format: Format): Promise<Format> => (await format.load?.()) ?? format;
