/** A framed table for people. All rows are held until the end, since a column is as wide as its widest cell. */
import CliTable from 'cli-table3';
import { isNumeric, shown, textOf, type ColumnShape, type Value } from '../prof/columns.js';
import { clean, cut } from './cell-text.js';
import type { Format } from './format.js';

const WIDEST_CELL = 48;

export const table: Format = {
  id: 'table',
  title: 'framed, for people (holds all rows in memory)',
  open({ columns, header }) {
    const kept: string[][] = [];
    return {
      head: () => '',
      pack: (row) => columns.map((column) => cell(column, shown(column, row), column.narrow?.(row))),
      rows: (packed) => {
        for (const cells of packed) kept.push(Array.from(cells));
        return '';
      },
      end: () => {
        const framed = new CliTable({
          ...(header ? { head: columns.map((column) => column.header) } : {}),
          colAligns: columns.map((column) => (isNumeric(column) ? 'right' : 'left')),
          // Colours would make the text depend on where it goes.
          style: { head: [], border: [], compact: true },
        });
        framed.push(...kept);
        return kept.length === 0 && !header ? '' : `${framed.toString()}\n`;
      },
    };
  },
};

/** Quantities with their thousands apart; long texts cut, and marked as such. */
function cell(column: ColumnShape, value: Value, narrow: string | undefined): string {
  if (typeof value === 'number' && column.unit !== undefined) {
    const digits = column.digits ?? 0;
    return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  const text = clean(narrow ?? textOf(column, value));
  const beginning = cut(text, WIDEST_CELL);
  return beginning === text ? text : `${cut(text, WIDEST_CELL - 1)}…`;
}
