/** The events of a timeline in typed arrays, and which event launched which. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import {
  byColumn,
  DIRECTIONS,
  EVENT_COLUMNS,
  EVENT_KINDS,
  GAP_CAUSES,
  isHostRange,
  NO_EVENT,
  NUMBER_COLUMNS,
  TEXT_COLUMNS,
  TIMELINE_COLUMNS,
  type Dependencies,
  type EventKind,
  type Lane,
  type NumberColumn,
  type TextColumn,
  type Timeline,
  type TimelineColumn,
} from '../../../prof/html/timeline/timeline-data.js';
import type { KernelWork } from '../../../prof/tally/kernel-tally.js';
import { coverageOf, type TimelineCoverage, type LaneRanks } from './coverage.js';
import { unpackColumn, type UnpackedColumn } from './column-unpacking.js';
import { loadFacts, type FactLists } from './kernel-facts.js';

/** Events by index, in order of start time. An unknown number is -1, an unknown id is 0. */
export interface TimelineEvents extends Readonly<Record<NumberColumn, Float64Array>> {
  readonly count: number;
  /** Time in ns from the timeline's start to its end, at least 1; events are drawn only up to the end. */
  readonly span: number;
  /** Start of the timeline, in ns from the profile's start; with several ranks, from that of one of the profiles. */
  readonly origin: number;
  readonly coverage: TimelineCoverage;
  readonly lanes: readonly Lane[];
  /** '' means unknown. */
  readonly texts: readonly string[];
  readonly start: Float64Array;
  readonly dur: Float64Array;
  readonly lane: Uint32Array;
  readonly depth: Uint32Array;
  readonly kind: Uint8Array;
  readonly text: Readonly<Record<TextColumn, Uint32Array>>;
  /** Number of a list in `facts`; 0 for none. */
  readonly factList: Uint32Array;
  readonly facts: FactLists;
  /** Index into DIRECTIONS. */
  readonly dir: Uint8Array;
  /** One more than the index into GAP_CAUSES; 0 where its device was not idle before it. */
  readonly gap: Uint8Array;
  /** For an event's name, the name in tables if it differs; both as indices into `texts`. */
  readonly shortNames: ReadonlyMap<number, number>;
  readonly arrows: LaunchArrows;
  readonly dependencies: DependencyColumns;
  /** Null when no events are merged. */
  readonly merged: MergedEvents | null;
  /** Null when all lanes belong to one profile. */
  readonly ranks: LaneRanks | null;
}

/** For each bar, the number of its events, and the sum of their durations in ns. */
interface MergedEvents {
  readonly count: Float64Array;
  readonly time: Float64Array;
}

type DependencyColumns = Readonly<Record<keyof Dependencies, ArrayLike<number>>>;

/** Another instruction for which an event waited, or that waited for it. */
export interface Dependent {
  /** Null when it is not shown. */
  readonly event: number | null;
  /** Kind, and the semaphore that connects the two. */
  readonly what: string;
}

export interface LaunchArrows {
  /** Pairs of a launch and an event that it launched. */
  readonly pairs: Uint32Array;
  /** For each event, the event that launched it; -1 for none. */
  readonly launcher: Int32Array;
  /** Indices into `launched`: those of event e are first[e] to first[e + 1]. */
  readonly first: Uint32Array;
  readonly launched: Uint32Array;
}

export const kindOf = (events: TimelineEvents, event: number): EventKind =>
  elementAt(EVENT_KINDS, elementAt(events.kind, event));
export const startOf = (events: TimelineEvents, event: number): number => elementAt(events.start, event);
/**
 * Time in ns since the start of the profile (with several ranks, of one of the profiles); that start is the zero point of
 * all displayed times.
 */
export const profileTimeOf = ({ origin }: TimelineEvents, time: number): number => origin + time;
export const durOf = (events: TimelineEvents, event: number): number => elementAt(events.dur, event);
export const endOf = (events: TimelineEvents, event: number): number => startOf(events, event) + durOf(events, event);
/** Number of events that it represents; more than one for a merged bar. */
export const countOf = ({ merged }: TimelineEvents, event: number): number =>
  merged === null ? 1 : elementAt(merged.count, event);
/** Time in ns that it represents: its duration, or for a merged bar the sum of its events' durations. */
export const timeOf = ({ merged, dur }: TimelineEvents, event: number): number =>
  elementAt(merged === null ? dur : merged.time, event);
/** Share of its duration that its events fill. */
export const filledOf = (events: TimelineEvents, event: number): number => {
  const dur = durOf(events, event);
  return events.merged === null || dur <= 0 ? 1 : Math.min(1, timeOf(events, event) / dur);
};
export const laneOf = (events: TimelineEvents, event: number): Lane | undefined =>
  events.lanes[elementAt(events.lane, event)];
export const isOnDevice = (events: TimelineEvents, event: number): boolean => laneOf(events, event)?.kind === 'device';

/** Null when unknown. */
export function textOf(events: TimelineEvents, column: TextColumn, event: number): string | null {
  const text = events.texts[elementAt(events.text[column], event)];
  return text === undefined || text === '' ? null : text;
}

/** The name of a kernel or a host range as in tables; the plain name of other events. Null when unknown. */
export function tableNameOf(events: TimelineEvents, event: number): string | null {
  const short = events.shortNames.get(elementAt(events.text.name, event));
  return short === undefined ? textOf(events, 'name', event) : (events.texts[short] ?? null);
}

/**
 * A kernel's name as in tables; the plain name of other events, because the plain name of a range distinguishes it from
 * others of its kind.
 */
export const shortNameOf = (events: TimelineEvents, event: number): string | null =>
  isHostRange(kindOf(events, event)) ? textOf(events, 'name', event) : tableNameOf(events, event);

export const launchedBy = ({ arrows }: TimelineEvents, event: number): readonly number[] => [
  ...arrows.launched.subarray(elementAt(arrows.first, event), elementAt(arrows.first, event + 1)),
];

/** The events for which an event waited, and those that waited for it. Searches all dependencies. */
export function dependenciesOf(
  { dependencies: { later, earlier, what }, count, texts }: TimelineEvents,
  event: number,
): Readonly<Record<'before' | 'after', readonly Dependent[]>> {
  const [before, after]: [Dependent[], Dependent[]] = [[], []];
  const dependent = (other: number, i: number): Dependent => ({
    event: other === NO_EVENT || other >= count ? null : other,
    what: texts[elementAt(what, i)] ?? '',
  });
  for (let i = 0; i < later.length; i++) {
    const [from, to] = [elementAt(earlier, i), elementAt(later, i)];
    if (to === event) before.push(dependent(from, i));
    else if (from === event) after.push(dependent(to, i));
  }
  return { before, after };
}

/**
 * @param pairs pairs of a launch and an event that it launched; those with nonexistent events are omitted
 * @param count number of events
 */
export function arrowsOf(pairs: ArrayLike<number>, count: number): LaunchArrows {
  const kept: number[] = [];
  const launcher = new Int32Array(count).fill(-1);
  const first = new Uint32Array(count + 1);
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const from = elementAt(pairs, i);
    const to = elementAt(pairs, i + 1);
    if (from >= count || to >= count) continue;
    kept.push(from, to);
    launcher[to] = from;
    first[from + 1] = elementAt(first, from + 1) + 1;
  }
  for (let event = 0; event < count; event++) {
    first[event + 1] = elementAt(first, event + 1) + elementAt(first, event);
  }
  const next = first.slice(0, count);
  const launched = new Uint32Array(kept.length / 2);
  for (let i = 0; i < kept.length; i += 2) {
    const from = elementAt(kept, i);
    const place = elementAt(next, from);
    launched[place] = elementAt(kept, i + 1);
    next[from] = place + 1;
  }
  return { pairs: Uint32Array.from(kept), launcher, first, launched };
}

/** Numbers from a page that may be damaged; those that cannot be drawn are replaced by the minimum. */
function finite(numbers: UnpackedColumn, least: number): Float64Array {
  const kept = new Float64Array(numbers);
  for (let i = 0; i < kept.length; i++) {
    const value = elementAt(kept, i);
    if (!Number.isFinite(value) || value < least) kept[i] = least;
  }
  return kept;
}

/** Converts numbers from 1 to numbers from 0; 0, which means unknown, becomes -1. */
const oneLess = (numbers: UnpackedColumn): Float64Array => finite(numbers, 0).map((value) => value - 1);

/** Pairs of indices as a map; nonexistent indices are omitted. */
function mapOf(pairs: UnpackedColumn, limit: number): ReadonlyMap<number, number> {
  const map = new Map<number, number>();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const [from, to] = [elementAt(pairs, i), elementAt(pairs, i + 1)];
    if (from < limit && to < limit) map.set(from, to);
  }
  return map;
}

/** Indices from a page that may be damaged; too large ones are replaced by 0. */
const below = (numbers: UnpackedColumn, limit: number): Uint32Array =>
  new Uint32Array(numbers).map((index) => (index >= limit ? 0 : index));

/** Values of the column `tc`, whether tensor cores were used, in words. */
const TC_WORDS = {
  '1': 'yes',
  '0': 'no',
  '-': 'not applicable',
  '?': 'undetermined',
} as const;

/** Whether a kernel used the matrix unit, as the column `tc` of `dprof` has it; null when unknown. */
export function matrixUnitOf(events: TimelineEvents, event: number): KernelWork['tc'] {
  switch (textOf(events, 'tc', event)) {
    case TC_WORDS['1']:
      return 1;
    case TC_WORDS['0']:
      return 0;
    case TC_WORDS['-']:
      return '-';
    case TC_WORDS['?']:
      return '?';
    default:
      return null;
  }
}

/** Values of `tc` in words: the additional strings, and the column with their indices. */
function tcInWords(
  numbers: UnpackedColumn,
  texts: readonly string[],
): { readonly texts: readonly string[]; readonly tc: Uint32Array } {
  const words = Object.entries(TC_WORDS).map(([value, word], i) => ({ value, word, number: texts.length + i }));
  const numberOf = new Map(words.map(({ value, number }) => [texts.indexOf(value), number]));
  const tc = new Uint32Array(numbers).map((number) => numberOf.get(number) ?? number);
  return { texts: [...texts, ...words.map(({ word }) => word)], tc };
}

/**
 * Unpacks the events of a timeline.
 * @throws Error with one line when a column cannot be read, or the columns differ in length
 */
export async function loadEvents(timeline: Timeline): Promise<TimelineEvents> {
  const read = async (name: TimelineColumn): Promise<readonly [TimelineColumn, UnpackedColumn]> => {
    const numbers = await unpackColumn(name, timeline.columns[name]);
    if (numbers.length !== timeline.events) throw new Error(`${name}: ${numbers.length} of ${timeline.events} events`);
    return [name, numbers];
  };
  const unpacked = new Map(await Promise.all(TIMELINE_COLUMNS.map(read)));
  const columns = byColumn(TIMELINE_COLUMNS, (name) => unpacked.get(name) as UnpackedColumn);
  const pairs = await unpackColumn('arrows', timeline.arrows);
  const dependencies = await loadDependencies(timeline.dependencies);
  const facts = await loadFacts(timeline.facts);
  const count = timeline.events;
  // Events that began before the timeline have a negative start.
  const start = finite(columns.start, -Number.MAX_VALUE);
  const dur = finite(columns.dur, 0);
  const inWords = tcInWords(columns.tc, timeline.texts);
  const events = {
    count,
    span: Math.max(1, timeline.end - timeline.start || 0),
    origin: timeline.start,
    coverage: coverageOf(timeline),
    lanes: timeline.lanes,
    texts: inWords.texts,
    start,
    dur,
    lane: below(columns.lane, timeline.lanes.length),
    depth: new Uint32Array(columns.depth),
    kind: new Uint8Array(below(columns.kind, EVENT_KINDS.length)),
    text: { ...byColumn(TEXT_COLUMNS, (name) => new Uint32Array(columns[name])), tc: inWords.tc },
    factList: new Uint32Array(columns.facts),
    facts,
    dir: new Uint8Array(below(columns.dir, DIRECTIONS.length)),
    gap: new Uint8Array(below(columns.gap, 1 + GAP_CAUSES.length)),
    shortNames: mapOf(await unpackColumn('short names', timeline.shortNames), timeline.texts.length),
    dependencies,
    merged: await loadMerged(timeline),
    ranks: null,
  };
  return withDeferred(events, columns, () => arrowsOf(pairs, count));
}

/**
 * Adds the numeric columns and the arrows. Each is converted when it is first read, because drawing needs none of
 * them.
 */
function withDeferred(
  events: Omit<TimelineEvents, NumberColumn | 'arrows'>,
  columns: Readonly<Record<NumberColumn, UnpackedColumn>>,
  makeArrows: () => LaunchArrows,
): TimelineEvents {
  const converted = new Map<NumberColumn, Float64Array>();
  const numbersOf = (name: NumberColumn): Float64Array => {
    const { is, unknown } = EVENT_COLUMNS[name];
    return is === 'ordinal' ? oneLess(columns[name]) : finite(columns[name], unknown);
  };
  const readers = byColumn(NUMBER_COLUMNS, (name) => ({
    enumerable: true,
    get: () => entryOf(converted, name, () => numbersOf(name)),
  }));
  let arrows: LaunchArrows | null = null;
  const readArrows = { enumerable: true, get: () => (arrows ??= makeArrows()) };
  return Object.defineProperties(events, { ...readers, arrows: readArrows }) as TimelineEvents;
}

async function loadMerged({ merged, events }: Timeline): Promise<MergedEvents | null> {
  if (merged === null || merged.resolution === 0) return null;
  const [count, time] = await Promise.all([unpackColumn('count', merged.count), unpackColumn('time', merged.time)]);
  if (count.length !== events || time.length !== events) throw new Error('count: has another length');
  return { count: finite(count, 1), time: finite(time, 0) };
}

async function loadDependencies(packed: Dependencies): Promise<DependencyColumns> {
  const read = (name: keyof Dependencies): Promise<UnpackedColumn> => unpackColumn(name, packed[name]);
  const [later, earlier, what] = await Promise.all([read('later'), read('earlier'), read('what')]);
  if (later.length !== earlier.length || later.length !== what.length) throw new Error('later: has another length');
  return { later, earlier, what };
}
