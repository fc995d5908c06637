/** What begins and ends on a device, in order of time: a binary heap, since ends are known before later starts. */

export interface ActivityChange {
  /** ps from the profile's start. */
  readonly at: number;
  readonly device: number;
  readonly of: 'packet' | 'tensor' | 'transfer';
  /** 1 for a start, -1 for an end. */
  readonly step: 1 | -1;
  /** Of a packet. */
  readonly bytes: number;
  /** Of a packet, bytes per second. */
  readonly rate: number;
}

export class Changes {
  readonly #heap: ActivityChange[] = [];

  push(change: ActivityChange): void {
    const heap = this.#heap;
    let at = heap.push(change) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as ActivityChange;
      if (above.at <= change.at) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = change;
  }

  /** All changes at the earliest time, removed; none where that is not before `end`. */
  takeBefore(end: number): readonly ActivityChange[] {
    const first = this.#heap[0];
    if (first === undefined || first.at >= end) return [];
    const taken: ActivityChange[] = [];
    while (this.#heap[0]?.at === first.at) taken.push(this.#pop());
    return taken;
  }

  #pop(): ActivityChange {
    const heap = this.#heap;
    const [top] = heap as [ActivityChange];
    const last = heap.pop() as ActivityChange;
    if (heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const other = heap[child + 1];
      if (other !== undefined && other.at < (heap[child] as ActivityChange).at) child++;
      const least = heap[child];
      if (least === undefined || least.at >= last.at) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
