/**
 * A place in a JSON file that moves forwards, and knows how far from the file's start it is: the structure is followed
 * in a window, values are scanned where they lie, and nothing is kept.
 */
import type { ByteWindow } from './byte-window.js';
import { CUT, skipSpace } from './json-bytes.js';
import { NestedValue } from './nested-value.js';

/** A value larger than this is taken for broken: an unclosed quote swallows all that follows. */
export const LARGEST = 64 * 1024 * 1024;

/** Returned for the byte behind the end of the file. */
export const END = -1;

/** Bytes of the window, valid until the cursor moves. */
export interface Span {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

export class JsonCursor {
  #at = 0;
  #base = 0;

  constructor(private readonly window: ByteWindow) {
    while (window.end < 3 && window.more(0));
    const { bytes, end } = window;
    // A byte order mark is no part of the text.
    if (end > 2 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  /** Distance of the current place from the file's start. */
  get offset(): number {
    return this.#base + this.#at;
  }

  /** The next byte that is no white space, which becomes the current place; END at the end of the file. */
  next(): number {
    for (;;) {
      const { bytes, end } = this.window;
      this.#at = skipSpace(bytes, this.#at, end);
      if (this.#at < end) return bytes[this.#at] ?? END;
      if (!this.#more()) return END;
    }
  }

  /** Moves on by some bytes of the window: those of the byte that `next` gave, or of a span. */
  pass(bytes: number): void {
    this.#at += bytes;
  }

  /**
   * What starts at the current place and ends where `endOf` says; null when the file ends before, or the end is too
   * far off. A negative answer other than CUT is given as `to`. The cursor stays where it is.
   */
  whole(endOf: (bytes: Buffer, at: number, end: number) => number): Span | null {
    for (;;) {
      const { bytes, end } = this.window;
      const to = endOf(bytes, this.#at, end);
      if (to !== CUT) return { bytes, from: this.#at, to };
      if (end - this.#at > LARGEST || !this.#more()) return null;
    }
  }

  /** Passes over the object or list that opens here, however large. @returns whether it is closed */
  passNested(): boolean {
    const nested = new NestedValue();
    for (;;) {
      const { bytes, end } = this.window;
      this.#at = nested.pass(bytes, this.#at, end);
      if (nested.closed) return true;
      if (end - this.#at > LARGEST || !this.#more()) return false;
    }
  }

  /** Reads on; what lies before the current place is let go. */
  #more(): boolean {
    const more = this.window.more(this.#at);
    if (more) {
      this.#base += this.#at;
      this.#at = 0;
    }
    return more;
  }
}
