/**
 * All rows of a table as numbers, straight from the pages of the database: SQLite itself hands out cells one by one or
 * as text, which costs several times as much. Whatever is not plain here (a number kept as text, a row that goes on in
 * another page, damage) ends the scan, and SQLite reads the rest.
 * Source: sqlite.org/fileformat2.html §1.6 (b-tree pages), §2.1 (records).
 */
import type { Layout, Part, Want } from './page-layout.js';
import type { Pages } from './database-pages.js';

/** Kinds of pages of a table. */
const [INTERIOR, LEAF] = [5, 13];
const DEEPEST = 20;

/** Bytes of a cell by its serial type below 12. */
const SIZES = Uint8Array.of(0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0);
const [NULL, INT64, FLOAT, ZERO, ONE] = [0, 6, 7, 8, 9];
const FIRST_TEXT = 12;

const TWO_32 = 2 ** 32;
const BILLION = 1e9;
/** Upper halves from which a number is not held exactly. */
const FAR_HIGH = 2 ** 21;
const NO_WANT = -1;

/** Place after the variable-length integer that was read last. */
let after = 0;

/** A variable-length integer of at most 8 bytes, exact up to 2^53; NaN for longer ones. */
function varint(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) {
      after = at + i + 1;
      return value;
    }
  }
  return NaN;
}

export class TableScan {
  readonly #cells: number[];
  /** By column, the first of its cells that are wanted; by cell, the next one of the same column. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #parts: readonly Part[];
  readonly #bases: readonly Base[];
  /** Number of the row that was read last; null before the first. */
  lastRowid: number | null = null;
  /** How many rows are still asked for. */
  left = Infinity;
  /** Rows up to this number are passed over. */
  #after = -Infinity;

  /**
   * @param real whether numbers may have decimals; else they are NaN
   * @param take gets the same array every time
   */
  constructor(
    private readonly pages: Pages,
    private readonly layout: Layout,
    wants: readonly Want[],
    private readonly real: boolean,
    private readonly take: (cells: readonly number[]) => void,
  ) {
    this.#cells = new Array<number>(wants.length).fill(NaN);
    this.#first = new Int32Array(Math.max(...wants.map(({ column }) => column), NO_WANT) + 1).fill(NO_WANT);
    this.#next = new Int32Array(wants.length).fill(NO_WANT);
    wants.forEach(({ column }, want) => {
      // Of a column that the table has not.
      if (column < 0) return;
      this.#next[want] = this.#first[column] ?? NO_WANT;
      this.#first[column] = want;
    });
    this.#parts = wants.map(({ part }) => part);
    this.#bases = wants.map(({ part }) => new Base(typeof part === 'object' ? part.minus : 0n));
  }

  /** Hands out rows with numbers above one, so many at most. @returns whether no more follow */
  run({ after: number, rows }: { readonly after: bigint; readonly rows: number }): boolean {
    this.#after = Number(number);
    this.left = rows;
    return this.#page(this.layout.root, 0);
  }

  #page(number: number, depth: number): boolean {
    const at = this.pages.place(number);
    if (at === -1 || number < 2 || depth > DEEPEST) return false;
    const kind = this.pages.bytes[at];
    const count = this.pages.view.getUint16(at + 3);
    if (kind === LEAF) return this.#leaf(at, count);
    if (kind !== INTERIOR || 12 + 2 * count > this.pages.format.usable) return false;
    for (const child of this.#children(at, count)) if (!this.#page(child, depth + 1)) return false;
    return true;
  }

  #children(at: number, count: number): number[] {
    const { bytes, view, format } = this.pages;
    const children: number[] = [];
    for (let cell = 0; cell < count; cell++) {
      const place = view.getUint16(at + 12 + 2 * cell);
      // The number of the last row below the child stands beside it.
      if (varint(bytes, at + place + 4) <= this.#after) continue;
      children.push(place + 4 <= format.usable ? view.getUint32(at + place) : 0);
    }
    return [...children, view.getUint32(at + 8)];
  }

  #leaf(at: number, count: number): boolean {
    const { view, format } = this.pages;
    const end = at + format.usable;
    if (8 + 2 * count > format.usable) return false;
    for (let cell = 0; cell < count; cell++) {
      const place = at + view.getUint16(at + 8 + 2 * cell);
      if (this.left <= 0) return false;
      if (place >= end) return false;
      if (this.#isPassed(place)) continue;
      if (!this.#row(place, end)) return false;
      this.left--;
      this.take(this.#cells);
    }
    return true;
  }

  #isPassed(place: number): boolean {
    if (this.lastRowid !== null || this.#after === -Infinity) return false;
    varint(this.pages.bytes, place);
    return varint(this.pages.bytes, after) <= this.#after;
  }

  /** Reads the row at a place into the cells; false where it is not plain. */
  #row(place: number, pageEnd: number): boolean {
    const { bytes } = this.pages;
    const payload = varint(bytes, place);
    const rowid = varint(bytes, after);
    const header = after;
    if (!Number.isSafeInteger(payload) || !Number.isSafeInteger(rowid)) return false;
    if (this.lastRowid !== null && rowid <= this.lastRowid) return false;
    const end = Math.min(header + this.#local(payload), pageEnd);
    const body = header + varint(bytes, header);
    if (!(body <= end) || !this.#columns(after, body, end, rowid)) return false;
    this.lastRowid = rowid;
    return true;
  }

  /** Bytes of a row that stand in its page; the others in pages of their own. */
  #local(payload: number): number {
    const { usable } = this.pages.format;
    if (payload <= usable - 35) return payload;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const some = least + ((payload - least) % (usable - 4));
    return some <= usable - 35 ? some : least;
  }

  /**
   * Reads the wanted columns of a row.
   * @param header place of the first column's type; those of all end where the body begins
   */
  #columns(header: number, body: number, end: number, rowid: number): boolean {
    const { bytes } = this.pages;
    const wanted = this.#first;
    let at = body;
    for (let column = 0; column < wanted.length; column++) {
      const want = wanted[column] ?? NO_WANT;
      if (header >= body) {
        if (!this.#missing(column, want)) return false;
        continue;
      }
      let type = bytes[header++] ?? 0;
      if (type >= 128) {
        type = varint(bytes, header - 1);
        header = after;
      }
      const size = type < FIRST_TEXT ? (SIZES[type] ?? 0) : Math.floor((type - FIRST_TEXT) / 2);
      if (want !== NO_WANT && !(at + size <= end && this.#cell(column, want, type, at, size, rowid))) return false;
      at += size;
    }
    return true;
  }

  /** A row that is older than the column. */
  #missing(column: number, want: number): boolean {
    if (want !== NO_WANT && this.layout.columns[column]?.hasDefault !== false) return false;
    for (let cell = want; cell !== NO_WANT; cell = this.#next[cell] ?? NO_WANT) this.#cells[cell] = NaN;
    return true;
  }

  #cell(column: number, want: number, type: number, at: number, size: number, rowid: number): boolean {
    const { isRowid = false, isReal = false } = this.layout.columns[column] ?? {};
    if (type >= FIRST_TEXT) return this.#text(want, type, at, size);
    if (type === NULL && !isRowid) return this.#set(want, NaN);
    if (type === FLOAT || isReal) return this.#float(want, type, at);
    if (type === INT64) return this.#wide(want, at);
    if (type > ONE) return false;
    const value = type === NULL ? rowid : this.#short(type, at);
    const high = Math.floor(value / TWO_32);
    for (let cell = want; cell !== NO_WANT; cell = this.#next[cell] ?? NO_WANT) {
      this.#cells[cell] = this.#parts[cell] === 'whole' ? value : this.#partOf(cell, high, value - high * TWO_32);
    }
    return true;
  }

  #set(want: number, value: number): boolean {
    for (let cell = want; cell !== NO_WANT; cell = this.#next[cell] ?? NO_WANT) this.#cells[cell] = value;
    return true;
  }

  /** A whole number of at most 48 bits. */
  #short(type: number, at: number): number {
    const { view } = this.pages;
    switch (type) {
      case 1:
        return view.getInt8(at);
      case 2:
        return view.getInt16(at);
      case 3:
        return view.getInt8(at) * 65536 + view.getUint16(at + 1);
      case 4:
        return view.getInt32(at);
      case 5:
        return view.getInt16(at) * TWO_32 + view.getUint32(at + 2);
      default:
        return type - ZERO;
    }
  }

  /** A whole number of 64 bits. */
  #wide(want: number, at: number): boolean {
    const { view } = this.pages;
    const [high, low] = [view.getInt32(at), view.getUint32(at + 4)];
    for (let cell = want; cell !== NO_WANT; cell = this.#next[cell] ?? NO_WANT) {
      this.#cells[cell] = this.#partOf(cell, high, low);
    }
    return true;
  }

  #partOf(cell: number, high: number, low: number): number {
    const part = this.#parts[cell];
    if (part === 'high') return high;
    if (part === 'low') return low;
    const base = this.#bases[cell];
    if (base === undefined) return NaN;
    const upper = high - base.high;
    if (Math.abs(upper) < FAR_HIGH) return upper * TWO_32 + (low - base.low);
    return this.#far((BigInt(high) << 32n) + BigInt(low) - base.value);
  }

  #float(want: number, type: number, at: number): boolean {
    if (this.#parts[want] !== 'whole' || this.#next[want] !== NO_WANT) return false;
    if (type === INT64 || type > ONE) return false;
    // Without decimals asked for, a number that may have some is none.
    if (!this.real) return this.#set(want, NaN);
    return this.#set(want, type === FLOAT ? this.pages.view.getFloat64(at) : this.#short(type, at));
  }

  /** A number of nanoseconds may stand there as text. */
  #text(want: number, type: number, at: number, size: number): boolean {
    if (this.real && this.#parts[want] === 'whole' && this.#next[want] === NO_WANT) return this.#set(want, NaN);
    const base = this.#bases[want];
    if (typeof this.#parts[want] !== 'object' || this.#next[want] !== NO_WANT || base === undefined) return false;
    // Of 19 digits only those that begin with less fit into 64 bits for certain.
    const { bytes } = this.pages;
    if (type % 2 === 0 || size === 0 || size > 19 || (size === 19 && (bytes[at] ?? 0) > 0x38)) return false;
    let [billions, rest] = [0, 0];
    for (let i = 0; i < size; i++) {
      const digit = (bytes[at + i] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return false;
      if (size - i > 9) billions = billions * 10 + digit;
      else rest = rest * 10 + digit;
    }
    const since = (billions - base.billions) * BILLION + (rest - base.rest);
    return this.#set(
      want,
      Number.isSafeInteger(since) ? since : this.#far(BigInt(billions) * BigInt(BILLION) + BigInt(rest) - base.value),
    );
  }

  /** A number that is not held exactly, rounded as reading it as text does. */
  #far(value: bigint): number {
    if (this.real) return Number(value);
    if (BigInt.asIntN(64, value) !== value) return NaN;
    let rounded = 0;
    for (const digit of String(value < 0n ? -value : value)) rounded = rounded * 10 + Number(digit);
    return value < 0n ? -rounded : rounded;
  }
}

/** What is taken from a number, in halves and in billions, so that the difference is exact. */
class Base {
  readonly high: number;
  readonly low: number;
  readonly billions: number;
  readonly rest: number;

  constructor(readonly value: bigint) {
    this.high = Number(value >> 32n);
    this.low = Number(value & 0xffffffffn);
    this.billions = Number(value / BigInt(BILLION));
    this.rest = Number(value % BigInt(BILLION));
  }
}
