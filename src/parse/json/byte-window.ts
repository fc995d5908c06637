/** A file read through a window that only moves forwards: bytes are scanned in place, and dropped when it moves on. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes read at a time. */
export const STEP = 4 * 1024 * 1024;

export class ByteWindow {
  #file: number;
  /** The window; bytes from `end` on are undefined. Another buffer after every `more`. */
  bytes: Buffer<ArrayBuffer>;
  /** How many bytes of the window are filled. */
  end = 0;
  #ended = false;

  constructor(
    path: string,
    private readonly step = STEP,
  ) {
    this.#file = openSync(path, 'r');
    this.bytes = Buffer.allocUnsafe(step);
  }

  /** Drops the bytes before `from`, the window's new start, and reads on; false when the file has ended. */
  more(from: number): boolean {
    if (this.#ended) return false;
    const kept = this.end - from;
    const capacity = Math.max(this.step, kept * 2);
    const target = capacity > this.bytes.length ? Buffer.allocUnsafe(capacity) : this.bytes;
    this.bytes.copy(target, 0, from, this.end);
    this.bytes = target;
    const read = readSync(this.#file, target, kept, target.length - kept, null);
    this.end = kept + read;
    this.#ended = read === 0;
    return !this.#ended;
  }

  close(): void {
    closeSync(this.#file);
  }
}
