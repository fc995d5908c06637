/** Lines of cells under each other: no frames, columns two blanks apart, numbers to the right. For people and awk. */
import { legible } from '../record/control-characters.js';
import { isToTheRight, shownValue, textOf, type Column } from '../table/column.js';
import { elementAt } from '../containers/element.js';
import { cells } from './cell-text.js';

/** @param right columns whose cells are right-aligned, by number; the last cell of a row is never padded */
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

/** A table as aligned lines; `header` false leaves the header line out. */
export function alignedTable<Row>(columns: readonly Column<Row>[], rows: Iterable<Row>, header = true): string[] {
  const right = new Set(columns.flatMap((column, i) => (isToTheRight(column) ? [i] : [])));
  // A last column of numbers is padded too: an empty cell after it ends the row.
  const last = columns.at(-1);
  const end = last !== undefined && isToTheRight(last) ? [''] : [];
  const lines = [...rows].map((row) => [...columns.map((column) => textOf(column, shownValue(column, row))), ...end]);
  return aligned(header ? [[...columns.map((column) => column.header), ...end], ...lines] : lines, right);
}
