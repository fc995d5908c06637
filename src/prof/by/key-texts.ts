/**
 * Values of keys as texts, each held once, as UTF-8 outside of the heap: what the heap holds may be held twice over
 * until the collector runs.
 */
import { type Value } from '../../table/column.js';
import { LruCache } from '../../containers/lru-cache.js';
import { mixed } from '../../containers/hash.js';
import { Integers } from '../../containers/integers.js';
import { GroupIndex } from './group-index.js';

/** Bytes that are given room for at once. */
const CHUNK = 1 << 20;
/** A character takes so many bytes at most. */
const WIDEST = 3;

/** JSON has no number that is not finite; one that it has is no such word. */
const textOf = (value: Value): string =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);

/** The value of a text. */
const valueOf = (text: string): Value =>
  /^(?:NaN|-?Infinity)$/.test(text) ? Number(text) : (JSON.parse(text) as Value);

export class KeyTexts {
  readonly #chunks: Buffer[] = [];
  #free = CHUNK;
  /** Where each text is: its chunk, and where it begins and ends there. */
  readonly #chunkOf = new Integers();
  readonly #begins = new Integers();
  readonly #ends = new Integers();
  /** The text at hand. */
  #draft = Buffer.alloc(4096);
  readonly #lookup = new GroupIndex((text) => {
    const begin = this.#begins.at(text);
    return hashOf(this.#chunk(text), begin, this.#ends.at(text));
  });
  /** A program has few texts and a profile many kernels: of most, the text is known. */
  readonly #recent = new LruCache<number | string, number>(4096);
  /** Bytes of all texts. */
  bytes = 0;

  /** The number of a value, from 0; the same for equal ones. */
  of(value: Value): number {
    return typeof value === 'object' ? this.#find(value) : this.#recent.of(value, () => this.#find(value));
  }

  /** The value with a number. */
  at(text: number): Value {
    return valueOf(this.#chunk(text).toString('utf8', this.#begins.at(text), this.#ends.at(text)));
  }

  #find(value: Value): number {
    const size = this.#write(textOf(value));
    const draft = this.#draft;
    const hash = hashOf(draft, 0, size);
    const known = this.#lookup.find(hash, (text) => {
      const begin = this.#begins.at(text);
      const end = this.#ends.at(text);
      return end - begin === size && this.#chunk(text).compare(draft, 0, size, begin, end) === 0;
    });
    return known === -1 ? this.#add(hash, size) : known;
  }

  /** Writes the text at hand; returns its bytes. */
  #write(text: string): number {
    if (WIDEST * text.length > this.#draft.length) this.#draft = Buffer.alloc(2 * WIDEST * text.length);
    return this.#draft.write(text);
  }

  #add(hash: number, size: number): number {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#free + size > chunk.length) {
      this.#chunks.push((chunk = Buffer.alloc(Math.max(CHUNK, size))));
      this.#free = 0;
    }
    this.#draft.copy(chunk, this.#free, 0, size);
    const text = this.#begins.length;
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#begins.push(this.#free);
    this.#ends.push((this.#free += size));
    this.#lookup.add(hash, text);
    this.bytes += size;
    return text;
  }

  #chunk(text: number): Buffer {
    return this.#chunks[this.#chunkOf.at(text)] as Buffer;
  }
}

function hashOf(bytes: Buffer, begin: number, end: number): number {
  let hash = end - begin;
  for (let at = begin; at < end; at++) hash = mixed(hash, bytes[at] as number);
  return hash;
}
