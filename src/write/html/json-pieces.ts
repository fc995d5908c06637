/** JSON in pieces, escaped so that it cannot end the script element around it. */

/** `<` starts tags and comments in a script element; the other two were line terminators in strings before ES2019. */
const SPECIAL = /[<\u2028\u2029]/g;

const escaped = (text: string): string =>
  text.replace(SPECIAL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Depth down to which values are written one by one: profiles, a profile, its panels, their lists. */
const LEVELS = 4;

/**
 * The value's JSON. Lists and objects near the top come in pieces, so that the whole is never one text in memory.
 * `<` and the line separators are written as `\uXXXX`: JSON has them only in strings.
 */
export function* jsonPieces(value: unknown, levels = LEVELS): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield escaped(JSON.stringify(value));
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue;
    yield isList ? before : `${before}${escaped(JSON.stringify(key))}:`;
    yield* jsonPieces(part, levels - 1);
    before = ',';
  }
  yield before === ',' ? (isList ? ']' : '}') : isList ? '[]' : '{}';
}
