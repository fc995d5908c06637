/**
 * A scanner of JSON bytes that finds the end of a string or value without decoding it. It follows only quotes and brackets,
 * so it can read what real traces contain outside the standard: bare `N/A` and `NaN`, control characters in strings, extra
 * commas. Numbers are read from their digits: times exactly, to the nanosecond, and ids above 2^53.
 */

const POINT = 0x2e;

/** Larger times do not fit into 64 bits of nanoseconds and are invalid. */
const LATEST_NS = 2 ** 63;

/** Number of decimal digits that a double holds exactly. */
const EXACT_DIGITS = 15;

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

/**
 * The number in `bytes[from, to)`, which does not include quotes; NaN for anything else. Whole numbers are read in place,
 * all others (`1e15`, `0.5`) through a string. A number that a double cannot hold (`1e309`) gives NaN.
 */
export function numberAt(bytes: Buffer, from: number, to: number): number {
  let at = from;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  if (at >= to || to - at > EXACT_DIGITS) return slowNumber(bytes, from, to);
  let value = 0;
  for (; at < to; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) return slowNumber(bytes, from, to);
    value = value * 10 + (byte - ZERO);
  }
  return negative ? -value : value;
}

function slowNumber(bytes: Buffer, from: number, to: number): number {
  const text = bytes.toString('latin1', from, to).trim();
  const value = text === '' || !/^[-+]?(\d|\.\d)/.test(text) ? NaN : Number(text);
  return Number.isFinite(value) ? value : NaN;
}

/**
 * Converts microseconds with decimals to whole nanoseconds after an origin in whole microseconds. The result is exact below
 * 2^53 ns (104 days), although a time since 1970 in ns would not be.
 * @returns NaN when the bytes are not a number, or the time is too large
 */
export function nanosecondsAt(bytes: Buffer, from: number, to: number, originUs: number): number {
  let at = from;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  let whole = 0;
  let digits = 0;
  for (; at < to && isDigit(bytes[at] as number); at++, digits++) whole = whole * 10 + ((bytes[at] as number) - ZERO);
  let fraction = 0;
  let scale = 1000;
  if (at < to && bytes[at] === POINT) {
    for (at++; at < to && isDigit(bytes[at] as number) && scale > 1; at++) {
      scale /= 10;
      fraction += ((bytes[at] as number) - ZERO) * scale;
    }
    // Rounds to nanoseconds by the fourth decimal of the microseconds.
    if (at < to && (bytes[at] as number) >= ZERO + 5 && isDigit(bytes[at] as number)) fraction++;
    while (at < to && isDigit(bytes[at] as number)) at++;
  }
  if (at !== to || digits === 0 || digits > EXACT_DIGITS + 1) {
    const ns = Math.round((slowNumber(bytes, from, to) - originUs) * 1000);
    return Math.abs(ns) < LATEST_NS ? ns : NaN;
  }
  return negative ? -(whole + originUs) * 1000 - fraction : (whole - originUs) * 1000 + fraction;
}

/** Whole microseconds of the time in `bytes[from, to)`; NaN when it is not a number, or too large. */
export function microsecondsAt(bytes: Buffer, from: number, to: number): number {
  const us = Math.floor(slowNumber(bytes, from, to));
  return Math.abs(us) * 1000 < LATEST_NS ? us : NaN;
}

/** Reads ids, which are only compared: an id that a double cannot hold is replaced by a unique negative number. */
export class Ids {
  readonly #large = new Map<string, number>();

  /** Number of ids above 2^53. */
  get large(): number {
    return this.#large.size;
  }

  /** The id in `bytes[from, to)`; NaN when it is not a whole number. */
  at(bytes: Buffer, from: number, to: number): number {
    if (to - from <= EXACT_DIGITS) {
      const value = numberAt(bytes, from, to);
      return Number.isSafeInteger(value) ? value : NaN;
    }
    const text = bytes.toString('latin1', from, to);
    if (!/^-?\d+$/.test(text)) return NaN;
    if (Number.isSafeInteger(Number(text))) return Number(text);
    let id = this.#large.get(text);
    if (id === undefined) this.#large.set(text, (id = -2 - this.#large.size));
    return id;
  }
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Returned when the bytes end before the value does. */
export const CUT = -1;

/** Index of the first byte from `at` that is not white space; `end` when there is none. */
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
    const role = NESTING[bytes[at] as number];
    if (role === OTHER) continue;
    if (role === QUOTES) {
      at = endOfText(bytes, at + 1, end);
      if (at === CUT) return CUT;
    } else if (role === OPENS) depth++;
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

/**
 * Whether an unquoted word contains a quote or an opening bracket. The object around it may then end elsewhere than its
 * brackets suggest.
 */
export function isOddWord(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const role = NESTING[bytes[at] as number];
    if (role === QUOTES || role === OPENS) return true;
  }
  return false;
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

/** Marks the bytes with which strings, objects, lists and non-negative numbers begin. */
const PLAIN = new Uint8Array(256);
for (const byte of Buffer.from('"{[0123456789')) PLAIN[byte] = 1;

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** Whether `bytes[from, to)` may be a JSON value, judged by its first bytes: `N/A`, `NaN` and an empty range are not. */
export function isJson(bytes: Uint8Array, from: number, to: number): boolean {
  const byte = bytes[from] as number;
  if (PLAIN[byte] === 1 && to > from) return true;
  if (byte === MINUS)
    return to > from + 1 && (bytes[from + 1] as number) >= ZERO && (bytes[from + 1] as number) <= NINE;
  return isWord(bytes, from, to);
}

/** A separate function, because a closure in `isJson` would be allocated on every call. */
const isWord = (bytes: Uint8Array, from: number, to: number): boolean =>
  WORDS.some((word) => word.length === to - from && word.every((letter, i) => letter === bytes[from + i]));

/** The control characters: those before the space. */
const CONTROLS = /[^ -\uffff]/g;

/** Control characters become spaces: JSON forbids them in strings, and real traces contain them. */
const withoutControls = (text: string): string => text.replace(CONTROLS, ' ');

/** A value's bytes as text with escapes decoded, or as written when the escapes are invalid. */
export function decodeText(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${withoutControls(text)}"`) as string;
  } catch {
    return text;
  }
}

/** Decodes a value; undefined when it is not JSON even with its control characters removed. Most values have none. */
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

/** Interned strings of a trace. Names, shapes and types repeat millions of times, so each is stored only once, as bytes. */
export class ByteTexts {
  /** Number of each string. A key of the map has one character for each byte of the text. */
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  /** Number of quoted strings that contain control characters, which JSON does not allow. */
  withControls = 0;

  get count(): number {
    return this.#texts.length;
  }

  /**
   * The number of the text in `bytes[from, to)`. Equal bytes have equal numbers; numbers follow the order of first
   * appearance.
   */
  numberOf(bytes: Buffer, from: number, to: number): number {
    const text = bytes.toString('latin1', from, to);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (bytes[from - 1] === QUOTE && bytes.subarray(from, to).some((byte) => byte < SPACE)) this.withControls++;
    this.#numbers.set(text, this.count);
    return this.#texts.push(text) - 1;
  }

  /** The number of a string that is not in the file, written as it would be between quotes. */
  numberOfText(text: string): number {
    const bytes = Buffer.from(JSON.stringify(text));
    return this.numberOf(bytes, 1, bytes.length - 1);
  }

  /** The text with escapes decoded. */
  text(number: number): string {
    const bytes = this.#bytes(number);
    return decodeText(bytes, 0, bytes.length);
  }

  /** The bytes decoded as JSON; undefined when they are not JSON. */
  value(number: number): unknown {
    const bytes = this.#bytes(number);
    return decodeValue(bytes, 0, bytes.length);
  }

  #bytes(number: number): Buffer {
    return Buffer.from(this.#texts[number] ?? '', 'latin1');
  }
}
