/**
 * An index from a pair of numbers to a row: open addressing in two typed arrays, 4 bytes a slot, because a Map with
 * millions of entries costs ten times as much memory.
 */
export class PairIndex {
  #slots = new Int32Array(1024).fill(-1);
  #used = 0;

  /**
   * @param first first number of a row's key
   * @param second second number of a row's key; both are read again on every comparison
   */
  constructor(
    private readonly first: (row: number) => number,
    private readonly second: (row: number) => number,
  ) {}

  /** The row that has this key, or -1. */
  get(first: number, second: number): number {
    return this.#slots[this.#find(this.#slots, first, second)] ?? -1;
  }

  /** Makes `row` the one that its key leads to. */
  put(row: number): void {
    if (this.#used * 2 >= this.#slots.length) this.#grow();
    const slot = this.#find(this.#slots, this.first(row), this.second(row));
    if (this.#slots[slot] === -1) this.#used++;
    this.#slots[slot] = row;
  }

  /** The slot that holds the key, or the empty one where it belongs. */
  #find(slots: Int32Array, first: number, second: number): number {
    const mask = slots.length - 1;
    let slot =
      (Math.imul(first ^ (first / 0x100000000), 0x9e3779b1) ^ Math.imul(second ^ (second / 0x100000000), 0x85ebca6b)) &
      mask;
    for (;;) {
      const row = slots[slot] ?? -1;
      if (row === -1 || (this.second(row) === second && this.first(row) === first)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const larger = new Int32Array(this.#slots.length * 2).fill(-1);
    for (const row of this.#slots) {
      if (row !== -1) larger[this.#find(larger, this.first(row), this.second(row))] = row;
    }
    this.#slots = larger;
  }
}
