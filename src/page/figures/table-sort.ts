/** Sorting and filtering of the rows of a table. */

export type TableCell = string | number | null;

const byText = new Intl.Collator('en', { numeric: true });

/** Compares cells: numbers by size, texts alphabetically (numbers in them by size), unknown last in either direction. */
export function compareCells(a: TableCell, b: TableCell, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const sign = descending ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * byText.compare(String(a), String(b));
}

/** Rows in order of a cell; rows with equal cells keep their order. */
export function sortedRows<Row>(rows: readonly Row[], cell: (row: Row) => TableCell, descending: boolean): Row[] {
  return [...rows].sort((a, b) => compareCells(cell(a), cell(b), descending));
}

/** Rows that have every word of the filter in some text, ignoring case. */
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
