/** Lists of strings, each different one held once. Memory: 4 bytes a string, and 12 for every list. */
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { PairIndex } from '../../../../containers/pair-index.js';

export class DifferentStacks {
  readonly #strings = NumericColumn.counts();
  /** By list, the place of its first string, and a number that equal lists have. */
  readonly #first = NumericColumn.counts();
  readonly #hashes = NumericColumn.counts();
  readonly #index = new PairIndex(
    (stack) => this.#hashes.at(stack),
    (stack) => this.#attempt.at(stack),
  );
  /** Lists of the same hash are numbered. */
  readonly #attempt = NumericColumn.counts();

  /** The number of a list. */
  numberOf(strings: readonly number[]): number {
    const hash = hashOf(strings);
    for (let attempt = 0; ; attempt++) {
      const known = this.#index.get(hash, attempt);
      if (known === -1) return this.#add(strings, hash, attempt);
      if (this.#isEqual(known, strings)) return known;
    }
  }

  /** The strings of a list. */
  of(number: number): number[] {
    return Array.from({ length: this.#end(number) - this.#first.at(number) }, (_, i) =>
      this.#strings.at(this.#first.at(number) + i),
    );
  }

  #end(number: number): number {
    return number + 1 < this.#first.length ? this.#first.at(number + 1) : this.#strings.length;
  }

  #isEqual(number: number, strings: readonly number[]): boolean {
    const first = this.#first.at(number);
    return this.#end(number) - first === strings.length && strings.every((string, i) => this.#strings.at(first + i) === string); // prettier-ignore
  }

  #add(strings: readonly number[], hash: number, attempt: number): number {
    this.#first.push(this.#strings.length);
    for (const string of strings) this.#strings.push(string);
    this.#hashes.push(hash);
    this.#attempt.push(attempt);
    this.#index.put(this.#first.length - 1);
    return this.#first.length - 1;
  }
}

/** FNV-1a over whole numbers. */
function hashOf(strings: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const string of strings) hash = Math.imul(hash ^ string, 0x01000193);
  return hash >>> 0;
}
