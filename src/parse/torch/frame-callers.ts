/** The callers that a profile records of Python frames. Memory: 12 bytes a frame with an id. */
import { NarrowColumn } from '../../containers/narrow-column.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { countBelow } from '../../containers/sorted-search.js';

export class FrameCallers {
  /** Rows of the frames among the ranges, in that order. */
  readonly #range = NumericColumn.counts();
  readonly #id = NarrowColumn.ids();
  /** Id of the frame that called it; NaN for none. */
  readonly #caller = NarrowColumn.ids();

  add(range: number, id: number, caller: number): void {
    this.#range.push(range);
    this.#id.push(id);
    this.#caller.push(caller);
  }

  /** NaN for a range without an id. */
  readonly idOf = (range: number): number => this.#at(this.#id, range);

  /** Id of the frame that called a range; NaN for none. */
  readonly callerOf = (range: number): number => this.#at(this.#caller, range);

  #at(column: NarrowColumn, range: number): number {
    const row = countBelow(this.#range.length, (index) => this.#range.at(index), range);
    return row < this.#range.length && this.#range.at(row) === range ? column.at(row) : NaN;
  }
}
