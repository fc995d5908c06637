/** Skips an object or a list of any size, window by window. */
import { CLOSE_BRACE, CLOSE_BRACKET, CUT, endOfText, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';

export class NestedValue {
  #depth = 0;
  /** Whether its end was found. */
  closed = false;

  /**
   * Continues at `at`, the first time where the value opens.
   * @returns the index after the value when it is closed, else the index to continue at with more bytes
   */
  pass(bytes: Buffer, at: number, end: number): number {
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        const quote = endOfText(bytes, at + 1, end);
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
