/**
 * Holds a bounded number of slices back and hands on those that start first, so that what comes a little late finds its
 * place. What comes later than that is handed on out of order.
 */

export interface TimedSlice {
  /** ns */
  readonly start: number;
  readonly end: number;
}

/** Which of two slices of one start comes first. */
export type TieOrder = 'longer-first' | 'shorter-first';

/** A heap, the first on top. What it is ordered by stands apart from the items, in flat arrays. */
export class ReorderBuffer<T extends TimedSlice> {
  readonly #items: T[] = [];
  readonly #starts: Float64Array;
  /** Ends, negative where the longer slice comes first. */
  readonly #ends: Float64Array;
  /** Those of equal times keep their order. */
  readonly #nths: Float64Array;
  readonly #sign: 1 | -1;
  #pushed = 0;

  /** @param size how many are held back */
  constructor(
    private readonly size: number,
    tie: TieOrder,
    private readonly emit: (item: T) => void,
  ) {
    this.#sign = tie === 'shorter-first' ? 1 : -1;
    this.#starts = new Float64Array(size + 1);
    this.#ends = new Float64Array(size + 1);
    this.#nths = new Float64Array(size + 1);
  }

  push(item: T): void {
    const from = this.#items.length;
    this.#items.push(item);
    this.#rise(from, item, item.start, this.#sign * item.end, this.#pushed++);
    if (from >= this.size) this.#pop();
  }

  /** Hands on all that is held. */
  flush(): void {
    while (this.#items.length > 0) this.#pop();
  }

  #pop(): void {
    const [top] = this.#items;
    const at = this.#items.length - 1;
    const last = this.#items.pop();
    if (top === undefined || last === undefined) return;
    if (at > 0) this.#sink(last, this.#starts[at] ?? 0, this.#ends[at] ?? 0, this.#nths[at] ?? 0);
    this.emit(top);
  }

  /** Whether what stands at `at` comes before the other. */
  #isBefore(at: number, start: number, end: number, nth: number): boolean {
    const ownStart = this.#starts[at] ?? 0;
    if (ownStart !== start) return ownStart < start;
    const ownEnd = this.#ends[at] ?? 0;
    return ownEnd === end ? (this.#nths[at] ?? 0) < nth : ownEnd < end;
  }

  #comesFirst(one: number, other: number): boolean {
    return this.#isBefore(one, this.#starts[other] ?? 0, this.#ends[other] ?? 0, this.#nths[other] ?? 0);
  }

  #put(at: number, item: T, start: number, end: number, nth: number): void {
    this.#items[at] = item;
    this.#starts[at] = start;
    this.#ends[at] = end;
    this.#nths[at] = nth;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#items[from] as T, this.#starts[from] ?? 0, this.#ends[from] ?? 0, this.#nths[from] ?? 0);
  }

  #rise(from: number, item: T, start: number, end: number, nth: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#isBefore(above, start, end, nth)) break;
      this.#move(above, at);
      at = above;
    }
    this.#put(at, item, start, end, nth);
  }

  #sink(item: T, start: number, end: number, nth: number): void {
    const count = this.#items.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#comesFirst(child + 1, child)) child++;
      if (!this.#isBefore(child, start, end, nth)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, item, start, end, nth);
  }
}
