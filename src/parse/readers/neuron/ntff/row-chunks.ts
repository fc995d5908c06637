/**
 * Rows put in order of start, however many: what is gathered is sorted a chunk at a time; when there is more than one,
 * chunks go to a temporary file and are merged. Memory: a chunk of 2 million rows (64 MB, and 56 MB to put it in order),
 * then 32 KB for each run to merge.
 */
import { RowMerge, type RowCursor } from './row-merge.js';
import { orderOfRows } from './row-sort.js';
import { runsOf, type Runs } from './row-runs.js';
import { ROW_BYTES, ROW_DOUBLES, ROW_WORDS, viewRows, type RowView } from './rows.js';
import { SpillFile } from './spill-file.js';

export const CHUNK_ROWS = 1 << 21;
const FEWEST_ROWS = 1 << 4;

/** More of them take longer to merge than to sort. */
const MOST_RUNS_OF_CHUNK = 16;
/** With so many runs, each chunk makes one. */
const MOST_RUNS = 1 << 10;

export class RowChunks {
  #memory: ArrayBuffer;
  #rows: RowView;
  #count = 0;
  #spill: SpillFile | null = null;

  /** @param expected how many rows to make room for at first; more may come */
  constructor(
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
    doubles[double] = start;
    doubles[double + 1] = duration;
    words[word + 4] = rank;
    words[word + 5] = detail;
    words[word + 6] = value;
    words[word + 7] = rest;
    this.#count++;
  }

  /** All rows in order; nothing may be added from then on. */
  inOrder(): RowCursor {
    if (this.#spill === null) return new SortedRows(this.#rows, this.#runs(1).order);
    this.#spillChunk();
    this.#memory = new ArrayBuffer(0);
    this.#rows = viewRows(this.#memory);
    return new RowMerge(this.#spill);
  }

  /** Removes the temporary file. */
  dispose(): void {
    this.#spill?.dispose();
  }

  #makeRoom(): void {
    if (this.#count === this.chunkRows) {
      this.#spillChunk();
      return;
    }
    const larger = new ArrayBuffer(Math.min(this.#memory.byteLength * 2, this.chunkRows * ROW_BYTES));
    new Uint8Array(larger).set(new Uint8Array(this.#memory));
    this.#memory = larger;
    this.#rows = viewRows(larger);
  }

  #spillChunk(): void {
    this.#spill ??= SpillFile.create();
    const most = this.#spill.runs.length < MOST_RUNS ? MOST_RUNS_OF_CHUNK : 1;
    const { order, ends } = this.#runs(most);
    ends.forEach((end, i) => this.#spill?.writeRun(this.#rows, order, ends[i - 1] ?? 0, end));
    this.#count = 0;
  }

  #runs(most: number): Runs {
    const found = runsOf(this.#rows, this.#count, most);
    return found ?? { order: orderOfRows(this.#rows, this.#count), ends: [this.#count] };
  }
}

/** Rows that never left memory. */
class SortedRows implements RowCursor {
  row = -1;
  #next = 0;

  constructor(
    readonly view: RowView,
    private readonly order: Uint32Array,
  ) {}

  next(): boolean {
    if (this.#next === this.order.length) return false;
    this.row = this.order[this.#next++] ?? 0;
    return true;
  }
}
