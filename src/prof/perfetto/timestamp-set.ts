/** Hash set of (timestamp, hash) pairs; never evicts: 24 to 48 bytes each. */
import { elementAt } from '../../containers/element.js';
import { mixed } from '../../containers/hash.js';

/** A power of two, so that a slot is the low bits of a hash. */
const FIRST_SLOTS = 1024;
const UINT32 = 2 ** 32;

/** A hash of 32 bits of numbers, texts and nulls, in this order. */
export function hashOf(...parts: readonly unknown[]): number {
  let hash = 0;
  for (const part of parts) {
    if (typeof part === 'number') hash = mixed(mixed(hash, part | 0), (part / UINT32) | 0);
    else for (let i = 0, text = String(part); i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  }
  return hash >>> 0;
}

export class TimestampSet {
  /** NaN marks a free slot. */
  #starts = new Float64Array(FIRST_SLOTS).fill(NaN);
  #hashes = new Uint32Array(FIRST_SLOTS);
  #count = 0;

  has(start: number, hash: number): boolean {
    return !this.#isFree(this.#slot(start, hash));
  }

  /** @param hash of what else identifies the entry, see `hashOf` */
  add(start: number, hash: number): void {
    if (2 * this.#count >= this.#starts.length) this.#grow();
    const slot = this.#slot(start, hash);
    if (this.#isFree(slot)) this.#count++;
    this.#starts[slot] = start;
    this.#hashes[slot] = hash;
  }

  #isFree(slot: number): boolean {
    return Number.isNaN(elementAt(this.#starts, slot));
  }

  /** The slot of a pair, or the free one where it would be added. */
  #slot(start: number, hash: number): number {
    const [starts, hashes] = [this.#starts, this.#hashes];
    const last = starts.length - 1;
    let slot = mixed(mixed(hash, start | 0), (start / UINT32) | 0) & last;
    for (;;) {
      const found = elementAt(starts, slot);
      if (Number.isNaN(found) || (found === start && hashes[slot] === hash)) return slot;
      slot = (slot + 1) & last;
    }
  }

  #grow(): void {
    const [starts, hashes] = [this.#starts, this.#hashes];
    this.#starts = new Float64Array(2 * starts.length).fill(NaN);
    this.#hashes = new Uint32Array(2 * starts.length);
    for (const [i, start] of starts.entries()) {
      if (Number.isNaN(start)) continue;
      const hash = elementAt(hashes, i);
      const slot = this.#slot(start, hash);
      this.#starts[slot] = start;
      this.#hashes[slot] = hash;
    }
  }
}
