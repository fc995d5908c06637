/**
 * Reads files in bounded memory. A window only moves forwards: bytes are scanned in place and dropped when the window
 * moves on. A cache of blocks serves readers that move forwards at several positions at once.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { readFully } from '../files.js';

/** Bytes in a block. Multiplied by the number of blocks, this gives a cache of 48 MiB. */
const BLOCK = 64 * 1024;
const KEPT = 768;

/** A file read through an LRU cache of blocks, for readers that move forwards at several positions at once. */
export class BlockFile {
  readonly #file: number;
  /** Blocks by number, in order of last use. */
  readonly #blocks = new Map<number, Buffer>();
  #lastNumber = -1;
  #last: Buffer = Buffer.alloc(0);

  constructor(
    path: string,
    private readonly size = BLOCK,
    private readonly kept = KEPT,
  ) {
    this.#file = openSync(path, 'r');
  }

  /** Bytes from an offset; fewer at the end of the file. Valid until the next call. */
  read(offset: number, length: number): Buffer {
    const number = Math.floor(offset / this.size);
    const from = offset - number * this.size;
    if (from + length <= this.size) return this.#block(number).subarray(from, from + length);
    const whole = Buffer.allocUnsafe(length);
    if (length > this.size * 4) return whole.subarray(0, readFully(this.#file, whole, offset));
    let filled = this.#block(number).subarray(from).copy(whole);
    for (let next = number + 1; filled < length; next++) {
      const copied = this.#block(next).copy(whole, filled);
      if (copied === 0) break;
      filled += copied;
    }
    return whole.subarray(0, filled);
  }

  /** Reads bytes from an offset past the cache. @returns how many; fewer at the end of the file */
  fill(bytes: Buffer, offset: number): number {
    return readFully(this.#file, bytes, offset);
  }

  close(): void {
    closeSync(this.#file);
  }

  #block(number: number): Buffer {
    if (number === this.#lastNumber) return this.#last;
    let block = this.#blocks.get(number);
    if (block === undefined) block = this.#load(number);
    else this.#blocks.delete(number);
    this.#blocks.set(number, block);
    this.#lastNumber = number;
    this.#last = block;
    return block;
  }

  /** Reads a block into the memory of the least recently used one. */
  #load(number: number): Buffer {
    let memory: Buffer | undefined;
    if (this.#blocks.size >= this.kept) {
      for (const [oldest, block] of this.#blocks) {
        this.#blocks.delete(oldest);
        memory = block.length === this.size ? block : undefined;
        break;
      }
    }
    memory ??= Buffer.allocUnsafeSlow(this.size);
    return memory.subarray(0, readFully(this.#file, memory, number * this.size));
  }
}

/** Bytes read at a time. */
export const STEP = 4 * 1024 * 1024;

export class ByteWindow {
  #file: number;
  /** The window; bytes from `end` on are undefined. Each call of `more` may replace this buffer. */
  bytes: Buffer;
  /** Number of bytes in the window. */
  end = 0;
  #ended = false;

  constructor(
    path: string,
    protected readonly step = STEP,
    memory?: SharedArrayBuffer,
  ) {
    this.#file = openSync(path, 'r');
    this.bytes = memory === undefined ? Buffer.allocUnsafe(step) : Buffer.from(memory);
  }

  /** Drops the bytes before `from`, where the window then starts, and reads more; false when the file has ended. */
  more(from: number): boolean {
    if (this.#ended) return false;
    const kept = this.end - from;
    const left = this.bytes;
    this.bytes = this.next(kept);
    left.copy(this.bytes, 0, from, this.end);
    if (this.bytes !== left) this.leave(left);
    const read = readSync(this.#file, this.bytes, kept, this.bytes.length - kept, null);
    this.end = kept + read;
    this.#ended = read === 0;
    return !this.#ended;
  }

  /** The buffer in which the window continues. It has room for the `kept` bytes and more. */
  protected next(kept: number): Buffer {
    const capacity = Math.max(this.step, kept * 2);
    return capacity > this.bytes.length ? Buffer.allocUnsafe(capacity) : this.bytes;
  }

  /** Called when the window has moved out of a buffer. */
  protected leave(_left: Buffer): void {
    // Nothing to do: the garbage collector frees it.
  }

  close(): void {
    closeSync(this.#file);
  }
}
