/**
 * Texts of profiles, names of files and what a user types may hold characters that steer a terminal, end a line or turn
 * the direction of text. Every output writes them as JSON does: `\u009b`.
 */

/** C0, DEL, C1, separators of lines, and marks of direction. */
// eslint-disable-next-line no-control-regex -- exactly these are escaped
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** Those that JSON.stringify leaves as they are. */
const LEFT_BY_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Printable ASCII without blanks: the usual text, which needs no change. */
const PLAIN = /^[!-~]+$/;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text on one line, with nothing that a terminal obeys. */
export const escapeControls = (text: string): string => (PLAIN.test(text) ? text : text.replace(CONTROL, escape));

/** A value as JSON in which such characters are escaped too: the same value to whoever reads it. */
export const jsonOf = (value: unknown): string => escapeJson(JSON.stringify(value));

/** Values as JSON, one a line. */
export const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${jsonOf(value)}\n`).join('');

/** The JSON that JSON.stringify makes, in which such characters are escaped too. */
export const escapeJson = (json: string): string => json.replace(LEFT_BY_JSON, escape);
