/**
 * Finds the numbers of a PyTorch trace that must differ between two copies of it: times, steps, and the ids that join
 * its events. Everything else is the same text in every copy, so only the places of those numbers are kept.
 */

/** What a number counts. Ids of one kind are moved by the same amount, so that they still join. */
export const MOVES = ['time', 'step', 'launch', 'op', 'record', 'event', 'frame', 'sequence'] as const;
export type Move = (typeof MOVES)[number];

/** `name` holds a step only as `ProfilerStep#6`. A launch's arrow has the launch's number. */
const OF_EVENT: Readonly<Record<string, Move>> = { ts: 'time', id: 'launch', name: 'step' };

/** In lower case; names that only some versions use among them. */
const OF_ARGS: Readonly<Record<string, Move>> = {
  correlation: 'launch',
  wait_on_cuda_event_record_corr_id: 'launch',
  'external id': 'op',
  'external ts': 'time',
  'record function id': 'record',
  'ev idx': 'event',
  'profiler event index': 'event',
  'python id': 'frame',
  'python parent id': 'frame',
  'sequence number': 'sequence',
};

/** Kinds whose 0 means that there is none. */
const ZERO_IS_NONE: ReadonlySet<Move> = new Set(['launch', 'op', 'record']);

const STEP = Buffer.from('"ProfilerStep#');

/** Places of the numbers in `text`, in order; all arrays have one entry a number. */
export interface TraceTemplate {
  readonly text: Buffer;
  /** The events with their commas: from the first one's brace to behind the last one's. */
  readonly from: number;
  readonly to: number;
  readonly events: number;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Of a time the whole microseconds. */
  readonly values: readonly number[];
  /** Index into MOVES. */
  readonly kinds: readonly number[];
  /** Earliest time and latest end in microseconds. */
  readonly first: number;
  readonly last: number;
}

const [QUOTE, BACKSLASH, COMMA, MINUS, POINT, COLON] = [0x22, 0x5c, 0x2c, 0x2d, 0x2e, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

class Scanner {
  at = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly values: number[] = [];
  readonly kinds: number[] = [];
  events = 0;
  first = Infinity;
  last = -Infinity;

  constructor(readonly text: Buffer) {}

  space(): void {
    while (isSpace(this.text[this.at])) this.at++;
  }

  expect(byte: number): void {
    if (this.text[this.at] !== byte) {
      throw new Error(`no trace: expected ${String.fromCharCode(byte)} at byte ${this.at}`);
    }
    this.at++;
  }

  skipString(): void {
    const { text } = this;
    this.expect(QUOTE);
    while (text[this.at] !== QUOTE) {
      if (this.at >= text.length) throw new Error('no trace: it ends within a string');
      this.at += text[this.at] === BACKSLASH ? 2 : 1;
    }
    this.at++;
  }

  /** Steps over a value of any kind. */
  skip(): void {
    const { text } = this;
    let depth = 0;
    do {
      this.space();
      const byte = text[this.at];
      if (byte === undefined) throw new Error('no trace: it ends within a value');
      if (byte === QUOTE) this.skipString();
      else if (byte === OPEN || byte === OPEN_LIST || byte === CLOSE || byte === CLOSE_LIST) {
        depth += byte === OPEN || byte === OPEN_LIST ? 1 : -1;
        this.at++;
      } else if (byte === COMMA || byte === COLON) this.at++;
      else while (this.at < text.length && !this.#endsScalar(text[this.at])) this.at++;
    } while (depth > 0);
  }

  /** Calls `value` at each value of the object here; it must step over it. */
  members(value: (key: string) => void): void {
    this.expect(OPEN);
    this.space();
    while (this.text[this.at] !== CLOSE) {
      value(this.key());
      this.comma();
    }
    this.at++;
  }

  /** Steps over a key and its colon. */
  key(): string {
    const from = this.at + 1;
    this.skipString();
    const key = this.text.toString('latin1', from, this.at - 1);
    this.space();
    this.expect(COLON);
    this.space();
    return key;
  }

  /** Steps to the next member or item, or to the end of the list. */
  comma(): void {
    this.space();
    if (this.text[this.at] === COMMA) this.at++;
    this.space();
  }

  event(): void {
    let [ts, dur, phase] = [NaN, 0, ''];
    this.members((key) => {
      const from = this.at;
      if (key === 'args' && this.text[from] === OPEN) {
        this.members((name) => this.#value(OF_ARGS[name.toLowerCase()]));
        return;
      }
      this.#value(OF_EVENT[key]);
      if (key === 'ts' || key === 'dur') {
        const number = Number(this.text.toString('latin1', from, this.at));
        if (key === 'ts') ts = number;
        else dur = number;
      } else if (key === 'ph') phase = this.text.toString('latin1', from, this.at);
    });
    this.events++;
    if (phase === '"M"' || Number.isNaN(ts)) return;
    this.first = Math.min(this.first, ts);
    this.last = Math.max(this.last, ts + dur);
  }

  /** Steps over a value and notes its number, if it has one to move. */
  #value(move: Move | undefined): void {
    const from = this.at;
    const { text } = this;
    this.skip();
    if (move === undefined) return;
    if (move === 'step') {
      if (text.compare(STEP, 0, STEP.length, from, from + STEP.length) === 0) this.#note(from + STEP.length, move);
    } else if (isDigit(text[from])) this.#note(from, move);
    else if (move === 'time' && text[from] === MINUS) throw new Error(`a time before 0 at byte ${from}`);
  }

  /** @param from first digit */
  #note(from: number, move: Move): void {
    let to = from;
    while (isDigit(this.text[to])) to++;
    const value = Number(this.text.toString('latin1', from, to));
    if (move === 'step' ? this.text[to] !== QUOTE || to === from : !this.#isPlain(to)) return;
    if (value === 0 && ZERO_IS_NONE.has(move)) return;
    this.starts.push(from);
    this.ends.push(to);
    this.values.push(value);
    this.kinds.push(MOVES.indexOf(move));
  }

  /** Whether behind the digits there is at most a fraction. */
  #isPlain(to: number): boolean {
    let end = to;
    if (this.text[end] === POINT) for (end++; isDigit(this.text[end]); end++);
    if (this.#endsScalar(this.text[end])) return true;
    throw new Error(`a number with an exponent at byte ${to}`);
  }

  #endsScalar(byte: number | undefined): boolean {
    return byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || isSpace(byte);
  }
}

/** Goes to the list of events: that of the root object, or the root itself. */
function toEvents(scanner: Scanner): void {
  const { text } = scanner;
  scanner.space();
  if (text[scanner.at] === OPEN_LIST) return;
  scanner.expect(OPEN);
  scanner.space();
  while (text[scanner.at] !== CLOSE) {
    if (scanner.key() === 'traceEvents') return;
    scanner.skip();
    scanner.comma();
  }
  throw new Error('no trace: it has no traceEvents');
}

/**
 * @param text a whole trace, uncompressed
 * @throws Error when it is none, or none that PyTorch would write
 */
export function traceTemplate(text: Buffer): TraceTemplate {
  const scanner = new Scanner(text);
  toEvents(scanner);
  scanner.expect(OPEN_LIST);
  scanner.space();
  const from = scanner.at;
  let to = from;
  while (text[scanner.at] !== CLOSE_LIST) {
    scanner.event();
    to = scanner.at;
    scanner.comma();
  }
  if (scanner.events === 0) throw new Error('the trace has no events');
  const { starts, ends, values, kinds, events, first, last } = scanner;
  return { text, from, to, events, starts, ends, values, kinds, first, last };
}
