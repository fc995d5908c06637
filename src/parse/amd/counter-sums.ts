/**
 * Values of counters by dispatch, added up over the parts of a device. Memory: 25 to 45 bytes for each counter of a
 * dispatch.
 */
import { columns } from '../../containers/numeric-column.js';
import { entryOf } from '../../containers/map-entry.js';
import { NO_ROW, PairIndex } from '../../containers/hash-index.js';
import type { TraceBuilder } from '../trace/trace-builder.js';
import { inNameOrder, type Counters } from './work-rows.js';

const CELLS = { dispatch: 'id', counter: 'count', value: 'f64', parts: 'count', isTaken: 'u8' } as const;

/** `Counter`: a counter's name or id. */
export class CounterSums<Counter = string> extends columns(CELLS) {
  readonly #counters: Counter[] = [];
  readonly #numbers = new Map<Counter, number>();
  /** Numbers of values that belong to no counter of a dispatch, by what they lack. */
  readonly #lacking = new Map<string, number>();
  readonly #rows = new PairIndex(
    (row) => this.dispatch.at(row),
    (row) => this.counter.at(row),
  );

  /**
   * Adds a part's value, or counts it when its number, counter or dispatch is unknown.
   * @param dispatch its number; ids that are no numbers are unknown
   * @param isMean whether the value is the mean of the parts, as for percentages
   */
  add(dispatch: unknown, counter: Counter | null, value: unknown, isMean = false): void {
    if (!isNumber(value)) this.#lack('a number');
    else if (counter === null || counter === '') this.#lack('a name');
    else if (!isNumber(dispatch)) this.#lack('a dispatch');
    else this.#add(dispatch, counter, value, isMean);
  }

  /** Counters of a dispatch; undefined when it has none. */
  of(dispatch: unknown, nameOf: (counter: Counter) => string = String): Counters | undefined {
    if (!isNumber(dispatch) || this.length === 0) return undefined;
    const values = this.#counters.flatMap((counter, number): [string, number][] => {
      const row = this.#rows.get(dispatch, number);
      if (row === NO_ROW) return [];
      this.isTaken.set(row, 1);
      return [[nameOf(counter), this.value.at(row)]];
    });
    return values.length === 0 ? undefined : inNameOrder(Object.fromEntries(values));
  }

  /** Reports what no kernel has been given. Call this once, after the last kernel. */
  report(trace: TraceBuilder): void {
    if (this.length > 0) trace.bad('kernels-one-at-a-time');
    let left = 0;
    for (let row = 0; row < this.length; row++) if (this.isTaken.at(row) === 0) left += this.parts.at(row);
    if (left > 0) trace.unread('counter values of dispatches without kernels', null, left);
    for (const [what, values] of this.#lacking) trace.unread(`counter values without ${what}`, null, values);
  }

  #add(dispatch: number, counter: Counter, value: number, isMean: boolean): void {
    const number = entryOf(this.#numbers, counter, () => this.#counters.push(counter) - 1);
    const row = this.#rows.get(dispatch, number);
    if (row === NO_ROW) {
      this.pushCells(dispatch, number, value, 1, 0);
      this.#rows.put(this.length - 1);
      return;
    }
    const [before, parts] = [this.value.at(row), this.parts.at(row) + 1];
    this.value.set(row, before + (isMean ? (value - before) / parts : value));
    this.parts.set(row, parts);
  }

  #lack(what: string): void {
    this.#lacking.set(what, (this.#lacking.get(what) ?? 0) + 1);
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);
