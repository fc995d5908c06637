/** The events of a buffer in order of start: activities, ranges, and the calls that launched them, each call once. */
import { elementAt } from '../../../containers/element.js';
import { sortRows } from '../../../containers/row-order.js';
import type { EventBuffer } from './event-buffer.js';

/** ns */
interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/** Event 2 × row is the row itself, 2 × row + 1 its launch; that of several activities is the launch of the first. */
export interface EventOrder {
  /** Events that run within the span, in order of start, of one start the longer first. */
  readonly events: Uint32Array;
  /** For each row the event of its launch; NO_LAUNCH where it has none. */
  readonly launchOf: Uint32Array;
  /** Start of an event, ns. */
  readonly startOf: (event: number) => number;
  readonly durOf: (event: number) => number;
}

export const NO_LAUNCH = 0xffff_ffff;

export const rowOf = (event: number): number => event >>> 1;
export const isLaunch = (event: number): boolean => (event & 1) === 1;

export function eventsInOrder(buffer: EventBuffer, span: TimeSpan): EventOrder {
  const [start, dur] = [buffer.column('start'), buffer.column('dur')];
  const [launchStart, launchDur] = [buffer.column('launchStart'), buffer.column('launchDur')];
  const startOf = (event: number): number => elementAt(isLaunch(event) ? launchStart : start, rowOf(event));
  const durOf = (event: number): number => elementAt(isLaunch(event) ? launchDur : dur, rowOf(event));
  const isWithin = (event: number): boolean =>
    startOf(event) <= span.end && startOf(event) + durOf(event) >= span.start;
  const { distinct, launchOf } = launchesOf(buffer);
  const events = new Uint32Array(buffer.rows + distinct.length);
  let count = 0;
  for (let row = 0; row < buffer.rows; row++) if (isWithin(2 * row)) events[count++] = 2 * row;
  for (const event of distinct) if (isWithin(event)) events[count++] = event;
  const found = events.subarray(0, count);
  sortRows(found, (a, b) => startOf(a) - startOf(b) || durOf(b) - durOf(a) || a - b);
  return { events: found, launchOf, startOf, durOf };
}

/** Calls of one thread and start are one call. */
function launchesOf(buffer: EventBuffer): { readonly distinct: Uint32Array; readonly launchOf: Uint32Array } {
  const [starts, lanes] = [buffer.column('launchStart'), buffer.column('launchLane')];
  const launchOf = new Uint32Array(buffer.rows).fill(NO_LAUNCH);
  const rows = new Uint32Array(buffer.rows);
  let count = 0;
  for (const [row, start] of starts.entries()) if (!Number.isNaN(start)) rows[count++] = row;
  const launched = rows.subarray(0, count);
  const order = (a: number, b: number): number =>
    elementAt(lanes, a) - elementAt(lanes, b) || elementAt(starts, a) - elementAt(starts, b);
  sortRows(launched, (a, b) => order(a, b) || a - b);
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
