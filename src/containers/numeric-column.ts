/** Growing columns of numbers: rows of a profile are kept in typed arrays, 1 to 8 bytes a cell, not as objects. */

export type NumberArray =
  Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Doubling would leave up to half of the largest columns unused. */
export const GROWTH = 1.5;

/** A growing typed array. A row beyond the end reads as NaN, null in a column of floats. */
export class NumericColumn<A extends NumberArray = Float64Array<ArrayBuffer>> {
  #data: A;
  #length = 0;

  constructor(private readonly allocate: (capacity: number) => A) {
    this.#data = allocate(1024);
  }

  /** Times, sizes, ids up to 2^53; null is kept as NaN. */
  static floats(): NumericColumn {
    return new NumericColumn((capacity) => new Float64Array(capacity));
  }

  /** Row numbers, interned ids, extents: 0 to 2^32 - 1. */
  static counts(): NumericColumn<Uint32Array<ArrayBuffer>> {
    return new NumericColumn((capacity) => new Uint32Array(capacity));
  }

  /** Row numbers, with negative ones for none: -2^31 to 2^31 - 1. */
  static int32(): NumericColumn<Int32Array<ArrayBuffer>> {
    return new NumericColumn((capacity) => new Int32Array(capacity));
  }

  /** Codes: 0 to 255. */
  static codes(): NumericColumn<Uint8Array<ArrayBuffer>> {
    return new NumericColumn((capacity) => new Uint8Array(capacity));
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#data.length) this.reserve(Math.ceil(this.#data.length * GROWTH));
    this.#data[this.#length++] = value;
  }

  /**
   * Allocates room for so many rows in all, where their number is known: growing leaves copies behind until the garbage
   * collector runs, while pages of an array that are never written take no memory.
   */
  reserve(rows: number): void {
    if (rows <= this.#data.length) return;
    const larger = this.allocate(rows);
    larger.set(this.#data.subarray(0, this.#length));
    this.#data = larger;
  }

  /** Removes all rows; their room stays allocated. */
  clear(): void {
    this.#length = 0;
  }

  at(row: number): number {
    return row < this.#length ? (this.#data[row] as number) : NaN;
  }

  /** Changes a row; one beyond the end is not added. */
  set(row: number, value: number): void {
    if (row < this.#length) this.#data[row] = value;
  }

  /** The filled part, without a copy; valid until the next push. */
  get values(): A {
    return this.#data.subarray(0, this.#length) as A;
  }
}

/** Order of two cells, null (NaN) after every value. */
export const compareCells = (a: number, b: number): number =>
  a === b ? 0 : Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : a - b;

/** NaN in a column of floats stands for null. */
export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
