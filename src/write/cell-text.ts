/** Formats cell strings: words, strings of a known width, and aligned lines without frames, with numbers on the right. */
import { escapeControls, legible } from '../record/control-characters.js';
import { textOf, isToTheRight, shownValue, type ColumnShape, type CellValue, type Column } from '../table/column.js';
import { elementAt } from '../containers/element.js';
import { cells } from '../table/shortened-texts.js';

/** One word for awk: without blanks, never empty. */
export const word = (text: string): string => {
  return text === '' ? '-' : escapeControls(text.replace(/\s/g, '_'));
};

/** A value's text after `safe`; strings of numbers need no escaping. */
export const cellText = (column: ColumnShape, value: CellValue, safe: (text: string) => string): string =>
  typeof value === 'number' ? textOf(column, value) : safe(textOf(column, value));

/**
 * A quantity in at most `width` characters: in full, or with an exponent and as many digits as fit, or as `#`. A number
 * is never truncated, because that would be a different number.
 */
export function fitQuantity(value: number, width: number): string {
  const full = String(value);
  if (full.length <= width) return full;
  for (let digits = Math.min(width, 15); digits >= 0; digits--) {
    const short = value.toExponential(digits).replace('e+', 'e');
    if (short.length <= width) return short;
  }
  return '#'.repeat(width);
}

/** An id in at most `width` characters: in full or as `#`, because a rounded id is useless. */
export const fitId = (value: number, width: number): string => {
  const full = String(value);
  return full.length <= width ? full : '#'.repeat(width);
};

/** @param right indices of right-aligned columns; the last cell of a row is never padded */
export function aligned(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const safe = rows.map((row) => row.map(legible));
  const widths: number[] = [];
  for (const row of safe) {
    for (const [i, cell] of row.slice(0, -1).entries()) widths[i] = Math.max(widths[i] ?? 0, cells(cell));
  }
  return safe.map((row) =>
    row
      .map((cell, i) => {
        if (i === row.length - 1) return cell;
        const blanks = ' '.repeat(elementAt(widths, i) - cells(cell));
        return right.has(i) ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A table as aligned lines, without the header line if `header` is false. */
export function alignedTable<Row>(columns: readonly Column<Row>[], rows: Iterable<Row>, header = true): string[] {
  const right = new Set(columns.flatMap((column, i) => (isToTheRight(column) ? [i] : [])));
  // A last column of numbers is padded too, by ending the row with an empty cell.
  const last = columns.at(-1);
  const end = last !== undefined && isToTheRight(last) ? [''] : [];
  const lines = [...rows].map((row) => [...columns.map((column) => textOf(column, shownValue(column, row))), ...end]);
  return aligned(header ? [[...columns.map((column) => column.header), ...end], ...lines] : lines, right);
}
