/**
 * Parser for Python's repr() of plain data: None, booleans, numbers, strings, lists, tuples, sets and dicts, nested.
 * Nothing is ever evaluated: any other text (names, calls, operators) is an error.
 *
 * Grammar: https://docs.python.org/3/reference/lexical_analysis.html#literals, and `ast.literal_eval` for the allowed
 * values, plus the bare words `inf` and `nan` of repr(float).
 */

/** The string and the position after its closing quote; or the error and its position. */
type StringRead =
  | { readonly value: string; readonly end: number; readonly error: null }
  | { readonly value: null; readonly end: number; readonly error: string };

const BACKSLASH = 92;

const failed = (error: string, end: number): StringRead => ({ value: null, end, error });

/**
 * Reads the string whose opening quote is at `open`.
 * @param prefix lower-case prefix: '' or 'u' for text, 'b' for bytes (one character for each byte), 'r', 'br', 'rb' for raw
 */
function readString(text: string, open: number, prefix: string): StringRead {
  const quote = text.charCodeAt(open);
  const start = open + 1;
  let end = start;
  for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(++end)) {
    if (code === BACKSLASH) return readEscaped(text, start, quote, prefix);
    if (Number.isNaN(code)) return failed('a string has no closing quote', open);
  }
  return { value: text.slice(start, end), end: end + 1, error: null };
}

/** Reads a string with escapes. Text between escapes is copied as a whole, so that the cost stays linear. */
function readEscaped(text: string, start: number, quote: number, prefix: string): StringRead {
  const raw = prefix.includes('r');
  const parts: string[] = [];
  let plain = start;
  let position = start;
  for (let code = text.charCodeAt(position); code !== quote; code = text.charCodeAt(position)) {
    if (Number.isNaN(code)) return failed('a string has no closing quote', start - 1);
    if (code !== BACKSLASH) position++;
    else if (raw) position += 2;
    else {
      const escape = readEscape(text, position, prefix === 'b');
      if (typeof escape === 'string') return failed(escape, position);
      parts.push(text.slice(plain, position), escape.value);
      plain = position = escape.end;
    }
  }
  parts.push(text.slice(plain, position));
  return { value: parts.join(''), end: position + 1, error: null };
}

interface Escape {
  readonly value: string;
  readonly end: number;
}

/** Escapes with one character after the backslash. */
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

/** Reads the escape whose backslash is at `at`, or returns an error text. */
function readEscape(text: string, position: number, bytes: boolean): Escape | string {
  const letter = text.charAt(position + 1);
  const simple = Object.hasOwn(SIMPLE, letter) ? SIMPLE[letter] : undefined;
  if (simple !== undefined) return { value: simple, end: position + 2 };
  const hexDigits = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter] : undefined;
  if (hexDigits !== undefined && (letter === 'x' || !bytes)) return hexEscape(text, position, hexDigits);
  if (letter === 'N' && !bytes) return 'named characters are not supported';
  const octal = /^[0-7]{1,3}/.exec(text.slice(position + 1, position + 4))?.[0];
  if (octal !== undefined) return octalEscape(octal, position, bytes);
  // Python keeps the backslash of an unknown escape.
  return { value: '\\', end: position + 1 };
}

function hexEscape(text: string, position: number, digits: number): Escape | string {
  const hex = text.slice(position + 2, position + 2 + digits);
  if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return `an escape needs ${digits} hexadecimal digits`;
  const code = parseInt(hex, 16);
  if (code > 0x10ffff) return 'an escape is beyond U+10FFFF';
  return { value: String.fromCodePoint(code), end: position + 2 + digits };
}

function octalEscape(octal: string, position: number, bytes: boolean): Escape {
  const code = parseInt(octal, 8);
  return { value: String.fromCharCode(bytes ? code & 0xff : code), end: position + 1 + octal.length };
}

/**
 * A Python value. Integers beyond ±(2^53 - 1) are bigint, so that none is silently rounded; lists, tuples and sets are
 * arrays; a dict inherits no members, so any key is safe. Bytes are strings of characters 0 to 255.
 */
export type PythonValue = null | boolean | number | bigint | string | readonly PythonValue[] | PythonDict;

export interface PythonDict {
  readonly [key: string]: PythonValue;
}

/** The text is not a literal. The message is one line; `position` is the index of the offending character. */
export class LiteralError extends Error {
  constructor(
    readonly what: string,
    readonly position: number,
  ) {
    super(`${what} at ${position}`);
    this.name = 'LiteralError';
  }
}

/** Maximum nesting depth that is read; real markers nest 4 deep. */
export const MAX_DEPTH = 200;

/** Python itself refuses longer integers (sys.int_info.default_max_str_digits). */
const MAX_INT_DIGITS = 4300;

/** A dict under construction. Its prototype has no members and no prototype; unlike Object.create(null), it stays fast. */
const Dict = function () {
  // The reader adds the members.
} as unknown as new () => Record<string, PythonValue>;
Dict.prototype = Object.create(null) as object;

/** True for a dict, false for every other value. */
export const isDict = (value: PythonValue): value is PythonDict =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const WORDS: ReadonlyMap<string, PythonValue> = new Map<string, PythonValue>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['inf', Infinity],
  ['nan', NaN],
]);

/**
 * Reads a Python literal. Nothing is evaluated.
 * @throws {LiteralError} only, for any text
 */
export function parseLiteral(text: string): PythonValue {
  const reader = new LiteralReader(text);
  const value = reader.value();
  reader.end();
  return value;
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

const [LEFT_PAREN, RIGHT_PAREN, COMMA, COLON] = [40, 41, 44, 58];
const [LEFT_BRACKET, RIGHT_BRACKET, LEFT_BRACE, RIGHT_BRACE] = [91, 93, 123, 125];
const [DOUBLE_QUOTE, SINGLE_QUOTE, PLUS, MINUS, DOT] = [34, 39, 43, 45, 46];

class LiteralReader {
  #position = 0;
  #depth = 0;

  constructor(readonly text: string) {}

  value(): PythonValue {
    const code = this.#next();
    if (code === SINGLE_QUOTE || code === DOUBLE_QUOTE) return this.#string('');
    if (isDigit(code) || code === MINUS || code === PLUS || code === DOT) return this.#number();
    if (code === LEFT_BRACKET) return this.#list(RIGHT_BRACKET);
    if (code === LEFT_PAREN) return this.#parenthesis();
    if (code === LEFT_BRACE) return this.#brace();
    if (isLetter(code)) return this.#word();
    return this.#fail(Number.isNaN(code) ? 'a value is missing' : 'no literal begins like this');
  }

  end(): void {
    if (!Number.isNaN(this.#next())) this.#fail('more text after the value');
  }

  #fail(problem: string, position = this.#position): never {
    throw new LiteralError(problem, position);
  }

  /** Skips white space, and returns the code of the next character; NaN at the end. */
  #next(): number {
    let code = this.text.charCodeAt(this.#position);
    while (isSpace(code)) code = this.text.charCodeAt(++this.#position);
    return code;
  }

  #open(): void {
    if (++this.#depth > MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} deep`);
    this.#position++;
  }

  #close(): void {
    this.#depth--;
    this.#position++;
  }

  /**
   * Called after an item. Returns true when another item may follow; false at the closing character, which is consumed.
   */
  #more(close: number): boolean {
    const code = this.#next();
    if (code === COMMA) {
      this.#position++;
      if (this.#next() !== close) return true;
    } else if (code !== close) {
      this.#fail(`',' or '${String.fromCharCode(close)}' is missing`);
    }
    this.#close();
    return false;
  }

  #list(close: number): PythonValue[] {
    this.#open();
    const items: PythonValue[] = [];
    if (this.#next() === close) this.#close();
    else {
      do items.push(this.value());
      while (this.#more(close));
    }
    return items;
  }

  /** Reads a tuple, or a value in parentheses (without a comma, the parentheses mean nothing). */
  #parenthesis(): PythonValue {
    const start = this.#position;
    const items = this.#list(RIGHT_PAREN);
    const [only] = items;
    if (items.length !== 1 || only === undefined) return items;
    return this.#commaBeforeEnd(start) ? items : only;
  }

  /** Whether the parenthesis just read, which has one item, has a comma before its end. */
  #commaBeforeEnd(start: number): boolean {
    let position = this.#position - 2;
    while (position > start && isSpace(this.text.charCodeAt(position))) position--;
    return this.text.charCodeAt(position) === COMMA;
  }

  /** Reads a dict, or a set if no colon follows its first item. */
  #brace(): PythonValue {
    this.#open();
    const dict = new Dict();
    if (this.#next() === RIGHT_BRACE) {
      this.#close();
      return dict;
    }
    let key = this.#item();
    if (this.#next() !== COLON) return this.#set(key);
    for (;;) {
      if (this.#next() !== COLON) this.#fail("':' is missing");
      this.#position++;
      dict[typeof key === 'string' ? key : this.#keyText(key)] = this.value();
      if (!this.#more(RIGHT_BRACE)) return dict;
      key = this.#item();
    }
  }

  /** Reads a value that is likely a key. Such strings repeat, so they are shared. */
  #item(): PythonValue {
    const code = this.#next();
    if (code !== SINGLE_QUOTE && code !== DOUBLE_QUOTE) return this.value();
    const start = this.#position + 1;
    const shared = sharedString(this.text, start, code);
    if (shared === null) return this.#string('');
    this.#position = start + shared.length + 1;
    return shared;
  }

  #set(first: PythonValue): PythonValue[] {
    const items = [first];
    while (this.#more(RIGHT_BRACE)) items.push(this.value());
    return items;
  }

  #keyText(key: PythonValue): string {
    if (typeof key !== 'object' || key === null) return String(key);
    if (isDict(key)) return this.#fail('a dict cannot be a key');
    return key.map((item) => this.#keyText(item)).join();
  }

  #string(prefix: string): string {
    const read = readString(this.text, this.#position, prefix.toLowerCase());
    if (read.error !== null) return this.#fail(read.error, read.end);
    this.#position = read.end;
    return read.value;
  }

  #word(): PythonValue {
    const start = this.#position;
    let code = this.text.charCodeAt(start);
    while (isLetter(code) || isDigit(code)) code = this.text.charCodeAt(++this.#position);
    const length = this.#position - start;
    if ((code === SINGLE_QUOTE || code === DOUBLE_QUOTE) && length <= 2) {
      const prefix = this.text.slice(start, this.#position);
      if (/^(?:[ubr]|br|rb)$/i.test(prefix)) return this.#string(prefix);
    }
    const word = length <= 5 ? this.text.slice(start, this.#position) : '';
    const known = WORDS.get(word);
    if (known !== undefined) return known;
    if (word === 'set' && this.text.startsWith('()', this.#position)) {
      this.#position += 2;
      return [];
    }
    return this.#fail('a name is not a literal', start);
  }

  #number(): number | bigint {
    const start = this.#position;
    const first = this.text.charCodeAt(start);
    const signed = first === MINUS || first === PLUS;
    if (signed) this.#position++;
    const digits = this.#digits();
    const code = this.text.charCodeAt(this.#position);
    if (code === DOT || code === 101 || code === 69) return this.#float(start, digits);
    if (digits === 0) return this.#signedWord(first);
    if (isLetter(code)) this.#fail('a number ends in a letter');
    if (digits > 1 && this.text.charCodeAt(this.#position - digits) === 48) this.#fail('a number begins with 0', start);
    if (digits > MAX_INT_DIGITS) this.#fail(`an integer has more than ${MAX_INT_DIGITS} digits`, start);
    const literal = this.text.slice(start, this.#position);
    const value = Number(literal);
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    const magnitude = BigInt(this.text.slice(this.#position - digits, this.#position));
    return first === MINUS ? -magnitude : magnitude;
  }

  /** Reads `inf` and `nan` after a sign. */
  #signedWord(sign: number): number {
    const word = this.text.slice(this.#position, this.#position + 3);
    const value = WORDS.get(word);
    if (typeof value !== 'number' || isLetter(this.text.charCodeAt(this.#position + 3))) this.#fail('no digits');
    this.#position += 3;
    return sign === MINUS ? -value : value;
  }

  #float(start: number, whole: number): number {
    let digits = whole;
    if (this.text.charCodeAt(this.#position) === DOT) {
      this.#position++;
      digits += this.#digits();
    }
    if (digits === 0) this.#fail('no digits');
    if ((this.text.charCodeAt(this.#position) | 32) === 101) {
      const sign = this.text.charCodeAt(++this.#position);
      if (sign === MINUS || sign === PLUS) this.#position++;
      if (this.#digits() === 0) this.#fail('an exponent has no digits');
    }
    if (isLetter(this.text.charCodeAt(this.#position))) this.#fail('a number ends in a letter');
    return Number(this.text.slice(start, this.#position));
  }

  #digits(): number {
    const start = this.#position;
    while (isDigit(this.text.charCodeAt(this.#position))) this.#position++;
    return this.#position - start;
  }
}

/** Fixed-size cache of short key strings: a repeated key costs a comparison, not a new string. */
const SHARED = new Array<string>(512).fill('');
const LONGEST_SHARED = 24;

/** The string from `start` to the quote, from the cache; null when it is long or contains an escape. */
function sharedString(text: string, start: number, quote: number): string | null {
  let hash = 0;
  let end = start;
  for (; ; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) break;
    if (code === 92 || Number.isNaN(code) || end - start === LONGEST_SHARED) return null;
    hash = (hash * 31 + code) & 511;
  }
  const known = SHARED[hash];
  if (known?.length === end - start && text.startsWith(known, start)) return known;
  return (SHARED[hash] = text.slice(start, end));
}

/** The value of a literal; null for other text, as for `None`. */
export function literalOrNull(text: string): PythonValue {
  try {
    return parseLiteral(text);
  } catch (error) {
    if (error instanceof LiteralError) return null;
    throw error;
  }
}
