/** The events of a tape in order of start: activities, ranges, and the calls that launched them, each call once. */
import type { EventBuffer } from './event-buffer.js';

/** A span of time, ns. */
interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * An event by number: twice a row's number for the row itself, one more for its launch; the first row of a launch stands
 * for all that the call launched.
 */
export interface EventOrder {
  /** Those that run within the span; in order of start, of one start the longer first. */
  readonly events: Uint32Array;
  /** For each row the event of its launch; NONE where it has none. */
  readonly launchOf: Uint32Array;
  /** Start of an event. */
  readonly startOf: (event: number) => number;
  readonly durOf: (event: number) => number;
}

export const NO_LAUNCH = 0xffff_ffff;

export const rowOf = (event: number): number => event >>> 1;
export const isLaunch = (event: number): boolean => (event & 1) === 1;

export function eventsInOrder(tape: EventBuffer, span: TimeSpan): EventOrder {
  const [start, dur] = [tape.column('start'), tape.column('dur')];
  const [launchStart, launchDur] = [tape.column('launchStart'), tape.column('launchDur')];
  const startOf = (event: number): number => (isLaunch(event) ? launchStart : start)[rowOf(event)] ?? 0;
  const durOf = (event: number): number => (isLaunch(event) ? launchDur : dur)[rowOf(event)] ?? 0;
  const isWithin = (event: number): boolean =>
    startOf(event) <= span.end && startOf(event) + durOf(event) >= span.start;
  const { distinct, launchOf } = launchesOf(tape);
  const events = new Uint32Array(tape.rows + distinct.length);
  let count = 0;
  for (let row = 0; row < tape.rows; row++) if (isWithin(2 * row)) events[count++] = 2 * row;
  for (const event of distinct) if (isWithin(event)) events[count++] = event;
  const found = events.subarray(0, count);
  found.sort((a, b) => startOf(a) - startOf(b) || durOf(b) - durOf(a) || a - b);
  return { events: found, launchOf, startOf, durOf };
}

/** A call is told by its thread and start. */
function launchesOf(tape: EventBuffer): { readonly distinct: Uint32Array; readonly launchOf: Uint32Array } {
  const [starts, lanes] = [tape.column('launchStart'), tape.column('launchLane')];
  const launchOf = new Uint32Array(tape.rows).fill(NO_LAUNCH);
  const rows = new Uint32Array(tape.rows);
  let count = 0;
  for (let row = 0; row < tape.rows; row++) if (!Number.isNaN(starts[row])) rows[count++] = row;
  const launched = rows.subarray(0, count);
  const order = (a: number, b: number): number =>
    (lanes[a] ?? 0) - (lanes[b] ?? 0) || (starts[a] ?? 0) - (starts[b] ?? 0);
  launched.sort((a, b) => order(a, b) || a - b);
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
