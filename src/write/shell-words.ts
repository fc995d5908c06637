/** Words of a shell: quoted for it, and split as it splits them. */
import { UsageError } from '../record/errors.js';

/** One word, whatever is in it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const WORD = /(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+/y;
const PIECE = /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|[^'"\\]+/g;

/**
 * The words of a text, with quotes and backslashes as in a shell; nothing else means anything.
 * @param option whose text it is, for messages
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

/** Stands for an input whose name is not known. */
const ANY_FILE = 'FILE';

/** An input in a command that is shown: its name, which is no option, or FILE. @param file undefined or '-' for stdin, whose name nobody knows */
export const inputWord = (file: string | undefined): string =>
  file === undefined || file === '-' ? ANY_FILE : quoted(file.startsWith('-') ? `./${file}` : file);
