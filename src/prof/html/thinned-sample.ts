/** Some of many numbers, evenly taken: every number, or every 2nd, 4th … so that never more than a bound are kept. */
export class ThinnedSample {
  readonly #kept: number[] = [];
  #every = 1;
  #seen = 0;

  constructor(private readonly most: number) {}

  add(number: number): void {
    if (this.#seen++ % this.#every !== 0) return;
    if (this.#kept.length === this.most) {
      this.#every *= 2;
      thin(this.#kept);
      if ((this.#seen - 1) % this.#every !== 0) return;
    }
    this.#kept.push(number);
  }

  /** How many there were. */
  get count(): number {
    return this.#seen;
  }

  /** In their order, at most as many as asked for. */
  upTo(most: number): number[] {
    const some = [...this.#kept];
    while (some.length > Math.max(1, most)) thin(some);
    return some;
  }
}

/** Leaves every second number. */
function thin(numbers: number[]): void {
  const half = Math.ceil(numbers.length / 2);
  for (let i = 0; i < half; i++) numbers[i] = numbers[2 * i] ?? 0;
  numbers.length = half;
}
