/**
 * External sort of rows by start: rows are sorted a chunk at a time; when there is more than one chunk, they are spilled
 * to a temporary file as sorted runs and merged. Memory: a chunk of 2 million rows (64 MB, and 56 MB to sort it), then
 * 32 KB for each run to merge.
 */
import { RowMerge, type RowCursor } from './row-merge.js';
import { orderOfRows } from './row-sort.js';
import { runsOf, type Runs } from './row-runs.js';
import { ROW_BYTES, ROW_DOUBLES, ROW_WORDS, viewRows, type RowView } from './rows.js';
import { SpillFile } from './spill-file.js';

const CHUNK_ROWS = 1 << 21;
const FEWEST_ROWS = 1 << 4;

/** More runs take longer to merge than to sort. */
const MOST_RUNS_OF_CHUNK = 16;
/** From so many runs on, each chunk is sorted into one. */
const MOST_RUNS = 1 << 10;

export class RowChunks {
  #memory: ArrayBuffer;
  #rows: RowView;
  #count = 0;
  #spill: SpillFile | null = null;

  /** @param expected rows to reserve room for; more are possible */
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

  /** All rows in order; no rows may be added afterwards. */
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
    this.row = this.order[this.#next++] ?? 0;
    return true;
  }
}
