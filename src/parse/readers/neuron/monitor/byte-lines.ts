/** Splits chunks of bytes into lines of text. Lines longer than any report are dropped, so that memory stays bounded. */

import { LONGEST_LINE } from '../../../../record/jsonl.js';

const LINE_FEED = 0x0a;

export class ByteLines {
  #parts: Buffer[] = [];
  #size = 0;
  #tooLong = 0;

  constructor(private readonly longest = LONGEST_LINE) {}

  /** Number of lines that were dropped for their length. */
  get tooLong(): number {
    return this.#tooLong;
  }

  /** The lines that end in a chunk; its memory may be reused afterwards. */
  *take(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at: number; (at = chunk.indexOf(LINE_FEED, from)) !== -1; from = at + 1) {
      this.#add(chunk.subarray(from, at));
      const line = this.rest();
      if (line !== null) yield line;
    }
    // A copy: the caller reads the next chunk into the same memory.
    if (from < chunk.length) this.#add(Buffer.from(chunk.subarray(from)));
  }

  /** The text after the last line feed; null when it is too long. */
  rest(): string | null {
    const isTooLong = this.#size > this.longest;
    if (isTooLong) this.#tooLong++;
    const line = isTooLong ? null : Buffer.concat(this.#parts, this.#size).toString('utf8');
    this.#parts = [];
    this.#size = 0;
    return line;
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= this.longest) this.#parts.push(part);
    else this.#parts = [];
  }
}
