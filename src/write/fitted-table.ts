/**
 * Tables for a terminal: no line is wider than it, amounts have units that people read, and long names lose the part in
 * which they agree. Columns that do not fit even with short names are left out, and named.
 */
import { escapeControls } from '../record/control-characters.js';
import { elementAt } from '../containers/element.js';
import { groupsOf } from '../containers/map-entry.js';
import { isToTheRight, shownValue, textOf, type Column, type ColumnShape, type CellValue } from '../table/column.js';
import { inAmounts } from '../table/readable.js';
import { cells, cut } from './cell-text.js';
import type { Format, Packed } from './columns.js';

/** Between columns. */
const GAP = '  ';
/** Characters that the first column, which says what a row is, and any other of texts have at least, unless these are shorter. */
const [LEAST_NAME, LEAST_TEXT] = [24, 16];
/** Rows that decide the widths; those that come later are cut to them. */
const SAMPLED = 1000;
/** Characters of a column of texts at least where more rows follow: the first ones may all be `na`. */
const LEAST_LATER = 8;
const CUT = '…';
/** Width where none is given. */
const DEFAULT = 80;

/** How the columns that are shown are laid out. */
interface Plan {
  /** Number of columns shown: the first ones. */
  readonly count: number;
  readonly widths: readonly number[];
}

/**
 * Widths of the first columns that fit a line. Numbers have the width that they need; texts share what is left, so that
 * as few as possible are cut.
 * @param natural width that each column needs to show all of its texts
 * @param least width that each column has at least
 */
export function planColumns(natural: readonly number[], least: readonly number[], width: number): Plan {
  let count = 0;
  let used = 0;
  while (count < least.length) {
    const more = elementAt(least, count) + (count > 0 ? GAP.length : 0);
    if (count > 0 && used + more > width) break;
    used += more;
    count++;
  }
  return { count, widths: shared(natural.slice(0, count), least.slice(0, count), width - used) };
}

/** Widths of texts, raised together until nothing is left: the narrow ones are whole first. */
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

/**
 * Texts of at most `width` cells each, marked where they are cut: at the end, or in the part that they share when the cut
 * would make different texts equal. Texts that differ in two places far apart end in a number instead, as `gemm…~2`, so that
 * different texts never look alike where the width has room for the number.
 */
export function shortenedTexts(texts: readonly string[], width: number): string[] {
  const short = new Map<string, string>();
  const shorten = (alike: readonly string[]): void => {
    const shared = sharedPrefix(alike);
    for (const [shortened, group] of groupsOf(alike, (text) => withoutShared(text, shared, width))) {
      // Those that share more than all of them do differ further on; texts with equal ends get a number below.
      if (group.length > 1 && group.length < alike.length) shorten(group);
      else for (const text of group) short.set(text, shortened);
    }
  };
  const long = [...new Set(texts)].filter((text) => cells(text) > width);
  for (const [begin, group] of groupsOf(long, (text) => cut(text, width - 1))) {
    if (group.length > 1) shorten(group);
    else short.set(elementAt(group, 0), begin + CUT);
  }
  numberAlike(short, new Set(texts.filter((text) => !short.has(text))), width);
  return texts.map((text) => short.get(text) ?? text);
}

/**
 * Numbers the shortened texts that are equal to another text, from the second on.
 * @param taken texts that are shown whole
 */
function numberAlike(short: Map<string, string>, taken: Set<string>, width: number): void {
  const numbers = new Map<string, number>();
  for (const [text, first] of short) {
    let shown = first;
    while (taken.has(shown)) {
      const number = (numbers.get(first) ?? 1) + 1;
      numbers.set(first, number);
      const mark = `${CUT}~${number}`;
      if (mark.length > width) break;
      shown = cut(first, width - mark.length).replace(/…$/, '') + mark;
    }
    taken.add(shown);
    short.set(text, shown);
  }
}

function sharedPrefix(texts: readonly string[]): number {
  const [first = '', ...others] = texts;
  return others.reduce((length, text) => {
    let same = 0;
    while (same < length && text[same] === first[same]) same++;
    return same;
  }, first.length);
}

/** A third of the beginning, and what comes where the text differs from others that begin like it. */
function withoutShared(text: string, shared: number, width: number): string {
  const head = cut(text, Math.floor((width - 2) / 3));
  const tail = text.slice(shared);
  const room = width - cells(head) - 1;
  return head + CUT + (cells(tail) <= room ? text.slice(-room) : cut(tail, room - 1) + CUT);
}

/** Names of columns without their unit, which each value has. */
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

/** Three significant digits, of percentages one after the point, so that they stand below each other. */
function rounded(value: number, unit: ColumnShape['unit']): string {
  if (unit === '%') return value.toFixed(1);
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** Lines of a table whose rows are all there. */
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

  /** Names of columns that do not fit, once there are rows. */
  get leftOut(): readonly string[] {
    return this.columns.slice(this.#plan?.count ?? this.columns.length).map(({ key }) => key);
  }

  lines(rows: readonly (readonly string[])[]): string[] {
    const isFirst = this.#plan === null;
    const plan = (this.#plan ??= this.#planOf(rows));
    const shown = plan.widths.map((width, i) => {
      const texts = rows.map((row) => elementAt(row, i));
      // A number is never cut: the rest would be another number.
      return elementAt(this.#right, i) ? texts : shortenedTexts(texts, width);
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
    const least = natural.map((size, i) =>
      elementAt(this.#right, i) || elementAt(this.columns, i).vocabulary === true
        ? size
        : Math.min(size, Math.max(i === 0 ? LEAST_NAME : LEAST_TEXT, headerOf(elementAt(this.columns, i)).length)),
    );
    return planColumns(natural, least, this.width);
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

/** The last line: which columns have no room, as many names as fit. */
function leftOutLine(keys: readonly string[], width: number): string {
  const lineOf = (count: number): string => {
    const more = keys.length - count;
    return `# no room for ${keys.slice(0, count).join(', ')}${more > 0 ? ` and ${more} more` : ''}: -f csv has all`;
  };
  let count = keys.length;
  while (count > 1 && lineOf(count).length > width) count--;
  return lineOf(count);
}

/** The lines of a table whose rows are all there; the last one names columns without room. */
export function fittedLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const sheet = new FittedSheet(columns, width, true);
  const lines = sheet.lines(rows.map((row) => columns.map((column) => cellOf(column, row))));
  return sheet.leftOut.length > 0 && rows.length > 0 ? [...lines, leftOutLine(sheet.leftOut, width)] : lines;
}

/** The default on a terminal. */
export const fitted: Format = {
  id: 'fitted',
  title: 'fitted to -w or the terminal, for people (the default there)',
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
