/**
 * JSON of a few kilobytes made into values, with integers beyond 2^53 kept exact, as decimal text, and words that JSON
 * does not have (`NaN`, `Infinity`, `None`) taken for null.
 */
import { CUT, decodeValue, endOfText, endOfWord, isJson, QUOTE } from './json-bytes.js';

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_A = 0x41;
const LOWER_Z = 0x7a;

/** Integers of fewer digits are held exactly by a double. */
const MOST_DIGITS = 15;

/** First bytes of bare words: digits, letters, signs. */
const STARTS_WORD = new Uint8Array(256);
for (let byte = ZERO; byte <= NINE; byte++) STARTS_WORD[byte] = 1;
for (let byte = UPPER_A; byte <= LOWER_Z; byte++) STARTS_WORD[byte] = 1;
for (const byte of [0x2b, MINUS, POINT]) STARTS_WORD[byte] = 1;
for (const byte of Buffer.from('[\\]')) STARTS_WORD[byte] = 0;

function isInteger(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = bytes[from] === MINUS ? from + 1 : from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) return false;
  }
  return true;
}

export class ExactDecoder {
  /** Words met that are no JSON. */
  notJson = 0;

  /** The value in `bytes[from, to)`; undefined when it is no JSON. */
  decode(bytes: Buffer, from: number, to: number): unknown {
    let text = '';
    let done = from;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        const quote = endOfText(bytes, at + 1, to);
        if (quote === CUT) return undefined;
        at = quote;
      } else if (STARTS_WORD[byte] === 1) {
        const found = endOfWord(bytes, at, to);
        const end = found === CUT ? to : found;
        const instead = this.#instead(bytes, at, end);
        if (instead !== null) {
          text += bytes.toString('utf8', done, at) + instead;
          done = end;
        }
        at = end - 1;
      }
    }
    if (done === from) return decodeValue(bytes, from, to);
    const whole = Buffer.from(text + bytes.toString('utf8', done, to));
    return decodeValue(whole, 0, whole.length);
  }

  /** What to read a word as; null for what it is. */
  #instead(bytes: Buffer, from: number, to: number): string | null {
    if (to - from > MOST_DIGITS && isInteger(bytes, from, to)) {
      const digits = bytes.toString('latin1', from, to);
      return Number.isSafeInteger(Number(digits)) ? null : `"${digits}"`;
    }
    if (isJson(bytes, from, to)) return null;
    this.notJson++;
    return 'null';
  }
}
