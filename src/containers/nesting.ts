/**
 * Finds how spans of time nest. All sweeps take spans in order of start time, the longer first for equal starts. They
 * accept spans that overlap without nesting, such as the start/end ranges of NVTX. The caller chooses the unit of time.
 */
import { append, elementAt, least } from './element.js';
import { countUpTo } from './row-order.js';

interface Span {
  readonly start: number;
  /** Infinity for a span that does not end. */
  readonly end: number;
}

/** Numbers by row. */
interface Cells {
  at(row: number): number;
}

/**
 * Returns where a span begins and ends, and the lane (a thread, a process) within which it nests; by default, there is
 * one lane for all.
 */
interface SpanFacts<T> {
  readonly startOf: (span: T) => number;
  readonly endOf: (span: T) => number;
  readonly laneOf?: (span: T) => number;
}

/** Spans that are objects with a start and an end. */
export const SPANS: SpanFacts<Span> = { startOf: ({ start }) => start, endOf: ({ end }) => end };

/** Spans that are rows of columns, nested by thread. */
export const spanRows = ({
  start,
  end,
  thread,
}: Readonly<Record<'start' | 'end' | 'thread', Cells>>): SpanFacts<number> => ({
  startOf: (row) => start.at(row),
  endOf: (row) => end.at(row),
  laneOf: (row) => thread.at(row),
});

/**
 * The outermost spans: each begins after the previous outermost span of its lane has ended.
 * @param within called with each other span, and the outermost span in which it begins
 */
export function outermost<T>(
  spans: Iterable<T>,
  { startOf, endOf, laneOf = () => 0 }: SpanFacts<T>,
  within: (span: T, outer: T) => void = () => undefined,
): T[] {
  const found: T[] = [];
  const last = new Map<number, T>();
  for (const span of spans) {
    const lane = laneOf(span);
    const outer = last.get(lane);
    if (outer !== undefined && startOf(span) < endOf(outer)) {
      within(span, outer);
      continue;
    }
    last.set(lane, span);
    found.push(span);
  }
  return found;
}

/** Joins spans that overlap or touch. @param sum merges the other fields of two spans that are joined */
export function joined<T extends Span>(spans: Iterable<T>, sum: (a: T, b: T) => Partial<T> = () => ({})): T[] {
  const found: T[] = [];
  for (const span of spans) {
    const last = found.at(-1);
    if (last === undefined || span.start > last.end) found.push(span);
    else found[found.length - 1] = { ...last, ...sum(last, span), end: Math.max(last.end, span.end) };
  }
  return found;
}

/** The span at a time, including its end, among spans that do not overlap; null when there is none. */
export function spanAt<T extends Span>(spans: readonly T[], time: number): T | null {
  const last = spans[countUpTo(spans.length, (index) => elementAt(spans, index).start, time) - 1];
  return last !== undefined && time <= last.end ? last : null;
}

interface StackRules<T> {
  /** Whether a span is still open at the moment when it ends, so that a span that begins then is inside it. */
  readonly touching?: boolean;
  /** Maximum number of spans that are held at a time. */
  readonly most?: number;
  /** Called with each span that is removed. */
  readonly ended?: (span: T) => void;
}

/** Below this number of spans, ended ones are not removed. */
const FEW = 64;

/** A stack of the open spans of one lane, outermost first. Spans below an open one may have ended. */
export class OpenSpans<T> {
  #spans: T[] = [];
  /** No span that is held ends before this time. */
  #firstEnd = Infinity;
  /**
   * When this many spans are held, ended ones are removed, because a chain of spans that each overlap the next may be
   * endless.
   */
  #room = FEW;
  readonly #isOpen: (span: T, time: number) => boolean;
  readonly #most: number;

  constructor(
    private readonly endOf: (span: T) => number,
    private readonly rules: StackRules<T> = {},
  ) {
    const { touching = false, most = Infinity } = rules;
    this.#isOpen = touching ? (span, time) => endOf(span) >= time : (span, time) => endOf(span) > time;
    this.#most = most;
  }

  get length(): number {
    return this.#spans.length;
  }

  /** The span that began last. */
  get last(): T | undefined {
    return this.#spans.at(-1);
  }

  /** Adds a span that begins at a time. @returns false when too many spans are open, in which case it was not added */
  push(span: T, start: number): boolean {
    if (this.#spans.length >= Math.min(this.#room, this.#most) && start >= this.#firstEnd) this.#endAll(start);
    if (this.#spans.length >= this.#most) return false;
    this.#firstEnd = Math.min(this.#firstEnd, this.endOf(span));
    this.#spans.push(span);
    return true;
  }

  /** Removes spans from the top of the stack that have ended by a time. */
  close(time: number): void {
    for (let { last } = this; last !== undefined && !this.#isOpen(last, time); { last } = this) {
      this.#spans.pop();
      this.rules.ended?.(last);
    }
  }

  /** The span that began last, among those that last until a time. */
  lasting(until: number): T | undefined {
    return this.#spans.findLast((span) => this.endOf(span) >= until);
  }

  /** All spans that last until a time, outermost first. */
  allLasting(until: number): T[] {
    return this.#spans.filter((span) => this.endOf(span) >= until);
  }

  #endAll(time: number): void {
    const spans = this.#spans;
    this.#spans = spans.filter((span) => this.#isOpen(span, time));
    if (this.rules.ended !== undefined) for (const span of spans) if (!this.#isOpen(span, time)) this.rules.ended(span);
    this.#firstEnd = least(this.#spans.map(this.endOf));
    this.#room = Math.max(FEW, 2 * this.#spans.length);
  }
}

interface TimedSpan<T> {
  readonly span: T;
  readonly end: number;
  self: number;
}

/**
 * Self times of the spans of one lane. Each moment belongs to the open span that began last. For nested spans, this is
 * the time outside the inner spans.
 */
export class SelfTimes<T> {
  readonly #open: OpenSpans<TimedSpan<T>>;
  /** The time up to which self time has been counted. */
  #time = -Infinity;

  /** @param take called with each span and its self time, some time after the span has ended */
  constructor(take: (span: T, self: number) => void) {
    const ended = (last: TimedSpan<T>): void => {
      this.#count(last, last.end);
      take(last.span, last.self);
    };
    this.#open = new OpenSpans<TimedSpan<T>>(({ end }) => end, { ended });
  }

  begin(span: T, start: number, end: number): void {
    this.countTo(start);
    this.#open.push({ span, end, self: 0 }, start);
  }

  /** Assigns the time up to a moment to the open span that began last. */
  countTo(time: number): void {
    this.#open.close(time);
    const { last } = this.#open;
    if (last !== undefined) this.#count(last, time);
    this.#time = Math.max(this.#time, time);
  }

  #count(span: TimedSpan<T>, until: number): void {
    if (!(until > this.#time)) return;
    span.self += until - this.#time;
    this.#time = until;
  }
}

/** A span that has begun and may enclose others. */
export interface OpenSpan<T> {
  readonly row: number;
  readonly end: number;
  /** Data of the caller for the span; null at first. */
  reading: T | null;
}

/**
 * Maximum number of spans around another one. In a damaged profile, ranges may not end, so that each launch would be
 * inside all earlier ranges. The maximum in intact profiles is 1,406.
 */
const MOST_ENCLOSING = 2048;

/**
 * Finds the spans that enclose others, which arrive in order of start time. A span encloses another if it starts no
 * later and ends no earlier. Unlike a stack, this removes all ended spans, because start/end ranges end in any order. Cost:
 * linear in the number of enclosing spans, plus at most 2,048 open spans for each enclosed one.
 */
export class EnclosingSpans<T> {
  /** Index of the next span in the order. */
  #next = 0;
  /** Sorted by start. */
  readonly #open: OpenSpan<T>[] = [];

  constructor(
    private readonly spans: Readonly<Record<'start' | 'end', Cells>>,
    /** Rows of the spans of a lane in order of start time. */
    private readonly rows: Uint32Array,
    /** Called with the number of spans that are left out because too many are open. */
    private readonly leaveOut: (spans: number) => void = () => undefined,
  ) {}

  /** A sweep that goes on from the same place. */
  copy(): EnclosingSpans<T> {
    const copy = new EnclosingSpans<T>(this.spans, this.rows, this.leaveOut);
    copy.#next = this.#next;
    append(copy.#open, this.#open);
    return copy;
  }

  /** The spans around one, outermost first. */
  around(from: number, until: number): OpenSpan<T>[] {
    this.advance(from);
    return this.#open.filter((span) => span.end >= until);
  }

  /** Advances to a time: opens and closes spans as `around` does for a span that begins then. */
  advance(from: number): void {
    this.#close(from);
    const { start, end } = this.spans;
    for (; this.#next < this.rows.length; this.#next++) {
      const row = elementAt(this.rows, this.#next);
      if (start.at(row) > from) break;
      // A span that ended before this time cannot enclose a span that begins then or later.
      const rowEnd = end.at(row);
      if (rowEnd >= from) this.#open.push({ row, end: rowEnd, reading: null });
    }
    const beyond = this.#open.length - MOST_ENCLOSING;
    if (beyond > 0) this.leaveOut(this.#open.splice(0, beyond).length);
  }

  /** Removes the spans that ended before a time. */
  #close(time: number): void {
    let kept = 0;
    for (const span of this.#open) {
      if (span.end >= time) this.#open[kept++] = span;
    }
    this.#open.length = kept;
  }
}
