import type { ProfileLine } from '../../record/record.js';

/** Start of a record in ns; those without a time come first. */
export const startOf = (record: ProfileLine): number => ('start' in record ? (record.start ?? -Infinity) : -Infinity);

/** Items of several lists, each in order of time, in order of time; of equal times those of the first list first. */
export function* merged<T>(timeOf: (item: T) => number, ...lists: readonly Iterable<T>[]): Generator<T> {
  const dated = lists.map((list) => new Dated(list, timeOf));
  try {
    for (;;) {
      let first: Dated<T> | null = null;
      for (const one of dated) if (one.isDue(Infinity) && (first === null || one.next < first.next)) first = one;
      if (first === null) return;
      yield first.take();
    }
  } finally {
    for (const one of dated) one.close();
  }
}

/** Iterator with one item of lookahead, over records or rows in order of time. */
export class Dated<T> {
  readonly #items: Iterator<T>;
  #next: T | null = null;
  /** Time of the next item; Infinity when there is none. */
  next = Infinity;

  /** @param items in order of time */
  constructor(
    items: Iterable<T>,
    private readonly timeOf: (item: T) => number,
  ) {
    this.#items = items[Symbol.iterator]();
    this.#advance();
  }

  /** Whether the next item is of a time or before. */
  isDue(time: number): boolean {
    return this.#next !== null && this.next <= time;
  }

  /** @throws RangeError when there is none */
  take(): T {
    const item = this.#next;
    if (item === null) throw new RangeError('nothing left');
    this.#advance();
    return item;
  }

  /** Ends the iterator before its last item: a query of a database that cannot be closed before. */
  close(): void {
    this.#items.return?.();
  }

  #advance(): void {
    const result: IteratorResult<T, unknown> = this.#items.next();
    this.#next = result.done === true ? null : result.value;
    this.next = this.#next === null ? Infinity : this.timeOf(this.#next);
  }
}
