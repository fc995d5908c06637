/** Tables as CSV: raw numbers, with their units in the heads, for spreadsheets and programs. */
import { UNKNOWN } from '../../record/units.js';
import { csvText, needsQuotes } from '../../table/csv-cell.js';
import type { DisplayUnit } from '../document/units.js';
import type { TableCell } from './table-sort.js';

/** Base units, which the raw numbers are in. */
const BASE_UNITS: Readonly<Partial<Record<DisplayUnit, string>>> = {
  ...{ ns: 'ns', bytes: 'bytes', memory: 'bytes', 'bytes/s': 'bytes/s' },
  ...{ flop: 'FLOP', 'flop/s': 'FLOP/s', 'flop/byte': 'FLOP/byte', share: 'fraction of 1' },
};

/** What a column's cells are copied from. */
export interface CopiedColumn<Row> {
  readonly title: string;
  readonly unit?: DisplayUnit;
  readonly cell: (row: Row) => TableCell;
  /** The text that is copied, where it is more than the one that is shown. */
  readonly copied?: (row: Row) => TableCell;
}

function headOf({ title, unit }: Pick<CopiedColumn<never>, 'title' | 'unit'>): string {
  const base = unit === undefined ? undefined : BASE_UNITS[unit];
  return base === undefined || title === base ? title : `${title} (${base})`;
}

/** RFC 4180: quotes around what needs them, and each quote within twice. */
const quoted = (text: string): string => (needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text);

const cellText = (cell: TableCell): string =>
  typeof cell === 'number' ? String(cell) : quoted(csvText(cell ?? UNKNOWN));

/** A line of heads and a line a row. Numbers have all their digits; unknown is `na`. Lines end in LF. */
export function csvOf<Row>(columns: readonly CopiedColumn<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => quoted(csvText(headOf(column)))),
    ...rows.map((row) => columns.map(({ cell, copied = cell }) => cellText(copied(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}
