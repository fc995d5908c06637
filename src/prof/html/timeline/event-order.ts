/** The events of a buffer in order of start time: activities, ranges, and the calls that launched them, each call once. */
import { elementAt } from '../../../containers/element.js';
import { sortRows } from '../../../containers/row-order.js';
import type { EventBuffer } from './event-buffer.js';
import { EVENT_KINDS } from './timeline-data.js';

/** Unit: ns. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Event 2 × row is the row itself, and 2 × row + 1 is its launch; a launch of several activities has the number of the
 * first.
 */
export interface EventOrder {
  /** Sorted by start; for equal starts, the longer first. */
  readonly events: Uint32Array;
  /** For each row, the event of its launch; NO_LAUNCH when it has none. */
  readonly launchOf: Uint32Array;
  /** Start of an event, in ns. */
  readonly startOf: (event: number) => number;
  readonly durOf: (event: number) => number;
}

const WAIT = EVENT_KINDS.indexOf('wait');

export const NO_LAUNCH = 0xffff_ffff;

export const rowOf = (event: number): number => event >>> 1;
export const isLaunch = (event: number): boolean => (event & 1) === 1;

export function eventsInOrder(buffer: EventBuffer): EventOrder {
  const [start, dur] = [buffer.column('start'), buffer.column('dur')];
  const [launchStart, launchDur] = [buffer.column('launchStart'), buffer.column('launchDur')];
  const startOf = (event: number): number => elementAt(isLaunch(event) ? launchStart : start, rowOf(event));
  const durOf = (event: number): number => elementAt(isLaunch(event) ? launchDur : dur, rowOf(event));
  const { distinct, launchOf } = launchesOf(buffer);
  const events = new Uint32Array(buffer.rows + distinct.length);
  for (let row = 0; row < buffer.rows; row++) events[row] = 2 * row;
  events.set(distinct, buffer.rows);
  sortRows(events, (a, b) => startOf(a) - startOf(b) || durOf(b) - durOf(a) || a - b);
  return { events, launchOf, startOf, durOf };
}

/** Calls with the same thread and start are one call; its kind is taken from work rather than from waits. */
function launchesOf(buffer: EventBuffer): { readonly distinct: Uint32Array; readonly launchOf: Uint32Array } {
  const [starts, lanes, kinds] = [buffer.column('launchStart'), buffer.column('launchLane'), buffer.column('kind')];
  const isWait = (row: number): number => (elementAt(kinds, row) === WAIT ? 1 : 0);
  const launchOf = new Uint32Array(buffer.rows).fill(NO_LAUNCH);
  const rows = new Uint32Array(buffer.rows);
  let count = 0;
  for (const [row, start] of starts.entries()) if (!Number.isNaN(start)) rows[count++] = row;
  const launched = rows.subarray(0, count);
  const order = (a: number, b: number): number =>
    elementAt(lanes, a) - elementAt(lanes, b) || elementAt(starts, a) - elementAt(starts, b);
  sortRows(launched, (a, b) => order(a, b) || isWait(a) - isWait(b) || a - b);
  const distinct = new Uint32Array(count);
  let calls = 0;
  let first = NO_LAUNCH;
  for (const row of launched) {
    if (first === NO_LAUNCH || order(first, row) !== 0) {
      first = row;
      distinct[calls++] = 2 * row + 1;
    }
    launchOf[row] = 2 * first + 1;
  }
  return { distinct: distinct.subarray(0, calls), launchOf };
}

/** Returns a function that counts the events that run within a span, for any spans. */
export function eventCounter({ events, startOf, durOf }: EventOrder): (span: TimeSpan) => number {
  const [starts, ends] = [new Float64Array(events.length), new Float64Array(events.length)];
  events.forEach((event, i) => {
    starts[i] = startOf(event);
    ends[i] = startOf(event) + durOf(event);
  });
  ends.sort();
  return ({ start, end }) => countUpTo(starts, end, true) - countUpTo(ends, start, false);
}

/** Number of values of a sorted list below a limit, including those equal to it if `isIncluded`. */
function countUpTo(values: Float64Array, limit: number, isIncluded: boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = elementAt(values, middle);
    if (isIncluded ? value <= limit : value < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** For each span, the events that run within it, in order of start time. */
export function eventsOfSpans({ events, startOf, durOf }: EventOrder, spans: readonly TimeSpan[]): Uint32Array[] {
  const found: Uint32Array[] = [];
  // Events that began before the span and did not end before it.
  let running: number[] = [];
  let next = 0;
  for (const at of [...spans.keys()].sort((a, b) => elementAt(spans, a).start - elementAt(spans, b).start)) {
    const { start, end } = elementAt(spans, at);
    const lasts = (event: number): boolean => startOf(event) + durOf(event) >= start;
    running = running.filter(lasts);
    for (; next < events.length; next++) {
      const event = elementAt(events, next);
      if (startOf(event) >= start) break;
      if (lasts(event)) running.push(event);
    }
    let last = next;
    while (last < events.length && startOf(elementAt(events, last)) <= end) last++;
    const within = new Uint32Array(running.length + last - next);
    within.set(running);
    within.set(events.subarray(next, last), running.length);
    found[at] = within;
  }
  return found;
}
