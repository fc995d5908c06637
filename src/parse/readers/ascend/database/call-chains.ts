/**
 * Call stacks: one row for each frame, with depth 0 for the innermost. The table has no index and is the longest in a
 * profile with stacks, but training steps repeat their stacks. Distinct stacks are therefore stored once, 4 bytes for each
 * frame, with 12 bytes for each chain. Strings are looked up on demand.
 */
import { LruCache } from '../../../../containers/map-entry.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { sortRows, allRows, countBelow } from '../../../../containers/row-order.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import { readFrame } from '../../../torch/event-names.js';
import type { StringTable } from './connections.js';
import { mixed, HashIndex, NO_ROW } from '../../../../containers/hash-index.js';

const TABLE = 'PYTORCH_CALLCHAINS';
const COLUMNS = ['id', 'stack', 'stackDepth'];

export class CallChains {
  /** Ids of chains in ascending order, and the number of each chain's stack. */
  readonly #ids = NumericColumn.floats();
  readonly #stackOf = NumericColumn.counts();
  readonly #stacks = new StackTable();
  /** State of the chain that is currently read. */
  #lastId = NaN;
  #lastDepth = NaN;
  readonly #open: number[] = [];
  /** Program frames by string id; null for strings that are not program frames. */
  readonly #read = new LruCache<number, string | null>(8192);

  constructor(
    private readonly database: SqliteFile,
    private readonly strings: StringTable,
  ) {
    if (!this.#readInOrder()) this.#readSorted();
  }

  /** Program frames of a chain, such as `train.py:184`, outermost first. */
  frames(id: number): string[] {
    const frames: string[] = [];
    for (const string of this.#stringsOf(id)) {
      const frame = this.#read.of(string, (name) => this.#frameOf(name));
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }

  /** All frames of a chain as the profiler writes them, outermost first. */
  texts(id: number): string[] {
    return this.#stringsOf(id).map((string) => this.strings.text(string) ?? '');
  }

  /** Strings of a chain's frames, outermost first. */
  #stringsOf(id: number): number[] {
    const chain = this.#find(id);
    return chain === -1 ? [] : this.#stacks.of(this.#stackOf.at(chain)).reverse();
  }

  /** @returns false when the rows are not in the order in which the profiler writes them */
  #readInOrder(): boolean {
    let inOrder = true;
    this.database.eachNumbers(TABLE, COLUMNS, ([id = NaN, stack = NaN, depth = NaN]) => {
      if (inOrder) inOrder = this.#add(id, stack, depth);
    });
    this.#close();
    return inOrder;
  }

  #find(id: number): number {
    const at = countBelow(this.#ids.length, (index) => this.#ids.at(index), id);
    return this.#ids.at(at) === id ? at : -1;
  }

  /**
   * Adds the next frame of a chain, or the first frame of the next chain.
   * @returns false when it is out of order
   */
  #add(id: number, stack: number, depth: number): boolean {
    if (Number.isNaN(id) || !(stack >= 0)) return true;
    if (id < this.#lastId || (id === this.#lastId && depth < this.#lastDepth)) return false;
    if (id !== this.#lastId) {
      this.#close();
      this.#ids.push(id);
    }
    this.#lastId = id;
    this.#lastDepth = depth;
    this.#open.push(stack);
    return true;
  }

  /** Completes the current chain. */
  #close(): void {
    if (this.#open.length > 0) this.#stackOf.push(this.#stacks.numberOf(this.#open));
    this.#open.length = 0;
  }

  /** Reads a table whose rows are not in the profiler's order. Temporary memory: 20 bytes for each frame. */
  #readSorted(): void {
    const [ids, stacks, depths] = [NumericColumn.floats(), NumericColumn.counts(), NumericColumn.counts()];
    this.database.eachNumbers(TABLE, COLUMNS, ([id = NaN, stack = NaN, depth = NaN]) => {
      if (Number.isNaN(id) || !(stack >= 0)) return;
      ids.push(id);
      stacks.push(stack);
      depths.push(depth >= 0 ? depth : 0);
    });
    const rows = allRows(ids.length);
    sortRows(rows, (a, b) => ids.at(a) - ids.at(b) || depths.at(a) - depths.at(b) || stacks.at(a) - stacks.at(b));
    this.#ids.clear();
    this.#stackOf.clear();
    this.#lastId = NaN;
    for (const row of rows) this.#add(ids.at(row), stacks.at(row), depths.at(row));
    this.#close();
  }

  #frameOf(string: number): string | null {
    const text = this.strings.text(string);
    if (text === null) return null;
    const read = readFrame(text.trim());
    return read.kind === 'frame' ? read.frame : null;
  }
}

/** Interns stacks, which are lists of string ids. Memory: 4 bytes for each frame, and 12 for each distinct stack. */

class StackTable {
  readonly #strings = NumericColumn.counts();
  /** For each stack: the index of its first string, and its hash. */
  readonly #first = NumericColumn.counts();
  readonly #hashes = NumericColumn.int32();
  readonly #index = new HashIndex((stack) => this.#hashes.at(stack));

  /** The number of a stack; a new stack is added. */
  numberOf(strings: readonly number[]): number {
    const hash = hashOf(strings);
    const known = this.#index.find(hash, (stack) => this.#isEqual(stack, strings));
    return known === NO_ROW ? this.#add(strings, hash) : known;
  }

  of(number: number): number[] {
    return Array.from({ length: this.#end(number) - this.#first.at(number) }, (_, i) =>
      this.#strings.at(this.#first.at(number) + i),
    );
  }

  #end(number: number): number {
    return number + 1 < this.#first.length ? this.#first.at(number + 1) : this.#strings.length;
  }

  #isEqual(number: number, strings: readonly number[]): boolean {
    const first = this.#first.at(number);
    if (this.#end(number) - first !== strings.length) return false;
    return strings.every((string, i) => this.#strings.at(first + i) === string);
  }

  #add(strings: readonly number[], hash: number): number {
    this.#first.push(this.#strings.length);
    for (const string of strings) this.#strings.push(string);
    this.#hashes.push(hash);
    const list = this.#first.length - 1;
    this.#index.add(hash, list);
    return list;
  }
}

const hashOf = (strings: readonly number[]): number => strings.reduce(mixed, 0);
