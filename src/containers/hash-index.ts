/**
 * Hash index of rows that are stored elsewhere: open addressing with linear probing in one typed array of row numbers,
 * at most half full, so 8 to 16 bytes a row, where a Map takes 50 and more.
 */

/** The row number of an empty slot, and of a row that is not there. */
export const NO_ROW = -1;

const SLOTS_AT_FIRST = 1024;

export class HashIndex {
  #slots = new Int32Array(SLOTS_AT_FIRST).fill(NO_ROW);
  #size = 0;

  /** @param hashOf hash of a row that is in the index: any 32-bit integer, whose low bits must be well mixed */
  constructor(private readonly hashOf: (row: number) => number) {}

  /**
   * @param hash of what is looked for
   * @param isSame whether a row, whose hash may differ, is what is looked for
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

  /** Adds a row whose contents are those of no other row of the index. */
  add(hash: number, row: number): void {
    this.put(hash, row, isNever);
  }

  /** Adds a row, in the place of the one with the same contents where there is one. */
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
