/** The rows of a timeline: the events of one lane at one depth, in order of start, and which of them a span of time meets. */
import type { TimelineEvents } from './events.js';

export interface LaneRow {
  readonly lane: number;
  readonly depth: number;
  /** Numbers of its events. */
  readonly events: Uint32Array;
  readonly start: Float64Array;
  readonly dur: Float64Array;
  /** The latest end of all events up to each: ends rise even where events of odd profiles overlap. */
  readonly reach: Float64Array;
}

/** Places from..to (without to) of a row. */
export interface IndexRange {
  readonly from: number;
  readonly to: number;
}

/** First place of a rising list whose value is at least (or above) a limit. */
export function firstAtLeast(values: Float64Array, limit: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function firstAbove(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Events of a row that may be seen in a span of ns. In rows whose events do not overlap, exactly those that touch it;
 * an event without duration counts where it starts.
 */
export function eventsInRange(row: LaneRow, from: number, to: number): IndexRange {
  const first = firstAtLeast(row.reach, from);
  return { from: first, to: Math.max(first, firstAbove(row.start, to)) };
}

/** Place in a row of what is nearest to a time within a distance, both ns; -1 for none. */
export function nearestEvent(row: LaneRow, time: number, within: number): number {
  const { from, to } = eventsInRange(row, time - within, time + within);
  let best = -1;
  let least = Infinity;
  // The later of two that hold the time lies above the other.
  for (let place = from; place < to; place++) {
    const start = row.start[place] ?? 0;
    const away = Math.max(start - time, time - start - (row.dur[place] ?? 0), 0);
    if (away <= within && away <= least) {
      best = place;
      least = away;
    }
  }
  return best;
}

/** A depth beyond any that is drawn would ask for an endless list of rows. */
const DEEPEST = 512;

/** Per lane its rows by depth; a lane without events has none. */
export function rowsOf(events: TimelineEvents): readonly (readonly LaneRow[])[] {
  const depthOf = (event: number): number => Math.min(events.depth[event] ?? 0, DEEPEST);
  const counts = events.lanes.map((): number[] => []);
  for (let event = 0; event < events.count; event++) {
    const lane = counts[events.lane[event] ?? 0];
    const depth = depthOf(event);
    if (lane === undefined) continue;
    while (lane.length <= depth) lane.push(0);
    lane[depth] = (lane[depth] ?? 0) + 1;
  }
  const numbers = counts.map((depths) => depths.map((count) => new Uint32Array(count)));
  const filled = counts.map((depths) => depths.map(() => 0));
  for (let event = 0; event < events.count; event++) {
    const lane = events.lane[event] ?? 0;
    const depth = depthOf(event);
    const places = filled[lane];
    const place = places?.[depth] ?? 0;
    const row = numbers[lane]?.[depth];
    if (row === undefined || places === undefined) continue;
    row[place] = event;
    places[depth] = place + 1;
  }
  return numbers.map((depths, lane) => depths.map((row, depth) => rowOf(events, lane, depth, row)));
}

/** Events come in order of start; those of a page that is damaged are put into it. */
function sortByStart(events: TimelineEvents, numbers: Uint32Array): void {
  const at = (event: number): number => events.start[event] ?? 0;
  for (let i = 1; i < numbers.length; i++) {
    if (at(numbers[i - 1] ?? 0) <= at(numbers[i] ?? 0)) continue;
    numbers.sort((a, b) => at(a) - at(b) || a - b);
    return;
  }
}

function rowOf(events: TimelineEvents, lane: number, depth: number, numbers: Uint32Array): LaneRow {
  sortByStart(events, numbers);
  const start = new Float64Array(numbers.length);
  const dur = new Float64Array(numbers.length);
  const reach = new Float64Array(numbers.length);
  let latest = -Infinity;
  for (let i = 0; i < numbers.length; i++) {
    const event = numbers[i] ?? 0;
    start[i] = events.start[event] ?? 0;
    dur[i] = events.dur[event] ?? 0;
    latest = Math.max(latest, (start[i] ?? 0) + (dur[i] ?? 0));
    reach[i] = latest;
  }
  return { lane, depth, events: numbers, start, dur, reach };
}
