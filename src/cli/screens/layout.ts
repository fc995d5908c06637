/**
 * Common layout of the screens: the line that names a profile, labelled lines, lists of columns, and lines as a string.
 */
import { escapeControls } from '../../record/control-characters.js';
import type { ProfileRecord } from '../../record/record.js';
import type { ColumnShape } from '../../table/column.js';
import { cells, cut } from '../../table/shortened-texts.js';

/** Heading of a profile: `# profile 0: net.json (kineto, rank 3)`; only the number for records without a profile line. */
export function profileHeading(profile: number, header: ProfileRecord | null): string {
  if (header === null) return `# profile ${profile}`;
  const { file, format, rank } = header;
  return `# profile ${profile}: ${file} (${format}${rank === null ? '' : `, rank ${rank}`})`;
}

/**
 * Breaks a line into lines of at most `width` cells, between words, or within a word that is longer. A longer path gets
 * a separate line, so that it can be copied.
 * @param indent before each line but the first
 */
export function wrapped(line: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  const text = line.trimStart();
  let current = line.slice(0, line.length - text.length);
  let isEmpty = true;
  const end = (): void => {
    lines.push(current);
    current = indent;
    isEmpty = true;
  };
  for (const word of text.split(' ')) {
    if (!isEmpty && cells(current) + 1 + cells(word) > width) end();
    let rest = word;
    for (let room = width - cells(current); isEmpty && room > 0 && cells(rest) > room && !rest.includes('/');) {
      const part = cut(rest, room);
      if (part === '') break;
      current += part;
      rest = rest.slice(part.length);
      end();
      room = width - cells(indent);
    }
    current += isEmpty ? rest : ` ${rest}`;
    isEmpty = false;
  }
  return [...lines, current];
}

/**
 * The text of a screen.
 * @param safe escapes control characters
 * @param width width of the terminal, to which lines are wrapped; null for any other output
 */
export const screenText = (
  lines: readonly string[],
  safe: (line: string) => string = escapeControls,
  width: number | null = null,
): string =>
  lines
    .map(safe)
    .flatMap((line) => (width === null || COMMAND.test(line) ? [line] : wrapped(line, width, indentOf(line, width))))
    .map((line) => `${line}\n`)
    .join('');

/** Matches a line with a command, which is not broken so that it can be copied. */
const COMMAND = /^ *\w+: +dprof /;

/** Beginning of the continuation lines of a long line: `# ` in a comment or heading, otherwise spaces up to its last column. */
function indentOf(line: string, width: number): string {
  const comment = /^#+( *)/.exec(line);
  if (comment !== null) return `#${comment[1] ?? ''}`;
  const before = cells(/^.*\S {2,}/.exec(line)?.[0] ?? '');
  return ' '.repeat(before > 0 && before <= width / 2 ? before : line.search(/\S|$/) + 2);
}

/**
 * Columns as `--columns` lists them: key, header, unit, and meaning.
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
