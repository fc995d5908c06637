/**
 * Escapes characters in profile strings, file names and user input that control a terminal, break a line, change the text
 * direction, or are invisible. Every output writes them as JSON does: `\u009b`.
 */

/**
 * Invisible characters, or characters that affect others: direction marks, zero-width characters, tags; and line
 * separators.
 */
const HIDDEN = String.raw`\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb`;
const CONTROL = new RegExp(String.raw`[\p{Cc}${HIDDEN}]`, 'gu');
/** Characters that JSON.stringify does not escape. */
const LEFT_BY_JSON = new RegExp(String.raw`[\u007f-\u009f${HIDDEN}]`, 'gu');

/** Matches printable ASCII, which is the usual case and needs no escaping. */
const PLAIN = /^[ -~]*$/;

/** A character as JSON escapes it; characters beyond 16 bits become two escapes. */
const escape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** The text on one line, without terminal controls and invisible characters. */
export const escapeControls = (text: string): string => (PLAIN.test(text) ? text : text.replace(CONTROL, escape));

/** Maximum number of characters of a string in readable output. Programs get the whole text. */
const LONGEST = 500;
const KEPT_END = 80;

/** A string for readable output: escaped, and shortened in its middle if it is too long. */
export function legible(text: string): string {
  const safe = escapeControls(text);
  if (safe.length <= LONGEST) return safe;
  const note = (more: number): string => ` …(${String(more)} more)… `;
  const kept = LONGEST - note(safe.length).length;
  return safe.slice(0, kept - KEPT_END) + note(safe.length - kept) + safe.slice(-KEPT_END);
}

/** A value as JSON with these characters escaped too. This does not change the value. */
export const jsonOf = (value: unknown): string => escapeJson(JSON.stringify(value));

/** Values as JSON, one value a line. */
export const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${jsonOf(value)}\n`).join('');

/** Escapes these characters in the output of JSON.stringify, which does not change its value. */
export const escapeJson = (json: string): string => json.replace(LEFT_BY_JSON, escape);

/** Escapes that JSON.stringify writes, apart from white space: a pair of backslashes is one backslash of the text. */
const SHOWN_ESCAPES = new RegExp(String.raw`\\\\|\\(?=u00[01]|[bfr])|[\u007f-\u009f${HIDDEN}]`, 'gu');

/** JSON whose strings contain the escapes as visible characters, for display. */
export const escapeShownJson = (json: string): string =>
  json.replace(SHOWN_ESCAPES, (found) => {
    if (found === '\\\\') return found;
    return found === '\\' ? '\\\\' : escape(found).replaceAll('\\', '\\\\');
  });
