/** Sets of numbers from 0 that are joined two by two: union-find. Each set is named by its lowest number. */
import { elementAt } from './element.js';

export class DisjointSets {
  /** Of each number a lower one of its set, or itself. */
  readonly #parents: number[];

  /** @param count numbers, each a set of its own */
  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, index) => index);
  }

  /** The lowest number of the set that a number is in. */
  lowestOf(index: number): number {
    let root = index;
    while (elementAt(this.#parents, root) !== root) root = elementAt(this.#parents, root);
    this.#parents[index] = root;
    return root;
  }

  /** Makes the sets of all of these numbers one. */
  join(numbers: readonly number[]): void {
    for (const [place, number] of numbers.entries()) {
      if (place === 0) continue;
      const [a, b] = [this.lowestOf(elementAt(numbers, 0)), this.lowestOf(number)];
      this.#parents[Math.max(a, b)] = Math.min(a, b);
    }
  }

  /** Of each number the lowest one of its set. */
  get all(): number[] {
    return this.#parents.map((_, index) => this.lowestOf(index));
  }
}
