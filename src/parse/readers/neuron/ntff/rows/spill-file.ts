/** Temporary file of sorted, packed runs. It is unlinked once open, so that it never outlives the process. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_PACKED, packRows, SLACK, unpackRows } from './packed-rows.js';
import type { RowView } from './rows.js';

/** Rows that are packed and read together. */
export const BLOCK_ROWS = 1 << 10;
const BLOCK_BYTES = BLOCK_ROWS * MAX_PACKED;
/** Size of the write buffer. */
const BATCH_BYTES = 1 << 20;

/** Sorted rows in blocks of `BLOCK_ROWS`; the last one may be shorter. */
export interface Run {
  readonly count: number;
  /** Offset of each block in the file, and the end of the last one. */
  readonly blocks: readonly number[];
}

export class SpillFile {
  readonly runs: Run[] = [];
  readonly #batch = new DataView(new ArrayBuffer(BATCH_BYTES + SLACK));
  readonly #file: number;
  readonly #folder: string;
  /** Bytes written. */
  #length = 0;
  #isOpen = true;

  private constructor(file: number, folder: string) {
    this.#file = file;
    this.#folder = folder;
  }

  static create(): SpillFile {
    const folder = mkdtempSync(join(tmpdir(), 'dparse-rows-'));
    try {
      const spill = new SpillFile(openSync(join(folder, 'rows'), 'wx+', 0o600), folder);
      spill.#unlink();
      return spill;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Writes the sorted rows `order[from, to)` as a run. */
  writeRun(rows: RowView, order: Uint32Array, from: number, to: number): void {
    const blocks = [this.#length];
    let filled = 0;
    for (let first = from; first < to; first += BLOCK_ROWS) {
      if (filled + BLOCK_BYTES > this.#batch.byteLength) filled = this.#append(filled);
      filled = packRows(rows, order, first, Math.min(first + BLOCK_ROWS, to), this.#batch, filled);
      blocks.push(this.#length + filled);
    }
    this.#append(filled);
    this.runs.push({ count: to - from, blocks });
  }

  /**
   * Reads a block.
   * @param rows has room for `BLOCK_ROWS`, or for all rows of a shorter run
   * @returns number of rows; 0 after the last block
   */
  read({ count, blocks }: Run, block: number, rows: RowView): number {
    const [from, to] = [blocks[block] ?? 0, blocks[block + 1] ?? 0];
    if (to <= from) return 0;
    const bytes = new Uint8Array(this.#batch.buffer, 0, to - from);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#file, bytes, done, bytes.length - done, from + done);
      if (read === 0) throw new Error('temporary file cut off');
      done += read;
    }
    const found = Math.min(BLOCK_ROWS, count - block * BLOCK_ROWS);
    unpackRows(this.#batch, found, rows);
    return found;
  }

  dispose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#file);
    this.#unlink();
  }

  /** Writes the batch. @returns its new length, 0 */
  #append(filled: number): number {
    const bytes = new Uint8Array(this.#batch.buffer, 0, filled);
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#length + done);
    }
    this.#length += filled;
    return 0;
  }

  /** Fails on systems that do not unlink open files; then it is repeated after closing. */
  #unlink(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch (error) {
      if (!this.#isOpen) throw error;
    }
  }
}
