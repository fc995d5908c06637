/** Reads one event of a trace in place: the byte range of each known value. One object is reused for millions of events. */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CUT,
  decodeValue,
  endOfNested,
  endOfText,
  endOfValue,
  isJson,
  isOddWord,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  BACKSLASH,
  decodeText,
  numberAt,
  type ByteTexts,
  type Ids,
} from './json-bytes.js';

export const MALFORMED = -2;

/** Keys of an event, and their codes. */
export const EVENT = { ph: 0, cat: 1, name: 2, pid: 3, tid: 4, ts: 5, dur: 6, args: 7, id: 8 } as const;

const NO_BYTES = Buffer.alloc(0);

type EndOfObject = (code: number, bytes: Buffer, at: number, end: number) => number;

/** Number of repeated keys, and of parts that are not valid JSON, in the objects that are read. */
interface Oddities {
  repeatedKeys: number;
  notJson: number;
}

/**
 * The values of one object's known keys, as byte ranges in the window, without quotes. Keys that differ only in case
 * are two keys, as other tools may add their own: the exact one counts.
 */
export class Fields {
  readonly from: Int32Array;
  readonly to: Int32Array;

  /** The window; valid until the next event is read. */
  bytes: Buffer = NO_BYTES;

  readonly #table: KeyTable;
  /** Where the key of each value begins. */
  readonly #keys: Int32Array;

  /** Whether the object read last has an odd word as a value: see `isOddWord`. */
  hasOddWord = false;

  /**
   * @param keys the index in the list is the key's code
   * @param endOfObject finds the end of a value that is an object; CUT when it ends after `end`
   */
  constructor(
    keys: readonly string[],
    private readonly endOfObject: EndOfObject = (_code, bytes, at, end) => endOfNested(bytes, at, end),
  ) {
    this.#table = new KeyTable(keys);
    this.from = new Int32Array(keys.length);
    this.to = new Int32Array(keys.length);
    this.#keys = new Int32Array(keys.length);
  }

  has(code: number): boolean {
    return (this.from[code] as number) !== CUT;
  }

  /** The first byte of a value; undefined when there is none. */
  firstByte(code: number): number | undefined {
    return this.has(code) ? this.bytes[this.from[code] as number] : undefined;
  }

  /** Whether a value is a string: only strings have a quote before them. */
  isText(code: number): boolean {
    return this.has(code) && this.bytes[(this.from[code] as number) - 1] === QUOTE;
  }

  /** A value as written; null when there is none. */
  latin1(code: number): string | null {
    return this.has(code) ? this.bytes.toString('latin1', this.from[code], this.to[code]) : null;
  }

  /** A number; NaN when there is none. */
  number(code: number): number {
    return this.has(code) ? numberAt(this.bytes, this.from[code] as number, this.to[code] as number) : NaN;
  }

  /** An id; NaN when the key is missing. */
  id(code: number, ids: Ids): number {
    return this.has(code) ? ids.at(this.bytes, this.from[code] as number, this.to[code] as number) : NaN;
  }

  /** The number of a string; null when the key is missing. */
  text(code: number, texts: ByteTexts): number | null {
    return this.has(code) ? texts.numberOf(this.bytes, this.from[code] as number, this.to[code] as number) : null;
  }

  /** The number of a string plus one; 0 when it is missing or empty. */
  textPlusOne(code: number, texts: ByteTexts): number {
    const [from, to] = [this.from[code] as number, this.to[code] as number];
    return from === CUT || from === to ? 0 : texts.numberOf(this.bytes, from, to) + 1;
  }

  /** A string with escapes decoded, or any other value as written; null when the key is missing. */
  decoded(code: number): string | null {
    return this.has(code) ? decodeText(this.bytes, this.from[code] as number, this.to[code] as number) : null;
  }

  /** A value decoded from JSON; undefined when the key is missing. */
  value(code: number): unknown {
    return this.has(code) ? decodeValue(this.bytes, this.from[code] as number, this.to[code] as number) : undefined;
  }

  /**
   * Writes code, start and end of each value that is present.
   * @returns the index after them
   */
  writeRanges(ranges: Int32Array, at: number): number {
    const { from, to } = this;
    for (let code = 0; code < from.length; code++) {
      if (from[code] === CUT) continue;
      ranges[at++] = code;
      ranges[at++] = from[code] as number;
      ranges[at++] = to[code] as number;
    }
    return at;
  }

  /** Sets the values in `bytes` from the ranges that `writeRanges` wrote to `ranges[at, end)`. */
  takeRanges(bytes: Buffer, ranges: Int32Array, at: number, end: number): void {
    const { from, to } = this;
    this.bytes = bytes;
    from.fill(CUT);
    while (at < end) {
      const code = ranges[at++] as number;
      from[code] = ranges[at++] as number;
      to[code] = ranges[at++] as number;
    }
  }

  /** Index after the object that opens at `at`; CUT when it ends after `end`, MALFORMED when it is not an object. */
  read(bytes: Buffer, at: number, end: number, odd: Oddities): number {
    const { from, to } = this;
    const keys = this.#keys;
    this.bytes = bytes;
    this.hasOddWord = false;
    from.fill(CUT);
    at++;
    let values = 0;
    let commas = 0;
    let repeated = 0;
    let notJson = 0;
    for (;;) {
      at = skipSpace(bytes, at, end);
      if (at >= end) return CUT;
      const byte = bytes[at];
      if (byte === CLOSE_BRACE) {
        // Counted only at the end of the object, because an event that the window cuts off is read again.
        if (commas !== values - 1 && commas + values > 0) notJson++;
        odd.repeatedKeys += repeated;
        odd.notJson += notJson;
        return at + 1;
      }
      if (byte === COMMA) {
        commas++;
        at++;
        continue;
      }
      if (byte !== QUOTE) return MALFORMED;
      const keyFrom = at + 1;
      const keyTo = endOfText(bytes, keyFrom, end);
      if (keyTo === CUT) return CUT;
      at = skipSpace(bytes, keyTo + 1, end);
      if (at >= end) return CUT;
      if (bytes[at] !== COLON) return MALFORMED;
      at = skipSpace(bytes, at + 1, end);
      if (at >= end) return CUT;
      const code = this.#table.code(bytes, keyFrom, keyTo);
      const valueFrom = at;
      const first = bytes[at] as number;
      at = first === OPEN_BRACE ? this.endOfObject(code, bytes, at, end) : endOfValue(bytes, at, end);
      if (at === CUT) return CUT;
      values++;
      if (!isJson(bytes, valueFrom, at)) notJson++;
      if (first !== QUOTE && first !== OPEN_BRACE && first !== OPEN_BRACKET)
        this.hasOddWord ||= isOddWord(bytes, valueFrom, at);
      if (at === valueFrom) {
        if (bytes[at] === CLOSE_BRACKET) return MALFORMED;
        continue;
      }
      if (code === -1) continue;
      if (from[code] !== CUT) {
        const [isExact, wasExact] = [keyFrom, keys[code] as number].map((key) => this.#table.isExact(code, bytes, key));
        if (isExact === wasExact) repeated++;
        else if (wasExact === true) continue;
      }
      keys[code] = keyFrom;
      const quoted = bytes[valueFrom] === QUOTE ? 1 : 0;
      from[code] = valueFrom + quoted;
      to[code] = at - quoted;
    }
  }
}

export class TraceEvent {
  readonly fields = new Fields(Object.keys(EVENT), (code, bytes, at, end) => this.#endOfObject(code, bytes, at, end));
  readonly args: Fields;
  /** Number of keys that occur more than once in an object; the last value is used. */
  repeatedKeys = 0;
  /** Number of values and commas that JSON does not allow. */
  notJson = 0;

  /** @param argKeys keys of `args` that are read; the index in the list is the key's code */
  constructor(argKeys: readonly string[]) {
    this.args = new Fields(argKeys);
  }

  /** Reads the event that opens at `at`; see `Fields.read`. Its `args` are read on demand. */
  read(bytes: Buffer, at: number, end: number): number {
    this.#argsFrom = CUT;
    return this.fields.read(bytes, at, end, this);
  }

  /** Offset of the `args`, if they were already read together with the event; CUT otherwise. */
  #argsFrom = CUT;
  /** Oddities of those `args`, which `readArgs` adds to the counters. */
  readonly #odd: Oddities = { repeatedKeys: 0, notJson: 0 };

  /** Reads the `args` while looking for their end, so that their values are scanned only once. */
  #endOfObject(code: number, bytes: Buffer, at: number, end: number): number {
    if (code !== EVENT.args) return endOfNested(bytes, at, end);
    this.#odd.repeatedKeys = this.#odd.notJson = 0;
    const to = this.args.read(bytes, at, end, this.#odd);
    const isRead = to > 0 && !this.args.hasOddWord;
    this.#argsFrom = isRead ? at : CUT;
    return isRead ? to : endOfNested(bytes, at, end);
  }

  /**
   * Reads the event's `args`.
   * @returns false when it has none
   */
  readArgs(): boolean {
    const { fields, args } = this;
    if (fields.has(EVENT.args) && fields.from[EVENT.args] === this.#argsFrom) {
      this.repeatedKeys += this.#odd.repeatedKeys;
      this.notJson += this.#odd.notJson;
      return true;
    }
    if (fields.firstByte(EVENT.args) !== OPEN_BRACE) {
      args.from.fill(CUT);
      return false;
    }
    const [from, to] = [fields.from[EVENT.args] as number, fields.to[EVENT.args] as number];
    const whole = args.read(fields.bytes, from, to, this) > 0;
    if (!whole) this.notJson++;
    return whole;
  }
}

const SLOTS = 1024;
/** The bit that differs between small and capital ASCII letters. Traces spell both `external id` and `External id`. */
const CASE = 0x20;

/** The known keys of an object, looked up by their bytes: a hash table without strings. */
export class KeyTable {
  readonly #slots = new Int16Array(SLOTS).fill(-1);
  readonly #keys: readonly Uint8Array[];
  /** @param keys fewer than 1024; the index in the list is the key's code */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map((key) => Buffer.from(key));
    this.#keys.forEach((bytes, code) => {
      let slot = this.#slotOf(bytes, 0, bytes.length);
      while (this.#slots[slot] !== -1) slot = (slot + 1) % SLOTS;
      this.#slots[slot] = code;
    });
  }

  /** The code of the key in `bytes[from, to)`, or -1. */
  code(bytes: Buffer, from: number, to: number): number {
    const code = this.#plainCode(bytes, from, to);
    // Writers do not escape letters of a key, but JSON allows it.
    if (code !== -1 || !includes(bytes, from, to, BACKSLASH)) return code;
    const key = Buffer.from(decodeText(bytes, from, to));
    return this.#plainCode(key, 0, key.length);
  }

  /** Whether the key at a position is spelled as it is known, also in upper and lower case. */
  isExact(code: number, bytes: Uint8Array, from: number): boolean {
    return (this.#keys[code] as Uint8Array).every((byte, i) => bytes[from + i] === byte);
  }

  #plainCode(bytes: Uint8Array, from: number, to: number): number {
    let slot = this.#slotOf(bytes, from, to);
    for (;;) {
      const code = this.#slots[slot] as number;
      if (code === -1 || this.#equals(this.#keys[code] as Uint8Array, bytes, from, to)) return code;
      slot = (slot + 1) % SLOTS;
    }
  }

  /** The slot to try first, computed from the length and three bytes, because most keys differ in one of these. */
  #slotOf(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length === 0) return 0;
    const first = (bytes[from] as number) | CASE;
    const middle = (bytes[from + (length >> 1)] as number) | CASE;
    const last = (bytes[to - 1] as number) | CASE;
    return (length * 37 + first * 13 + middle * 5 + last) % SLOTS;
  }

  #equals(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
    if (key.length !== to - from) return false;
    for (let i = 0; i < key.length; i++)
      if (((bytes[from + i] as number) | CASE) !== ((key[i] as number) | CASE)) return false;
    return true;
  }
}

function includes(bytes: Uint8Array, from: number, to: number, byte: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === byte) return true;
  return false;
}
