/**
 * Sorts slices that come slightly out of order by start: holds back a bounded number of them and emits the earliest
 * first. A slice that comes too late is emitted out of order.
 */

export interface TimedSlice {
  /** Unit: ns. */
  readonly start: number;
  readonly end: number;
}

/** Which one of two slices with the same start is emitted first. */
type TieOrder = 'longer-first' | 'shorter-first';

/**
 * A binary heap of the slices that are held back. Its sort keys are in flat arrays next to the items; for speed they are
 * read without bounds checks, at indices below their length.
 */
export class ReorderBuffer<T extends TimedSlice> {
  readonly #items: T[] = [];
  readonly #starts: Float64Array;
  /** Ends, negated when the longer slice is emitted first. */
  readonly #ends: Float64Array;
  /** Order in which the slices came, which decides between equal keys. */
  readonly #ordinals: Float64Array;
  readonly #sign: 1 | -1;
  #pushed = 0;

  /** @param size maximum number of slices to hold back */
  constructor(
    private readonly size: number,
    tie: TieOrder,
    private readonly emit: (item: T) => void,
  ) {
    this.#sign = tie === 'shorter-first' ? 1 : -1;
    this.#starts = new Float64Array(size + 1);
    this.#ends = new Float64Array(size + 1);
    this.#ordinals = new Float64Array(size + 1);
  }

  push(item: T): void {
    const from = this.#items.length;
    this.#items.push(item);
    this.#rise(from, item, item.start, this.#sign * item.end, this.#pushed++);
    if (from >= this.size) this.#pop();
  }

  /** Emits all slices that are held back. */
  flush(): void {
    while (this.#items.length > 0) this.#pop();
  }

  #pop(): void {
    const [top] = this.#items;
    const at = this.#items.length - 1;
    const last = this.#items.pop();
    if (top === undefined || last === undefined) return;
    if (at > 0) {
      this.#sink(last, this.#starts[at] as number, this.#ends[at] as number, this.#ordinals[at] as number);
    }
    this.emit(top);
  }

  /** Whether the slice at an index is emitted before another with these keys. */
  #isBefore(at: number, start: number, end: number, ordinal: number): boolean {
    const ownStart = this.#starts[at] as number;
    if (ownStart !== start) return ownStart < start;
    const ownEnd = this.#ends[at] as number;
    return ownEnd === end ? (this.#ordinals[at] as number) < ordinal : ownEnd < end;
  }

  #comesFirst(entry: number, other: number): boolean {
    const start = this.#starts[other] as number;
    return this.#isBefore(entry, start, this.#ends[other] as number, this.#ordinals[other] as number);
  }

  #put(at: number, item: T, start: number, end: number, ordinal: number): void {
    this.#items[at] = item;
    this.#starts[at] = start;
    this.#ends[at] = end;
    this.#ordinals[at] = ordinal;
  }

  #move(from: number, to: number): void {
    this.#items[to] = this.#items[from] as T;
    this.#starts[to] = this.#starts[from] as number;
    this.#ends[to] = this.#ends[from] as number;
    this.#ordinals[to] = this.#ordinals[from] as number;
  }

  #rise(from: number, item: T, start: number, end: number, ordinal: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#isBefore(parent, start, end, ordinal)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, item, start, end, ordinal);
  }

  #sink(item: T, start: number, end: number, ordinal: number): void {
    const count = this.#items.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#comesFirst(child + 1, child)) child++;
      if (!this.#isBefore(child, start, end, ordinal)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, item, start, end, ordinal);
  }
}
