/** Numbers of things by what they are, in a table of integers: 16 bytes each at most, where a map takes 50 or more. */

/** Share of the table in use at most: fuller ones are searched for long. */
const FULL = 0.5;

export class GroupIndex {
  /** Numbers, each above itself by one; 0 where there is none. */
  #slots = new Int32Array(2048);
  #count = 0;

  /** @param hashOf hash of a thing that is in the table, by its number */
  constructor(private readonly hashOf: (number: number) => number) {}

  /**
   * @param hash any integer of 32 bits
   * @param isIt whether it is the thing with that number
   * @returns its number; -1 when it is not there
   */
  find(hash: number, isIt: (number: number) => boolean): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1;
      if (number === -1 || isIt(number)) return number;
    }
  }

  /** Takes a thing that is not there yet. */
  add(hash: number, number: number): void {
    if (++this.#count > FULL * this.#slots.length) this.#enlarge();
    this.#put(hash, number);
  }

  #put(hash: number, number: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }

  #enlarge(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    for (const above of before) if (above !== 0) this.#put(this.hashOf(above - 1), above - 1);
  }
}
