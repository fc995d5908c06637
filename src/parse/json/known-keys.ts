/**
 * Decodes the known keys of objects into one object that is reused for each row. JSON.parse of each row costs 1.43 times
 * the CPU and 1.5 times the peak memory (`dparse -q` on a tool's JSON of 153 MB; `npm run bench:neuron` times a trace).
 */
import {
  CUT,
  decodeText,
  endOfText,
  endOfValue,
  isJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './json-bytes.js';
import { KeyTable } from './key-table.js';
import type { ExactDecoder } from './exact-json.js';

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Integers of fewer digits are held exactly by a double. */
const MOST_DIGITS = 15;

/** Bytes of the longest text or list that is cached. */
const SHORT = 40;
/** Entries of the cache. */
const CACHED = 4096;

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

function equal(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (key.length !== to - from) return false;
  for (let i = 0; i < key.length; i++) if (bytes[from + i] !== key[i]) return false;
  return true;
}

export class KnownKeys {
  readonly #table: KeyTable;
  readonly #cells: Cells;
  /** Keys of the previous object. */
  #used: string[] = [];
  readonly #cache: (Cached | undefined)[] = new Array<Cached | undefined>(CACHED).fill(undefined);

  /** @param exact decodes nested values; counts words that are not JSON */
  constructor(
    private readonly keys: readonly string[],
    private readonly exact: ExactDecoder,
  ) {
    this.#table = new KeyTable(keys);
    this.#cells = Object.fromEntries(keys.map((key) => [key, undefined]));
  }

  /**
   * The known keys of the object in `bytes[from, to)`, undefined where it lacks them; integers beyond 2^53 as
   * decimal text, words that JSON does not have as null. Of a repeated key the last value counts.
   * @returns the same object each time; undefined when the bytes are not an object
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
      const name = this.keys[this.#table.code(bytes, at + 1, quote)];
      if (name !== undefined) {
        this.#cells[name] = this.#value(bytes, value, after);
        this.#used.push(name);
      }
      at = after - 1;
    }
    return this.#cells;
  }

  #value(bytes: Buffer, from: number, to: number): unknown {
    const first = bytes[from] as number;
    if (first === QUOTE) return to - from === 2 ? '' : this.#kept(bytes, from, to, first);
    if (first === OPEN_BRACKET || first === OPEN_BRACE) return this.#kept(bytes, from, to, first);
    return this.#word(bytes, from, to);
  }

  /** A text or list, decoded once while it is in the cache. */
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
