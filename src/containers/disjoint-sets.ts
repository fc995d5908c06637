/** Union-find: disjoint sets of the numbers from 0. Each set is named by its lowest number. */
import { elementAt } from './element.js';

export class DisjointSets {
  /** For each number, a lower one in its set, or the number itself. */
  readonly #parents: number[];

  /** @param count number of elements; each starts as a separate set */
  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, index) => index);
  }

  /** The lowest number in the set of this number. */
  lowestOf(index: number): number {
    let root = index;
    while (elementAt(this.#parents, root) !== root) root = elementAt(this.#parents, root);
    this.#parents[index] = root;
    return root;
  }

  /** Joins the sets of all of these numbers. */
  join(numbers: readonly number[]): void {
    for (const [place, number] of numbers.entries()) {
      if (place === 0) continue;
      const [a, b] = [this.lowestOf(elementAt(numbers, 0)), this.lowestOf(number)];
      this.#parents[Math.max(a, b)] = Math.min(a, b);
    }
  }

  /** For each number, the lowest one in its set. */
  get all(): number[] {
    return this.#parents.map((_, index) => this.lowestOf(index));
  }
}
