/**
 * Values of counters by dispatch, added up over the parts of a device. Memory: 25 to 40 bytes for each counter of a
 * dispatch.
 */
import { columns } from '../../containers/numeric-column.js';
import { entryOf } from '../../containers/map-entry.js';
import { NO_ROW, PairIndex } from '../../containers/hash-index.js';

/** `Counter`: a counter's name or id. */
export class CounterSums<Counter> extends columns({ dispatch: 'id', counter: 'count', value: 'f64', parts: 'count' }) {
  readonly #counters: Counter[] = [];
  readonly #numbers = new Map<Counter, number>();
  readonly #rows = new PairIndex(
    (row) => this.dispatch.at(row),
    (row) => this.counter.at(row),
  );

  /** Adds a part's value. @param isMean whether the value is the mean of the parts, as for percentages */
  add(dispatch: number, counter: Counter, value: number, isMean = false): void {
    const number = entryOf(this.#numbers, counter, () => this.#counters.push(counter) - 1);
    const row = this.#rows.get(dispatch, number);
    if (row === NO_ROW) {
      this.pushCells(dispatch, number, value, 1);
      this.#rows.put(this.length - 1);
      return;
    }
    const [before, parts] = [this.value.at(row), this.parts.at(row) + 1];
    this.value.set(row, before + (isMean ? (value - before) / parts : value));
    this.parts.set(row, parts);
  }

  /** Values of a dispatch by counter; empty when it has none. */
  of(dispatch: number): (readonly [counter: Counter, value: number])[] {
    return this.#counters.flatMap((counter, number) => {
      const row = this.#rows.get(dispatch, number);
      return row === NO_ROW ? [] : [[counter, this.value.at(row)] as const];
    });
  }
}
