/** Lines of cells under each other: no frames, columns two blanks apart, numbers to the right. For people and awk. */
import { cells, clean } from '../write/cell-text.js';

/**
 * @param right columns whose cells stand to the right, by number. The last cell of a row ends it: it may be of any width.
 */
export function aligned(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const safe = rows.map((row) => row.map(clean));
  const widths: number[] = [];
  for (const row of safe) {
    row.slice(0, -1).forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cells(cell))));
  }
  return safe.map((row) =>
    row
      .map((cell, i) => {
        if (i === row.length - 1) return cell;
        const blanks = ' '.repeat((widths[i] ?? 0) - cells(cell));
        return right.has(i) ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd(),
  );
}
