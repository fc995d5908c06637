/** Runs of rows, each in order → all of them in order: a heap of the runs' next rows, each run read through a window. */
import { compareRows, nanoseconds, ROW_BYTES, ROW_DOUBLES, START, viewRows, type RowView } from './rows.js';
import type { Run, SpillFile } from './spill-file.js';

/** Rows in order, one at a time: nothing is copied. */
export interface RowCursor {
  /** Where the row is that `next` found. */
  readonly view: RowView;
  readonly row: number;
  /** Goes on to the next row; false when there is none. */
  next(): boolean;
}

/** Rows held of all runs together, and of one. */
const ROWS_IN_WINDOWS = 1 << 21;
const MAX_WINDOW = 1 << 14;
const MIN_WINDOW = 1 << 8;

export class RowMerge implements RowCursor {
  /** Windows by their next row: the window at i is no later than those at 2i + 1 and 2i + 2. */
  readonly #heap: RunWindow[];
  #current: RunWindow | null = null;

  constructor(spill: SpillFile) {
    const size = Math.max(MIN_WINDOW, Math.min(MAX_WINDOW, Math.floor(ROWS_IN_WINDOWS / spill.runs.length)));
    this.#heap = spill.runs.map((run, number) => new RunWindow(spill, run, number, size)).filter((run) => run.next());
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

  /** Past the row that stands first of all. */
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
  /** Of the row, ns. */
  start = 0;
  readonly #memory: ArrayBuffer;
  #filled = 0;
  #read = 0;

  constructor(
    private readonly spill: SpillFile,
    private readonly run: Run,
    private readonly number: number,
    private readonly size: number,
  ) {
    this.#memory = new ArrayBuffer(Math.min(size, run.count) * ROW_BYTES);
    this.view = viewRows(this.#memory);
  }

  next(): boolean {
    if (++this.row >= this.#filled && !this.#fill()) return false;
    this.start = nanoseconds(this.view.doubles[this.row * ROW_DOUBLES + START] ?? 0);
    return true;
  }

  /** Rows that are told apart by nothing keep the order in which they were added. */
  isBefore(other: RunWindow): boolean {
    if (this.start !== other.start) return this.start < other.start;
    const order = compareRows(this.view, this.row, other.view, other.row);
    return order === 0 ? this.number < other.number : order < 0;
  }

  #fill(): boolean {
    const count = Math.min(this.size, this.run.count - this.#read);
    if (count === 0) return false;
    this.spill.read(this.run.first + this.#read, count, this.#memory);
    this.#read += count;
    this.#filled = count;
    this.row = 0;
    return true;
  }
}

const NOTHING: RowCursor = { view: viewRows(new ArrayBuffer(0)), row: 0, next: () => false };
