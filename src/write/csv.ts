/** CSV after RFC 4180, except that lines end in a line feed alone, as tools on Unix expect. */
import { stringify } from 'csv-stringify/sync';
import { textOf } from '../prof/columns.js';
import { clean } from './cell-text.js';
import type { Format } from './format.js';

const OPTIONS = { record_delimiter: '\n' } as const;

export const csv: Format = {
  id: 'csv',
  title: 'comma-separated (RFC 4180, lines end in LF)',
  open({ columns, header }) {
    return {
      head: () => (header ? stringify([columns.map((column) => column.header)], OPTIONS) : ''),
      pack: (row) => stringify([columns.map((column) => clean(textOf(column, column.value(row))))], OPTIONS),
      rows: (packed) => packed.join(''),
      end: () => '',
    };
  },
};
