/** The events of a timeline in typed arrays, and which event launched which. */
import { EVENT_KINDS, TIMELINE_COLUMNS } from '../../../prof/html/page-data.js';
import type { EventKind, Lane, Timeline, TimelineColumn } from '../../../prof/html/page-data.js';
import { unpackColumn, type UnpackedColumn } from './column-unpacking.js';

export type TextColumn = 'name' | 'op' | 'layer' | 'dtype' | 'tc';
export const TEXT_COLUMNS: readonly TextColumn[] = ['name', 'op', 'layer', 'dtype', 'tc'];

/** Events by number, in order of start. */
export interface TimelineEvents {
  readonly count: number;
  /** ns from the timeline's start to the end of its last event, at least 1. */
  readonly span: number;
  /** ns of the profile at which the timeline starts. */
  readonly origin: number;
  readonly lanes: readonly Lane[];
  /** '' is what is not known. */
  readonly texts: readonly string[];
  readonly start: Float64Array;
  readonly dur: Float64Array;
  readonly lane: Uint32Array;
  readonly depth: Uint32Array;
  readonly kind: Uint8Array;
  readonly text: Readonly<Record<TextColumn, Uint32Array>>;
  readonly id: Float64Array;
  /** -1 where not known. */
  readonly flops: Float64Array;
  readonly bytes: Float64Array;
  readonly arrows: LaunchArrows;
}

/** Which event launched which. */
export interface LaunchArrows {
  /** Launch and launched, in pairs. */
  readonly pairs: Uint32Array;
  /** Per event: the one that launched it, -1 for none. */
  readonly launcher: Int32Array;
  /** Places in `launched`: those of event e lie from first[e] to first[e + 1]. */
  readonly first: Uint32Array;
  readonly launched: Uint32Array;
}

export const kindOf = (events: TimelineEvents, event: number): EventKind =>
  EVENT_KINDS[events.kind[event] ?? 0] ?? 'range';
export const startOf = (events: TimelineEvents, event: number): number => events.start[event] ?? 0;
export const durOf = (events: TimelineEvents, event: number): number => events.dur[event] ?? 0;
export const endOf = (events: TimelineEvents, event: number): number => startOf(events, event) + durOf(events, event);
export const laneOf = (events: TimelineEvents, event: number): Lane | undefined =>
  events.lanes[events.lane[event] ?? 0];
export const isOnDevice = (events: TimelineEvents, event: number): boolean => laneOf(events, event)?.kind === 'device';

/** Null where it is not known. */
export function textOf(events: TimelineEvents, column: TextColumn, event: number): string | null {
  const text = events.texts[events.text[column][event] ?? -1];
  return text === undefined || text === '' ? null : text;
}

/** Events that an event launched. */
export const launchedBy = ({ arrows }: TimelineEvents, event: number): readonly number[] => [
  ...arrows.launched.subarray(arrows.first[event] ?? 0, arrows.first[event + 1] ?? 0),
];

export function arrowsOf(pairs: ArrayLike<number>, count: number): LaunchArrows {
  const kept: number[] = [];
  const launcher = new Int32Array(count).fill(-1);
  const first = new Uint32Array(count + 1);
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const from = pairs[i] ?? count;
    const to = pairs[i + 1] ?? count;
    if (from >= count || to >= count) continue;
    kept.push(from, to);
    launcher[to] = from;
    first[from + 1] = (first[from + 1] ?? 0) + 1;
  }
  for (let e = 0; e < count; e++) first[e + 1] = (first[e + 1] ?? 0) + (first[e] ?? 0);
  const next = first.slice(0, count);
  const launched = new Uint32Array(kept.length / 2);
  for (let i = 0; i < kept.length; i += 2) {
    const from = kept[i] ?? 0;
    const place = next[from] ?? 0;
    launched[place] = kept[i + 1] ?? 0;
    next[from] = place + 1;
  }
  return { pairs: Uint32Array.from(kept), launcher, first, launched };
}

/** Numbers that a damaged page could hold, made ones that can be drawn. */
function finite(numbers: UnpackedColumn, least: number): Float64Array {
  const all = new Float64Array(numbers);
  for (let i = 0; i < all.length; i++) {
    const value = all[i] ?? 0;
    if (!Number.isFinite(value) || value < least) all[i] = least;
  }
  return all;
}

function below(numbers: UnpackedColumn, limit: number): Uint32Array {
  const all = new Uint32Array(numbers);
  for (let i = 0; i < all.length; i++) if ((all[i] ?? 0) >= limit) all[i] = 0;
  return all;
}

/** What the verdicts of a page mean: whether tensor cores were used. */
const TC_WORDS: Readonly<Record<string, string>> = { '1': 'yes', '0': 'no', '-': 'not applicable', '?': 'not told' };

/** Verdicts in words: further texts, and the column with their numbers. */
function inWords(
  numbers: UnpackedColumn,
  texts: readonly string[],
): { readonly texts: readonly string[]; readonly tc: Uint32Array } {
  const words = Object.entries(TC_WORDS).map(([verdict, word], i) => ({ verdict, word, number: texts.length + i }));
  const tc = new Uint32Array(numbers);
  const numberOf = new Map(words.map(({ verdict, number }) => [texts.indexOf(verdict), number]));
  for (let i = 0; i < tc.length; i++) tc[i] = numberOf.get(tc[i] ?? 0) ?? tc[i] ?? 0;
  return { texts: [...texts, ...words.map(({ word }) => word)], tc };
}

/**
 * @returns the events of a timeline
 * @throws Error in one line where a column cannot be read, or they are not of one length
 */
export async function loadEvents(timeline: Timeline): Promise<TimelineEvents> {
  const read = async (name: TimelineColumn): Promise<readonly [TimelineColumn, UnpackedColumn]> => {
    const numbers = await unpackColumn(name, timeline.columns[name]);
    if (numbers.length !== timeline.events) throw new Error(`${name}: ${numbers.length} of ${timeline.events} events`);
    return [name, numbers];
  };
  const columns = Object.fromEntries(await Promise.all(TIMELINE_COLUMNS.map(read))) as Record<
    TimelineColumn,
    UnpackedColumn
  >;
  const pairs = await unpackColumn('arrows', timeline.arrows);
  const count = timeline.events;
  // What began before the span of time begins below 0.
  const start = finite(columns.start, -Number.MAX_VALUE);
  const dur = finite(columns.dur, 0);
  let span = Math.max(1, timeline.end - timeline.start || 0);
  for (let e = 0; e < count; e++) span = Math.max(span, (start[e] ?? 0) + (dur[e] ?? 0));
  const verdicts = inWords(columns.tc, timeline.texts);
  const texts = (column: TextColumn): Uint32Array => new Uint32Array(columns[column]);
  return {
    count,
    span,
    origin: timeline.start,
    lanes: timeline.lanes,
    texts: verdicts.texts,
    start,
    dur,
    lane: below(columns.lane, timeline.lanes.length),
    depth: new Uint32Array(columns.depth),
    kind: new Uint8Array(below(columns.kind, EVENT_KINDS.length)),
    text: { name: texts('name'), op: texts('op'), layer: texts('layer'), dtype: texts('dtype'), tc: verdicts.tc },
    id: finite(columns.id, 0),
    flops: finite(columns.flops, -1),
    bytes: finite(columns.bytes, -1),
    arrows: arrowsOf(pairs, count),
  };
}
