/** Writes expressions for `--where` that select the rows with given values, such as the kernels of a group. */
import { textOf, type CellValue, type ColumnShape } from '../../table/column.js';
import { UNKNOWN } from '../../record/units.js';

/** Keys that the filter language reads as one word. */
const KEY = /^[A-Za-z]\w*(?::[^\s,()&|"'=<>~!]+)?$/;

const quoted = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;

/** Characters that no argument of a command can carry: half of a surrogate pair, and the one that ends arguments. */
const NOT_IN_ARGUMENTS = /[\p{Surrogate}\0]/u;

/**
 * The condition that holds for the rows with that value in a column and for no others; null where the language has none:
 * for the text `na`, for a list with an entry that contains the separator, and for text that no argument can carry.
 */
export function conditionOf(column: ColumnShape, value: CellValue): string | null {
  const { key, separator = ',', suffix } = column;
  if (!KEY.test(key)) return null;
  if (value === null) return `${key}==${UNKNOWN}`;
  if (typeof value === 'number') return `${key}==${value}`;
  const text = textOf(column, value);
  if (text === UNKNOWN || NOT_IN_ARGUMENTS.test(text)) return null;
  const equal = `${key}==${quoted(text)}`;
  if (typeof value === 'string') return equal;
  // The suffix distinguishes the text of the list from those of its entries.
  if (suffix !== undefined) return equal;
  if (value.some((entry) => String(entry).includes(separator))) return null;
  // A list also equals each of its entries.
  return value.length === 1 ? `${equal} && ${key}!~${quoted(separator)}` : equal;
}

/**
 * The condition that holds for the rows whose text in a column is, or contains, a text; also for lists with such an entry.
 * Null where the language has none.
 */
export const conditionOnText = ({ key }: ColumnShape, sign: '==' | '~', text: string): string | null =>
  !KEY.test(key) || text === UNKNOWN || NOT_IN_ARGUMENTS.test(text) ? null : `${key}${sign}${quoted(text)}`;

/** Conditions that all hold. @param within an expression that holds as well; undefined for none */
export const joinedConditions = (conditions: readonly string[], within?: string): string =>
  [...(within === undefined ? [] : [`(${within})`]), ...conditions].join(' && ');

/**
 * The expression that selects the rows with these values.
 * @param within an expression that they also match; undefined for none
 */
export function expressionOf(
  columns: readonly ColumnShape[],
  values: readonly CellValue[],
  within?: string,
): string | null {
  const conditions = columns.map((column, i) => conditionOf(column, values[i] ?? null));
  const known = conditions.filter((condition) => condition !== null);
  return known.length < conditions.length ? null : joinedConditions(known, within);
}
