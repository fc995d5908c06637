/** Interning table of stacks, lists of string ids. Memory: 4 bytes a frame, and 12 for every distinct stack. */
import { mixed } from '../../../../containers/hash.js';
import { HashIndex, NO_ROW } from '../../../../containers/hash-index.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';

export class StackTable {
  readonly #strings = NumericColumn.counts();
  /** By stack, the index of its first string, and its hash. */
  readonly #first = NumericColumn.counts();
  readonly #hashes = NumericColumn.int32();
  readonly #index = new HashIndex((stack) => this.#hashes.at(stack));

  /** The number of a stack, added when it is new. */
  numberOf(strings: readonly number[]): number {
    const hash = hashOf(strings);
    const known = this.#index.find(hash, (stack) => this.#isEqual(stack, strings));
    return known === NO_ROW ? this.#add(strings, hash) : known;
  }

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
    if (this.#end(number) - first !== strings.length) return false;
    return strings.every((string, i) => this.#strings.at(first + i) === string);
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
