/**
 * Groups some of whose ranks are placed and others not, the first in an order first. What is done when a rank is placed is
 * proportional to its groups, so that a job of many groups takes time in proportion to them.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Observations } from './observations.js';

export class MixedGroups {
  /** By part: indices of its groups. */
  readonly #groupsOf = new Map<number, number[]>();
  /** Those with a placed rank, and perhaps others. */
  readonly #reached = new Set<number>();
  /** A binary heap of indices: none is lower than the one at half its place. */
  readonly #heap: number[] = [];
  /** In this round: those that are on the heap, or were. */
  #seen = new Set<number>();

  /** @param groups in order */
  constructor(
    private readonly groups: readonly Observations[],
    private readonly isPlaced: (part: number) => boolean,
  ) {
    for (const [index, { parts }] of groups.entries())
      for (const part of parts) {
        entryOf(this.#groupsOf, part, (): number[] => []).push(index);
        if (isPlaced(part)) this.#reached.add(index);
      }
  }

  /** To be called when a part is placed. */
  reach(part: number): void {
    for (const index of this.#groupsOf.get(part) ?? []) {
      this.#reached.add(index);
      this.#push(index);
    }
  }

  /** Mixed groups, each once, the first of those that are mixed at that time. */
  *round(): Generator<Observations> {
    this.#seen = new Set();
    this.#heap.length = 0;
    for (const index of this.#reached) this.#push(index);
    for (let index; (index = this.#pop()) !== undefined;) {
      const group = elementAt(this.groups, index);
      if (!group.parts.every(this.isPlaced)) yield group;
      if (group.parts.every(this.isPlaced)) this.#reached.delete(index);
    }
  }

  #push(index: number): void {
    if (this.#seen.has(index)) return;
    this.#seen.add(index);
    const heap = this.#heap;
    let at = heap.length;
    for (let above; at > 0 && elementAt(heap, (above = (at - 1) >> 1)) > index; at = above)
      heap[at] = elementAt(heap, above);
    heap[at] = index;
  }

  #pop(): number | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let below; (below = 2 * at + 1) < heap.length; at = below) {
      if (below + 1 < heap.length && elementAt(heap, below + 1) < elementAt(heap, below)) below++;
      if (elementAt(heap, below) >= last) break;
      heap[at] = elementAt(heap, below);
    }
    heap[at] = last;
    return first;
  }
}
