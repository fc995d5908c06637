/**
 * External sort of rows by start: rows are sorted a chunk at a time; when there is more than one chunk, they are spilled
 * to a temporary file as sorted runs and merged. Memory: a chunk of 2 million rows (64 MB, and 32 MB to sort it), then
 * 32 KB for each run to merge. A sort of 10 million rows in memory has 2.8 times the peak memory
 * (`node bench/external-sort.mjs`).
 */
import { sortRows } from '../../../../../containers/row-order.js';
import { RowMerge, type RowCursor } from './row-merge.js';
import { compareRows, CELL, ROW_BYTES, ROW_DOUBLES, ROW_WORDS, startOf, viewRows, type RowView } from './rows.js';
import { SpillFile } from './spill-file.js';

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
