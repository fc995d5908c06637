/** Tables in GitHub-flavoured Markdown, and the escaping of all text in Markdown. */
import { escapeControls, legible } from '../record/control-characters.js';
import { isNumeric, isToTheRight, shownValue, textOf, type Column, type ColumnShape } from '../table/column.js';
import type { Format } from './columns.js';

/** Characters that code in backticks cannot contain within a cell: a pipe ends the cell, a backtick ends the code. */
const SPECIAL = /[|`\\\r\n]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** Characters that Markdown may interpret as markup, a link or a user name. */
const MARKUP = /[\\`*_{}[\]<>#|~@&!^$]|:(?=\/\/)|(?<=www)\./gi;

const byNumber = (sign: string): string => `&#${sign.charCodeAt(0)};`;

/**
 * A string as code, in which nothing is markup, a link or a mention. A string that cannot be between backticks becomes an
 * HTML element with all punctuation as character references.
 */
export function code(text: string): string {
  const safe = escapeControls(text).trim();
  if (safe === '') return '';
  return SPECIAL.test(safe) ? `<code>${safe.replace(PUNCTUATION, byNumber)}</code>` : `\`${safe}\``;
}

/** A string within a sentence or a title: markup characters become character references. */
export const escapeMarkdown = (text: string): string => escapeControls(text).replace(MARKUP, byNumber);

const bold = (text: string): string => (text === '' ? '' : `**${text}**`);

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

/** Numbers and this program's own words are plain text, names from the profile are code. */
function cell<Row>(column: Column<Row>, row: Row): string {
  const value = shownValue(column, row);
  const text = legible(textOf(column, value));
  if (column.emphasis?.(row) === true) return bold(text);
  const isPlain = column.vocabulary === true || (isNumeric(column) && (typeof value !== 'string' || value === '!'));
  return isPlain ? text : code(text);
}

const alignment = (column: ColumnShape): string => (isToTheRight(column) ? '---:' : '---');

export const markdown: Format = {
  id: 'markdown',
  title: 'a Markdown table, names as code',
  open({ columns, header }) {
    return {
      // A Markdown table always has a header line; it is blank when names are not wanted.
      head: () => line(columns.map((column) => (header ? column.header : ''))) + line(columns.map(alignment)),
      pack: (row) => line(columns.map((column) => cell(column, row))),
      rows: (packed) => packed.join(''),
      end: () => [],
    };
  },
};
