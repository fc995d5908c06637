/**
 * CSV after RFC 4180, except that lines end in a line feed alone, as tools on Unix expect.
 *
 * csv-stringify quotes the cells that need it, and only those: whole rows given to it take 1.5 times the CPU
 * (`npm run bench formats`: median of 9 pairs, 60,000 rows).
 */
import type * as CsvStringify from 'csv-stringify/sync';
import { elementAt } from '../containers/element.js';
import { lateLibrary } from '../containers/late-library.js';
import { textOf, type ColumnShape, type CellValue } from '../table/column.js';
import { csvText, needsQuotes } from '../table/csv-cell.js';
import type { Format } from './format.js';

/** Loaded for cells that need it alone. */
const csvStringify = lateLibrary<typeof CsvStringify>('csv-stringify/sync');

const OPTIONS = { record_delimiter: '\n', eof: false } as const;

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

/** Numbers have all their digits: CSV is for programs. */
const cell = (column: ColumnShape, value: CellValue): string =>
  typeof value === 'number' ? String(value) : csvText(textOf(column, value));

/** The lines of a batch of rows: the library is given the special cells of all rows at once, since calls of it cost. */
function lines(rows: readonly (readonly string[])[]): string {
  const quoted = quote(rows.flatMap((row) => row.filter(needsQuotes)));
  let next = 0;
  let text = '';
  for (const row of rows) {
    text += row.map((cell) => (needsQuotes(cell) ? elementAt(quoted, next++) : cell)).join(',');
    text += '\n';
  }
  return text;
}

const quote = (cells: readonly string[]): string[] =>
  cells.length === 0
    ? []
    : csvStringify()
        .stringify(
          cells.map((cell) => [cell]),
          OPTIONS,
        )
        .split('\n');
