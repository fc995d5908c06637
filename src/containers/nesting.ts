/**
 * How spans of time lie within each other. All sweeps take spans in order of start, of equal starts the longer first, and
 * spans that overlap without nesting, as the start/end ranges of NVTX do. The unit of time is the caller's.
 */
import { elementAt, least } from './element.js';
import { countUpTo } from './row-order.js';

interface Span {
  readonly start: number;
  /** Infinity for one that does not end. */
  readonly end: number;
}

/** Numbers by row. */
interface Cells {
  at(row: number): number;
}

/** Where a span begins and ends, and the lane (a thread, a process) within which it nests; one for all by default. */
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
 * The spans that begin within no other: each that begins no earlier than the last one taken of its lane has ended.
 * @param within takes each other span, with the one that it begins within
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

/**
 * Spans joined with those that they overlap or touch.
 * @param sum what a span has of two that are joined, beyond the start of the first and the later of their ends
 */
export function joined<T extends Span>(spans: Iterable<T>, sum: (a: T, b: T) => Partial<T> = () => ({})): T[] {
  const found: T[] = [];
  for (const span of spans) {
    const last = found.at(-1);
    if (last === undefined || span.start > last.end) found.push(span);
    else found[found.length - 1] = { ...last, ...sum(last, span), end: Math.max(last.end, span.end) };
  }
  return found;
}

/** The span at a time, its end included: of spans that do not overlap; null where there is none. */
export function spanAt<T extends Span>(spans: readonly T[], time: number): T | null {
  const last = spans[countUpTo(spans.length, (index) => elementAt(spans, index).start, time) - 1];
  return last !== undefined && time <= last.end ? last : null;
}

interface StackRules<T> {
  /** Whether a span is still open at the moment at which it ends: one that begins then lies within it. */
  readonly touching?: boolean;
  /** Spans that are held at a time. */
  readonly most?: number;
  /** Takes each span that is taken off. */
  readonly ended?: (span: T) => void;
}

/** Below this number of spans those that have ended are not looked for. */
const FEW = 64;

/** A stack of the spans of one lane that are open, the outermost first. Those below one that goes on may have ended. */
export class OpenSpans<T> {
  #spans: T[] = [];
  /** No span that is held ends before this time. */
  #firstEnd = Infinity;
  /** As many are held before those that have ended are looked for: chains of spans, each overlapping the next, have no end. */
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

  /** Adds a span that begins at a time. @returns false where too many are open: it was not added */
  push(span: T, start: number): boolean {
    if (this.#spans.length >= Math.min(this.#room, this.#most) && start >= this.#firstEnd) this.#endAll(start);
    if (this.#spans.length >= this.#most) return false;
    this.#firstEnd = Math.min(this.#firstEnd, this.endOf(span));
    this.#spans.push(span);
    return true;
  }

  /** Takes off the last spans while they have ended by a time. */
  close(time: number): void {
    for (let { last } = this; last !== undefined && !this.#isOpen(last, time); { last } = this) {
      this.#spans.pop();
      this.rules.ended?.(last);
    }
  }

  /** The span that began last of those that last until a time. */
  lasting(until: number): T | undefined {
    return this.#spans.findLast((span) => this.endOf(span) >= until);
  }

  /** All that last until a time, the outermost first. */
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
 * Self times of the spans of one lane: each moment is that of the open one that began last. For spans that nest this is
 * the time outside of the spans within.
 */
export class SelfTimes<T> {
  readonly #open: OpenSpans<TimedSpan<T>>;
  /** The time up to which self time has been counted. */
  #time = -Infinity;

  /** @param take takes each span with its self time, some time after it has ended */
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

  /** Counts the time up to some time. */
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
  /** What the caller keeps with the span; null at first. */
  reading: T | null;
}

/**
 * Most spans around another. A damaged profile may end none of its ranges: each launch would have all that started before
 * it. Whole ones have had 1,406.
 */
const MOST_ENCLOSING = 2048;

/**
 * The spans that enclose others, which come in order of start: those that start no later and end no earlier. Unlike a stack
 * it forgets all that have ended, since start/end ranges end in any order. Cost: linear in spans, and in those within by at
 * most 2,048 spans each, the latest of those that are open.
 */
export class EnclosingSpans<T> {
  /** Index of the next span in the order. */
  #next = 0;
  /** In order of start. */
  readonly #open: OpenSpan<T>[] = [];

  constructor(
    private readonly spans: Readonly<Record<'start' | 'end', Cells>>,
    /** Rows of the spans of a lane in order of start. */
    private readonly rows: Uint32Array,
    /** Takes the number of spans that are left out because so many others within them are open. */
    private readonly leaveOut: (spans: number) => void = () => undefined,
  ) {}

  /** The spans around one, outermost first. */
  around(from: number, until: number): OpenSpan<T>[] {
    this.#close(from);
    const { start, end } = this.spans;
    for (; this.#next < this.rows.length; this.#next++) {
      const row = elementAt(this.rows, this.#next);
      if (start.at(row) > from) break;
      // A span that ended before this time cannot enclose what begins then or later.
      const rowEnd = end.at(row);
      if (rowEnd >= from) this.#open.push({ row, end: rowEnd, reading: null });
    }
    const beyond = this.#open.length - MOST_ENCLOSING;
    if (beyond > 0) this.leaveOut(this.#open.splice(0, beyond).length);
    return this.#open.filter((span) => span.end >= until);
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
