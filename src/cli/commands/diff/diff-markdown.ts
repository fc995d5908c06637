/** A comparison as Markdown, for a pull request. Names come from the profiled program: none can leave its cell. */
import { clean } from '../../../write/cell-text.js';
import { keyText, leftOut, outcome, SHORT_COLUMNS, shortHeader, shownNumber, type Sheet, TOTAL } from './diff-formats.js'; // prettier-ignore
import type { DiffRow } from '../../../prof/diff/diff-row.js';
import type { Verdict } from '../../../prof/diff/verdict.js';

const SPECIAL = /[|`\\\r\n]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * A text as code, in which nothing is markup, no link and nobody is called. A pipe would end the cell even there, and
 * a backtick the code: with these, every sign is written by its number.
 */
export function code(text: string): string {
  const safe = clean(text).trim();
  if (safe === '') return '';
  if (!SPECIAL.test(safe)) return `\`${safe}\``;
  return `<code>${safe.replace(PUNCTUATION, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;
}

/** What a reader looks for is bold. */
const marked = (verdict: Verdict): string =>
  verdict === 'same' || verdict === 'too-few-samples' ? verdict : `**${verdict}**`;

export function markdownOfDiff(sheet: Sheet): string {
  const { result, by, rows, heading, notes } = sheet;
  const tableLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const line = (row: DiffRow, keys: readonly string[]): string =>
    tableLine([...keys, marked(row.verdict), ...SHORT_COLUMNS.map((column) => shownNumber(column, row))]);
  const more = leftOut(sheet);
  const total = [`**${TOTAL}**`, ...by.slice(1).map(() => '')];
  return [
    ...heading.map((text) => `- ${code(text)}`),
    ...notes.map((text) => `- **note** ${code(text)}`),
    ...result.conditions.map(({ condition, met }) => `- ${code(`--fail-if '${condition.text}'`)}: **${outcome(met)}**`),
    '',
    tableLine([...by, 'verdict', ...SHORT_COLUMNS.map(shortHeader)]),
    tableLine([...by.map(() => '---'), '---', ...SHORT_COLUMNS.map(() => '---:')]),
    line(result.total, total),
    ...rows.map((row) => line(row, row.keys.map(keyText).map(code))),
    ...(more === null ? [] : ['', `${more}.`]),
    '',
  ].join('\n');
}
