/**
 * Blocks of rows that several threads read from the same database with the same sequence of calls: one thread decodes a
 * block, and all threads use its rows. Each thread numbers the blocks in the order in which it needs them, which is the
 * same in all threads. A block is in the slot of its number, modulo the number of slots, until all threads have taken
 * it.
 *
 * No thread depends on another: it decodes a block itself when another thread does not finish it, or does not take
 * earlier blocks, in time. From the first block that could not be read, it decodes all blocks itself. A block also
 * records what was read, so that a thread that reads something else does not take it.
 */
import { performance } from 'node:perf_hooks';
import { elementAt } from '../../containers/element.js';
import { BLOCK_ROWS, LAST_ROWID, type BoundedBlocks, type NumberBlock, type ReadBlock } from './sqlite-library.js';

/** Blocks that are kept: how far a thread may be ahead of another. */
const SLOTS = 16;

/** Maximum cells per row; wider tables are not shared. */
const MOST_NUMBERS = 32;

/** How long to wait for another thread, in ms: several times what decoding a block takes. */
const MAX_WAIT_MS = 100;

/** What is known of the block of a slot: nothing yet, the rowid at which it ends, its rows, or that it cannot be read. */
const CLAIMED = 0;
const END_KNOWN = 1;
const READY = 2;
const FAILED = 3;
/** The slot is still that of an earlier block. */
const FREE = 4;

/**
 * Positions in `control`: a counter of changes, then `4 · block + phase` by slot, then the last block that each thread
 * has taken.
 */
const CHANGES = 0;
const PHASES = 1;
const TAKEN = PHASES + SLOTS;

/** Positions of the facts about a block, which precede its rows in the slot. */
const HEAD = { key: 0, above: 1, end: 2, rows: 3, leftOut: 4 } as const;
const HEAD_NUMBERS = 8;
const SLOT_NUMBERS = HEAD_NUMBERS + BLOCK_ROWS * MOST_NUMBERS;

/** Memory that is passed to all threads. */
export interface BlockMemory {
  readonly control: SharedArrayBuffer;
  readonly cells: SharedArrayBuffer;
}

/** Allocates 4 MB that this number of threads share. All of them must read. */
export const blockMemory = (threads: number): BlockMemory => ({
  control: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (TAKEN + threads)),
  cells: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * SLOTS * SLOT_NUMBERS),
});

/** A thread's view of the blocks. */
export class SharedBlocks {
  readonly #control: Int32Array;
  readonly #heads: Float64Array[];
  readonly #rows: Float64Array[];
  #next = 1;
  #isReading = false;
  #hasLeft = false;
  /** The last block that all threads had taken when this thread last waited in vain; -1 before. */
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
   * Begins the blocks of a table, which `finish` must end; null if this thread has to read the table by itself: inside
   * the rows of another table, when a row has too many numbers, and after `leave`.
   */
  begin(table: BoundedBlocks): ReadBlock | null {
    if (this.#isReading || this.#hasLeft || table.width > MOST_NUMBERS) return null;
    this.#isReading = true;
    const [first, key] = [this.#next, hashOf(table.key)];
    let cells: Float64Array | null = null;
    return (above) => {
      if (this.#next > first) this.#markTaken(this.#next - 1);
      const block = this.#hasLeft ? null : this.#shared({ ...table, key }, above);
      this.#next++;
      if (block !== null) return block;
      cells ??= new Float64Array(BLOCK_ROWS * table.width);
      return { cells, ...table.fill(cells, above, table.endAbove(above)) };
    };
  }

  /** Ends the blocks of a table whose rows have been taken. */
  finish(): void {
    this.#markTaken(this.#next - 1);
    this.#isReading = false;
  }

  /** Stops sharing: no thread waits for this one any more. May be called for a thread that has ended. */
  leave(): void {
    this.#hasLeft = true;
    this.#store(TAKEN + this.thread, LAST_BLOCK);
  }

  #markTaken(block: number): void {
    if (!this.#hasLeft) this.#store(TAKEN + this.thread, block);
  }

  /** The next block, if the threads share it; null otherwise. */
  #shared(table: KeyedBlocks, above: number): NumberBlock | null {
    const block = this.#next;
    const until = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const changes = Atomics.load(this.#control, CHANGES);
      const phase = this.#phaseOf(block);
      if (phase === FAILED || (phase === READY && !this.#isBlockOf(block, table, above))) {
        this.leave();
        return null;
      }
      if (phase === READY) return this.#blockAt(block);
      if (this.#decodeNext(table, above)) continue;
      const remaining = this.#isStalled(block) ? 0 : until - performance.now();
      if (remaining <= 0) {
        this.#stalledAt = this.#takenByAll();
        return null;
      }
      Atomics.wait(this.#control, CHANGES, changes, remaining);
    }
  }

  /** Decodes the first unclaimed block of the table, starting with the next one. @returns false when there is none */
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
      this.#store(at, block * 4 + END_KNOWN);
      const { rows, last, leftOut } = fill(this.#rowsOf(block), above, end);
      head.set([rows, leftOut], HEAD.rows);
      this.#store(at, block * 4 + (last === end ? READY : FAILED));
    } catch {
      // Each thread meets the error when it needs the block.
      this.#store(at, block * 4 + FAILED);
    }
  }

  #isBlockOf(block: number, { key }: KeyedBlocks, above: number): boolean {
    const head = this.#headOf(block);
    return head[HEAD.key] === key && head[HEAD.above] === above;
  }

  #blockAt(block: number): NumberBlock {
    const head = this.#headOf(block);
    const last = elementAt(head, HEAD.end);
    const [rows, leftOut] = [elementAt(head, HEAD.rows), elementAt(head, HEAD.leftOut)];
    return { rows, cells: this.#rowsOf(block), last, isLast: last === LAST_ROWID, leftOut };
  }

  #headOf(block: number): Float64Array {
    return elementAt(this.#heads, block % SLOTS);
  }

  #rowsOf(block: number): Float64Array {
    return elementAt(this.#rows, block % SLOTS);
  }

  /**
   * Phase of a block. FAILED when its slot already has a later block, because the others considered this thread ended.
   */
  #phaseOf(block: number): number {
    const found = Atomics.load(this.#control, PHASES + (block % SLOTS));
    const held = found >> 2;
    return held === block ? found & 3 : held < block ? FREE : FAILED;
  }

  /** Whether some thread still needs the block that now occupies this block's slot. */
  #isFull(block: number): boolean {
    return block - SLOTS > this.#takenByAll();
  }

  /** Whether the others have taken nothing since this thread last waited in vain. */
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

/** The largest block number that fits above the two bits of the phase. */
const LAST_BLOCK = 2 ** 29 - 1;

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
