/**
 * A trace as a stream of events: the file is read once, front to back, through a window of some megabytes, however
 * large it is. Of the keys beside `traceEvents` only those named here are read: others may hold environment variables.
 */
import type { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import { ByteWindow } from './byte-window.js';
import { MALFORMED, TraceEvent } from './event.js';
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
} from './json-bytes.js';

/** What a trace says of itself, as found; null where it does not. */
export interface TraceHeader {
  readonly deviceProperties: unknown;
  readonly distributedInfo: unknown;
  /** Decimal text: it exceeds 2^53. */
  readonly baseTimeNanoseconds: string | null;
}

/** Called with the event in its window; both change after the call. */
export type TakeEvent = (event: TraceEvent, bytes: Buffer) => void;

/** An event or header value that is larger than this is taken for broken: an unclosed quote swallows all that follows. */
const LARGEST = 64 * 1024 * 1024;

/** Reads the events of a trace and returns its header. @throws UserError when it is no trace at all */
export function readTrace(path: string, name: string, diagnostics: Diagnostics, take: TakeEvent): TraceHeader {
  const window = new ByteWindow(path);
  try {
    return new TraceReading(window, name, diagnostics, take).read();
  } finally {
    window.close();
  }
}

class TraceReading {
  readonly #event = new TraceEvent();
  readonly #header: { -readonly [K in keyof TraceHeader]: TraceHeader[K] } = {
    deviceProperties: null,
    distributedInfo: null,
    baseTimeNanoseconds: null,
  };
  #at = 0;
  #lists = 0;

  constructor(
    private readonly window: ByteWindow,
    private readonly name: string,
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
    if (this.#event.repeatedKeys > 0) this.diagnostics.count('repeated-key', this.#event.repeatedKeys);
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
      if (byte === CLOSE_BRACE) return true;
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
   * before.
   */
  #whole(
    endOf: (bytes: Buffer, end: number) => number,
  ): { readonly bytes: Buffer; readonly from: number; readonly to: number } | null {
    for (;;) {
      const { bytes, end } = this.window;
      const to = endOf(bytes, end);
      if (to !== CUT && to < end) return { bytes, from: this.#at, to };
      if (end - this.#at > LARGEST) this.#refuse('holds a value of more than 64 MB that is no event');
      if (!this.#more()) return to === CUT ? null : { bytes: this.window.bytes, from: 0, to: this.window.end };
    }
  }

  /** The list of events. @returns whether it is closed */
  #events(): boolean {
    this.#lists++;
    this.#at++;
    for (;;) {
      const byte = this.#next();
      if (byte === CLOSE_BRACKET) {
        this.#at++;
        return true;
      }
      if (byte === -1) return false;
      if (byte === COMMA) this.#at++;
      else if (byte === OPEN_BRACE) {
        if (!this.#oneEvent()) return false;
      } else this.#passOver();
    }
  }

  /** @returns false when the file ends inside the event, which is lost */
  #oneEvent(): boolean {
    for (;;) {
      const { bytes, end } = this.window;
      const after = this.#event.read(bytes, this.#at, end);
      if (after >= 0) {
        this.take(this.#event, bytes);
        this.#at = after;
        return true;
      }
      if (after === MALFORMED || end - this.#at > LARGEST) {
        this.#passOver();
        return true;
      }
      if (!this.#more()) return false;
    }
  }

  /** After something that is no event: on to the next bracket or brace, which may open one. */
  #passOver(): void {
    this.diagnostics.count('malformed-event');
    this.#at++;
    for (;;) {
      const { bytes, end } = this.window;
      for (; this.#at < end; this.#at++) {
        const byte = bytes[this.#at];
        if (byte === OPEN_BRACE || byte === CLOSE_BRACKET) return;
      }
      if (!this.#more()) return;
    }
  }
}
