/**
 * A scanner of JSON bytes: finds where a text or a value ends without decoding it. It follows quotes and brackets only,
 * so that it reads what real traces contain outside the standard: bare `N/A` and `NaN`, control characters in texts,
 * extra commas.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const SPACE = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Returned when the bytes end before the value does. */
export const CUT = -1;

/** The first byte from `at` that is no white space; `end` when there is none. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] as number) <= SPACE) at++;
  return at;
}

/** Index of the quote that ends the text whose first byte is at `at`, or CUT. */
export function endOfText(bytes: Uint8Array, at: number, end: number): number {
  for (; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return CUT;
}

/** How a byte changes the depth of nesting. */
const [OTHER, OPENS, CLOSES, QUOTES] = [0, 1, 2, 3];
const NESTING = new Uint8Array(256).fill(OTHER);
for (const byte of [OPEN_BRACE, OPEN_BRACKET]) NESTING[byte] = OPENS;
for (const byte of [CLOSE_BRACE, CLOSE_BRACKET]) NESTING[byte] = CLOSES;
NESTING[QUOTE] = QUOTES;

/** Index after the object or list that opens at `at`, or CUT. */
export function endOfNested(bytes: Uint8Array, at: number, end: number): number {
  let depth = 0;
  for (; at < end; at++) {
    const does = NESTING[bytes[at] as number];
    if (does === OTHER) continue;
    if (does === QUOTES) {
      at = endOfText(bytes, at + 1, end);
      if (at === CUT) return CUT;
    } else if (does === OPENS) depth++;
    else if (--depth === 0) return at + 1;
  }
  return CUT;
}

/** Index after the bare word (number, `null`, `N/A` …) that starts at `at`, without white space; or CUT. */
export function endOfWord(bytes: Uint8Array, at: number, end: number): number {
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= SPACE) return at;
  }
  return CUT;
}

/** Index after the value that starts at `at`, or CUT. */
export function endOfValue(bytes: Uint8Array, at: number, end: number): number {
  const byte = bytes[at];
  if (byte === QUOTE) {
    const quote = endOfText(bytes, at + 1, end);
    return quote === CUT ? CUT : quote + 1;
  }
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return endOfNested(bytes, at, end);
  return endOfWord(bytes, at, end);
}

/** First bytes of texts, objects, lists and numbers that are not negative. */
const PLAIN = new Uint8Array(256);
for (const byte of Buffer.from('"{[0123456789')) PLAIN[byte] = 1;

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** Whether `bytes[from, to)` may be a JSON value, by its first bytes: `N/A`, `NaN` and an empty range are not. */
export function isJson(bytes: Uint8Array, from: number, to: number): boolean {
  const byte = bytes[from] as number;
  if (PLAIN[byte] === 1 && to > from) return true;
  if (byte === MINUS)
    return to > from + 1 && (bytes[from + 1] as number) >= ZERO && (bytes[from + 1] as number) <= NINE;
  return WORDS.some((word) => word.length === to - from && word.every((letter, i) => letter === bytes[from + i]));
}

/** All that comes before the space. */
const CONTROLS = /[^ -\uffff]/g;

/** Control characters become spaces: JSON forbids them in texts, and real traces contain them. */
const withoutControls = (text: string): string => text.replace(CONTROLS, ' ');

/** A value's bytes as text: escapes decoded; kept as written where the escapes are invalid. */
export function decodeText(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${withoutControls(text)}"`) as string;
  } catch {
    return text;
  }
}

/** A value decoded; undefined when it is not JSON even without its control characters, of which most have none. */
export function decodeValue(bytes: Buffer, from: number, to: number): unknown {
  const text = bytes.toString('utf8', from, to);
  try {
    return JSON.parse(text);
  } catch {
    return decodeWithoutControls(text);
  }
}

function decodeWithoutControls(text: string): unknown {
  try {
    return JSON.parse(withoutControls(text));
  } catch {
    return undefined;
  }
}
