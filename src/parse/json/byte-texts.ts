/**
 * Interned texts of a trace: names, shapes and types repeat millions of times, and each is stored once, as bytes.
 * A text is looked up by its bytes in the window: a Map of strings costs 1.07 times the CPU of `dparse -q` on a trace of
 * 167 MB.
 */
import { HashIndex, NO_ROW } from '../../containers/hash-index.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { decodeText, decodeValue, QUOTE, SPACE } from './json-bytes.js';

export class ByteTexts {
  #arena: Buffer<ArrayBuffer> = Buffer.allocUnsafe(64 * 1024);
  /** Where each text starts in the arena, and where it ends. */
  readonly #starts = NumericColumn.counts();
  readonly #ends = NumericColumn.counts();
  readonly #index = new HashIndex((number) => hash(this.#arena, this.#starts.at(number), this.#ends.at(number)));
  #bytes: Buffer = this.#arena;
  #from = 0;
  #to = 0;
  readonly #isSame = (number: number): boolean => this.#equals(number);

  /** Texts in quotes that hold control characters, which JSON does not allow. */
  withControls = 0;

  get count(): number {
    return this.#starts.length;
  }

  /** The number of the text in `bytes[from, to)`; equal bytes have equal numbers, in order of first appearance. */
  numberOf(bytes: Buffer, from: number, to: number): number {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    const key = hash(bytes, from, to);
    const known = this.#index.find(key, this.#isSame);
    return known === NO_ROW ? this.#add(key) : known;
  }

  /** The number of a text that stands in no bytes: as it would be written between quotes. */
  numberOfText(text: string): number {
    const bytes = Buffer.from(JSON.stringify(text));
    return this.numberOf(bytes, 1, bytes.length - 1);
  }

  /** The text, escapes undone. */
  text(number: number): string {
    return decodeText(this.#arena, this.#starts.at(number), this.#ends.at(number));
  }

  /** The bytes read as JSON; undefined when they are none. */
  value(number: number): unknown {
    return decodeValue(this.#arena, this.#starts.at(number), this.#ends.at(number));
  }

  #equals(number: number): boolean {
    let at = this.#starts.at(number);
    if (this.#ends.at(number) - at !== this.#to - this.#from) return false;
    const [arena, bytes] = [this.#arena, this.#bytes];
    for (let i = this.#from; i < this.#to; i++, at++) if (arena[at] !== bytes[i]) return false;
    return true;
  }

  #add(key: number): number {
    const [bytes, from, to] = [this.#bytes, this.#from, this.#to];
    const number = this.count;
    const start = number === 0 ? 0 : this.#ends.at(number - 1);
    const end = start + (to - from);
    if (end > this.#arena.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#arena.length * 2));
      this.#arena.copy(larger, 0, 0, start);
      this.#arena = larger;
    }
    bytes.copy(this.#arena, start, from, to);
    if (bytes[from - 1] === QUOTE && bytes.subarray(from, to).some((byte) => byte < SPACE)) this.withControls++;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#index.add(key, number);
    return number;
  }
}

/** Samples of a long text are enough: what hashes alike is compared byte by byte. */
const SAMPLES = 24;

function hash(bytes: Buffer, from: number, to: number): number {
  const length = to - from;
  const step = length > SAMPLES * 2 ? Math.floor(length / SAMPLES) : 1;
  let value = length;
  for (let at = from; at < to; at += step) value = Math.imul(value ^ (bytes[at] as number), 0x01000193);
  for (let at = Math.max(from, to - 8); at < to; at++) value = Math.imul(value ^ (bytes[at] as number), 0x01000193);
  return (value ^ (value >>> 15)) & 0x7fffffff;
}
