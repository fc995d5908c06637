/**
 * Numbered strings. Each distinct string is stored once, as UTF-8 outside the heap. A small number of strings is better
 * kept as strings.
 */
import { elementAt } from './element.js';
import { mixedBytes, HashIndex, NO_ROW } from './hash-index.js';
import { NumericColumn } from './numeric-column.js';

/** Number of bytes allocated at once. */
const CHUNK = 1 << 20;
/** Maximum UTF-8 bytes for one UTF-16 code unit. */
const WIDEST = 3;

export class TextPool {
  readonly #chunks: Buffer[] = [];
  /** Number of used bytes in the last chunk. */
  #used = CHUNK;
  /** Location of each string: its chunk, and its beginning and end in it. */
  readonly #chunkOf = NumericColumn.int32();
  readonly #begins = NumericColumn.int32();
  readonly #ends = NumericColumn.int32();
  #draft = Buffer.alloc(4096);
  readonly #index = new HashIndex((text) =>
    mixedBytes(0, this.#chunk(text), this.#begins.at(text), this.#ends.at(text)),
  );
  #bytes = 0;

  /** Number of distinct strings. */
  get length(): number {
    return this.#begins.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of a string, from 0 in the order in which distinct strings were added; lone surrogates count as U+FFFD. */
  numberOf(text: string): number {
    if (WIDEST * text.length > this.#draft.length) this.#draft = Buffer.alloc(2 * WIDEST * text.length);
    const draft = this.#draft;
    const size = draft.write(text);
    const hash = mixedBytes(0, draft, 0, size);
    const known = this.#index.find(hash, (other) => {
      const begin = this.#begins.at(other);
      const end = this.#ends.at(other);
      return end - begin === size && this.#chunk(other).compare(draft, 0, size, begin, end) === 0;
    });
    return known === NO_ROW ? this.#add(hash, size) : known;
  }

  /** @throws RangeError for an unknown number */
  at(text: number): string {
    return this.#chunk(text).toString('utf8', this.#begins.at(text), this.#ends.at(text));
  }

  /** Adds the first bytes of the draft buffer as a string. */
  #add(hash: number, size: number): number {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#used + size > chunk.length) {
      this.#chunks.push((chunk = Buffer.alloc(Math.max(CHUNK, size))));
      this.#used = 0;
    }
    this.#draft.copy(chunk, this.#used, 0, size);
    const text = this.length;
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#begins.push(this.#used);
    this.#ends.push((this.#used += size));
    this.#index.add(hash, text);
    this.#bytes += size;
    return text;
  }

  #chunk(text: number): Buffer {
    return elementAt(this.#chunks, this.#chunkOf.at(text));
  }
}
