/** The time span of the host's calls and ranges, and the start of the profile. */
import type { Trace } from '../trace.js';

/** First and last time, in ns; Infinity and -Infinity when there are no times. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** Span of the host's calls and ranges. */
export function spanOfHost({ hostCalls, ranges }: Trace): Span {
  let [first, last] = [Infinity, -Infinity];
  for (const { start, end } of [hostCalls, ranges]) {
    for (const time of start.values) first = Math.min(first, time);
    for (const time of end.values) if (time !== Infinity) last = Math.max(last, time);
    // A range that is still open has only a start.
    for (const time of start.values) last = Math.max(last, time);
  }
  return { first, last };
}

/**
 * The earliest time of the trace; 0 when the columns have no times.
 * @param from in ns; earlier samples and values are ignored
 */
export function earliest(trace: Trace, from: number): number {
  const { hostCalls, ranges, overhead, activities } = trace;
  if (trace.statements !== undefined && trace.statementTimes === undefined) return 0;
  let first = Infinity;
  for (const { values } of trace.statementTimes?.() ?? []) {
    for (const time of values) if (time >= from && time < first) first = time;
  }
  for (const { start } of [hostCalls, ranges, activities, ...(overhead === undefined ? [] : [overhead])]) {
    for (const time of start.values) if (time < first) first = time;
  }
  return first === Infinity ? 0 : Math.max(0, first);
}

/** The latest time of calls, ranges and work; 0 when there is none. */
export function latest({ activities, hostCalls, ranges }: Trace): number {
  let last = 0;
  for (const { values } of [activities.start, activities.end, hostCalls.end, ranges.start, ranges.end]) {
    for (const time of values) if (time > last && time !== Infinity) last = time;
  }
  return last;
}
