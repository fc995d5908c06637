/** Numbers of things by what they are, in a table of integers: 16 bytes each at most, where a map takes 50 or more. */

/** Share of the table in use at most: fuller ones are searched for long. */
const FULL = 0.5;

export class Lookup {
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

/** The hash of one integer more (Murmur3's step of mixing, public domain). */
export function mixed(hash: number, more: number): number {
  let part = Math.imul(more, 0xcc9e2d51);
  part = Math.imul((part << 15) | (part >>> 17), 0x1b873593);
  const sum = hash ^ part;
  return (Math.imul((sum << 13) | (sum >>> 19), 5) + 0xe6546b64) | 0;
}

/** Spreads what has been mixed over all bits (its last step). */
export function spread(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
