/** JSON in pieces that no HTML parser takes for the end of the element around it. */

/** What ends or opens something in a script element, and what old parsers of JavaScript took for line ends. */
const SPECIAL = /[<\u2028\u2029]/g;

const escaped = (text: string): string =>
  text.replace(SPECIAL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How far inside values are written one by one: rank, panel, list. */
const LEVELS = 4;

/**
 * The value's JSON. Lists and objects near the top come in pieces, so that the whole never stands in memory as one text.
 * In texts, `<` and two line separators are written as `\uXXXX`: outside of texts JSON has neither.
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
