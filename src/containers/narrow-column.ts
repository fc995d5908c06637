/**
 * Growing columns of whole numbers that are mostly small or unknown: ids, codes, numbers of threads. A cell takes 1 byte as
 * long as all of its column fit, then 4, then 8.
 */
import { GROWTH, type NumberArray } from './numeric-column.js';

/** Whole numbers from `least` to below `unknown`, which stands for NaN. */
interface Width {
  readonly allocate: (capacity: number) => NumberArray;
  readonly least: number;
  readonly unknown: number;
}

const BYTES: Width = { allocate: (capacity) => new Uint8Array(capacity), least: 0, unknown: 2 ** 8 - 1 };
const WORDS: Width = { allocate: (capacity) => new Uint32Array(capacity), least: 0, unknown: 2 ** 32 - 1 };
const SIGNED: Width = { allocate: (capacity) => new Int32Array(capacity), least: -(2 ** 31), unknown: 2 ** 31 - 1 };
/** Whatever a double holds. */
const DOUBLES: Width = { allocate: (capacity) => new Float64Array(capacity), least: -Infinity, unknown: NaN };

const CAPACITY_AT_FIRST = 1024;

export class NarrowColumn {
  #width: Width;
  #cells: NumberArray;
  #length = 0;

  /**
   * @param first width, before `wider`; DOUBLES where none of these does
   * @param otherwise what NaN is kept as
   */
  private constructor(
    first: Width,
    private readonly wider: Width[],
    private readonly otherwise: number,
  ) {
    this.#width = first;
    this.#cells = first.allocate(CAPACITY_AT_FIRST);
  }

  /** Row numbers, numbers of threads and devices: from 0 on. NaN becomes 0, as in `NumericColumn.counts`. */
  static counts(): NarrowColumn {
    return new NarrowColumn(BYTES, [WORDS], 0);
  }

  /** Ids, mostly from 0 on; null is kept as NaN. */
  static ids(): NarrowColumn {
    return new NarrowColumn(BYTES, [WORDS], NaN);
  }

  /** Numbers below 0 as well; null is kept as NaN. */
  static signed(): NarrowColumn {
    return new NarrowColumn(SIGNED, [], NaN);
  }

  get length(): number {
    return this.#length;
  }

  push(given: number): void {
    const value = Number.isNaN(given) ? this.otherwise : given;
    while (!fits(value, this.#width)) this.#widen();
    if (this.#length === this.#cells.length) this.#copyTo(this.#width, Math.ceil(this.#length * GROWTH));
    this.#cells[this.#length++] = orUnknown(value, this.#width);
  }

  /** Replaces the value of a row that there is. */
  set(row: number, given: number): void {
    const value = Number.isNaN(given) ? this.otherwise : given;
    while (!fits(value, this.#width)) this.#widen();
    this.#cells[row] = orUnknown(value, this.#width);
  }

  /** Allocates room for so many rows in all: see `NumericColumn.reserve`. */
  reserve(rows: number): void {
    if (rows > this.#cells.length) this.#copyTo(this.#width, rows);
  }

  /** A row beyond the end reads as NaN. */
  at(row: number): number {
    if (row >= this.#length) return NaN;
    const cell = this.#cells[row] as number;
    return cell === this.#width.unknown ? NaN : cell;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let row = 0; row < this.#length; row++) yield this.at(row);
  }

  #widen(): void {
    this.#copyTo(this.wider.shift() ?? DOUBLES, this.#cells.length);
  }

  #copyTo(width: Width, capacity: number): void {
    const cells = width.allocate(capacity);
    if (width === this.#width) cells.set(this.#cells.subarray(0, this.#length));
    else for (let row = 0; row < this.#length; row++) cells[row] = orUnknown(this.at(row), width);
    this.#width = width;
    this.#cells = cells;
  }
}

const fits = (value: number, { least, unknown }: Width): boolean =>
  Number.isNaN(unknown) || Number.isNaN(value) || (value >= least && value < unknown && Number.isInteger(value));

const orUnknown = (value: number, { unknown }: Width): number => (Number.isNaN(value) ? unknown : value);
