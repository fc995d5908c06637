/**
 * Objects of which only some keys matter, read from their bytes into one object that is used again for each: millions
 * of rows with the same keys cost neither an object nor a text for what is known from the row before.
 */
import {
  BACKSLASH,
  CUT,
  decodeText,
  endOfText,
  endOfValue,
  isJson,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './json-bytes.js';
import type { ExactDecoder } from './exact-json.js';

const OPEN_BRACE = 0x7b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Integers of fewer digits are held exactly by a double. */
const MOST_DIGITS = 15;

/** Texts and lists up to this length are kept for the next time. */
const SHORT = 40;
const CACHED = 4096;

const KEY_SLOTS = 512;

type Cells = Record<string, unknown>;

interface Cached {
  readonly bytes: Uint8Array;
  readonly value: unknown;
}

function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = to - from;
  for (let at = from; at < to; at++) value = Math.imul(value ^ (bytes[at] as number), 0x01000193);
  return (value ^ (value >>> 15)) & 0x7fffffff;
}

/** Keys of an object differ in length or at these places more often than not. */
const slotOf = (bytes: Uint8Array, from: number, to: number): number =>
  to === from
    ? 0
    : ((to - from) * 37 +
        (bytes[from] as number) * 13 +
        (bytes[from + ((to - from) >> 1)] as number) * 5 +
        (bytes[to - 1] as number)) %
      KEY_SLOTS;

function equal(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (key.length !== to - from) return false;
  for (let i = 0; i < key.length; i++) if (bytes[from + i] !== key[i]) return false;
  return true;
}

export class KnownKeys {
  readonly #names: (readonly [key: Uint8Array, name: string])[][] = Array.from({ length: KEY_SLOTS }, () => []);
  readonly #cells: Cells;
  /** Keys of the object before. */
  #used: string[] = [];
  readonly #cache: (Cached | undefined)[] = new Array<Cached | undefined>(CACHED).fill(undefined);

  /** @param exact decodes what is nested; counts words that are no JSON */
  constructor(
    keys: readonly string[],
    private readonly exact: ExactDecoder,
  ) {
    for (const key of keys) {
      const bytes = Buffer.from(key);
      this.#names[slotOf(bytes, 0, bytes.length)]?.push([bytes, key]);
    }
    this.#cells = Object.fromEntries(keys.map((key) => [key, undefined]));
  }

  /**
   * The known keys of the object in `bytes[from, to)`, undefined where they are not there; integers beyond 2^53 as
   * decimal text, words that JSON does not have as null. Of a key that stands twice the last one counts.
   * @returns the same object each time; undefined when the bytes are no object
   */
  decode(bytes: Buffer, from: number, to: number): Readonly<Cells> | undefined {
    for (const name of this.#used) this.#cells[name] = undefined;
    this.#used = [];
    if (bytes[from] !== OPEN_BRACE) return undefined;
    for (let at = from + 1; at < to; at++) {
      if (bytes[at] !== QUOTE) continue;
      const quote = endOfText(bytes, at + 1, to);
      if (quote === CUT) return undefined;
      const value = skipSpace(bytes, skipSpace(bytes, quote + 1, to) + 1, to);
      const after = endOfValue(bytes, value, to);
      if (after === CUT) return undefined;
      const name = this.#nameOf(bytes, at + 1, quote);
      if (name !== null) {
        this.#cells[name] = this.#value(bytes, value, after);
        this.#used.push(name);
      }
      at = after - 1;
    }
    return this.#cells;
  }

  #nameOf(bytes: Buffer, from: number, to: number): string | null {
    const slot = this.#names[slotOf(bytes, from, to)] ?? [];
    for (const [key, name] of slot) if (equal(key, bytes, from, to)) return name;
    // No writer escapes letters of a key, but JSON allows it.
    if (!bytes.subarray(from, to).includes(BACKSLASH)) return null;
    const key = Buffer.from(decodeText(bytes, from, to));
    return key.includes(BACKSLASH) ? null : this.#nameOf(key, 0, key.length);
  }

  #value(bytes: Buffer, from: number, to: number): unknown {
    const first = bytes[from] as number;
    if (first === QUOTE) return to - from === 2 ? '' : this.#kept(bytes, from, to, first);
    if (first === OPEN_BRACKET || first === OPEN_BRACE) return this.#kept(bytes, from, to, first);
    return this.#word(bytes, from, to);
  }

  /** A text or list, from the last time where it is the same. */
  #kept(bytes: Buffer, from: number, to: number, first: number): unknown {
    if (to - from > SHORT) return this.#decoded(bytes, from, to, first);
    const slot = hash(bytes, from, to) % CACHED;
    const known = this.#cache[slot];
    if (known !== undefined && equal(known.bytes, bytes, from, to)) return known.value;
    const value = this.#decoded(bytes, from, to, first);
    this.#cache[slot] = { bytes: Uint8Array.prototype.slice.call(bytes, from, to), value };
    return value;
  }

  #decoded(bytes: Buffer, from: number, to: number, first: number): unknown {
    return first === QUOTE ? decodeText(bytes, from + 1, to - 1) : this.exact.decode(bytes, from, to);
  }

  #word(bytes: Buffer, from: number, to: number): unknown {
    let at = bytes[from] === MINUS ? from + 1 : from;
    const digits = to - at;
    let value = 0;
    for (; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte < ZERO || byte > NINE) return this.#otherWord(bytes, from, to);
      value = value * 10 + (byte - ZERO);
    }
    if (digits === 0) return this.#otherWord(bytes, from, to);
    if (digits > MOST_DIGITS) {
      const text = bytes.toString('latin1', from, to);
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    }
    return bytes[from] === MINUS ? -value : value;
  }

  /** Decimals, `true`, `NaN` … */
  #otherWord(bytes: Buffer, from: number, to: number): unknown {
    if (!isJson(bytes, from, to)) {
      this.exact.notJson++;
      return null;
    }
    const text = bytes.toString('latin1', from, to);
    if (text === 'true' || text === 'false') return text === 'true';
    const value = text === 'null' ? NaN : Number(text);
    return Number.isNaN(value) ? null : value;
  }
}
