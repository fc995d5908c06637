/**
 * Tables for a terminal: no line is wider than the terminal, amounts have readable units, and long names lose the part
 * in which they agree. Columns that do not fit even with short names are left out, and named.
 */
import { escapeControls } from '../record/control-characters.js';
import { elementAt } from '../containers/element.js';
import { groupsOf } from '../containers/map-entry.js';
import { isToTheRight, shownValue, textOf, type Column, type ColumnShape, type CellValue } from '../table/column.js';
import { inAmounts } from '../table/readable.js';
import { cells, shortenedTexts } from '../table/shortened-texts.js';
import type { Format, Packed } from './columns.js';

/** Between columns. */
const GAP = '  ';
/**
 * Minimum number of characters of the first column, which identifies a row, and of any other text column, unless its
 * strings are shorter.
 */
const [LEAST_NAME, LEAST_TEXT] = [24, 16];
/** Number of rows that determine the widths. Strings of later rows are cut to these widths. */
const SAMPLED = 1000;
/** Minimum number of characters of a text column if more rows follow, because the first ones may all be `na`. */
const LEAST_LATER = 8;
/** Width when none is given. */
const DEFAULT = 80;

/** Layout of the columns that are shown. */
interface Plan {
  /** Number of columns shown: the first ones. */
  readonly count: number;
  readonly widths: readonly number[];
}

/**
 * Widths of the first columns that fit a line. Numbers have the width that they need. Strings share the rest, so that as
 * few as possible are cut.
 * @param natural width that each column needs to show all of its strings
 * @param least minimum width of each column
 * @param gap width between columns
 */
export function planColumns(
  natural: readonly number[],
  least: readonly number[],
  width: number,
  gap = GAP.length,
): Plan {
  let count = 0;
  let used = 0;
  while (count < least.length) {
    const more = elementAt(least, count) + (count > 0 ? gap : 0);
    if (count > 0 && used + more > width) break;
    used += more;
    count++;
  }
  return { count, widths: shared(natural.slice(0, count), least.slice(0, count), width - used) };
}

/** Widths of text columns, increased together until no width is left, so that narrow columns are complete first. */
function shared(natural: readonly number[], least: readonly number[], rest: number): number[] {
  const widths = [...least];
  let left = Math.max(0, rest);
  for (;;) {
    const short = widths.flatMap((width, i) => (width < elementAt(natural, i) ? [i] : []));
    if (short.length === 0 || left === 0) return widths;
    const each = Math.max(1, Math.floor(left / short.length));
    for (const i of short) {
      const more = Math.min(each, left, elementAt(natural, i) - elementAt(widths, i));
      widths[i] = elementAt(widths, i) + more;
      left -= more;
    }
  }
}

/** Names of columns without their unit, because each value has a unit. */
const headerOf = <Row>(column: Column<Row>): string =>
  inAmounts(column).header.replace(/\((?:ns|s|bytes|B|FLOP|GB\/s)\)$/, '');

const cellOf = <Row>(column: Column<Row>, row: Row): string => {
  const amount = inAmounts(column);
  const value: CellValue = shownValue(amount, row);
  const text =
    typeof value === 'number' && amount.type === 'real'
      ? signed(amount, rounded(value, amount.unit))
      : textOf(amount, value);
  return escapeControls(column.narrow?.(row, Infinity) ?? text);
};

const signed = (column: ColumnShape, text: string): string =>
  column.signed === true && Number(text) > 0 ? `+${text}` : text;

/** Three significant digits; percentages have one decimal, so that they are aligned. */
function rounded(value: number, unit: ColumnShape['unit']): string {
  if (unit === '%') return value.toFixed(1);
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** Minimum widths of columns: strings may be cut, but numbers and words of a vocabulary may not. */
export const leastWidths = <Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  headerOf: (column: Column<Row>) => string,
): number[] =>
  columns.map((column, i) => {
    const size = elementAt(natural, i);
    if (isToTheRight(column) || column.vocabulary === true) return size;
    return Math.min(size, Math.max(i === 0 ? LEAST_NAME : LEAST_TEXT, headerOf(column).length));
  });

const INDENT = /^ */;

/** Shortens strings but keeps their indentation, which some have, as in a tree. */
function shortenedTree(texts: readonly string[], width: number): string[] {
  const short = new Map<string, string>();
  for (const [indent, group] of groupsOf(texts, (text) => INDENT.exec(text)?.[0] ?? '')) {
    const room = Math.max(1, width - indent.length);
    const shortened = shortenedTexts(
      group.map((text) => text.slice(indent.length)),
      room,
    );
    group.forEach((text, i) => short.set(text, indent + elementAt(shortened, i)));
  }
  return texts.map((text) => short.get(text) ?? text);
}

/** Lines of a table whose rows are all known. */
class FittedSheet<Row> {
  readonly #right: readonly boolean[];
  #plan: Plan | null = null;

  constructor(
    private readonly columns: readonly Column<Row>[],
    private readonly width: number,
    private readonly hasHeader: boolean,
  ) {
    this.#right = columns.map((column) => isToTheRight(column));
  }

  /** Keys of the columns that do not fit; empty before the first rows. */
  get leftOut(): readonly string[] {
    return this.columns.slice(this.#plan?.count ?? this.columns.length).map(({ key }) => key);
  }

  lines(rows: readonly (readonly string[])[]): string[] {
    const isFirst = this.#plan === null;
    const plan = (this.#plan ??= this.#planOf(rows));
    const shown = plan.widths.map((width, i) => {
      const texts = rows.map((row) => elementAt(row, i));
      // A number is never cut: the rest would be another number.
      return elementAt(this.#right, i) ? texts : shortenedTree(texts, width);
    });
    const body = rows.map((_, at) =>
      this.#line(
        shown.map((texts) => elementAt(texts, at)),
        plan,
      ),
    );
    return isFirst && this.hasHeader ? [this.#line(this.columns.map(headerOf), plan), ...body] : body;
  }

  #planOf(rows: readonly (readonly string[])[]): Plan {
    const natural = this.columns.map((column, i) =>
      rows.reduce(
        (most, row) => Math.max(most, cells(elementAt(row, i))),
        Math.max(
          this.hasHeader ? headerOf(column).length : 0,
          rows.length < SAMPLED || elementAt(this.#right, i) ? 0 : LEAST_LATER,
        ),
      ),
    );
    return planColumns(natural, leastWidths(this.columns, natural, headerOf), this.width);
  }

  #line(texts: readonly string[], { widths }: Plan): string {
    return widths
      .map((width, i) => {
        const text = elementAt(texts, i);
        const blanks = ' '.repeat(Math.max(0, width - cells(text)));
        return elementAt(this.#right, i) ? blanks + text : text + blanks;
      })
      .join(GAP)
      .trimEnd();
  }
}

/** The last line names the columns without room, as many as fit. */
export function leftOutLine(keys: readonly string[], width: number): string {
  const lineOf = (count: number): string => {
    const more = keys.length - count;
    return `# no room for ${keys.slice(0, count).join(', ')}${more > 0 ? ` and ${more} more` : ''}: -f csv shows all`;
  };
  let count = keys.length;
  while (count > 1 && lineOf(count).length > width) count--;
  return lineOf(count);
}

/** The lines of a table whose rows are all known. The last line names columns without room. */
export function fittedLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const sheet = new FittedSheet(columns, width, true);
  const lines = sheet.lines(rows.map((row) => columns.map((column) => cellOf(column, row))));
  return sheet.leftOut.length > 0 && rows.length > 0 ? [...lines, leftOutLine(sheet.leftOut, width)] : lines;
}

/** The default format on a terminal. */
export const fitted: Format = {
  id: 'fitted',
  title: 'fitted to -w or the terminal, for reading (the default on a terminal)',
  open({ columns, header, width }) {
    const sheet = new FittedSheet(columns, width ?? DEFAULT, header);
    let held: (readonly string[])[] = [];
    let isOpen = false;
    const text = (rows: readonly (readonly string[])[]): string =>
      sheet
        .lines(rows)
        .map((line) => `${line}\n`)
        .join('');
    return {
      head: () => '',
      pack: (row): Packed => columns.map((column) => cellOf(column, row)),
      rows: (packed) => {
        const rows = packed as readonly (readonly string[])[];
        if (isOpen) return text(rows);
        held = [...held, ...rows];
        if (held.length < SAMPLED) return '';
        isOpen = true;
        return text(held);
      },
      *end() {
        if (!isOpen && (held.length > 0 || header)) yield text(held);
        if (sheet.leftOut.length > 0) yield `${leftOutLine(sheet.leftOut, width ?? DEFAULT)}\n`;
      },
    };
  },
};
