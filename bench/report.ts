/** Figures as text. */

const cells = (row: readonly string[], widths: readonly number[]): string =>
  row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');

/** Rows with the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => cells(row, widths).trimEnd()).join('\n');
}

/** `a` over `b`. */
export const ratio = (a: number | undefined, b: number | undefined): string =>
  a === undefined || b === undefined ? 'na' : (a / b).toFixed(2);
