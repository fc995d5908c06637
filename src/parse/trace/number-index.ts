import { PairIndex } from '../../containers/hash-index.js';

/** An index from a number in a column to its row. */
export class NumberIndex {
  readonly #index: PairIndex;

  constructor(column: { at(row: number): number }) {
    this.#index = new PairIndex(
      () => 0,
      (row) => column.at(row),
    );
  }

  /** The row that was put last with this number; -1 when there is none. */
  get(number: number): number {
    return this.#index.get(0, number);
  }

  put(row: number): void {
    this.#index.put(row);
  }
}
