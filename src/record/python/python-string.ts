/**
 * Python string literals: quotes, prefixes and backslash escapes.
 * Escapes: https://docs.python.org/3/reference/lexical_analysis.html#escape-sequences
 */

/** The string and the position after its closing quote; or what is wrong, and where. */
export type StringRead =
  | { readonly value: string; readonly end: number; readonly error: null }
  | { readonly value: null; readonly end: number; readonly error: string };

const BACKSLASH = 92;

const failed = (error: string, end: number): StringRead => ({ value: null, end, error });

/**
 * Reads the string whose opening quote is at `open`.
 * @param prefix '' or 'u' for text, 'b' for bytes (one character per byte), 'r', 'br', 'rb' for raw; lower case
 */
export function readString(text: string, open: number, prefix: string): StringRead {
  const quote = text.charCodeAt(open);
  const start = open + 1;
  let end = start;
  for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(++end)) {
    if (code === BACKSLASH) return readEscaped(text, start, quote, prefix);
    if (Number.isNaN(code)) return failed('a string has no closing quote', open);
  }
  return { value: text.slice(start, end), end: end + 1, error: null };
}

/** A string with escapes. Text between escapes is copied as a whole, so that the cost stays linear. */
function readEscaped(text: string, start: number, quote: number, prefix: string): StringRead {
  const raw = prefix.includes('r');
  const parts: string[] = [];
  let plain = start;
  let at = start;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
    if (Number.isNaN(code)) return failed('a string has no closing quote', start - 1);
    if (code !== BACKSLASH) at++;
    else if (raw) at += 2;
    else {
      const escape = readEscape(text, at, prefix === 'b');
      if (typeof escape === 'string') return failed(escape, at);
      parts.push(text.slice(plain, at), escape.value);
      plain = at = escape.end;
    }
  }
  parts.push(text.slice(plain, at));
  return { value: parts.join(''), end: at + 1, error: null };
}

interface Escape {
  readonly value: string;
  readonly end: number;
}

/** Escapes of one character after the backslash. */
const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Number of hexadecimal digits after the letter. */
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The escape whose backslash is at `at`, or what is wrong with it. */
function readEscape(text: string, at: number, bytes: boolean): Escape | string {
  const letter = text.charAt(at + 1);
  const simple = Object.hasOwn(SIMPLE, letter) ? SIMPLE[letter] : undefined;
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const hexDigits = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter] : undefined;
  if (hexDigits !== undefined && (letter === 'x' || !bytes)) return hexEscape(text, at, hexDigits);
  if (letter === 'N' && !bytes) return 'named characters are not read';
  const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
  if (octal !== undefined) return octalEscape(octal, at, bytes);
  // Python keeps the backslash of an unknown escape.
  return { value: '\\', end: at + 1 };
}

function hexEscape(text: string, at: number, digits: number): Escape | string {
  const hex = text.slice(at + 2, at + 2 + digits);
  if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return `an escape needs ${digits} hexadecimal digits`;
  const code = parseInt(hex, 16);
  if (code > 0x10ffff) return 'an escape is beyond U+10FFFF';
  return { value: String.fromCodePoint(code), end: at + 2 + digits };
}

function octalEscape(octal: string, at: number, bytes: boolean): Escape {
  const code = parseInt(octal, 8);
  return { value: String.fromCharCode(bytes ? code & 0xff : code), end: at + 1 + octal.length };
}
