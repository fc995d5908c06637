/** A temporary file of runs of rows, each run in order. It never outlives the process: it has no name once it is open. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROW_BYTES, ROW_WORDS, type RowView } from './rows.js';

/** Rows gathered before they are written. */
const BATCH_ROWS = 1 << 15;

/** Where a run stands, in rows from the start of the file. */
export interface Run {
  readonly first: number;
  readonly count: number;
}

export class SpillFile {
  readonly runs: Run[] = [];
  #length = 0;
  #isOpen = true;

  private constructor(
    private readonly file: number,
    private readonly folder: string,
  ) {}

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

  /** Writes the rows in the order told. */
  writeRun({ words }: RowView, order: Uint32Array): void {
    const memory = new ArrayBuffer(Math.min(BATCH_ROWS, order.length) * ROW_BYTES);
    const batch = new Uint32Array(memory);
    let filled = 0;
    this.runs.push({ first: this.#length, count: order.length });
    for (const row of order) {
      const from = row * ROW_WORDS;
      for (let word = 0; word < ROW_WORDS; word++) batch[filled + word] = words[from + word] ?? 0;
      filled += ROW_WORDS;
      if (filled === batch.length) {
        this.#append(memory, filled / ROW_WORDS);
        filled = 0;
      }
    }
    this.#append(memory, filled / ROW_WORDS);
  }

  /** Reads rows into memory that has room for them. */
  read(first: number, count: number, memory: ArrayBuffer): void {
    const bytes = new Uint8Array(memory, 0, count * ROW_BYTES);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.file, bytes, done, bytes.length - done, first * ROW_BYTES + done);
      if (read === 0) throw new Error('temporary file cut off');
      done += read;
    }
  }

  dispose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.file);
    this.#unlink();
  }

  #append(memory: ArrayBuffer, count: number): void {
    const bytes = new Uint8Array(memory, 0, count * ROW_BYTES);
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.file, bytes, done, bytes.length - done, this.#length * ROW_BYTES + done);
    }
    this.#length += count;
  }

  /** Where a system keeps the names of open files, this works once they are closed. */
  #unlink(): void {
    try {
      rmSync(this.folder, { recursive: true, force: true });
    } catch (error) {
      if (!this.#isOpen) throw error;
    }
  }
}
