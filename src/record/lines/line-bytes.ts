/** Buffer to which JSON lines are appended as bytes, without creating a string for each line. */
import { escapeJson } from '../control-characters.js';

const ZERO = 48;
/** The only ASCII control character that JSON.stringify does not escape. */
const DEL = '\u007f';
/** Bytes of the longest formatted number. */
const LONGEST_NUMBER = 32;

/** ASCII digits of all numbers below 1000, three digits each. */
const DIGITS = new Uint8Array(3000);
for (let i = 0; i < 1000; i++) {
  DIGITS[3 * i] = ZERO + Math.floor(i / 100);
  DIGITS[3 * i + 1] = ZERO + (Math.floor(i / 10) % 10);
  DIGITS[3 * i + 2] = ZERO + (i % 10);
}

/** Up to this length, copying byte by byte is faster than TypedArray.set. */
const SHORT = 12;

export class LineBytes {
  #bytes: Buffer<ArrayBuffer>;
  #length = 0;

  /** @param capacity initial size in bytes; the buffer grows as needed */
  constructor(private readonly capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  put(piece: Uint8Array): void {
    const offset = this.#room(piece.length);
    const bytes = this.#bytes;
    if (piece.length > SHORT) bytes.set(piece, offset);
    else for (let i = 0; i < piece.length; i++) bytes[offset + i] = piece[i] as number;
    this.#length = offset + piece.length;
  }

  /** Appends a number as JSON: `null` for NaN and infinities. */
  number(value: number): void {
    this.#room(LONGEST_NUMBER);
    if (value >>> 0 === value) this.#word(value);
    else if (value >= 0 && Number.isSafeInteger(value)) this.#large(value);
    else this.text(JSON.stringify(value));
  }

  text(text: string): void {
    const offset = this.#room(text.length * 3);
    this.#length = offset + this.#bytes.write(text, offset);
  }

  /** Appends output of JSON.stringify, without control characters; only non-ASCII text is searched for them. */
  json(json: string): void {
    const from = this.#length;
    this.text(json);
    if (this.#length - from === json.length && !json.includes(DEL)) return;
    this.#length = from;
    this.text(escapeJson(json));
  }

  /** Truncates the buffer to this length. */
  dropTo(length: number): void {
    this.#length = length;
  }

  /** Returns the bytes; later lines go into a new buffer. */
  take(): Buffer<ArrayBuffer> {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafeSlow(this.capacity);
    this.#length = 0;
    return taken;
  }

  /** Decodes the bytes and clears the buffer. */
  takeText(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    return text;
  }

  /** Makes room for some bytes and returns the offset to write at. */
  #room(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#length;
  }

  /** Appends a whole number below 2^32. */
  #word(value: number): void {
    if (value < 1e3) this.#first(value);
    else if (value < 1e6) {
      const thousands = (value / 1e3) | 0;
      this.#first(thousands);
      this.#three(value - thousands * 1e3);
    } else if (value < 1e9) {
      const millions = (value / 1e6) | 0;
      this.#first(millions);
      this.#six(value - millions * 1e6);
    } else this.#large(value);
  }

  /** Appends a whole number from 10^9 to 2^53. */
  #large(value: number): void {
    const billions = Math.floor(value / 1e9);
    const rest = value - billions * 1e9;
    const millions = (rest / 1e6) | 0;
    this.#word(billions);
    this.#three(millions);
    this.#six(rest - millions * 1e6);
  }

  #six(value: number): void {
    const thousands = (value / 1e3) | 0;
    this.#three(thousands);
    this.#three(value - thousands * 1e3);
  }

  #three(value: number): void {
    const bytes = this.#bytes;
    const offset = this.#length;
    bytes[offset] = DIGITS[3 * value] as number;
    bytes[offset + 1] = DIGITS[3 * value + 1] as number;
    bytes[offset + 2] = DIGITS[3 * value + 2] as number;
    this.#length = offset + 3;
  }

  /** Appends a number below 1000, without leading zeros. */
  #first(value: number): void {
    const bytes = this.#bytes;
    if (value >= 100) this.#three(value);
    else {
      if (value >= 10) bytes[this.#length++] = DIGITS[3 * value + 1] as number;
      bytes[this.#length++] = DIGITS[3 * value + 2] as number;
    }
  }
}

export const bytesOf = (text: string): Uint8Array => Buffer.from(text);

const MOST_PIECES = 4096;

/** Cache of encoded fragments of lines, by the value from which they are made. */
export class Pieces<K extends string | number> {
  readonly #kept = new Map<K, Uint8Array>();
  #last: K | null = null;
  #lastPiece: Uint8Array = EMPTY;

  constructor(private readonly textOf: (key: K) => string) {}

  of(key: K): Uint8Array {
    if (key === this.#last) return this.#lastPiece;
    let piece = this.#kept.get(key);
    if (piece === undefined) {
      piece = bytesOf(this.textOf(key));
      if (this.#kept.size === MOST_PIECES) this.#kept.clear();
      this.#kept.set(key, piece);
    }
    this.#last = key;
    this.#lastPiece = piece;
    return piece;
  }
}

const EMPTY = new Uint8Array(0);
