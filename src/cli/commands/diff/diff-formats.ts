/** A comparison as text, CSV and JSON. */
import { stringify } from 'csv-stringify/sync';
import { DIFF_COLUMNS, type DiffColumn } from '../../../prof/diff/diff-columns.js';
import type { DiffResult } from '../../../prof/diff/comparison.js';
import type { DiffRow, Key } from '../../../prof/diff/diff-row.js';
import { counted } from '../../../record/plural.js';
import { clean } from '../../../write/cell-text.js';
import { aligned } from '../../aligned.js';

/** What every format is given. */
export interface Sheet {
  readonly result: DiffResult;
  /** Keys of the columns that make a row. */
  readonly by: readonly string[];
  /** The rows to write; the result may have more. */
  readonly rows: readonly DiffRow[];
  /** The inputs, then the method. */
  readonly heading: readonly string[];
  readonly notes: readonly string[];
}

const UNKNOWN = 'na';
export const TOTAL = 'total';

export const keyText = (key: Key): string => (key === null ? UNKNOWN : clean(key));

/** A number for people: times in us with all digits, shares and changes with two, p with two significant ones. */
export function shownNumber({ value, unit, signed }: DiffColumn, row: DiffRow): string {
  const number = value(row);
  if (number === null) return UNKNOWN;
  const text =
    unit === 'ns'
      ? (number / 1000).toFixed(3)
      : unit === '%'
        ? number.toFixed(2)
        : unit === 'p'
          ? String(Number(number.toPrecision(2)))
          : String(number);
  return signed === true && Number(text) > 0 ? `+${text}` : Number(text) === 0 ? text.replace('-', '') : text;
}

export const SHORT_COLUMNS = DIFF_COLUMNS.filter(({ long }) => long !== true);
export const shortHeader = ({ name, unit }: DiffColumn): string =>
  unit === 'ns' ? `${name}_us` : unit === '%' ? `${name}_%` : name;

/** How many rows of the result are not written; null when all are. */
export const leftOut = ({ result, rows }: Sheet): string | null =>
  rows.length < result.rows.length ? `${counted(result.rows.length - rows.length, 'row')} more` : null;

export function textOfDiff(sheet: Sheet): string {
  const { result, by, rows, heading, notes } = sheet;
  const line = (row: DiffRow, keys: readonly string[]): string[] => [
    row.verdict,
    ...SHORT_COLUMNS.map((column) => shownNumber(column, row)),
    ...keys,
  ];
  const lines = aligned(
    [
      ['verdict', ...SHORT_COLUMNS.map(shortHeader), ...by],
      line(result.total, [TOTAL]),
      ...rows.map((row) => line(row, row.keys.map(keyText))),
    ],
    new Set(SHORT_COLUMNS.map((_, i) => i + 1)),
  );
  const more = leftOut(sheet);
  const judged = result.conditions.map(({ condition, met }) => `--fail-if '${condition.text}': ${outcome(met)}`);
  const comments = [...heading, ...notes, ...judged].map((text) => `# ${clean(text)}`);
  return [...comments, ...lines, ...(more === null ? [] : [`# ${more}`]), ''].join('\n');
}

export const outcome = (met: boolean | null): string => (met === null ? 'nothing matches' : met ? 'met' : 'not met');

/** What a spreadsheet takes for the beginning of a formula, full-width signs included. */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/**
 * A text that no spreadsheet computes: with a quote in front, as OWASP advises ("CSV Injection"), where it begins like a
 * formula. A lone `-`, our word for none, is none.
 */
export const harmless = (text: string): string => (text !== '-' && FORMULA.test(text) ? `'${text}` : text);

const csvHeader = ({ name, unit }: DiffColumn): string =>
  unit === 'ns' ? `${name}_ns` : unit === '%' ? `${name}_percent` : name;

/** The totals, then the rows; numbers have all their digits. */
export function csvOfDiff({ result, by, rows }: Sheet): string {
  const line = (kind: string, row: DiffRow, keys: readonly string[]): string[] => [
    kind,
    ...keys,
    row.verdict,
    ...DIFF_COLUMNS.map(({ value }) => String(value(row) ?? UNKNOWN)),
  ];
  return stringify(
    [
      ['row', ...by, 'verdict', ...DIFF_COLUMNS.map(csvHeader)],
      line(TOTAL, result.total, by.map(() => TOTAL)), // prettier-ignore
      ...rows.map((row) => line('key', row, row.keys.map(keyText).map(harmless))),
    ],
    { record_delimiter: '\n' },
  );
}

const commonFigures = ({ common }: DiffResult): object | null =>
  common && {
    change_percent: 100 * (common.change - 1),
    spread_percent: 100 * common.spread,
    rows: common.rows,
    p_effect: common.test.pBeyond,
    verdict: common.verdict,
  };

/** One object a line: the inputs, the totals, the rows, the conditions. Unknown is null. */
export function jsonOfDiff({ result, by, rows, heading, notes }: Sheet): string {
  const values = (row: DiffRow): object => ({
    verdict: row.verdict,
    ...Object.fromEntries(DIFF_COLUMNS.map((column) => [csvHeader(column), column.value(row)])),
  });
  const named = (keys: readonly Key[]): object => Object.fromEntries(by.map((name, i) => [name, keys[i] ?? null]));
  return [
    {
      row: 'comparison',
      per: result.basis,
      rows: result.rows.length,
      tested: result.tested,
      common: commonFigures(result),
      heading,
      notes,
    },
    { row: TOTAL, ...values(result.total) },
    ...rows.map((row) => ({ row: 'key', keys: named(row.keys), ...values(row) })),
    ...result.conditions.map(({ condition, met, row }) => ({
      row: 'condition',
      condition: condition.text,
      met,
      ...values(row),
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
