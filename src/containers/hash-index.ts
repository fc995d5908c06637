/**
 * Hash index of rows that are stored elsewhere: open addressing with linear probing in one typed array of row numbers. It
 * is at most half full, so it takes 8 to 16 bytes for each row, while a Map takes 50 or more.
 */

/** 2^32 divided by the golden ratio: a multiplication by it spreads neighbouring numbers (Knuth, TAOCP 3, 6.4). */
const GOLDEN = 0x9e3779b1;

const UINT32 = 2 ** 32;

/** Adds one 32-bit integer to a hash; start with 0. */
export function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, GOLDEN);
  return product ^ (product >>> 15);
}

/** Adds a number of up to 64 bits to a hash; its fraction is ignored. */
export const mixedNumber = (hash: number, value: number): number => mixed(hash, value ^ (value / UINT32));

/** Adds bytes to a hash. */
export function mixedBytes(hash: number, bytes: Uint8Array, begin: number, end: number): number {
  let all = hash ^ (end - begin);
  for (let position = begin; position < end; position++) all = mixed(all, bytes[position] as number);
  return all;
}

/** The row number of an empty slot, and the result when no row is found. */
export const NO_ROW = -1;

const SLOTS_AT_FIRST = 1024;

export class HashIndex {
  #slots = new Int32Array(SLOTS_AT_FIRST).fill(NO_ROW);
  #size = 0;

  /** @param hashOf hash of a row in the index: any 32-bit integer whose low bits are well mixed */
  constructor(private readonly hashOf: (row: number) => number) {}

  /**
   * @param hash hash of the row to find
   * @param isSame whether a row, whose hash may differ, is the wanted one
   * @returns its row; NO_ROW when there is none
   */
  find(hash: number, isSame: (row: number) => boolean): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot] as number;
      if (row === NO_ROW || isSame(row)) return row;
    }
  }

  /** Adds a row whose contents differ from all other rows in the index. */
  add(hash: number, row: number): void {
    this.put(hash, row, isNever);
  }

  /** Adds a row, or replaces the one with the same contents. */
  put(hash: number, row: number, isSame: (row: number) => boolean): void {
    if (2 * this.#size >= this.#slots.length) this.#grow();
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const other = slots[slot] as number;
      if (other === NO_ROW || isSame(other)) {
        if (other === NO_ROW) this.#size++;
        slots[slot] = row;
        return;
      }
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.#slots.length).fill(NO_ROW);
    const mask = larger.length - 1;
    for (const row of this.#slots) {
      if (row === NO_ROW) continue;
      let slot = this.hashOf(row) & mask;
      while (larger[slot] !== NO_ROW) slot = (slot + 1) & mask;
      larger[slot] = row;
    }
    this.#slots = larger;
  }
}

const isNever = (): boolean => false;

const hashOf = (first: number, second: number): number => mixedNumber(mixedNumber(0, first), second);

export class PairIndex {
  readonly #index: HashIndex;
  /** The key to find. */
  #first = 0;
  #second = 0;
  readonly #isSame = (row: number): boolean => this.second(row) === this.#second && this.first(row) === this.#first;

  /**
   * @param first first number of a row's key
   * @param second second number of a row's key; both are read again at every comparison
   */
  constructor(
    private readonly first: (row: number) => number,
    private readonly second: (row: number) => number,
  ) {
    this.#index = new HashIndex((row) => hashOf(first(row), second(row)));
  }

  /** The row with this key; NO_ROW (-1) when there is none. */
  get(first: number, second: number): number {
    this.#first = first;
    this.#second = second;
    return this.#index.find(hashOf(first, second), this.#isSame);
  }

  /** Adds `row` under its key, replacing a row with the same key. */
  put(row: number): void {
    this.#first = this.first(row);
    this.#second = this.second(row);
    this.#index.put(hashOf(this.#first, this.#second), row, this.#isSame);
  }
}
