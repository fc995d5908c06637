/**
 * One event of a trace, read in place: the byte range of each known value in the window. One object is reused for all
 * events, because a trace has millions of them.
 */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CUT,
  endOfText,
  endOfValue,
  isJson,
  OPEN_BRACE,
  QUOTE,
  skipSpace,
} from './json-bytes.js';
import { KeyTable } from './key-table.js';

/** Returned for bytes that are not an event. */
export const MALFORMED = -2;

/** Keys of an event, and their codes. */
export const EVENT = { ph: 0, cat: 1, name: 2, pid: 3, tid: 4, ts: 5, dur: 6, args: 7, id: 8 } as const;

/** The values of the known keys of one object: where each lies in the window; quotes are left out. */
class Fields {
  readonly from: Int32Array;
  readonly to: Int32Array;

  readonly #table: KeyTable;

  /** @param keys the place in the list is the key's code */
  constructor(keys: readonly string[]) {
    this.#table = new KeyTable(keys, true);
    this.from = new Int32Array(keys.length);
    this.to = new Int32Array(keys.length);
  }

  has(code: number): boolean {
    return (this.from[code] as number) !== CUT;
  }

  /**
   * Reads the object that opens at `at`.
   * @returns the index after it, CUT when the bytes end before it does, MALFORMED when it is not an object
   */
  read(bytes: Buffer, at: number, end: number, event: TraceEvent): number {
    const { from, to } = this;
    from.fill(CUT);
    at++;
    let values = 0;
    let commas = 0;
    let repeated = 0;
    let notJson = 0;
    for (;;) {
      at = skipSpace(bytes, at, end);
      if (at >= end) return CUT;
      const byte = bytes[at];
      if (byte === CLOSE_BRACE) {
        // Counted at the end: an event that is cut by the window is read again.
        if (commas !== values - 1 && commas + values > 0) notJson++;
        event.repeatedKeys += repeated;
        event.notJson += notJson;
        return at + 1;
      }
      if (byte === COMMA) {
        commas++;
        at++;
        continue;
      }
      if (byte !== QUOTE) return MALFORMED;
      const keyFrom = at + 1;
      const keyTo = endOfText(bytes, keyFrom, end);
      if (keyTo === CUT) return CUT;
      at = skipSpace(bytes, keyTo + 1, end);
      if (at >= end) return CUT;
      if (bytes[at] !== COLON) return MALFORMED;
      at = skipSpace(bytes, at + 1, end);
      if (at >= end) return CUT;
      const code = this.#table.code(bytes, keyFrom, keyTo);
      const valueFrom = at;
      at = endOfValue(bytes, at, end);
      if (at === CUT) return CUT;
      values++;
      if (!isJson(bytes, valueFrom, at)) notJson++;
      if (at === valueFrom) {
        if (bytes[at] === CLOSE_BRACKET) return MALFORMED;
        continue;
      }
      if (code === -1) continue;
      if (from[code] !== CUT) repeated++;
      const quoted = bytes[valueFrom] === QUOTE ? 1 : 0;
      from[code] = valueFrom + quoted;
      to[code] = at - quoted;
    }
  }
}

export class TraceEvent {
  readonly fields = new Fields(Object.keys(EVENT));
  readonly args: Fields;
  /** Keys that occur more than once in an object; the last one counts. */
  repeatedKeys = 0;
  /** Values and commas that JSON does not allow. */
  notJson = 0;

  /** @param argKeys keys of `args` that are read; the place in the list is the key's code */
  constructor(argKeys: readonly string[]) {
    this.args = new Fields(argKeys);
  }

  /** Reads the event that opens at `at`; see `Fields.read`. Its `args` are read on demand. */
  read(bytes: Buffer, at: number, end: number): number {
    return this.fields.read(bytes, at, end, this);
  }

  /** Reads the event's `args`. @returns false when it has none */
  readArgs(bytes: Buffer): boolean {
    const from = this.fields.from[EVENT.args] as number;
    if (from === CUT || bytes[from] !== OPEN_BRACE) {
      this.args.from.fill(CUT);
      return false;
    }
    const whole = this.args.read(bytes, from, this.fields.to[EVENT.args] as number, this) > 0;
    if (!whole) this.notJson++;
    return whole;
  }
}
