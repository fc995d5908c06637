/** Temporary file of sorted runs of rows. */
import { readFully } from '../../../../files.js';
import { TemporaryFile } from '../../../../input/temporary-file.js';
import { ROW_BYTES, ROW_WORDS, viewRows, type RowView } from './rows.js';

/** Rows that are written and read together. */
export const BLOCK_ROWS = 1 << 10;

/** Sorted rows, one after the other. */
export interface Run {
  readonly offset: number;
  readonly count: number;
}

export class SpillFile {
  readonly runs: Run[] = [];
  readonly #block = viewRows(new ArrayBuffer(BLOCK_ROWS * ROW_BYTES));
  readonly #bytes = new Uint8Array(this.#block.words.buffer);
  readonly #file: TemporaryFile;
  #length = 0;

  /** @param input in messages */
  constructor(input: string) {
    this.#file = new TemporaryFile(input);
    this.#file.unlink();
  }

  writeRun({ words }: RowView, order: Uint32Array): void {
    this.runs.push({ offset: this.#length, count: order.length });
    for (let from = 0; from < order.length; from += BLOCK_ROWS) {
      const rows = order.subarray(from, from + BLOCK_ROWS);
      let to = 0;
      for (const row of rows) {
        for (let cell = row * ROW_WORDS; cell < (row + 1) * ROW_WORDS; cell++) {
          this.#block.words[to++] = words[cell] as number;
        }
      }
      this.#append(rows.length * ROW_BYTES);
    }
  }

  /**
   * Reads a block of a run.
   * @param rows has room for `BLOCK_ROWS`, or for all rows of a shorter run
   * @returns number of rows; 0 after the last block
   */
  read({ offset, count }: Run, block: number, { words }: RowView): number {
    const first = block * BLOCK_ROWS;
    const found = Math.max(0, Math.min(BLOCK_ROWS, count - first));
    const bytes = new Uint8Array(words.buffer, 0, found * ROW_BYTES);
    const read = readFully(this.#file.file, bytes, offset + first * ROW_BYTES);
    if (read < bytes.length) throw new Error('temporary file cut off');
    return found;
  }

  dispose(): void {
    this.#file.dispose();
  }

  #append(bytes: number): void {
    this.#file.append(this.#bytes.subarray(0, bytes));
    this.#length += bytes;
  }
}
