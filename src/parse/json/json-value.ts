/**
 * Field coercion for untrusted JSON (a value of the wrong type counts as absent), and decoding that keeps integers
 * exact.
 */
import { CUT, decodeValue, endOfText, endOfWord, isJson, QUOTE } from './json-bytes.js';

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_A = 0x41;
const LOWER_Z = 0x7a;

/** A double holds integers with fewer digits exactly. */
const MOST_DIGITS = 15;

/** Marks the first bytes of bare words: digits, letters, signs. */
const STARTS_WORD = new Uint8Array(256);
for (let byte = ZERO; byte <= NINE; byte++) STARTS_WORD[byte] = 1;
for (let byte = UPPER_A; byte <= LOWER_Z; byte++) STARTS_WORD[byte] = 1;
for (const byte of [0x2b, MINUS, POINT]) STARTS_WORD[byte] = 1;
for (const byte of Buffer.from('[\\]')) STARTS_WORD[byte] = 0;

function isInteger(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = bytes[from] === MINUS ? from + 1 : from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) return false;
  }
  return true;
}

/**
 * Decodes JSON of a few kilobytes. Integers beyond 2^53 stay exact, as decimal text, and words that JSON does not have
 * (`NaN`, `Infinity`, `None`) become null.
 */
export class ExactDecoder {
  /** Number of words that are not JSON. */
  notJson = 0;

  /** The value in `bytes[from, to)`; undefined when it is not JSON. */
  decode(bytes: Buffer, from: number, to: number): unknown {
    let text = '';
    let done = from;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        const quote = endOfText(bytes, at + 1, to);
        if (quote === CUT) return undefined;
        at = quote;
      } else if (STARTS_WORD[byte] === 1) {
        const found = endOfWord(bytes, at, to);
        const end = found === CUT ? to : found;
        const instead = this.#instead(bytes, at, end);
        if (instead !== null) {
          text += bytes.toString('utf8', done, at) + instead;
          done = end;
        }
        at = end - 1;
      }
    }
    if (done === from) return decodeValue(bytes, from, to);
    const whole = Buffer.from(text + bytes.toString('utf8', done, to));
    return decodeValue(whole, 0, whole.length);
  }

  /** The replacement for a word; null when the word can stay. */
  #instead(bytes: Buffer, from: number, to: number): string | null {
    if (to - from > MOST_DIGITS && isInteger(bytes, from, to)) {
      const digits = bytes.toString('latin1', from, to);
      return Number.isSafeInteger(Number(digits)) ? null : `"${digits}"`;
    }
    if (isJson(bytes, from, to)) return null;
    this.notJson++;
    return 'null';
  }
}

/**
 * Maximum number of brackets in a string that is parsed. Lists and objects take many times the memory of their text, so a
 * string that is mostly brackets is rejected.
 */
const MOST_BRACKETS = 1_000_000;
const BRACKETS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

function isAllBrackets(bytes: Buffer): boolean {
  if (bytes.length <= MOST_BRACKETS) return false;
  let brackets = 0;
  for (const byte of bytes) if (BRACKETS.has(byte)) brackets++;
  return brackets > MOST_BRACKETS;
}

/** Parses JSON; undefined when the text is invalid. */
export function parseJson(bytes: Buffer): unknown {
  if (isAllBrackets(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const entriesOf = (value: unknown): [string, unknown][] => (isJsonObject(value) ? Object.entries(value) : []);

export function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The value as a count, a size or an extent; null for any other value. */
export const sizeOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** A shape; null when one of its extents is invalid. */
export function shapeOf(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null;
  const extents = value.map(sizeOf);
  return extents.every((extent) => extent !== null) ? extents : null;
}

/** The `args` of a counter event: its values, and where they were measured. */
interface CounterArgs {
  readonly values: readonly (readonly [name: string, value: number])[];
  /** Number of the device; NaN when the `args` do not state it. The same for `process`. */
  readonly device: number;
  readonly process: number;
}

const DEVICE = /^(?:device|(?:device|gpu|npu)[ _]?id)$/i;
const PROCESS = /^(?:process|pid|process[ _]?id)$/i;

/** No machine has more devices than this. A larger number is an amount, such as memory of the host or a device. */
const MOST_DEVICES = 1024;

const isDevice = ([key, number]: readonly [string, number]): boolean =>
  DEVICE.test(key) && Number.isInteger(number) && number >= 0 && number < MOST_DEVICES;
const isProcess = ([key, number]: readonly [string, number]): boolean => PROCESS.test(key) && Number.isInteger(number);

/** Reads the `args` of a counter event. A single number is a value, whatever its name. */
export function counterArgs(args: unknown): CounterArgs {
  const numbers = entriesOf(args).flatMap(([key, value]) => (typeof value === 'number' ? [[key, value] as const] : []));
  const values = numbers.filter((entry) => !isDevice(entry) && !isProcess(entry));
  if (values.length === 0) return { values: numbers, device: NaN, process: NaN };
  const numberOf = (is: typeof isDevice): number => numbers.find(is)?.[1] ?? NaN;
  return { values, device: numberOf(isDevice), process: numberOf(isProcess) };
}
