/**
 * Columns of numbers that grow: rows of a profile are held as typed arrays, not as objects, at 4 or 8 bytes a cell.
 */

type NumberArray =
  Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Twice would leave up to half of the largest columns unused. */
const GROWTH = 1.5;

/** A growing typed array. Reading beyond the end gives NaN, which no consumer takes for a value. */
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
   * Makes room for so many rows in all: growing to them leaves copies behind that are collected late, while room that
   * is not used takes no memory.
   */
  reserve(rows: number): void {
    if (rows <= this.#data.length) return;
    const larger = this.allocate(rows);
    larger.set(this.#data.subarray(0, this.#length));
    this.#data = larger;
  }

  /** Leaves no rows; their room stays. */
  clear(): void {
    this.#length = 0;
  }

  at(row: number): number {
    return row < this.#length ? (this.#data[row] ?? NaN) : NaN;
  }

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
