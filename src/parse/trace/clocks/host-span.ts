/** When the host did what a profile records of it, and when the profile begins. */
import type { Trace } from '../trace.js';

/** First and last time, ns; Infinity and -Infinity where there is none. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** When the host made calls and had ranges open. */
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
 * The earliest time of all; 0 where statements are of times that only their reader knows.
 * @param from ns; statements before it do not count
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

/** The latest time of calls, ranges and work; 0 where there is none. */
export function latest({ activities, hostCalls, ranges }: Trace): number {
  let last = 0;
  for (const { values } of [activities.start, activities.end, hostCalls.end, ranges.start, ranges.end]) {
    for (const time of values) if (time > last && time !== Infinity) last = time;
  }
  return last;
}
