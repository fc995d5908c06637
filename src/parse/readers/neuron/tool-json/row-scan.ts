/** Extracts time and subgraph from the bytes of a row without decoding it. */
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  CUT,
  endOfNested,
  endOfText,
  endOfValue,
  OPEN_BRACE,
  QUOTE,
  skipSpace,
} from '../../../json/json-bytes.js';
import { numberOf } from './table-row.js';

const SUBGRAPH = Buffer.from('subgraph');
const QUALIFIED = Buffer.from('fully_qualified_subgraph');

function isKey(key: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (to - from !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (bytes[from + i] !== key[i]) return false;
  return true;
}

const ZERO = 0x30;
const NINE = 0x39;

/** Digits that a double holds exactly. */
const EXACT_DIGITS = 15;

/** The number in `bytes[from, to)`; NaN for anything else. Integers are parsed in place. */
function numberAt(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE || to - from > EXACT_DIGITS) return otherNumber(bytes, from, to);
    value = value * 10 + (byte - ZERO);
  }
  return to > from ? value : NaN;
}

const otherNumber = (bytes: Buffer, from: number, to: number): number =>
  numberOf(bytes.toString('latin1', from, to)) ?? NaN;

export class RowScan {
  /** In the file's unit; NaN when the row has none. */
  time = NaN;
  /** Range of the subgraph's name in the bytes; empty when the row has none. */
  subgraphFrom = 0;
  subgraphTo = 0;
  /** Whether the row is a complete object. */
  isWhole = false;
  /** Whether the key of the time is duplicated. */
  isRepeated = false;

  /** @param timeKey key of the time */
  constructor(private readonly timeKey: Buffer) {}

  /** Reads the value that starts at `at`. @returns the offset after it, or CUT */
  read(bytes: Buffer, at: number, end: number): number {
    this.time = NaN;
    this.subgraphFrom = this.subgraphTo = 0;
    this.isRepeated = this.isWhole = false;
    if (bytes[at] !== OPEN_BRACE) return endOfValue(bytes, at, end);
    for (let i = at + 1; ;) {
      i = skipSpace(bytes, i, end);
      if (i >= end) return CUT;
      const byte = bytes[i];
      if (byte === CLOSE_BRACE) {
        this.isWhole = true;
        return i + 1;
      }
      if (byte === COMMA) {
        i++;
        continue;
      }
      if (byte !== QUOTE) return endOfNested(bytes, at, end);
      const key = endOfText(bytes, i + 1, end);
      if (key === CUT) return CUT;
      const colon = skipSpace(bytes, key + 1, end);
      if (colon >= end) return CUT;
      if (bytes[colon] !== COLON) return endOfNested(bytes, at, end);
      const value = skipSpace(bytes, colon + 1, end);
      if (value >= end) return CUT;
      const after = endOfValue(bytes, value, end);
      if (after === CUT) return CUT;
      if (after === value) return endOfNested(bytes, at, end);
      this.#note(bytes, i + 1, key, value, after);
      i = after;
    }
  }

  #note(bytes: Buffer, keyFrom: number, keyTo: number, from: number, to: number): void {
    if (isKey(this.timeKey, bytes, keyFrom, keyTo)) {
      const quoted = bytes[from] === QUOTE ? 1 : 0;
      this.isRepeated ||= !Number.isNaN(this.time);
      this.time = numberAt(bytes, from + quoted, to - quoted);
    } else if (bytes[from] === QUOTE && isKey(SUBGRAPH, bytes, keyFrom, keyTo)) {
      this.subgraphFrom = from + 1;
      this.subgraphTo = to - 1;
    } else if (this.subgraphTo === 0 && bytes[from] === QUOTE && isKey(QUALIFIED, bytes, keyFrom, keyTo)) {
      this.subgraphFrom = bytes[from + 1] === 0x2f ? from + 2 : from + 1;
      this.subgraphTo = to - 1;
    }
  }
}
