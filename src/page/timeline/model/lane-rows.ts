/**
 * Rows of a timeline: the events of one lane at one depth, in order of start time, and the search for those in a span
 * of time.
 */
import { elementAt } from '../../../containers/element.js';
import type { TimelineEvents } from '../events/events.js';

export interface LaneRow {
  readonly lane: number;
  readonly depth: number;
  /** Indices of its events. */
  readonly events: Uint32Array;
  readonly start: Float64Array;
  readonly dur: Float64Array;
  /** For each event, the latest end of all events up to it, which is sorted even when events overlap. */
  readonly reach: Float64Array;
}

/** Indices into a row, `from` to `to` (exclusive). */
export interface IndexRange {
  readonly from: number;
  readonly to: number;
}

/** First index in a sorted list whose value is at least the limit. */
export function firstAtLeast(values: Float64Array, limit: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (elementAt(values, middle) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index in a sorted list whose value exceeds the limit. */
export function firstAbove(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (elementAt(values, middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Events of a row that may be visible in a span of ns. In rows without overlapping events, exactly those that touch it; an
 * event without duration counts at its start.
 */
export function eventsInRange(row: LaneRow, from: number, to: number): IndexRange {
  const first = firstAtLeast(row.reach, from);
  return { from: first, to: Math.max(first, firstAbove(row.start, to)) };
}

/** Index in a row of the event nearest to a time, within a distance, both in ns; -1 for none. */
export function nearestEvent(row: LaneRow, time: number, within: number): number {
  const { from, to } = eventsInRange(row, time - within, time + within);
  let best = -1;
  let least = Infinity;
  // Of two events that contain the time, the later one is drawn on top.
  for (let place = from; place < to; place++) {
    const start = elementAt(row.start, place);
    const distance = Math.max(start - time, time - start - elementAt(row.dur, place), 0);
    if (distance <= within && distance <= least) {
      best = place;
      least = distance;
    }
  }
  return best;
}

/** Limit on the rows of a lane, in case a damaged page has larger depths. */
const DEEPEST = 512;

/** A row that is filled event by event. */
class FilledRow implements LaneRow {
  readonly events: Uint32Array;
  readonly start: Float64Array;
  readonly dur: Float64Array;
  readonly reach: Float64Array;
  #count = 0;
  #latest = -Infinity;

  constructor(
    readonly lane: number,
    readonly depth: number,
    count: number,
  ) {
    this.events = new Uint32Array(count);
    [this.start, this.dur, this.reach] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  }

  /** Events arrive in order of start time. */
  add(event: number, start: number, dur: number): void {
    const place = this.#count++;
    this.#latest = Math.max(this.#latest, start + dur);
    this.events[place] = event;
    this.start[place] = start;
    this.dur[place] = dur;
    this.reach[place] = this.#latest;
  }
}

/** Indices of the events in order of start time; the events of a damaged page may not be in order. */
function inOrder({ start, count }: TimelineEvents): Uint32Array {
  const order = new Uint32Array(count);
  let isSorted = true;
  for (let event = 0; event < count; event++) {
    order[event] = event;
    isSorted &&= event === 0 || elementAt(start, event) >= elementAt(start, event - 1);
  }
  return isSorted ? order : order.sort((a, b) => elementAt(start, a) - elementAt(start, b) || a - b);
}

/** For each lane, its rows by depth; a lane without events has none. */
export function rowsOf(events: TimelineEvents): readonly (readonly LaneRow[])[] {
  const depthOf = (event: number): number => Math.min(elementAt(events.depth, event), DEEPEST);
  const counts = events.lanes.map((): number[] => []);
  // The lane of each event exists, unless a damaged page has no lanes at all.
  if (counts.length === 0) return [];
  for (let event = 0; event < events.count; event++) {
    const lane = elementAt(counts, elementAt(events.lane, event));
    const depth = depthOf(event);
    while (lane.length <= depth) lane.push(0);
    lane[depth] = elementAt(lane, depth) + 1;
  }
  const rows = counts.map((depths, lane) => depths.map((count, depth) => new FilledRow(lane, depth, count)));
  const order = inOrder(events);
  for (let i = 0; i < order.length; i++) {
    const event = elementAt(order, i);
    const row = elementAt(elementAt(rows, elementAt(events.lane, event)), depthOf(event));
    row.add(event, elementAt(events.start, event), elementAt(events.dur, event));
  }
  return rows;
}
