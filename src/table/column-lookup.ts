/** Columns by the keys that users write; an error names the nearest key. */
import { nearest, UsageError } from '../record/errors.js';
import type { ColumnShape } from './column.js';

/**
 * @param others what the user may have meant that is no column
 * @throws UsageError naming the nearest key
 */
export const requireColumnOf = <C extends ColumnShape>(
  columns: readonly C[],
  key: string,
  others: readonly string[] = [],
): C =>
  columns.find((column) => column.key === key) ?? refuse(key, [...columns.map((column) => column.key), ...others]);

function refuse(key: string, keys: readonly string[]): never {
  const near = nearest(key, keys);
  throw new UsageError(`unknown column '${key}'`, near === null ? '--columns lists them' : `did you mean ${near}?`);
}

/**
 * The keys of a comma-separated list.
 * @param option that the list was given with, for messages
 * @throws UsageError when there are none
 */
export function splitKeys(option: string, list: string): string[] {
  const keys = list.split(',').map((key) => key.trim());
  if (keys.every((key) => key === '')) throw new UsageError(`${option} names no column`, '--columns lists them');
  return keys;
}
