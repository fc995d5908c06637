/**
 * A file read through a window that moves forwards: what lies in the window is scanned in place, and nothing of the
 * file is kept once the window has moved on.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes read at a time. */
const STEP = 4 * 1024 * 1024;

export class ByteWindow {
  #file: number;
  #bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafe(STEP);
  #end = 0;
  #ended = false;
  /** Place in the file of the window's first byte. */
  #offset = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  /** The window; bytes from `end` on mean nothing. A new one after every `more`. */
  get bytes(): Buffer<ArrayBuffer> {
    return this.#bytes;
  }

  /** How many bytes of the window are filled. */
  get end(): number {
    return this.#end;
  }

  /** Place in the file of a place in the window, for messages. */
  offsetOf(at: number): number {
    return this.#offset + at;
  }

  /**
   * Lets go of the bytes before `from`, which become the window's first, and reads on.
   * @returns false when the file has ended
   */
  more(from: number): boolean {
    if (this.#ended) return false;
    const kept = this.#end - from;
    const capacity = Math.max(STEP, kept * 2);
    const target = capacity > this.#bytes.length ? Buffer.allocUnsafe(capacity) : this.#bytes;
    this.#bytes.copy(target, 0, from, this.#end);
    this.#bytes = target;
    this.#offset += from;
    const read = readSync(this.#file, target, kept, target.length - kept, null);
    this.#end = kept + read;
    this.#ended = read === 0;
    return !this.#ended;
  }

  close(): void {
    closeSync(this.#file);
  }
}
