/**
 * Growing columns of numbers: rows of a profile are kept in typed arrays, with 1 to 8 bytes for each cell, not as objects.
 */

type NumberArray =
  Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Growth factor; doubling would leave up to half of the largest columns unused. */
const GROWTH = 1.5;

/** A growing typed array. A row beyond the end reads as NaN, which means null in a column of floats. */
export class NumericColumn<A extends NumberArray = Float64Array<ArrayBuffer>> {
  #data: A;
  #length = 0;

  constructor(private readonly allocate: (capacity: number) => A) {
    this.#data = allocate(1024);
  }

  /** A column for times, sizes and ids up to 2^53; null is stored as NaN. */
  static floats(): NumericColumn {
    return new NumericColumn((capacity) => new Float64Array(capacity));
  }

  /** A column for row numbers, interned ids and extents: 0 to 2^32 - 1. */
  static counts(): NumericColumn<Uint32Array<ArrayBuffer>> {
    return new NumericColumn((capacity) => new Uint32Array(capacity));
  }

  /** For row numbers, where a negative number means none: -2^31 to 2^31 - 1. */
  static int32(): NumericColumn<Int32Array<ArrayBuffer>> {
    return new NumericColumn((capacity) => new Int32Array(capacity));
  }

  /** A column for codes from 0 to 255. */
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
   * Allocates room for the total number of rows, when it is known. Growing would leave copies behind until the garbage
   * collector runs, while array pages that are never written take no memory.
   */
  reserve(rows: number): void {
    if (rows <= this.#data.length) return;
    const larger = this.allocate(rows);
    larger.set(this.#data.subarray(0, this.#length));
    this.#data = larger;
  }

  /** Removes all rows; their memory stays allocated. */
  clear(): void {
    this.#length = 0;
  }

  at(row: number): number {
    return row < this.#length ? (this.#data[row] as number) : NaN;
  }

  /** Changes a row; a row beyond the end is not added. */
  set(row: number, value: number): void {
    if (row < this.#length) this.#data[row] = value;
  }

  /** The filled part, without a copy; valid until the next push. */
  get values(): A {
    return this.#data.subarray(0, this.#length) as A;
  }
}

/** Compares two cells; null (NaN) sorts after every value. */
export const compareCells = (a: number, b: number): number =>
  a === b ? 0 : Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : a - b;

/** Converts NaN, which stands for null in a column of floats. */
export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** A width for whole numbers from `least` to less than `unknown`; `unknown` represents NaN. */
interface Width {
  readonly allocate: (capacity: number) => NumberArray;
  readonly least: number;
  readonly unknown: number;
}

const BYTES: Width = { allocate: (capacity) => new Uint8Array(capacity), least: 0, unknown: 2 ** 8 - 1 };
const WORDS: Width = { allocate: (capacity) => new Uint32Array(capacity), least: 0, unknown: 2 ** 32 - 1 };
const SIGNED: Width = { allocate: (capacity) => new Int32Array(capacity), least: -(2 ** 31), unknown: 2 ** 31 - 1 };
/** The width for any number that a double holds. */
const DOUBLES: Width = { allocate: (capacity) => new Float64Array(capacity), least: -Infinity, unknown: NaN };

const CAPACITY_AT_FIRST = 1024;

/**
 * A growing column of whole numbers that are mostly small or unknown: ids, codes, numbers of threads. A cell takes 1
 * byte as long as all numbers of the column fit, then 4, then 8. `node bench/narrow-columns.mjs RECORDS.jsonl` prints
 * the memory that this saves.
 */
export class NarrowColumn {
  #width: Width;
  #cells: NumberArray;
  #length = 0;

  /**
   * @param first the first width, before `wider`; DOUBLES when neither fits
   * @param otherwise the value stored for NaN
   */
  private constructor(
    first: Width,
    private readonly wider: Width[],
    private readonly otherwise: number,
  ) {
    this.#width = first;
    this.#cells = first.allocate(CAPACITY_AT_FIRST);
  }

  /** For row numbers, numbers of threads and devices: 0 or more. NaN becomes 0, as in `NumericColumn.counts`. */
  static counts(): NarrowColumn {
    return new NarrowColumn(BYTES, [WORDS], 0);
  }

  /** A column for ids, mostly 0 or more; null is stored as NaN. */
  static ids(): NarrowColumn {
    return new NarrowColumn(BYTES, [WORDS], NaN);
  }

  /** A column for numbers that may be negative; null is stored as NaN. */
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

  /** Replaces the value of an existing row. */
  set(row: number, given: number): void {
    const value = Number.isNaN(given) ? this.otherwise : given;
    while (!fits(value, this.#width)) this.#widen();
    this.#cells[row] = orUnknown(value, this.#width);
  }

  /** Allocates room for the total number of rows: see `NumericColumn.reserve`. */
  reserve(rows: number): void {
    if (rows > this.#cells.length) this.#copyTo(this.#width, rows);
  }

  /** Returns NaN for a row beyond the end. */
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

/**
 * Kinds of columns: doubles, whole numbers of a fixed width, and whole numbers whose cells are only as wide as needed.
 */
const KINDS = {
  f64: () => NumericColumn.floats(),
  u32: () => NumericColumn.counts(),
  i32: () => NumericColumn.int32(),
  u8: () => NumericColumn.codes(),
  count: () => NarrowColumn.counts(),
  id: () => NarrowColumn.ids(),
  signed: () => NarrowColumn.signed(),
};

type Declared = Readonly<Record<string, keyof typeof KINDS>>;

export type Columns<D extends Declared> = { readonly [Name in keyof D]: ReturnType<(typeof KINDS)[D[Name]]> };

/** The rows of a table of numbers. */
export interface Rows<Name extends string> {
  readonly length: number;
  push(row: Readonly<Record<Name, number>>): void;
  /**
   * Adds a row whose cells are in the order of the declaration, which takes half the time of adding cells by name.
   * @throws RangeError when the number of cells differs from the number of columns
   */
  pushCells(...cells: readonly number[]): void;
  /** Allocates room for the total number of rows: see `NumericColumn.reserve`. */
  reserve(rows: number): void;
}

class Table implements Rows<string> {
  readonly #names: readonly string[];
  readonly #columns: readonly (NumericColumn<NumberArray> | NarrowColumn)[];

  constructor(declared: Declared) {
    this.#names = Object.keys(declared);
    this.#columns = Object.values(declared).map((kind) => KINDS[kind]());
    this.#names.forEach((name, i) => Object.assign(this, { [name]: this.#columns[i] }));
  }

  get length(): number {
    return this.#columns[0]?.length ?? 0;
  }

  push(row: Readonly<Record<string, number>>): void {
    const [names, columns] = [this.#names, this.#columns];
    for (let i = 0; i < columns.length; i++) (columns[i] as NumericColumn).push(row[names[i] as string] as number);
  }

  pushCells(...cells: readonly number[]): void {
    const columns = this.#columns;
    if (cells.length !== columns.length) throw new RangeError(`${cells.length} cells for ${columns.length} columns`);
    for (let i = 0; i < columns.length; i++) (columns[i] as NumericColumn).push(cells[i] as number);
  }

  reserve(rows: number): void {
    for (const column of this.#columns) column.reserve(rows);
  }
}

/**
 * A class whose objects have these columns, each declared once: `class Blocks extends columns({ start: 'f64' }) {}`.
 * Columns that are empty in some profiles are declared separately.
 */
export const columns = <const D extends Declared>(declared: D): new () => Columns<D> & Rows<keyof D & string> =>
  class extends Table {
    constructor() {
      super(declared);
    }
  } as unknown as new () => Columns<D> & Rows<keyof D & string>;
