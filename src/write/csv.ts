/** CSV after RFC 4180, except that lines end in a line feed alone, as tools on Unix expect. csv-stringify writes it. */
import type * as CsvStringify from 'csv-stringify/sync';
import { lateLibrary } from '../containers/late-library.js';
import { textOf, type ColumnShape, type CellValue } from '../table/column.js';
import { csvText } from '../table/csv-cell.js';
import type { Format } from './format.js';

/** Loaded for CSV alone. */
const csvStringify = lateLibrary<typeof CsvStringify>('csv-stringify/sync');

const OPTIONS = { record_delimiter: '\n' } as const;

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

/** Numbers have all their digits: CSV is for programs. */
const cell = (column: ColumnShape, value: CellValue): string =>
  typeof value === 'number' ? String(value) : csvText(textOf(column, value));
