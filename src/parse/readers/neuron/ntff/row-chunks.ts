/**
 * External sort of rows by start: rows are sorted a chunk at a time; when there is more than one chunk, they are spilled
 * to a temporary file as sorted runs and merged. Memory: a chunk of 2 million rows (64 MB, and 32 MB to sort it), then
 * 32 KB for each run to merge. A sort of 10 million rows in memory has 2.8 times the peak memory
 * (`node bench/external-sort.mjs`).
 */
import { sortRows } from '../../../../containers/row-order.js';
import { compareRows, CELL, ROW_BYTES, ROW_DOUBLES, ROW_WORDS, startOf, viewRows, type RowView } from './rows.js';
import { readFully } from '../../../files.js';
import { TemporaryFile } from '../../../input/temporary-file.js';

/** Rows that are written and read together. */
const BLOCK_ROWS = 1 << 10;

/** Sorted rows, one after the other. */
interface Run {
  readonly offset: number;
  readonly count: number;
}

/** Temporary file of sorted runs of rows. */
class SpillFile {
  readonly runs: Run[] = [];
  readonly #block = viewRows(new ArrayBuffer(BLOCK_ROWS * ROW_BYTES));
  readonly #bytes = new Uint8Array(this.#block.words.buffer);
  readonly #file: TemporaryFile;
  #length = 0;

  /** @param input in messages */
  constructor(input: string) {
    this.#file = new TemporaryFile(input);
    this.#file.unlink();
  }

  writeRun({ words }: RowView, order: Uint32Array): void {
    this.runs.push({ offset: this.#length, count: order.length });
    for (let from = 0; from < order.length; from += BLOCK_ROWS) {
      const rows = order.subarray(from, from + BLOCK_ROWS);
      let to = 0;
      for (const row of rows) {
        for (let cell = row * ROW_WORDS; cell < (row + 1) * ROW_WORDS; cell++) {
          this.#block.words[to++] = words[cell] as number;
        }
      }
      this.#append(rows.length * ROW_BYTES);
    }
  }

  /**
   * Reads a block of a run.
   * @param rows has room for `BLOCK_ROWS`, or for all rows of a shorter run
   * @returns number of rows; 0 after the last block
   */
  read({ offset, count }: Run, block: number, { words }: RowView): number {
    const first = block * BLOCK_ROWS;
    const found = Math.max(0, Math.min(BLOCK_ROWS, count - first));
    const bytes = new Uint8Array(words.buffer, 0, found * ROW_BYTES);
    const read = readFully(this.#file.file, bytes, offset + first * ROW_BYTES);
    if (read < bytes.length) throw new Error('temporary file cut off');
    return found;
  }

  dispose(): void {
    this.#file.dispose();
  }

  #append(bytes: number): void {
    this.#file.append(this.#bytes.subarray(0, bytes));
    this.#length += bytes;
  }
}

/** Iterates over sorted rows without copying them. */
export interface RowCursor {
  readonly view: RowView;
  readonly row: number;
  /** Advances to the next row; false when there is none. */
  next(): boolean;
}

/** K-way merge of sorted runs: a binary heap of the runs' next rows, each run read a block at a time. */
class RowMerge implements RowCursor {
  /** Min-heap by next row: the window at i is no later than those at 2i + 1 and 2i + 2. */
  readonly #heap: RunWindow[];
  #current: RunWindow | null = null;

  constructor(spill: SpillFile) {
    this.#heap = spill.runs.map((run, number) => new RunWindow(spill, run, number)).filter((run) => run.next());
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  get view(): RowView {
    return (this.#current ?? NOTHING).view;
  }

  get row(): number {
    return (this.#current ?? NOTHING).row;
  }

  next(): boolean {
    if (this.#current !== null) this.#advance(this.#current);
    this.#current = this.#heap[0] ?? null;
    return this.#current !== null;
  }

  /** Moves past the first row of the heap. */
  #advance(first: RunWindow): void {
    if (!first.next()) {
      const last = this.#heap.pop();
      if (last === undefined || last === first) return;
      this.#heap[0] = last;
    }
    this.#sink(0);
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const sinking = heap[from];
    if (sinking === undefined) return;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      let least = heap[child];
      if (least === undefined) break;
      const other = heap[child + 1];
      if (other?.isBefore(least) === true) {
        least = other;
        child++;
      }
      if (!least.isBefore(sinking)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = sinking;
  }
}

class RunWindow {
  row = -1;
  readonly view: RowView;
  /** Start of the current row, ns. */
  start = 0;
  #filled = 0;
  #block = 0;

  constructor(
    private readonly spill: SpillFile,
    private readonly run: Run,
    private readonly number: number,
  ) {
    this.view = viewRows(new ArrayBuffer(Math.min(BLOCK_ROWS, run.count) * ROW_BYTES));
  }

  next(): boolean {
    if (++this.row >= this.#filled && !this.#fill()) return false;
    this.start = startOf(this.view, this.row);
    return true;
  }

  /** Equal rows keep the order in which they were added. */
  isBefore(other: RunWindow): boolean {
    if (this.start !== other.start) return this.start < other.start;
    const order = compareRows(this.view, this.row, other.view, other.row);
    return order === 0 ? this.number < other.number : order < 0;
  }

  #fill(): boolean {
    this.#filled = this.spill.read(this.run, this.#block++, this.view);
    this.row = 0;
    return this.#filled > 0;
  }
}

const NOTHING: RowCursor = { view: viewRows(new ArrayBuffer(0)), row: 0, next: () => false };

const CHUNK_ROWS = 1 << 21;
const FEWEST_ROWS = 1 << 4;

export class RowChunks {
  #memory: ArrayBuffer;
  #rows: RowView;
  #count = 0;
  #spill: SpillFile | null = null;

  /**
   * @param input in messages
   * @param expected rows to reserve room for; more are possible
   */
  constructor(
    private readonly input: string,
    expected: number,
    private readonly chunkRows = CHUNK_ROWS,
  ) {
    this.#memory = new ArrayBuffer(Math.max(FEWEST_ROWS, Math.min(expected, chunkRows)) * ROW_BYTES);
    this.#rows = viewRows(this.#memory);
  }

  add(start: number, duration: number, rank: number, detail: number, value: number, rest: number): void {
    if (this.#count * ROW_BYTES === this.#memory.byteLength || this.#count === this.chunkRows) this.#makeRoom();
    const { doubles, words } = this.#rows;
    const double = this.#count * ROW_DOUBLES;
    const word = this.#count * ROW_WORDS;
    doubles[double + CELL.start] = start;
    doubles[double + CELL.duration] = duration;
    words[word + CELL.rank] = rank;
    words[word + CELL.detail] = detail;
    words[word + CELL.value] = value;
    words[word + CELL.rest] = rest;
    this.#count++;
  }

  /** All rows in order; no rows may be added afterwards. */
  inOrder(): RowCursor {
    if (this.#spill === null) return new SortedRows(this.#rows, this.#order());
    this.#spillChunk(this.#spill);
    this.#memory = new ArrayBuffer(0);
    this.#rows = viewRows(this.#memory);
    return new RowMerge(this.#spill);
  }

  dispose(): void {
    this.#spill?.dispose();
  }

  #makeRoom(): void {
    if (this.#count === this.chunkRows) {
      this.#spillChunk((this.#spill ??= new SpillFile(this.input)));
      return;
    }
    const larger = new ArrayBuffer(Math.min(this.#memory.byteLength * 2, this.chunkRows * ROW_BYTES));
    new Uint8Array(larger).set(new Uint8Array(this.#memory));
    this.#memory = larger;
    this.#rows = viewRows(larger);
  }

  #spillChunk(spill: SpillFile): void {
    spill.writeRun(this.#rows, this.#order());
    this.#count = 0;
  }

  /** Row numbers in order; equal rows in the order in which they were added. */
  #order(): Uint32Array {
    const rows = this.#rows;
    const order = new Uint32Array(this.#count);
    const starts = new Float64Array(this.#count);
    for (let row = 0; row < order.length; row++) {
      order[row] = row;
      starts[row] = startOf(rows, row);
    }
    sortRows(order, (a, b) => (starts[a] as number) - (starts[b] as number) || compareRows(rows, a, rows, b));
    return order;
  }
}

/** Cursor over rows that fit into memory. */
class SortedRows implements RowCursor {
  row = -1;
  #next = 0;

  constructor(
    readonly view: RowView,
    private readonly order: Uint32Array,
  ) {}

  next(): boolean {
    if (this.#next === this.order.length) return false;
    this.row = this.order[this.#next++] as number;
    return true;
  }
}
