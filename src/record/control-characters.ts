/**
 * Texts of profiles, names of files and what a user types may hold characters that steer a terminal, end a line, turn the
 * direction of text, or are not seen at all. Every output writes them as JSON does: `\u009b`.
 */

/** Not seen, or of effect on other characters: marks of direction, zero-width characters, tags; and separators of lines. */
const HIDDEN = String.raw`\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb`;
const CONTROL = new RegExp(String.raw`[\p{Cc}${HIDDEN}]`, 'gu');
/** Those that JSON.stringify leaves as they are. */
const LEFT_BY_JSON = new RegExp(String.raw`[\u007f-\u009f${HIDDEN}]`, 'gu');

/** Printable ASCII: the usual text, which needs no change. */
const PLAIN = /^[ -~]*$/;

/** A character as JSON escapes it: those beyond 16 bits are two. */
const escape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** A text on one line, with nothing that a terminal obeys and nothing unseen. */
export const escapeControls = (text: string): string => (PLAIN.test(text) ? text : text.replace(CONTROL, escape));

/** The most characters of a text for people; programs get texts whole. */
const LONGEST = 500;
const KEPT_END = 80;

/** A text for people: escaped, and cut in its middle where it is too long to be read. */
export function legible(text: string): string {
  const safe = escapeControls(text);
  if (safe.length <= LONGEST) return safe;
  const note = (more: number): string => ` …(${String(more)} more)… `;
  const kept = LONGEST - note(safe.length).length;
  return safe.slice(0, kept - KEPT_END) + note(safe.length - kept) + safe.slice(-KEPT_END);
}

/** A value as JSON in which such characters are escaped too: the same value to whoever reads it. */
export const jsonOf = (value: unknown): string => escapeJson(JSON.stringify(value));

/** Values as JSON, one a line. */
export const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${jsonOf(value)}\n`).join('');

/** The JSON that JSON.stringify makes, in which such characters are escaped too: the same value. */
export const escapeJson = (json: string): string => json.replace(LEFT_BY_JSON, escape);

/** What JSON.stringify escapes besides white space: a pair of backslashes is one backslash of the text. */
const SHOWN_ESCAPES = new RegExp(String.raw`\\\\|\\(?=u00[01]|[bfr])|[\u007f-\u009f${HIDDEN}]`, 'gu');

/** The JSON of another value: its texts hold the escapes themselves, as characters that are seen where they are shown. */
export const escapeShownJson = (json: string): string =>
  json.replace(SHOWN_ESCAPES, (found) => {
    if (found === '\\\\') return found;
    return found === '\\' ? '\\\\' : escape(found).replaceAll('\\', '\\\\');
  });
