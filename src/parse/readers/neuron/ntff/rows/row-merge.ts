/** K-way merge of sorted runs: a binary heap of the runs' next rows, each run read a block at a time. */
import { compareRows, ROW_BYTES, startOf, viewRows, type RowView } from './rows.js';
import { BLOCK_ROWS, type Run, type SpillFile } from './spill-file.js';

/** Iterates over sorted rows without copying them. */
export interface RowCursor {
  readonly view: RowView;
  readonly row: number;
  /** Advances to the next row; false when there is none. */
  next(): boolean;
}

export class RowMerge implements RowCursor {
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
