/** Pieces of bytes → lines of text. A line too long for any report is passed over, so that memory stays bounded. */

const LINE_FEED = 0x0a;

/** Reports of 128 cores and hundreds of loaded models are below 4 MB. */
const LONGEST = 64 * 1024 * 1024;

export class ByteLines {
  #parts: Buffer[] = [];
  #size = 0;
  #tooLong = 0;

  constructor(private readonly longest = LONGEST) {}

  /** Lines that were passed over. */
  get tooLong(): number {
    return this.#tooLong;
  }

  /** The lines that end in a piece; it may be used again afterwards. */
  *take(piece: Buffer): Generator<string> {
    let from = 0;
    for (let at: number; (at = piece.indexOf(LINE_FEED, from)) !== -1; from = at + 1) {
      this.#add(piece.subarray(from, at));
      const line = this.rest();
      if (line !== null) yield line;
    }
    // A copy: the caller reads the next piece into the same bytes.
    if (from < piece.length) this.#add(Buffer.from(piece.subarray(from)));
  }

  /** What stands after the last line feed, as a line; null when it was too long. */
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
