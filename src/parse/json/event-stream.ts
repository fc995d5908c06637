/**
 * Reads a trace as a stream of events: the file is read once, front to back, through a window of a few megabytes,
 * whatever its size. Apart from the events, only the keys of `TraceHeader` are read from the outermost object, because
 * others may contain environment variables.
 */
import type { Writable } from '../../containers/writable.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import type { Labels } from '../../record/record.js';
import { EVENT, MALFORMED, type TraceEvent } from './event-fields.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  decodeValue,
  endOfText,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';
import { END, type JsonCursor } from './json-cursor.js';

/** Properties of the whole trace, as written in it; null when they are missing. */
export interface TraceHeader {
  readonly deviceProperties: unknown;
  readonly distributedInfo: unknown;
  /** Decimal text, because it exceeds 2^53. */
  readonly baseTimeNanoseconds: string | null;
  /**
   * Profiler options that the trace states, such as `record_shapes`, with `true` or `false`. A trace states those that the
   * user set.
   */
  readonly options?: Labels;
  /** Vendor of the devices, from the runtime whose version the trace states; absent when it states none. */
  readonly vendor?: string;
}

/** Vendors by the key that states the version of their runtime. */
const RUNTIMES: ReadonlyMap<string, string> = new Map([
  ['hip_runtime_version', 'amd'],
  ['cuda_runtime_version', 'nvidia'],
]);

/** Options of PyTorch's profiler. Source: torch/profiler/profiler.py, start_trace. */
const OPTIONS: ReadonlySet<string> = new Set([
  'record_shapes',
  'profile_memory',
  'with_stack',
  'with_modules',
  'with_flops',
]);

/** Called with each event. The event is valid only during the call, because its window changes afterwards. */
export type TakeEvent = (event: TraceEvent) => void;

/** Keys of the outermost object, other than the events, whose values are kept. */
const KEPT: ReadonlySet<string> = new Set<keyof TraceHeader>([
  'deviceProperties',
  'distributedInfo',
  'baseTimeNanoseconds',
]);

/** Length of `{}`, which XLA's profiler puts behind the comma of the last event. */
const EMPTY = 2;

/** `true` for `1` and `true`; `false` for any other value. */
const flagText = (bytes: Buffer, from: number, to: number): string =>
  /^(?:1|true)$/.test(bytes.toString('latin1', from, Math.min(to, from + 8))) ? 'true' : 'false';

/** One pass over a trace; not reusable. */
export class TraceReading {
  readonly #header: Writable<TraceHeader> = {
    deviceProperties: null,
    distributedInfo: null,
    baseTimeNanoseconds: null,
  };
  #lists = 0;
  /** Keys of the current document. */
  readonly #keys = new Set<string>();
  /** Whether the last item of the list was not an event: consecutive ones are counted once. */
  #broken = false;
  readonly #readEvent = (bytes: Buffer, at: number, end: number): number => this.event.read(bytes, at, end);

  constructor(
    private readonly cursor: JsonCursor,
    private readonly name: string,
    private readonly event: TraceEvent,
    private readonly diagnostics: Diagnostics,
    private readonly take: TakeEvent,
  ) {}

  /**
   * Reads the events and returns the header.
   * @throws UserError when the file is not a trace
   */
  read(): TraceHeader {
    const first = this.cursor.next();
    if (first !== OPEN_BRACKET && first !== OPEN_BRACE) this.#refuse('is not JSON');
    const isList = first === OPEN_BRACKET;
    let whole = isList ? this.#events() : this.#document();
    while (whole && !isList && this.#isOneOfSeveral() && this.cursor.next() === OPEN_BRACE) whole = this.#document();
    if (!whole) this.diagnostics.count('truncated-input');
    if (this.#lists === 0) this.#refuse('is JSON without "traceEvents"');
    if (whole) this.#end();
    this.diagnostics.count('repeated-key', this.event.repeatedKeys);
    this.diagnostics.count('not-json', this.event.notJson);
    return this.#header;
  }

  /** @returns whether the object is closed */
  #document(): boolean {
    this.#keys.clear();
    return this.cursor.members((name) => this.#member(name));
  }

  /**
   * Whether the last document holds nothing but events and their unit. It then has no clock and no devices of its own, and
   * one that follows has the same: Proton writes a document for each stream. Source: TraceData.cpp of Triton's Proton.
   */
  #isOneOfSeveral(): boolean {
    return this.#keys.size === 2 && this.#keys.has('displayTimeUnit') && this.#keys.has('traceEvents');
  }

  /** Checks what follows the trace: a second trace in the same file is not read. */
  #end(): void {
    const rest = this.cursor.next();
    if (rest === OPEN_BRACE || rest === OPEN_BRACKET) this.diagnostics.count('second-document');
    else if (rest !== END) this.event.notJson++;
  }

  #refuse(what: string): never {
    throw new UserError(what, {
      where: this.name,
      hint: 'dparse reads the traces that torch.profiler exports (export_chrome_trace)',
    });
  }

  /**
   * Reads the value of a member of the outermost object.
   * @returns false when the file ends first, or the member has no value
   */
  #member(name: string): boolean {
    const { cursor } = this;
    const first = cursor.next();
    this.#keys.add(name);
    if (name === 'traceEvents' && first === OPEN_BRACKET) return this.#events();
    if (first === END) return false;
    if (!KEPT.has(name) && (first === OPEN_BRACKET || first === OPEN_BRACE)) return cursor.passNested();
    const value = cursor.whole(endOfValue);
    if (value === null) return false;
    this.#keep(name, value.bytes, value.from, value.to);
    cursor.pass(value.to - value.from);
    return value.to > value.from;
  }

  #keep(name: string, bytes: Buffer, from: number, to: number): void {
    if (name === 'deviceProperties') this.#header.deviceProperties = decodeValue(bytes, from, to);
    if (name === 'distributedInfo') this.#header.distributedInfo = decodeValue(bytes, from, to);
    if (OPTIONS.has(name)) this.#header.options = { ...this.#header.options, [name]: flagText(bytes, from, to) };
    const vendor = RUNTIMES.get(name);
    if (vendor !== undefined) this.#header.vendor = vendor;
    const text = name === 'baseTimeNanoseconds' ? bytes.toString('latin1', from, to) : '';
    if (/^\d{1,20}$/.test(text)) this.#header.baseTimeNanoseconds = text;
  }

  /**
   * Reads the list of events.
   * @returns whether the list is closed
   */
  #events(): boolean {
    const { cursor } = this;
    this.#lists++;
    cursor.pass(1);
    let items = 0;
    let commas = 0;
    for (;;) {
      const byte = cursor.next();
      if (byte === END) return false;
      if (byte === COMMA) {
        commas++;
        cursor.pass(1);
      } else if (byte === CLOSE_BRACKET) {
        if (commas > 0) this.event.notJson++;
        cursor.pass(1);
        return true;
      } else {
        if (byte === OPEN_BRACE && commas !== Math.min(items, 1)) this.event.notJson++;
        items++;
        commas = 0;
        if (!(byte === OPEN_BRACE ? this.#oneEvent() : this.#stray(byte))) return false;
      }
    }
  }

  /**
   * Reads one event.
   * @returns false when the file ends inside the event, which is then dropped
   */
  #oneEvent(): boolean {
    const found = this.cursor.whole(this.#readEvent);
    if (found === null && !this.cursor.isTooLarge) return false;
    if (found === null || found.to === MALFORMED) {
      this.#findNext();
      return true;
    }
    const length = found.to - found.from;
    const isEvent = this.event.fields.has(EVENT.ph);
    if (isEvent) this.take(this.event);
    this.cursor.pass(length);
    const isTail = length === EMPTY && this.cursor.next() === CLOSE_BRACKET;
    if (isEvent) this.#broken = false;
    else if (!isTail) this.#countBroken();
    return true;
  }

  #countBroken(): void {
    if (!this.#broken) this.diagnostics.count('malformed-event');
    this.#broken = true;
  }

  /** Skips an item that is not an event: a list, a string, or the next byte of anything else. */
  #stray(byte: number): boolean {
    this.#countBroken();
    if (byte === OPEN_BRACKET) return this.cursor.passNested();
    if (byte === QUOTE) {
      const text = this.cursor.whole((bytes, at, end) => endOfText(bytes, at + 1, end));
      if (text === null) return false;
      this.cursor.pass(text.to - text.from);
    }
    this.cursor.pass(1);
    return true;
  }

  /**
   * Moves on after an event that cannot be read: to the next brace, which may open an event, or to the end of the list.
   * A bracket in the rest of the bad event is not the end of the list, because the end of the list follows a brace.
   */
  #findNext(): void {
    this.#countBroken();
    this.cursor.pass(1);
    let last = 0;
    for (;;) {
      const byte = this.cursor.next();
      if (byte === END || byte === OPEN_BRACE || (byte === CLOSE_BRACKET && last === CLOSE_BRACE)) return;
      last = byte;
      this.cursor.pass(1);
    }
  }
}
