/** A temporary file of runs of rows, each run in order and packed. It never outlives the process: it has no name once it is open. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_PACKED, packRows, SLACK, unpackRows } from './packed-rows.js';
import type { RowView } from './rows.js';

/** Rows that are read at a time, and packed without looking at others. */
export const BLOCK_ROWS = 1 << 10;
const BLOCK_BYTES = BLOCK_ROWS * MAX_PACKED;
/** What is gathered before it is written. */
const BATCH_BYTES = 1 << 20;

/** Rows in order: blocks of `BLOCK_ROWS`, and what is left. */
export interface Run {
  readonly count: number;
  /** Where each block begins in the file, and where the last one ends. */
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

  /** Writes the rows from one place in the order up to another, which are in order. */
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
   * @param rows room for `BLOCK_ROWS`, or for as many as the run has
   * @returns how many there are; 0 behind the last block
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

  /** @returns how much of the batch is still to be written: nothing */
  #append(filled: number): number {
    const bytes = new Uint8Array(this.#batch.buffer, 0, filled);
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#length + done);
    }
    this.#length += filled;
    return 0;
  }

  /** Where a system keeps the names of open files, this works once they are closed. */
  #unlink(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch (error) {
      if (!this.#isOpen) throw error;
    }
  }
}
