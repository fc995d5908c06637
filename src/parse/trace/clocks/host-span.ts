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
  for (const { start, end } of [hostCalls, ranges])
    for (let row = 0; row < start.length; row++) {
      first = Math.min(first, start.at(row));
      // A range that is still open has only a start.
      last = Math.max(last, start.at(row), end.at(row) === Infinity ? -Infinity : end.at(row));
    }
  return { first, last };
}

/**
 * The earliest time of the trace; 0 when the columns have no times.
 * @param from time in ns; earlier samples and values are ignored
 */
export function earliest(trace: Trace, from: number): number {
  const { hostCalls, ranges, overhead, activities } = trace;
  if (trace.statements !== undefined && trace.statementTimes === undefined) return 0;
  let first = Infinity;
  for (const times of trace.statementTimes?.() ?? [])
    for (let row = 0; row < times.length; row++)
      if (times.at(row) >= from && times.at(row) < first) first = times.at(row);
  for (const { start } of [hostCalls, ranges, activities, ...(overhead === undefined ? [] : [overhead])])
    for (let row = 0; row < start.length; row++) if (start.at(row) < first) first = start.at(row);
  return first === Infinity ? 0 : Math.max(0, first);
}

/** The latest time of calls, ranges and work; 0 when there is none. */
export function latest({ activities, hostCalls, ranges }: Trace): number {
  let last = 0;
  for (const times of [activities.start, activities.end, hostCalls.end, ranges.start, ranges.end])
    for (let row = 0; row < times.length; row++) {
      const time = times.at(row);
      if (time > last && time !== Infinity) last = time;
    }
  return last;
}
