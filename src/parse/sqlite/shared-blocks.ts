/**
 * Blocks of rows that several threads read by the same calls from the same database: one thread decodes a block, and all
 * take its rows. Each thread numbers the blocks in the order in which it needs them, which is the same in all threads. A
 * block is in the slot of its number, modulo the number of slots, until all threads have taken it.
 *
 * No thread depends on another one: it reads a block itself when another thread does not finish it or does not take
 * earlier ones in time, and all blocks from the first that could not be read. A block also states what was read, so that
 * a thread that reads something else does not take it.
 */
import { performance } from 'node:perf_hooks';
import { elementAt } from '../../containers/element.js';
import { BLOCK_ROWS, LAST_ROWID, type BoundedBlocks, type NumberBlock, type ReadBlock } from './sqlite-library.js';

/** Blocks that are kept: how far a thread may be ahead of another. */
const SLOTS = 16;

/** Maximum number of numbers per row. Tables with more are not shared. */
const MOST_NUMBERS = 32;

/** How long to wait for another thread, in ms: several times what decoding a block takes. */
const PATIENCE = 100;

/** What a slot has: nothing yet, the rowid at which its block ends, its rows, or an error in place of them. */
const CLAIMED = 0;
const ENDED = 1;
const READY = 2;
const FAILED = 3;
/** The slot has an earlier block. */
const FREE = 4;

/** Positions in `control`: a counter of changes, then `4 · block + phase` by slot, then the last taken block by thread. */
const CHANGES = 0;
const PHASES = 1;
const TAKEN = PHASES + SLOTS;

/** Numbers about the block of a slot, ahead of its rows. */
const HEAD = { key: 0, above: 1, end: 2, last: 3, rows: 4, leftOut: 5 } as const;
const HEAD_NUMBERS = 8;
const SLOT_NUMBERS = HEAD_NUMBERS + BLOCK_ROWS * MOST_NUMBERS;

/** Memory that is passed to all threads. */
export interface BlockMemory {
  readonly control: SharedArrayBuffer;
  readonly cells: SharedArrayBuffer;
  readonly threads: number;
}

/** Memory for a number of threads, all of which must read: 4 MB. */
export const blockMemory = (threads: number): BlockMemory => ({
  control: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (TAKEN + threads)),
  cells: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * SLOTS * SLOT_NUMBERS),
  threads,
});

/** A thread's view of the blocks. */
export class SharedBlocks {
  readonly #control: Int32Array;
  readonly #heads: Float64Array[];
  readonly #rows: Float64Array[];
  /** The block that this thread needs next. */
  #next = 1;
  #isReading = false;
  #hasLeft = false;
  /** The last block that all threads had taken when one of them took too long; -1 when none did. */
  #stalledAt = -1;

  /** @param thread number of this thread, from 0 */
  constructor(
    memory: BlockMemory,
    private readonly thread: number,
  ) {
    this.#control = new Int32Array(memory.control);
    const cells = new Float64Array(memory.cells);
    const starts = Array.from({ length: SLOTS }, (_, slot) => slot * SLOT_NUMBERS);
    this.#heads = starts.map((start) => cells.subarray(start, start + HEAD_NUMBERS));
    this.#rows = starts.map((start) => cells.subarray(start + HEAD_NUMBERS, start + SLOT_NUMBERS));
  }

  /**
   * Begins the blocks of a table, which `finish` must end; null where this thread has to read the table by itself: inside
   * the rows of another table, and when a row has too many numbers.
   */
  over(table: BoundedBlocks): ReadBlock | null {
    if (this.#isReading || this.#hasLeft || table.width > MOST_NUMBERS) return null;
    this.#isReading = true;
    const [first, key] = [this.#next, hashOf(table.key)];
    let cells: Float64Array | null = null;
    return (above) => {
      if (this.#next > first) this.#taken(this.#next - 1);
      const block = this.#hasLeft ? null : this.#shared({ ...table, key }, above);
      this.#next++;
      if (block !== null) return block;
      cells ??= new Float64Array(BLOCK_ROWS * table.width);
      return { cells, ...table.fill(cells, above, table.endAbove(above)) };
    };
  }

  /** Ends the blocks of a table whose rows have been taken. */
  finish(): void {
    this.#taken(this.#next - 1);
    this.#isReading = false;
  }

  /** Stops sharing, so that no other thread waits for this one. May be called for a thread that has ended. */
  leave(): void {
    this.#hasLeft = true;
    this.#store(TAKEN + this.thread, LAST_BLOCK);
  }

  #taken(block: number): void {
    if (!this.#hasLeft) this.#store(TAKEN + this.thread, block);
  }

  /** The next block, decoded by any thread; null when this thread has to read it by itself. */
  #shared(table: KeyedBlocks, above: number): NumberBlock | null {
    const block = this.#next;
    const until = performance.now() + PATIENCE;
    for (;;) {
      const changes = Atomics.load(this.#control, CHANGES);
      const phase = this.#phaseOf(block);
      if (phase === FAILED || (phase === READY && !this.#isOf(block, table, above))) {
        this.leave();
        return null;
      }
      if (phase === READY) return this.#blockAt(block);
      if (this.#decodeNext(table, above)) continue;
      const left = this.#isStalled(block) ? 0 : until - performance.now();
      if (left <= 0) {
        this.#stalledAt = this.#takenByAll();
        return null;
      }
      Atomics.wait(this.#control, CHANGES, changes, left);
    }
  }

  /** Decodes the first block of the table from the next one on that no thread has claimed. @returns false without one */
  #decodeNext(table: KeyedBlocks, firstAbove: number): boolean {
    let above = firstAbove;
    for (let block = this.#next; above !== LAST_ROWID; block++) {
      const phase = this.#phaseOf(block);
      if (phase === FREE) {
        if (!this.#claim(block)) return false;
        this.#decode(table, block, above);
        return true;
      }
      if (phase === CLAIMED || phase === FAILED) return false;
      above = elementAt(this.#headOf(block), HEAD.end);
    }
    return false;
  }

  #claim(block: number): boolean {
    const at = PHASES + (block % SLOTS);
    const phase = Atomics.load(this.#control, at);
    if (phase >> 2 >= block || this.#isFull(block)) return false;
    return Atomics.compareExchange(this.#control, at, phase, block * 4 + CLAIMED) === phase;
  }

  #decode({ key, endAbove, fill }: KeyedBlocks, block: number, above: number): void {
    const at = PHASES + (block % SLOTS);
    const head = this.#headOf(block);
    try {
      const end = endAbove(above);
      head.set([key, above, end]);
      this.#store(at, block * 4 + ENDED);
      const { rows, last, leftOut } = fill(this.#rowsOf(block), above, end);
      head.set([last as number, rows, leftOut], HEAD.last);
      this.#store(at, block * 4 + (last === end ? READY : FAILED));
    } catch {
      // Each thread reads this block by itself, and meets the error where it needs the block.
      this.#store(at, block * 4 + FAILED);
    }
  }

  #isOf(block: number, { key }: KeyedBlocks, above: number): boolean {
    const head = this.#headOf(block);
    return head[HEAD.key] === key && head[HEAD.above] === above;
  }

  #blockAt(block: number): NumberBlock {
    const head = this.#headOf(block);
    const last = elementAt(head, HEAD.last);
    const [rows, leftOut] = [elementAt(head, HEAD.rows), elementAt(head, HEAD.leftOut)];
    return { rows, cells: this.#rowsOf(block), last, isLast: last === LAST_ROWID, leftOut };
  }

  #headOf(block: number): Float64Array {
    return elementAt(this.#heads, block % SLOTS);
  }

  #rowsOf(block: number): Float64Array {
    return elementAt(this.#rows, block % SLOTS);
  }

  /** What the slot of a block has of it. A later block in the slot is an error: this thread was taken for ended. */
  #phaseOf(block: number): number {
    const found = Atomics.load(this.#control, PHASES + (block % SLOTS));
    const held = found >> 2;
    return held === block ? found & 3 : held < block ? FREE : FAILED;
  }

  /** Whether some thread has not yet taken the block that the slot of this one has. */
  #isFull(block: number): boolean {
    return block - SLOTS > this.#takenByAll();
  }

  /** Whether a thread that took too long has taken nothing since. */
  #isStalled(block: number): boolean {
    return this.#isFull(block) && this.#takenByAll() === this.#stalledAt;
  }

  #takenByAll(): number {
    let least = LAST_BLOCK;
    for (let at = TAKEN; at < this.#control.length; at++) least = Math.min(least, Atomics.load(this.#control, at));
    return least;
  }

  #store(at: number, value: number): void {
    Atomics.store(this.#control, at, value);
    Atomics.add(this.#control, CHANGES, 1);
    Atomics.notify(this.#control, CHANGES);
  }
}

/** Blocks with the hash of their key. */
type KeyedBlocks = Omit<BoundedBlocks, 'key'> & { readonly key: number };

/** The largest block number that a phase leaves room for. */
const LAST_BLOCK = 2 ** 29 - 1;

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
