/** What the screens share: the line that names a profile, labelled lines, lists of columns, and lines as a text. */
import { escapeControls } from '../../record/control-characters.js';
import type { ProfileRecord } from '../../record/record.js';
import type { ColumnShape } from '../../table/column.js';
import { cells } from '../../write/cell-text.js';

/** Heading of a profile: `# profile 0: net.json (kineto, rank 3)`; only the number for records without a profile line. */
export function profileHeading(profile: number, header: ProfileRecord | null): string {
  if (header === null) return `# profile ${profile}`;
  const { file, format, rank } = header;
  return `# profile ${profile}: ${file} (${format}${rank === null ? '' : `, rank ${rank}`})`;
}

/**
 * A line as lines of at most `width` cells, broken between words; a word that is longer has a line of its own.
 * @param indent before each line but the first
 */
export function wrapped(line: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  const text = line.trimStart();
  let current = line.slice(0, line.length - text.length);
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && cells(current) + 1 + cells(word) > width) {
      lines.push(current);
      current = indent;
      isEmpty = true;
    }
    current += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, current];
}

/**
 * The text of a screen.
 * @param safe what becomes of characters that a terminal would obey
 */
export const screenText = (lines: readonly string[], safe: (line: string) => string = escapeControls): string =>
  lines.map((line) => `${safe(line)}\n`).join('');

/**
 * Columns as `--columns` lists them: key, header, unit, and what each means.
 * @param widths characters of the first three
 */
export const columnList = (
  columns: readonly ColumnShape[],
  [keys, headers, units]: readonly [keys: number, headers: number, units: number],
): string =>
  columns
    .map(
      ({ key, header, unit, doc }) =>
        `${key.padEnd(keys)} ${header.padEnd(headers)} ${(unit ?? '').padEnd(units)} ${doc}\n`,
    )
    .join('');
