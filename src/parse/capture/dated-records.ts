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
