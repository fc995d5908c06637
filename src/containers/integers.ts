/** A list of integers that grows, 4 bytes each: of a list of numbers it takes half, and the collector has nothing to do. */
export class Integers {
  #values = new Int32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** @param at below the length */
  at(at: number): number {
    return this.#values[at] as number;
  }

  set(at: number, value: number): void {
    this.#values[at] = value;
  }
}
