/** An index from a pair of numbers to a row. */
import { mixedNumber } from './hash.js';
import { HashIndex } from './hash-index.js';

const hashOf = (first: number, second: number): number => mixedNumber(mixedNumber(0, first), second);

export class PairIndex {
  readonly #index: HashIndex;
  /** The key that is looked for. */
  #first = 0;
  #second = 0;
  readonly #isSame = (row: number): boolean => this.second(row) === this.#second && this.first(row) === this.#first;

  /**
   * @param first first number of a row's key
   * @param second second number of a row's key; both are read again on every comparison
   */
  constructor(
    private readonly first: (row: number) => number,
    private readonly second: (row: number) => number,
  ) {
    this.#index = new HashIndex((row) => hashOf(first(row), second(row)));
  }

  /** The row that has this key; NO_ROW (-1) when there is none. */
  get(first: number, second: number): number {
    this.#first = first;
    this.#second = second;
    return this.#index.find(hashOf(first, second), this.#isSame);
  }

  /** Makes `row` the one that its key leads to. */
  put(row: number): void {
    this.#first = this.first(row);
    this.#second = this.second(row);
    this.#index.put(hashOf(this.#first, this.#second), row, this.#isSame);
  }
}
