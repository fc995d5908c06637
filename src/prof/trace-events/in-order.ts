/**
 * Holds a bounded number of slices back and hands on those that start first, so that what comes a little late finds its
 * place. What comes later than that is handed on out of order.
 */

export interface Timed {
  /** ns */
  readonly start: number;
  readonly end: number;
}

/** Which of two slices of one start comes first. */
export type Tie = 'longer-first' | 'shorter-first';

interface Held<T> {
  readonly item: T;
  /** Those of equal times keep their order. */
  readonly nth: number;
}

export class InOrder<T extends Timed> {
  /** A heap, the first on top. */
  readonly #heap: Held<T>[] = [];
  #pushed = 0;

  constructor(
    private readonly size: number,
    private readonly tie: Tie,
    private readonly handOn: (item: T) => void,
  ) {}

  push(item: T): void {
    const heap = this.#heap;
    heap.push({ item, nth: this.#pushed++ });
    this.#rise(heap.length - 1);
    if (heap.length > this.size) this.#pop();
  }

  /** Hands on all that is held. */
  flush(): void {
    while (this.#heap.length > 0) this.#pop();
  }

  #pop(): void {
    const [top] = this.#heap;
    const last = this.#heap.pop();
    if (top === undefined || last === undefined) return;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    this.handOn(top.item);
  }

  #isBefore(a: Held<T>, b: Held<T>): boolean {
    if (a.item.start !== b.item.start) return a.item.start < b.item.start;
    if (a.item.end !== b.item.end) return a.item.end < b.item.end === (this.tie === 'shorter-first');
    return a.nth < b.nth;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let at = from;
    for (;;) {
      const above = (at - 1) >> 1;
      const [one, other] = [heap[at], heap[above]];
      if (at === 0 || one === undefined || other === undefined || !this.#isBefore(one, other)) return;
      heap[at] = other;
      heap[above] = one;
      at = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const [one, other] = [heap[child], heap[first]];
        if (one !== undefined && other !== undefined && this.#isBefore(one, other)) first = child;
      }
      const [one, other] = [heap[at], heap[first]];
      if (first === at || one === undefined || other === undefined) return;
      heap[at] = other;
      heap[first] = one;
      at = first;
    }
  }
}
