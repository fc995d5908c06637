/** A bounded sample of a stream of numbers. */
import { elementAt } from '../../containers/element.js';

/** Keeps every number, then every 2nd, 4th, 8th … so that never more than a bound are kept, evenly spread. */
export class ThinnedSample {
  readonly #kept: number[] = [];
  #every = 1;
  /** Numbers that were added, kept or not. */
  count = 0;

  constructor(private readonly most: number) {}

  add(number: number): void {
    if (this.count++ % this.#every !== 0) return;
    if (this.#kept.length === this.most) {
      this.#every *= 2;
      halve(this.#kept);
      if ((this.count - 1) % this.#every !== 0) return;
    }
    this.#kept.push(number);
  }

  /** At most that many of the kept numbers, in the order in which they were added. */
  upTo(most: number): number[] {
    const some = [...this.#kept];
    while (some.length > Math.max(1, most)) halve(some);
    return some;
  }
}

/** Keeps every second number. */
function halve(numbers: number[]): void {
  const half = Math.ceil(numbers.length / 2);
  for (let i = 0; i < half; i++) numbers[i] = elementAt(numbers, 2 * i);
  numbers.length = half;
}
