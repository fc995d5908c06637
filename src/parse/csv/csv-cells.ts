/** Cells of CSV files; undefined stands for a column that a file lacks. */
import { nanosecondsAt } from '../json/number-bytes.js';

/** Text of a cell; '' when it is missing. Ascend's times have a tab at the end. */
export const textOfCell = (cell: string | undefined): string => (cell === undefined ? '' : cell.trim());

/** Number in a cell; NaN for `N/A` and an empty one. */
export function numberOfCell(cell: string | undefined): number {
  const text = textOfCell(cell);
  return /^[-+]?(\d|\.\d)/.test(text) ? Number(text) : NaN;
}

/** Microseconds in a cell → ns; NaN when there are none. */
export function microsecondsOfCell(cell: string | undefined): number {
  const bytes = Buffer.from(textOfCell(cell), 'latin1');
  return bytes.length === 0 ? NaN : nanosecondsAt(bytes, 0, bytes.length, 0);
}
