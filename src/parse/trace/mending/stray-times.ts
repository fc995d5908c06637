/**
 * Work of a device whose recorded time is far from everything else in the profile: such a time is damaged (a kernel an hour
 * before its program, rocprofiler#84), and must set neither the start nor the length of the profile.
 */
import { elementAt } from '../../../containers/element.js';
import type { Trace } from '../trace.js';
import type { LaunchJoin } from '../launches.js';
import { spanOfHost, type Span } from '../clocks/host-span.js';

/** How far is damaged: at least `ns`, and `lengths` of the span of what the profile has besides. */
interface Distance {
  readonly ns: number;
  readonly lengths: number;
}

const FROM_HOST: Distance = { ns: 60e9, lengths: 1 };
/** A device may well have nothing to do for minutes where nothing is known of the host. */
const FROM_DEVICE: Distance = { ns: 600e9, lengths: 10 };

/** Largest share of work that may be far: damage is rare. Of little work one may be. */
const [MOST_FAR, MOST_OF_FEW] = [0.01, 0.1];

/** Makes damaged times of activities unknown, and counts them. @returns whether one had set the start of the profile */
export function settleStrays(trace: Trace, { callOf }: LaunchJoin): boolean {
  const { start, end } = trace.activities;
  if (!isWider(start.values, FROM_HOST.ns)) return false;
  const host = spanOfHost(trace);
  const { ns, lengths } = host.first <= host.last ? FROM_HOST : FROM_DEVICE;
  const span = hull(host, middleHalf(start.values));
  const far = Math.max(ns, lengths * (span.last - span.first));
  // Work that waited for long starts late; none starts before its launch.
  const mayWait = (time: number, row: number): boolean => {
    const call = elementAt(callOf, row);
    return call !== -1 && time >= trace.hostCalls.start.at(call);
  };
  const isStray = (time: number, row: number): boolean => outside(time, span) > far && !mayWait(time, row);
  const strays = start.values.reduce((count, time, row) => count + Number(isStray(time, row)), 0);
  const most = Math.max(Math.min(1, MOST_OF_FEW * start.length), MOST_FAR * start.length);
  if (strays === 0 || strays > most) return false;
  let movedStart = false;
  start.values.forEach((time, row) => {
    if (!isStray(time, row)) return;
    movedStart ||= time === 0;
    start.set(row, NaN);
    end.set(row, NaN);
  });
  trace.diagnostics.count('time-far-away', strays);
  return movedStart;
}

/** Whether some times are further apart than `ns`: those of most profiles are not. */
function isWider(times: Float64Array, ns: number): boolean {
  let [first, last] = [Infinity, -Infinity];
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return last - first > ns;
}

/** How far a time is outside of a span, ns; Infinity where there is no span, and not above 0 inside of it. */
const outside = (time: number, { first, last }: Span): number => Math.max(first - time, time - last);

const hull = (a: Span, b: Span): Span => ({ first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) });

/** From the first to the third quartile of times. */
function middleHalf(times: Float64Array): Span {
  const sorted = times.filter((time) => !Number.isNaN(time)).sort();
  const quarter = sorted.length >> 2;
  return { first: elementAt(sorted, quarter), last: elementAt(sorted, sorted.length - 1 - quarter) };
}
