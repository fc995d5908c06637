/** When threads captured what they launched, instead of running it: between the calls that begin and end a capture. */
import { IntervalUnion } from '../../../containers/interval-union.js';
import { entryOf } from '../../../containers/map-entry.js';
import { sortRows } from '../../../containers/row-order.js';
import type { Trace } from '../trace.js';
import { byCallName } from '../calls.js';

/** Times in ns. */
export interface CaptureSpan {
  readonly thread: number;
  readonly start: number;
  /** Infinity for one that does not end in the profile. */
  readonly end: number;
}

/** `cudaStreamBeginCapture_v10000`, `hipStreamEndCapture`, `aclmdlRICaptureBegin`. */
const [BEGIN, END] = [/StreamBeginCapture|^aclmdlRICaptureBegin/, /StreamEndCapture|^aclmdlRICaptureEnd/];

/** In order of start. */
export function captureSpans(capture: Pick<Trace, 'hostCalls' | 'names'>): readonly CaptureSpan[] {
  const { hostCalls } = capture;
  const { start, end, thread } = hostCalls;
  const kindOf = byCallName(capture, (name) => (BEGIN.test(name) ? 'begin' : END.test(name) ? 'end' : null));
  const calls: number[] = [];
  for (let call = 0; call < hostCalls.length; call++) if (kindOf(call) !== null) calls.push(call);
  const rows = Uint32Array.from(calls);
  sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(a) - end.at(b));
  const spans: { thread: number; start: number; end: number }[] = [];
  const open = new Map<number, { end: number }[]>();
  for (const call of rows) {
    const own = entryOf(open, thread.at(call), (): { end: number }[] => []);
    if (kindOf(call) === 'end') {
      const last = own.pop();
      if (last !== undefined) last.end = end.at(call);
      continue;
    }
    const span = { thread: thread.at(call), start: start.at(call), end: Infinity };
    spans.push(span);
    own.push(span);
  }
  return spans;
}

/** ns during which some thread captured. @param last end of the profile */
export function capturedTime(capture: Pick<Trace, 'hostCalls' | 'names'>, last: number): number {
  const union = new IntervalUnion();
  for (const { start, end } of captureSpans(capture)) union.add(start, Math.min(end, last));
  return union.total;
}

/** The captures that are open at a time: of one thread, those that begin later end first. */
export class OpenCaptures<Span extends CaptureSpan> {
  /** In the order in which they began, by thread and by process; ended ones are taken off when they are the last. */
  readonly #ofThread = new Map<number, Span[]>();
  readonly #ofProcess = new Map<number, Span[]>();
  #next = 0;

  /** @param spans in order of start */
  constructor(
    private readonly spans: readonly Span[],
    private readonly processOf: (thread: number) => number,
  ) {}

  /** The one that a launch at a time belongs to: of its thread, else of its process. Times must not decrease. */
  around(thread: number, at: number): Span | null {
    for (let span; (span = this.spans[this.#next]) !== undefined && span.start <= at; this.#next++) {
      entryOf(this.#ofThread, span.thread, (): Span[] => []).push(span);
      entryOf(this.#ofProcess, this.processOf(span.thread), (): Span[] => []).push(span);
    }
    return lastOpen(this.#ofThread.get(thread), at) ?? lastOpen(this.#ofProcess.get(this.processOf(thread)), at);
  }
}

function lastOpen<Span extends CaptureSpan>(spans: Span[] | undefined, at: number): Span | null {
  for (let last; (last = spans?.at(-1)) !== undefined; spans?.pop()) if (last.end >= at) return last;
  return null;
}
