/**
 * Growing numeric columns: rows of a profile are kept in typed arrays, with 1 to 8 bytes for each cell, not as objects.
 */

export type NumberArray =
  | Float64Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;

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

  /** Subtracts a number from all values. */
  shift(by: number): void {
    for (let row = 0; row < this.#length; row++) this.#data[row] = (this.#data[row] as number) - by;
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

/** Cells of each width that are kept for other chunks: 1 MB of the widest. */
const MOST_FREE = 32;
/** How often a chunk may be read from the file, on average, before the bound doubles: more often than reading in order needs. */
const MOST_LOADS = 64;

/** A file for cells that do not fit in memory. */
export interface CellFile {
  /** Writes cells to a place in the file, or behind all others. @returns the place; null if the file has no space left */
  write(cells: NumberArray, place: number | null): number | null;
  /** Reads cells that were written. */
  read(cells: NumberArray, place: number): void;
}

/**
 * Bounds the memory of columns: beyond a number of bytes, the chunks that were read longest ago wait in a file. Readers
 * should go through columns in the order of their rows, at as many positions at once as fit in memory; the bound doubles
 * when chunks are read again and again.
 */
export class ChunkSpace {
  /** Chunks in memory, in the order in which they were read. */
  readonly #held = new Set<Chunk>();
  #bytes = 0;
  /** Cells that are no longer used, by width, for the next chunks that are read. */
  readonly #free = WIDTHS.map((): NumberArray[] => []);
  #hasRoom = true;
  #written = 0;
  /** Chunks that were read since the bound was set. */
  #loads = 0;

  /** @param most bytes in memory */
  constructor(
    private readonly file: CellFile,
    private most: number,
  ) {}

  /** Holds a chunk whose cells are all filled. */
  hold(chunk: Chunk): void {
    this.#held.add(chunk);
    this.#bytes += chunk.cells.byteLength;
    for (const oldest of this.#held) {
      if (this.#bytes <= this.most || !this.#hasRoom || oldest === chunk) break;
      this.#release(oldest);
    }
  }

  /** Memory for the cells of a chunk; it may contain anything. */
  cells(width: number): NumberArray {
    return this.#free[width]?.pop() ?? allocated(width);
  }

  /** Reads the cells of a chunk. */
  load(chunk: Chunk): NumberArray {
    const cells = this.cells(chunk.width);
    this.file.read(cells, chunk.place as number);
    chunk.cells = cells;
    if (++this.#loads > MOST_LOADS * this.#written) {
      this.most *= 2;
      this.#loads = 0;
    }
    this.hold(chunk);
    return cells;
  }

  /** Takes back the cells of a chunk that were replaced by wider ones. */
  widened(chunk: Chunk, before: NumberArray, width: number): void {
    if (this.#held.has(chunk)) this.#bytes += chunk.cells.byteLength - before.byteLength;
    this.#keep(before, width);
  }

  #release(chunk: Chunk): void {
    if (chunk.isChanged) {
      const place = this.file.write(chunk.cells, chunk.place);
      this.#hasRoom = place !== null;
      if (place === null) return;
      if (chunk.place === null) this.#written++;
      chunk.place = place;
      chunk.isChanged = false;
    }
    this.#held.delete(chunk);
    this.#bytes -= chunk.cells.byteLength;
    this.#keep(chunk.cells, chunk.width);
    chunk.cells = IN_FILE;
  }

  #keep(cells: NumberArray, width: number): void {
    const free = this.#free[width];
    if (free !== undefined && free.length < MOST_FREE) free.push(cells);
  }
}

/** How the cells of a chunk are stored: as their distance from the chunk's base. */
interface Width {
  readonly allocate: () => NumberArray;
  /** Represents NaN; cells are smaller. NaN for doubles, which have no base. */
  readonly unknown: number;
}

/** Rows of a chunk, as a power of 2. */
const CHUNK_BITS = 12;
const CHUNK = 1 << CHUNK_BITS;

const WIDTHS: readonly Width[] = [
  { allocate: () => new Uint8Array(CHUNK), unknown: 2 ** 8 - 1 },
  { allocate: () => new Uint16Array(CHUNK), unknown: 2 ** 16 - 1 },
  { allocate: () => new Uint32Array(CHUNK), unknown: 2 ** 32 - 1 },
  { allocate: () => new Float64Array(CHUNK), unknown: NaN },
];
const allocated = (width: number): NumberArray => (WIDTHS[width] as Width).allocate();

/** The width of times: those of one chunk differ by seconds, in ns. */
const WORDS = 2;

/** Stands for cells that wait in a file. */
const IN_FILE = new Uint8Array(0);

/** Some rows of a narrow column, in cells of one width. */
class Chunk {
  cells: NumberArray;
  unknown: number;
  base: number;
  /** Where the cells are in the file of the space; null when they are in memory only. */
  place: number | null = null;
  /** Whether the cells in memory differ from those in the file. */
  isChanged = true;

  /**
   * @param width index in `WIDTHS`
   * @param first the first value, which decides the base: 0 for small numbers
   * @param space where the chunk is when it is full; null for memory
   */
  constructor(
    public width: number,
    first: number,
    private readonly space: ChunkSpace | null,
  ) {
    const { unknown } = WIDTHS[width] as Width;
    this.cells = space?.cells(width) ?? allocated(width);
    this.unknown = unknown;
    this.base = Number.isNaN(first) || (first >= 0 && first < unknown) ? 0 : baseFor(first, unknown);
  }

  at(place: number): number {
    const cell = this.cells[place] ?? this.#loaded()[place];
    return cell === this.unknown ? NaN : (cell as number) + this.base;
  }

  /** @param filled number of cells that have values */
  set(place: number, value: number, filled: number): void {
    this.#loaded();
    this.isChanged = true;
    if (!this.#fits(value, this.base, this.unknown)) this.#widen(value, filled);
    this.cells[place] = Number.isNaN(value) ? this.unknown : value - this.base;
  }

  #fits(value: number, base: number, unknown: number): boolean {
    if (Number.isNaN(unknown) || Number.isNaN(value)) return true;
    const cell = value - base;
    return cell >= 0 && cell < unknown && Number.isInteger(cell) && base + cell === value;
  }

  /** Takes the next width into which all values fit. */
  #widen(value: number, filled: number): void {
    const values = Array.from({ length: filled }, (_, place) => this.at(place));
    const [before, narrow] = [this.cells, this.width];
    let [base, unknown] = [this.base, this.unknown];
    do {
      unknown = (WIDTHS[++this.width] as Width).unknown;
      base = Number.isNaN(unknown) ? 0 : baseFor(value, unknown);
    } while (![...values, value].every((each) => this.#fits(each, base, unknown)));
    this.cells = this.space?.cells(this.width) ?? allocated(this.width);
    this.space?.widened(this, before, narrow);
    this.place = null;
    this.base = base;
    this.unknown = unknown;
    for (const [place, each] of values.entries()) this.cells[place] = Number.isNaN(each) ? unknown : each - base;
  }

  /** Subtracts a number from all values. */
  shift(by: number, filled: number): void {
    if (!Number.isNaN(this.unknown)) {
      this.base -= by;
      return;
    }
    const cells = this.#loaded();
    this.isChanged = true;
    for (let place = 0; place < filled; place++) cells[place] = (cells[place] as number) - by;
  }

  #loaded(): NumberArray {
    return this.cells === IN_FILE && this.space !== null ? this.space.load(this) : this.cells;
  }
}

/** The base of a chunk of whole numbers around a value. */
const baseFor = (value: number, unknown: number): number => Math.floor(value) - (unknown + 1) / 2;

/**
 * A growing column of whole numbers that are near those of neighbouring rows, or small, or unknown: times, ids, codes,
 * numbers of threads. A cell takes 1, 2 or 4 bytes as long as the numbers of 4,096 rows fit, then 8. Growing copies no cells.
 * `node bench/narrow-columns.mjs RECORDS.jsonl` prints the memory that this saves.
 */
export class NarrowColumn {
  readonly #chunks: Chunk[] = [];
  #length = 0;

  /**
   * @param first index of the first width
   * @param otherwise the value stored for NaN
   */
  private constructor(
    private readonly first: number,
    private readonly otherwise: number,
    private space: ChunkSpace | null = null,
  ) {}

  /** For row numbers, numbers of threads and devices. NaN becomes 0, as in `NumericColumn.counts`. */
  static counts(): NarrowColumn {
    return new NarrowColumn(0, 0);
  }

  /** A column for ids and other numbers; null is stored as NaN. */
  static ids(): NarrowColumn {
    return new NarrowColumn(0, NaN);
  }

  /** A column for times in ns; null is stored as NaN. */
  static times(): NarrowColumn {
    return new NarrowColumn(WORDS, NaN);
  }

  /** An empty column of times in ns, in the same space as this one. */
  otherTimes(): NarrowColumn {
    return new NarrowColumn(WORDS, NaN, this.space);
  }

  /** Takes the space for chunks that are added from now on. */
  waitIn(space: ChunkSpace): void {
    this.space = space;
  }

  get length(): number {
    return this.#length;
  }

  push(given: number): void {
    const value = Number.isNaN(given) ? this.otherwise : given;
    const place = this.#length & (CHUNK - 1);
    if (place === 0) this.#chunks.push(new Chunk(this.first, value, this.space));
    const chunk = this.#chunks[this.#length++ >>> CHUNK_BITS] as Chunk;
    chunk.set(place, value, place);
    if (place === CHUNK - 1) this.space?.hold(chunk);
  }

  /** Replaces the value of an existing row; a row beyond the end is not added. */
  set(row: number, given: number): void {
    if (!(row < this.#length)) return;
    const value = Number.isNaN(given) ? this.otherwise : given;
    (this.#chunks[row >>> CHUNK_BITS] as Chunk).set(row & (CHUNK - 1), value, this.#filled(row >>> CHUNK_BITS));
  }

  /** Returns NaN for a row beyond the end. */
  at(row: number): number {
    const chunk = row < this.#length ? this.#chunks[row >>> CHUNK_BITS] : undefined;
    return chunk === undefined ? NaN : chunk.at(row & (CHUNK - 1));
  }

  /** Subtracts a number from all values. */
  shift(by: number): void {
    for (const [number, chunk] of this.#chunks.entries()) chunk.shift(by, this.#filled(number));
  }

  *[Symbol.iterator](): Generator<number> {
    for (let row = 0; row < this.#length; row++) yield this.at(row);
  }

  #filled(chunk: number): number {
    return Math.min(CHUNK, this.#length - chunk * CHUNK);
  }
}

/** A column of either kind. */
export type NumberColumn = Pick<NarrowColumn, 'length' | 'at' | 'set' | 'shift'>;

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
  time: () => NarrowColumn.times(),
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
  /** Takes a space for the rows that are added from now on. */
  waitIn(space: ChunkSpace): void;
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

  waitIn(space: ChunkSpace): void {
    for (const column of this.#columns) if (column instanceof NarrowColumn) column.waitIn(space);
  }

  reserve(rows: number): void {
    for (const column of this.#columns) if (column instanceof NumericColumn) column.reserve(rows);
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
