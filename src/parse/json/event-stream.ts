/**
 * A trace as a stream of events: the file is read once, front to back, through a window of some megabytes, however
 * large it is. Of the keys beside `traceEvents` only those named here are read: others may hold environment variables.
 */
import type { Diagnostics } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { ByteWindow } from './byte-window.js';
import { EVENT, MALFORMED, TraceEvent } from './event-fields.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CUT,
  decodeValue,
  endOfText,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  SPACE,
} from './json-bytes.js';
import { LARGEST } from './json-cursor.js';
import { NestedValue } from './nested-value.js';

/** What a trace says of itself, as found; null where it does not. */
export interface TraceHeader {
  readonly deviceProperties: unknown;
  readonly distributedInfo: unknown;
  /** Decimal text: it exceeds 2^53. */
  readonly baseTimeNanoseconds: string | null;
}

/** Called with the event in its window; both change after the call. */
export type TakeEvent = (event: TraceEvent, bytes: Buffer) => void;

/** Keys beside the events whose values are kept. */
const KEPT: ReadonlySet<string> = new Set<keyof TraceHeader>([
  'deviceProperties',
  'distributedInfo',
  'baseTimeNanoseconds',
]);

/**
 * Reads the events of a trace and returns its header.
 * @param argKeys keys of the events' `args` that are read
 * @param step bytes read at a time
 * @throws UserError when it is no trace at all
 */
export function readTrace(
  path: string,
  name: string,
  argKeys: readonly string[],
  diagnostics: Diagnostics,
  take: TakeEvent,
  step?: number,
): TraceHeader {
  const window = new ByteWindow(path, step);
  try {
    return new TraceReading(window, name, new TraceEvent(argKeys), diagnostics, take).read();
  } finally {
    window.close();
  }
}

class TraceReading {
  readonly #header: { -readonly [K in keyof TraceHeader]: TraceHeader[K] } = {
    deviceProperties: null,
    distributedInfo: null,
    baseTimeNanoseconds: null,
  };
  #at = 0;
  #lists = 0;
  /** Whether the last thing in the list of events was none: what is broken is counted once. */
  #broken = false;

  constructor(
    private readonly window: ByteWindow,
    private readonly name: string,
    private readonly event: TraceEvent,
    private readonly diagnostics: Diagnostics,
    private readonly take: TakeEvent,
  ) {}

  read(): TraceHeader {
    this.window.more(0);
    this.#skipMark();
    const first = this.#next();
    const whole =
      first === OPEN_BRACKET ? this.#events() : first === OPEN_BRACE ? this.#members() : this.#refuse('is no JSON');
    if (!whole) this.diagnostics.count('truncated-input');
    if (this.#lists === 0) this.#refuse('is JSON without "traceEvents"');
    if (whole && this.#next() !== -1) this.event.notJson++;
    this.diagnostics.count('repeated-key', this.event.repeatedKeys);
    this.diagnostics.count('not-json', this.event.notJson);
    return this.#header;
  }

  #refuse(what: string): never {
    throw new UserError(what, {
      where: this.name,
      hint: 'dparse reads the traces that torch.profiler exports (export_chrome_trace)',
    });
  }

  /** Passes over a byte order mark. */
  #skipMark(): void {
    const { bytes } = this.window;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  /** The next byte that is no white space, -1 at the end of the file. */
  #next(): number {
    for (;;) {
      const { bytes, end } = this.window;
      this.#at = skipSpace(bytes, this.#at, end);
      if (this.#at < end) return bytes[this.#at] ?? -1;
      if (!this.#more()) return -1;
    }
  }

  /** Reads on; what lies before the current place is let go. */
  #more(): boolean {
    const more = this.window.more(this.#at);
    this.#at = 0;
    return more;
  }

  /** Members of the outermost object. @returns whether it is closed */
  #members(): boolean {
    this.#at++;
    for (;;) {
      const byte = this.#next();
      if (byte === CLOSE_BRACE) {
        this.#at++;
        return true;
      }
      if (byte === COMMA) this.#at++;
      else if (byte !== QUOTE || !this.#member()) return false;
    }
  }

  /** One key and its value. @returns false when the file ends first, or holds something else */
  #member(): boolean {
    const key = this.#whole((bytes, end) => endOfText(bytes, this.#at + 1, end));
    if (key === null) return false;
    const name = key.bytes.toString('utf8', key.from + 1, key.to);
    this.#at = key.to + 1;
    if (this.#next() !== COLON) return false;
    this.#at++;
    const first = this.#next();
    if (name === 'traceEvents' && first === OPEN_BRACKET) return this.#events();
    if (first === -1) return false;
    if (!KEPT.has(name) && (first === OPEN_BRACKET || first === OPEN_BRACE)) return this.#skipNested();
    const value = this.#whole((bytes, end) => endOfValue(bytes, this.#at, end));
    if (value === null) return false;
    this.#keep(name, value.bytes, value.from, value.to);
    this.#at = value.to;
    return value.to > value.from;
  }

  #keep(name: string, bytes: Buffer, from: number, to: number): void {
    if (name === 'deviceProperties') this.#header.deviceProperties = decodeValue(bytes, from, to);
    if (name === 'distributedInfo') this.#header.distributedInfo = decodeValue(bytes, from, to);
    const text = name === 'baseTimeNanoseconds' ? bytes.toString('latin1', from, to) : '';
    if (/^\d{1,20}$/.test(text)) this.#header.baseTimeNanoseconds = text;
  }

  /**
   * What starts at the current place and ends where `endOf` says, all of it in the window; null when the file ends
   * before, or the end is too far off.
   */
  #whole(
    endOf: (bytes: Buffer, end: number) => number,
  ): { readonly bytes: Buffer; readonly from: number; readonly to: number } | null {
    for (;;) {
      const { bytes, end } = this.window;
      const to = endOf(bytes, end);
      if (to !== CUT && to < end) return { bytes, from: this.#at, to };
      if (end - this.#at > LARGEST) return null;
      if (!this.#more()) return to === CUT ? null : { bytes: this.window.bytes, from: 0, to: this.window.end };
    }
  }

  /** Passes over the object or list that opens here, however large. @returns whether it is closed */
  #skipNested(): boolean {
    const nested = new NestedValue();
    for (;;) {
      const { bytes, end } = this.window;
      this.#at = nested.pass(bytes, this.#at, end);
      if (nested.closed) return true;
      if (end - this.#at > LARGEST || !this.#more()) return false;
    }
  }

  /** The list of events. @returns whether it is closed */
  #events(): boolean {
    this.#lists++;
    this.#at++;
    let items = 0;
    let commas = 0;
    for (;;) {
      const byte = this.#next();
      if (byte === -1) return false;
      if (byte === COMMA) {
        commas++;
        this.#at++;
      } else if (byte === CLOSE_BRACKET) {
        if (commas > 0) this.event.notJson++;
        this.#at++;
        return true;
      } else {
        if (byte === OPEN_BRACE && commas !== Math.min(items, 1)) this.event.notJson++;
        items++;
        commas = 0;
        if (!(byte === OPEN_BRACE ? this.#oneEvent() : this.#stray(byte))) return false;
      }
    }
  }

  /** @returns false when the file ends inside the event, which is lost */
  #oneEvent(): boolean {
    for (;;) {
      const { bytes, end } = this.window;
      const after = this.event.read(bytes, this.#at, end);
      if (after >= 0) {
        if (this.event.fields.has(EVENT.ph)) {
          this.take(this.event, bytes);
          this.#broken = false;
        } else this.#countBroken();
        this.#at = after;
        return true;
      }
      if (after === MALFORMED || end - this.#at > LARGEST) {
        this.#findNext();
        return true;
      }
      if (!this.#more()) return false;
    }
  }

  #countBroken(): void {
    if (!this.#broken) this.diagnostics.count('malformed-event');
    this.#broken = true;
  }

  /** Passes over something that is no event: a list, a text, the next byte of anything else. */
  #stray(byte: number): boolean {
    this.#countBroken();
    if (byte === OPEN_BRACKET) return this.#skipNested();
    if (byte === QUOTE) {
      const text = this.#whole((bytes, end) => endOfText(bytes, this.#at + 1, end));
      if (text === null) return false;
      this.#at = text.to;
    }
    this.#at++;
    return true;
  }

  /**
   * After an event that cannot be read: on to the next brace, which may open one, or to the end of the list. A bracket
   * in the rest of that event is not the end: that one stands behind a brace.
   */
  #findNext(): void {
    this.#countBroken();
    this.#at++;
    let last = 0;
    for (;;) {
      const { bytes, end } = this.window;
      for (; this.#at < end; this.#at++) {
        const byte = bytes[this.#at] as number;
        if (byte === OPEN_BRACE || (byte === CLOSE_BRACKET && last === CLOSE_BRACE)) return;
        if (byte > SPACE) last = byte;
      }
      if (!this.#more()) return;
    }
  }
}
