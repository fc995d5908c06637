/** Names that users write, looked up; a wrong one is answered with the nearest right one. */
import { nearest, UsageError } from '../record/errors.js';
import { COLUMNS, columnOf, type Column } from './columns.js';

/**
 * The column of that key.
 * @throws UsageError naming the nearest key
 */
export function requireColumn(key: string): Column {
  const column = columnOf(key);
  if (column !== undefined) return column;
  const near = nearest(
    key,
    COLUMNS.map((known) => known.key),
  );
  throw new UsageError(`unknown column '${key}'`, near === null ? '--columns lists them' : `did you mean ${near}?`);
}

/** Columns of a comma-separated list; order and repeats are kept. */
export function chooseColumns(list: string): Column[] {
  const keys = list.split(',').map((key) => key.trim());
  if (keys.every((key) => key === '')) throw new UsageError('-c names no column', '--columns lists them');
  return keys.map(requireColumn);
}
