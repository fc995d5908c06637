/**
 * Joins pieces of several ranks into one timeline on one axis: each event appears once; lanes, strings and facts get new
 * numbers. Does not need a document.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import {
  byColumn,
  NO_EVENT,
  NUMBER_COLUMNS,
  TEXT_COLUMNS,
  type Lane,
  type NumberColumn,
  type TextColumn,
  type Timeline,
} from '../../../prof/html/timeline/timeline-data.js';
import { joinedCoverage, onAxis, type TimelineCoverage, type LaneRank } from '../events/coverage.js';
import { arrowsOf, countOf, timeOf, loadEvents, type TimelineEvents } from '../events/events.js';
import type { FactLists } from '../events/kernel-facts.js';
import type { View } from '../model/view.js';
import { rankGroup, extrasOnAxis, type RankExtras } from '../tracks/rank-extras.js';
import { loadExtras, type LoadedTimeline } from '../tracks/load-tracks.js';
import { NO_CONTEXT, type ContextOfProfile } from '../tracks/timeline-context.js';
import type { AlignedPieces } from './aligned-pieces.js';
import type { PageRank } from './page-ranks.js';

export interface RankEvents {
  readonly rank: LaneRank;
  /** Times count from the start of the rank's profile. */
  readonly events: TimelineEvents;
  /** Whether only events within the time of the joined timeline are used. */
  readonly isCut: boolean;
}

interface JoinedAbout {
  /** Time in ns on the axis. */
  readonly time: View;
  readonly coverage: TimelineCoverage;
  /** The rank whose start is the start of the axis: see `LaneRanks`. */
  readonly zero: string;
}

/** Events that are used from a part, by their indices there, and their positions in the joined timeline. */
interface TakenEvents extends RankEvents {
  readonly taken: Uint32Array;
  /** Starts in ns on the axis, by index in `taken`. */
  readonly starts: Float64Array;
  /** For each index in the part, the index in the joined timeline; NO_EVENT for events that are not used. */
  readonly places: Uint32Array;
  /** For each string number in the part, the number in the joined timeline. */
  readonly texts: Uint32Array;
  /** Offsets added to its lane numbers, and to its numbers of fact lists. */
  readonly laneOffset: number;
  readonly factOffset: number;
}

/** Parts are in the order in which their lanes are listed. */
export function joinRanks(parts: readonly RankEvents[], { time, coverage, zero }: JoinedAbout): TimelineEvents {
  const texts = new SharedTexts();
  let [lanes, lists] = [0, 0];
  const all = parts.map((part): TakenEvents => {
    const [taken, starts] = takenOf(part, time);
    const places = new Uint32Array(part.events.count).fill(NO_EVENT);
    const offsets = { laneOffset: lanes, factOffset: lists };
    const made = { ...part, ...offsets, taken, starts, places, texts: texts.numbersOf(part.events) };
    lanes += part.events.lanes.length;
    lists += Math.max(0, part.events.facts.ends.length - 1);
    return made;
  });
  const count = all.reduce((sum, { taken }) => sum + taken.length, 0);
  setPlaces(all, count);
  return {
    count,
    span: Math.max(1, time.to - time.from),
    origin: time.from,
    coverage,
    ...columnsOf(all, count, time.from),
    ...{ lanes: all.flatMap(lanesOf), texts: texts.all, facts: factsOf(all), shortNames: shortNamesOf(all) },
    arrows: arrowsOf(all.flatMap(arrowsIn), count),
    dependencies: dependenciesOf(all),
    ranks: { ranks: parts.map(({ rank }) => rank), ofLane: ranksOfLanes(parts), zero },
  };
}

/** Equal strings get the same number, so that they have one colour and one row in sums. */
class SharedTexts {
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly all: string[] = [''];

  numbersOf({ texts }: TimelineEvents): Uint32Array {
    return Uint32Array.from(texts, (text) => entryOf(this.#numbers, text, () => this.all.push(text) - 1));
  }
}

/** Events of a part that are used, in order, and their starts on the axis. */
function takenOf({ events, rank, isCut }: RankEvents, { from, to }: View): readonly [Uint32Array, Float64Array] {
  const { count, start, dur, origin } = events;
  const taken = new Uint32Array(count);
  const starts = new Float64Array(count);
  let length = 0;
  for (let event = 0; event < count; event++) {
    const at = onAxis(rank.clock, origin + elementAt(start, event));
    const end = at + elementAt(dur, event);
    // An event without duration counts at its start.
    const isInside = at < to && (end > from || (end === at && at >= from));
    if (isCut && !isInside) continue;
    taken[length] = event;
    starts[length++] = at;
  }
  return [taken.slice(0, length), starts.slice(0, length)];
}

/**
 * Sets positions in order of start time; for equal starts, events of earlier parts come first, and those of one part
 * keep their order.
 */
function setPlaces(parts: readonly TakenEvents[], count: number): void {
  const starts = new Float64Array(count);
  const runs: number[] = [];
  let end = 0;
  for (const part of parts) {
    runs.push(end);
    starts.set(part.starts, end);
    end += part.starts.length;
  }
  const places = new Uint32Array(count);
  for (const [place, event] of mergedRuns(starts, runs).entries()) places[event] = place;
  for (const [at, part] of parts.entries()) {
    const first = elementAt(runs, at);
    for (const [i, event] of part.taken.entries()) part.places[event] = elementAt(places, first + i);
  }
}

/**
 * Indices of numbers in ascending order, when each run of them is ascending: neighbouring runs are merged until one is
 * left.
 * @param firsts start indices of the runs
 */
function mergedRuns(numbers: Float64Array, firsts: readonly number[]): Uint32Array {
  let order = Uint32Array.from(numbers, (_, i) => i);
  let runs = firsts;
  while (runs.length > 1) {
    const next = new Uint32Array(order.length);
    for (let run = 0; run < runs.length; run += 2) {
      let [a, b, to] = [elementAt(runs, run), runs[run + 1] ?? order.length, elementAt(runs, run)];
      const [middle, end] = [b, runs[run + 2] ?? order.length];
      while (to < end) {
        const isLeft = b === end || (a < middle && at(numbers, order, a) <= at(numbers, order, b));
        next[to++] = elementAt(order, isLeft ? a++ : b++);
      }
    }
    runs = runs.filter((_, run) => run % 2 === 0);
    order = next;
  }
  return order;
}

const at = (numbers: Float64Array, order: Uint32Array, place: number): number =>
  elementAt(numbers, elementAt(order, place));

type JoinedColumn = 'start' | 'dur' | 'lane' | 'depth' | 'kind' | 'dir' | 'gap' | 'text' | 'factList' | 'merged';

/** Columns of the joined timeline. @param from start of its time, in ns on the axis */
function columnsOf(
  parts: readonly TakenEvents[],
  count: number,
  from: number,
): Pick<TimelineEvents, NumberColumn | JoinedColumn> {
  const filled = <Numbers extends Float64Array | Uint32Array | Uint8Array>(
    column: Numbers,
    value: (part: TakenEvents, event: number) => number,
  ): Numbers => {
    for (const part of parts)
      for (const event of part.taken) column[elementAt(part.places, event)] = value(part, event);
    return column;
  };
  const numbers = (name: NumberColumn | 'dur'): Float64Array =>
    filled(new Float64Array(count), ({ events }, event) => elementAt(events[name], event));
  const text = (name: TextColumn): Uint32Array =>
    filled(new Uint32Array(count), ({ events, texts }, event) => texts[elementAt(events.text[name], event)] ?? 0);
  const merged = (value: (events: TimelineEvents, event: number) => number): Float64Array =>
    filled(new Float64Array(count), ({ events }, event) => value(events, event));
  const start = new Float64Array(count);
  for (const { taken, starts, places } of parts)
    for (const [i, event] of taken.entries()) start[elementAt(places, event)] = elementAt(starts, i) - from;
  return {
    start,
    dur: numbers('dur'),
    ...byColumn(NUMBER_COLUMNS, numbers),
    lane: filled(new Uint32Array(count), ({ events, laneOffset }, event) => laneOffset + elementAt(events.lane, event)),
    depth: filled(new Uint32Array(count), ({ events }, event) => elementAt(events.depth, event)),
    kind: filled(new Uint8Array(count), ({ events }, event) => elementAt(events.kind, event)),
    dir: filled(new Uint8Array(count), ({ events }, event) => elementAt(events.dir, event)),
    gap: filled(new Uint8Array(count), ({ events }, event) => elementAt(events.gap, event)),
    text: byColumn(TEXT_COLUMNS, text),
    factList: filled(new Uint32Array(count), ({ events, factOffset }, event) => {
      const list = elementAt(events.factList, event);
      return list === 0 || list >= events.facts.ends.length ? 0 : factOffset + list;
    }),
    merged: parts.every(({ events }) => events.merged === null)
      ? null
      : { count: merged(countOf), time: merged(timeOf) },
  };
}

/** Lane groups are prefixed with the rank: 'rank 3 · device 0'. */
const lanesOf = ({ events, rank }: RankEvents): Lane[] =>
  events.lanes.map((lane) => ({ ...lane, group: rankGroup(rank.name, lane.group) }));

/** Short kernel names by name, both as numbers in the joined timeline. */
const shortNamesOf = (parts: readonly TakenEvents[]): ReadonlyMap<number, number> =>
  new Map(
    parts.flatMap(({ events, texts }) =>
      [...events.shortNames].map(([name, short]) => [texts[name] ?? 0, texts[short] ?? 0] as const),
    ),
  );

const ranksOfLanes = (parts: readonly RankEvents[]): Uint32Array =>
  Uint32Array.from(parts.flatMap(({ events }, rank) => events.lanes.map(() => rank)));

/** Concatenates the lists of facts; the first list of each part is empty, and is included once. */
function factsOf(parts: readonly TakenEvents[]): FactLists {
  const texts: string[] = [];
  const [pairs, ends]: [number[], number[]] = [[], [0]];
  for (const { facts } of parts.map(({ events }) => events)) {
    const [firstText, firstPair] = [texts.length, pairs.length];
    for (const text of facts.texts) texts.push(text);
    for (const number of facts.pairs) pairs.push(firstText + number);
    for (const end of facts.ends.subarray(1)) ends.push(firstPair + end);
  }
  return { texts, pairs: Uint32Array.from(pairs), ends: Uint32Array.from(ends) };
}

/** Pairs of a launch and an event that it launched, when both are used. */
function arrowsIn({ events: { arrows }, places }: TakenEvents): number[] {
  const pairs: number[] = [];
  for (let i = 0; i + 1 < arrows.pairs.length; i += 2) {
    const [from, to] = [elementAt(arrows.pairs, i), elementAt(arrows.pairs, i + 1)].map((event) =>
      elementAt(places, event),
    );
    if (from !== undefined && to !== undefined && from !== NO_EVENT && to !== NO_EVENT) pairs.push(from, to);
  }
  return pairs;
}

function dependenciesOf(parts: readonly TakenEvents[]): TimelineEvents['dependencies'] {
  const [later, earlier, what]: [number[], number[], number[]] = [[], [], []];
  for (const { events, places, texts } of parts) {
    const { dependencies } = events;
    for (let i = 0; i < dependencies.later.length; i++) {
      const waited = places[elementAt(dependencies.later, i)] ?? NO_EVENT;
      if (waited === NO_EVENT) continue;
      later.push(waited);
      earlier.push(places[elementAt(dependencies.earlier, i)] ?? NO_EVENT);
      what.push(texts[elementAt(dependencies.what, i)] ?? 0);
    }
  }
  return { later, earlier, what };
}

/** @param piece index among the pieces on the page */
export type LoadPiece = (profile: number, piece: number) => Promise<Timeline>;

/**
 * @param mainRank the rank whose times are on the axis
 * @param piece index of a piece of that rank
 * @param isWanted called before each rank is read, because the user may have moved on
 * @throws Error with one line when the page does not contain a piece, or it is no longer wanted
 */
export async function loadRanks(
  { pieces, time }: AlignedPieces,
  mainRank: PageRank,
  piece: number,
  load: LoadPiece,
  isWanted: () => boolean,
  contextOf: ContextOfProfile = () => Promise.resolve(NO_CONTEXT),
): Promise<LoadedTimeline> {
  const parts: RankEvents[] = [];
  const extras: RankExtras[] = [];
  for (const { rank, piece: at, isCut } of pieces) {
    if (!isWanted()) throw new Error('another one is shown');
    const loaded = await load(rank.profile, at);
    const events = await loadEvents(loaded);
    parts.push({ rank, isCut, events });
    extras.push({
      rank,
      origin: events.origin,
      extras: await loadExtras(loaded, events, await contextOf(rank.profile)),
    });
  }
  const merged = parts.map(({ events }) => events.coverage.merged);
  const coverage = joinedCoverage(elementAt(mainRank.timeline.pieces, piece).name, time, mainRank.name, merged);
  return {
    events: joinRanks(parts, { time, coverage, zero: mainRank.name }),
    extras: extrasOnAxis(extras, time.from, mainRank.name),
  };
}
