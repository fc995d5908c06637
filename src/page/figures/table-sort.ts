/** Sorts cells of a table, filters rows by words, and formats rows as CSV. */
import { UNKNOWN } from '../../record/units.js';
import { elementAt } from '../../containers/element.js';
import { csvText, needsQuotes } from '../../table/csv-cell.js';
import { shortenedTexts } from '../../table/shortened-texts.js';
import type { DisplayUnit } from '../document/units.js';

/** Base units of the raw numbers. */
const BASE_UNITS: Readonly<Partial<Record<DisplayUnit, string>>> = {
  ...{ ns: 'ns', bytes: 'bytes', memory: 'bytes', 'bytes/s': 'bytes/s' },
  ...{ flop: 'FLOP', 'flop/s': 'FLOP/s', 'flop/byte': 'FLOP/byte', share: 'fraction of 1' },
};

/** The source of a column's copied cells. */
export interface CopiedColumn<Row> {
  readonly title: string;
  readonly unit?: DisplayUnit;
  /** Whether its strings are sentences, which are never cut. */
  readonly isProse?: boolean;
  readonly cell: (row: Row) => TableCell;
  /** The text that is copied, when it is more than the visible one. */
  readonly copied?: (row: Row) => TableCell;
}

function headOf({ title, unit }: Pick<CopiedColumn<never>, 'title' | 'unit'>): string {
  const base = unit === undefined ? undefined : BASE_UNITS[unit];
  return base === undefined || title === base ? title : `${title} (${base})`;
}

/** RFC 4180: quotes around cells that need them, with quotes inside doubled. */
const quoted = (text: string): string => (needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text);

const cellText = (cell: TableCell): string =>
  typeof cell === 'number' ? String(cell) : quoted(csvText(cell ?? UNKNOWN));

/** A header line, and one line for each row. Numbers have all their digits; unknown is `na`. Lines end with LF. */
export function csvOf<Row>(columns: readonly CopiedColumn<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => quoted(csvText(headOf(column)))),
    ...rows.map((row) => columns.map(({ cell, copied = cell }) => cellText(copied(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}

type TableCell = string | number | null;

const byText = new Intl.Collator('en', { numeric: true });

/** Compares cells: numbers by value, strings alphabetically (numbers in them by value), unknown last in both directions. */
export function compareCells(a: TableCell, b: TableCell, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const sign = descending ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * byText.compare(String(a), String(b));
}

/** Rows sorted by a cell; rows with equal cells keep their order. */
export function sortedRows<Row>(rows: readonly Row[], cell: (row: Row) => TableCell, descending: boolean): Row[] {
  return [...rows].sort((a, b) => compareCells(cell(a), cell(b), descending));
}

/** Rows that contain every word of the filter in some text, ignoring case. */
export function filteredRows<Row>(
  rows: readonly Row[],
  texts: (row: Row) => readonly TableCell[],
  filter: string,
): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...rows];
  return rows.filter((row) => {
    const text = texts(row).join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * Maximum number of characters of a string in the first column and in others: two and three lines at the widths in the
 * style sheet.
 */
const [MOST_OF_NAME, MOST_OF_TEXT] = [72, 60];

/** For each column: its long strings, and how they are shown, cut where they agree. */
export type ShortTexts = readonly ReadonlyMap<string, string>[];

export function shortTextsOf<Row>(columns: readonly CopiedColumn<Row>[], rows: readonly Row[]): ShortTexts {
  return columns.map(({ unit, cell, isProse = false }, i) => {
    const most = i === 0 ? MOST_OF_NAME : MOST_OF_TEXT;
    const texts = unit === undefined && !isProse ? [...new Set(rows.map((row) => String(cell(row) ?? '')))] : [];
    const short = texts.some((text) => text.length > most) ? shortenedTexts(texts, most) : texts;
    return new Map(texts.flatMap((text, at) => (text === short[at] ? [] : [[text, elementAt(short, at)] as const])));
  });
}
