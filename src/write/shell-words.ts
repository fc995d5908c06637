/** Quotes words for a shell, and splits strings into words as a shell does. */
import { UsageError } from '../record/errors.js';

/** Quotes one word, whatever it contains. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const WORD = /(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+/y;
const PIECE = /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|[^'"\\]+/g;

/**
 * Splits a string into words, with quotes and backslashes as in a shell, but no other shell syntax.
 * @param option the option with the text, for messages
 * @throws UsageError for a quote that is not closed
 */
export function wordsOf(option: string, text: string): string[] {
  const words: string[] = [];
  for (let position = 0; position < text.length;) {
    if (/\s/.test(text.charAt(position))) {
      position++;
      continue;
    }
    WORD.lastIndex = position;
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) throw new UsageError(`${option} has a quote that is not closed: ${text}`);
    words.push(plain(word));
    position += word.length;
  }
  return words;
}

const plain = (word: string): string =>
  word.replace(
    PIECE,
    (piece, escaped?: string, single?: string, double?: string) =>
      escaped ?? single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? piece,
  );

/** Used for an input without a known name. */
const ANY_FILE = 'FILE';

/**
 * The word for an input in a suggested command: its name, quoted, with ./ before a leading dash, or FILE.
 * @param file undefined or '-' for stdin, which has no name
 */
export const inputWord = (file: string | undefined): string =>
  file === undefined || file === '-' ? ANY_FILE : quoted(file.startsWith('-') ? `./${file}` : file);
