/** A position in a JSON file that only moves forwards, through a window of a few megabytes. Values are scanned in place. */
import type { ByteWindow } from '../input/byte-window.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CUT,
  endOfText,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './json-bytes.js';

/**
 * Size limit of a value, in bytes, whatever the size of the window. A larger value is malformed: an unclosed quote swallows
 * everything after it.
 */
const LARGEST = 64 * 1024 * 1024;

/** Returned instead of a byte at the end of the file. */
export const END = -1;

/** A range of bytes in the window, valid until the cursor moves. */
export interface ByteSpan {
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
    // A byte order mark is not part of the text.
    if (end > 2 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  /** Bytes from the start of the file to the current position. */
  get offset(): number {
    return this.#base + this.#at;
  }

  /** Whether the window holds more bytes after the current position than a value may have. */
  get isTooLarge(): boolean {
    return this.window.end - this.#at > LARGEST;
  }

  /**
   * Moves to the next byte that is not white space.
   * @returns that byte; END at the end of the file
   */
  next(): number {
    for (;;) {
      const { bytes, end } = this.window;
      this.#at = skipSpace(bytes, this.#at, end);
      if (this.#at < end) return bytes[this.#at] ?? END;
      if (!this.#more()) return END;
    }
  }

  /** Moves forward by a number of bytes, which must be in the window. */
  pass(bytes: number): void {
    this.#at += bytes;
  }

  /**
   * The bytes from the current position to the index that `endOf` returns; null when the file ends before, or when the
   * value is too large. A negative index other than CUT is returned as `to`. The cursor does not move.
   */
  whole(endOf: (bytes: Buffer, at: number, end: number) => number): ByteSpan | null {
    for (;;) {
      const { bytes, end } = this.window;
      const to = endOf(bytes, this.#at, Math.min(end, this.#at + LARGEST));
      if (to !== CUT) return { bytes, from: this.#at, to };
      if (this.isTooLarge || !this.#more()) return null;
    }
  }

  /**
   * Reads the members of the object that opens here.
   * @param read reads a member's value, with the cursor at its start; returns false when the file ends first, or there
   *   is no value
   * @returns whether the object is closed
   */
  members(read: (name: string) => boolean): boolean {
    this.pass(1);
    for (;;) {
      const byte = this.next();
      if (byte === CLOSE_BRACE) {
        this.pass(1);
        return true;
      }
      if (byte === COMMA) this.pass(1);
      else {
        const name = byte === QUOTE ? this.#name() : null;
        if (name === null || !read(name)) return false;
      }
    }
  }

  /**
   * Reads the items of the list that opens here.
   * @param read reads an item, with the cursor at its first byte; returns false when the file ends first
   * @returns whether the list is closed
   */
  items(read: (first: number) => boolean): boolean {
    this.pass(1);
    for (;;) {
      const byte = this.next();
      if (byte === END) return false;
      if (byte === COMMA) this.pass(1);
      else if (byte === CLOSE_BRACKET) {
        this.pass(1);
        return true;
      } else if (!read(byte)) return false;
    }
  }

  /**
   * Skips a value of any kind and size.
   * @returns false when the file ends inside the value, or there is none
   */
  passValue(): boolean {
    const first = this.next();
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.passNested();
    const span = this.whole(endOfValue);
    if (span === null || span.to === span.from) return false;
    this.pass(span.to - span.from);
    return true;
  }

  /** Reads the name of a member and the colon after it; null when the file ends first, or contains something else. */
  #name(): string | null {
    const span = this.whole((bytes, at, end) => endOfText(bytes, at + 1, end));
    if (span === null) return null;
    const name = span.bytes.toString('utf8', span.from + 1, span.to);
    this.pass(span.to + 1 - span.from);
    if (this.next() !== COLON) return null;
    this.pass(1);
    return name;
  }

  /**
   * Skips the object or list that opens here, whatever its size.
   * @returns whether it is closed
   */
  passNested(): boolean {
    const nested = new NestedValue();
    for (;;) {
      const { bytes, end } = this.window;
      this.#at = nested.pass(bytes, this.#at, end);
      if (nested.closed) return true;
      if (this.isTooLarge || !this.#more()) return false;
    }
  }

  /** Reads more bytes, and drops those before the current position. */
  #more(): boolean {
    const more = this.window.more(this.#at);
    if (more) {
      this.#base += this.#at;
      this.#at = 0;
    }
    return more;
  }
}

/** Skips an object or a list of any size, window by window. */
class NestedValue {
  #depth = 0;
  /** Whether its end was found. */
  closed = false;

  /**
   * Continues at `at`; on the first call, the value opens there.
   * @returns the index after the value when it is closed, otherwise the index at which to continue with more bytes
   */
  pass(bytes: Buffer, at: number, end: number): number {
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        const quote = endOfText(bytes, at + 1, Math.min(end, at + LARGEST));
        if (quote === CUT) return at;
        at = quote;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) {
        this.closed = true;
        return at + 1;
      }
    }
    return at;
  }
}
