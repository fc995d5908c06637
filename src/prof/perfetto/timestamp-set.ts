/** Hash set of (time, hash of the rest of the key) pairs; never evicts: 20 to 34 bytes each. */
import { mixed } from '../../containers/hash.js';
import { NO_ROW } from '../../containers/hash-index.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { PairIndex } from '../../containers/pair-index.js';

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
  readonly #times = NumericColumn.floats();
  readonly #hashes = NumericColumn.counts();
  readonly #index = new PairIndex(
    (row) => this.#times.at(row),
    (row) => this.#hashes.at(row),
  );

  has(time: number, hash: number): boolean {
    return this.#index.get(time, hash) !== NO_ROW;
  }

  /** @param hash of the rest of the key, see `hashOf` */
  add(time: number, hash: number): void {
    if (this.has(time, hash)) return;
    this.#times.push(time);
    this.#hashes.push(hash);
    this.#index.put(this.#times.length - 1);
  }
}
