/** Lists of strings, each different one held once. Memory: 4 bytes a string, and 12 for every list. */
import { mixed } from '../../../../containers/hash.js';
import { HashIndex, NO_ROW } from '../../../../containers/hash-index.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';

export class DifferentStacks {
  readonly #strings = NumericColumn.counts();
  /** By list, the place of its first string, and its hash. */
  readonly #first = NumericColumn.counts();
  readonly #hashes = NumericColumn.int32();
  readonly #index = new HashIndex((list) => this.#hashes.at(list));

  /** The number of a list. */
  numberOf(strings: readonly number[]): number {
    const hash = hashOf(strings);
    const known = this.#index.find(hash, (list) => this.#isEqual(list, strings));
    return known === NO_ROW ? this.#add(strings, hash) : known;
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

  #add(strings: readonly number[], hash: number): number {
    this.#first.push(this.#strings.length);
    for (const string of strings) this.#strings.push(string);
    this.#hashes.push(hash);
    const list = this.#first.length - 1;
    this.#index.add(hash, list);
    return list;
  }
}

const hashOf = (strings: readonly number[]): number => strings.reduce(mixed, 0);
