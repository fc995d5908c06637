/** Turns events of a buffer into a piece of a timeline, packed for the canvas. */
import { entryOf } from '../../../containers/map-entry.js';
import { elementAt } from '../../../containers/element.js';
import type { ProfileRecord } from '../../../record/record.js';
import { isLaunch, NO_LAUNCH, rowOf, type EventOrder, type TimeSpan } from './event-order.js';
import { LaneDepths, type LaneTable } from './timeline-lanes.js';
import { packColumn, TextTable } from './column-packing.js';
import {
  byColumn,
  EVENT_COLUMNS,
  EVENT_KINDS,
  NUMBER_COLUMNS,
  TEXT_COLUMNS,
  TIMELINE_COLUMNS,
  type Lane,
  type MergedColumns,
  type PackedTimeline,
  type TimelineColumn,
  type TimelineTables,
  isHostRange,
} from './timeline-data.js';
import type { EventBuffer, EventColumn } from './event-buffer.js';
import { annotationName } from '../../by/host/range-name.js';
import { EventNames, type ShortNames } from './names/event-names.js';
import { UsedFacts, type FactTable } from './fact-table.js';
import { longestTexts, NO_LONGEST, type LongestTexts } from './longest-texts.js';

/** Events in order of start time, and the time span in which they run. */
interface PieceEvents extends TimeSpan {
  /** 'whole profile', 'step 5' … */
  readonly what: string;
  readonly shown: Uint32Array;
}

/** For each row, the number of events that it represents, and the sum of their durations. */
interface MergedRows {
  readonly resolution: number;
  readonly counts: readonly number[];
  readonly times: readonly number[];
}

type TimelineArrays = Record<TimelineColumn, Float64Array>;

/** Strings are cut to this length, or to a shorter one when all strings together have too many characters. */
const LONGEST_TEXT = 4000;
const LONGEST_FACT = 2000;
const LONGEST_TEXT_IN_FULL_TABLE = 60;
const FULL_TABLE_CHARACTERS = 4_000_000;

/** The return type is left out, because it is the same for all kernels. */
const RETURN_TYPE = /^void /;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const [LAUNCH, WAIT] = [EVENT_KINDS.indexOf('launch'), EVENT_KINDS.indexOf('wait')];
const COPIED_COLUMNS = ['kind', 'lane', 'dir', 'gap', ...NUMBER_COLUMNS] as const;

/**
 * Returns the value of a column for a cell of the buffer.
 * @param i index of the event in the piece
 */
type ValueOf = (cell: number, i: number) => number;

const itself: ValueOf = (cell) => cell;

/** Indexes of some events in a list. */
function placesOf(events: Uint32Array, isWanted: (event: number) => boolean): Uint32Array {
  const places = new Uint32Array(events.length);
  let count = 0;
  for (let i = 0; i < events.length; i++) if (isWanted(events[i] as number)) places[count++] = i;
  return places.subarray(0, count);
}

/** Packs the pieces of one profile, which share strings and lanes. */
export class PiecePacker {
  readonly #texts = new TextTable();
  /** Lanes in the order in which they are shown. */
  readonly #lanes: Lane[];
  /** Index in `#lanes` by lane number. */
  readonly #places: ReadonlyMap<number, number>;

  readonly #facts: UsedFacts;
  /** Pairs of strings: the name of an event and its name in tables. */
  readonly #shortNames = new Map<number, number>();
  /** The longest strings of the piece that is packed first, which is the whole profile. */
  #longest: LongestTexts | null = null;
  /** Strings that events have. */
  readonly #used = {
    kernel: new Set<number>(),
    range: new Set<number>(),
    op: new Set<number>(),
    category: new Set<number>(),
    layer: new Set<number>(),
  };

  constructor(
    lanes: LaneTable,
    facts: FactTable,
    header: ProfileRecord | null,
    private readonly shortNames: ShortNames,
  ) {
    const { order } = lanes;
    this.#facts = new UsedFacts(facts, (text) => cut(text, LONGEST_FACT));
    this.#lanes = order.map((lane) => lanes.lane(lane, 0, header));
    this.#places = new Map(order.map((lane, place) => [lane, place]));
  }

  /** Must be called after all pieces are packed. */
  get tables(): Omit<TimelineTables, 'tracks' | 'marks'> {
    const shortNames = packColumn(Uint32Array.from([...this.#shortNames].flat()));
    return { texts: this.#texts.all, lanes: this.#lanes, facts: this.#facts.packed, shortNames };
  }

  /** The longest strings of the piece that was packed first. */
  get longest(): LongestTexts {
    return this.#longest ?? NO_LONGEST;
  }

  /** Must be called after all pieces are packed. */
  get names(): EventNames {
    const { kernel, range, op, category, layer } = this.#used;
    const textsOf = (numbers: ReadonlySet<number>): string[] => [...numbers].map((number) => this.#texts.at(number));
    const shortOf = (numbers: ReadonlySet<number>): string[] =>
      textsOf(new Set([...numbers].map((number) => this.#shortNames.get(number) ?? number)));
    return new EventNames({
      ...{ kernel: shortOf(kernel), range: shortOf(range), op: textsOf(op) },
      ...{ category: textsOf(category), layer: textsOf(layer) },
    });
  }

  pack(buffer: EventBuffer, order: EventOrder, piece: PieceEvents, merged: MergedRows | null = null): PackedTimeline {
    const { what, start, end, shown } = piece;
    const columns: TimelineArrays = byColumn(TIMELINE_COLUMNS, () => new Float64Array(shown.length));
    this.#writeEvents(buffer, order, piece, columns);
    const laneNumbers = this.#assignLanes(columns);
    this.#longest ??= longestTexts(
      columns,
      (i) => elementAt(merged?.times ?? columns.dur, merged === null ? i : rowOf(elementAt(shown, i))),
      (i) => elementAt(this.#lanes, elementAt(laneNumbers, elementAt(columns.lane, i))).kind === 'device',
      (number) => this.#texts.at(number),
    );
    return {
      ...{ what, start, end, laneNumbers, events: shown.length },
      columns: byColumn(TIMELINE_COLUMNS, (name) => packColumn(columns[name])),
      merged: merged === null ? null : mergedColumns(merged, shown),
      arrows: packColumn(arrowsOf(order, shown)),
      dependencies: buffer.dependencies.packed(eventsOfKernels(columns), this.#texts),
    };
  }

  #writeEvents(buffer: EventBuffer, order: EventOrder, { start, shown }: PieceEvents, columns: TimelineArrays): void {
    const { textOf, nameOf } = this.#shownTexts(buffer);
    shown.forEach((event, i) => {
      columns.start[i] = order.startOf(event) - start;
      columns.dur[i] = order.durOf(event);
    });
    // Column by column, because a column look-up for each cell would take most of the time.
    const fill = (to: TimelineColumn, from: EventColumn, places: Uint32Array, valueOf: ValueOf = itself): void => {
      const [cells, values] = [buffer.column(from), columns[to]];
      for (const i of places) values[i] = valueOf(cells[rowOf(shown[i] as number)] as number, i);
    };
    const activities = placesOf(shown, (event) => !isLaunch(event));
    for (const name of COPIED_COLUMNS) fill(name, name, activities);
    fill('facts', 'facts', activities, (facts) => this.#facts.numberOf(facts));
    // Strings are numbered in this order.
    fill('name', 'name', activities, (name, i) => nameOf(name, elementAt(columns.kind, i)));
    for (const name of TEXT_COLUMNS) if (name !== 'name') fill(name, name, activities, textOf);
    for (const i of activities) {
      this.#used.op.add(elementAt(columns.op, i));
      this.#used.category.add(elementAt(columns.category, i));
      this.#used.layer.add(elementAt(columns.layer, i));
    }
    const launches = placesOf(shown, isLaunch);
    // The call of a wait did not launch anything.
    fill('kind', 'kind', launches, (kind) => (kind === WAIT ? WAIT : LAUNCH));
    fill('lane', 'launchLane', launches);
    fill('name', 'launchName', launches, textOf);
    for (const name of NUMBER_COLUMNS) for (const i of launches) columns[name][i] = EVENT_COLUMNS[name].unknown;
  }

  /** Numbers of a buffer's strings in the tables, cut to the length that is shown. Names are also recorded by kind. */
  #shownTexts(buffer: EventBuffer): {
    readonly textOf: (number: number) => number;
    readonly nameOf: (number: number, kind: number) => number;
  } {
    const texts = this.#texts;
    const numbers = new Map<number, number>();
    const shortened = (number: number): number => {
      const text = buffer.texts.at(number).replace(RETURN_TYPE, '');
      const isFull = texts.size > FULL_TABLE_CHARACTERS;
      return texts.numberOf(cut(text, isFull ? LONGEST_TEXT_IN_FULL_TABLE : LONGEST_TEXT));
    };
    const textOf = (number: number): number => entryOf(numbers, number, shortened);
    const nameOf = (number: number, kind: number): number => {
      const isRange = isHostRange(elementAt(EVENT_KINDS, kind));
      const name = textOf(number);
      const used = isRange ? this.#used.range : this.#used.kernel;
      if (used.has(name)) return name;
      used.add(name);
      const full = buffer.texts.at(number);
      const short = isRange ? annotationName({ domain: null, text: full }) : this.shortNames.of(full);
      if (short !== null && short !== full) this.#shortNames.set(name, texts.numberOf(cut(short, LONGEST_TEXT)));
      return name;
    };
    return { textOf, nameOf };
  }

  /**
   * Puts overlapping events below each other.
   * @returns the indexes of the lanes that have events, in order
   */
  #assignLanes(columns: TimelineArrays): number[] {
    const used = new Map<number, LaneDepths>();
    for (const [i, lane] of columns.lane.entries()) {
      const start = elementAt(columns.start, i);
      columns.depth[i] = entryOf(used, lane, () => new LaneDepths()).place(start, start + elementAt(columns.dur, i));
    }
    const placeOf = (lane: number): number => {
      const place = this.#places.get(lane);
      if (place === undefined) throw new RangeError(`no lane ${lane}`);
      return place;
    };
    const shown = [...used.keys()].sort((a, b) => placeOf(a) - placeOf(b));
    for (const [lane, { depth }] of used) this.#deepen(placeOf(lane), depth);
    const numbers = new Map(shown.map((lane, number) => [lane, number]));
    columns.lane = columns.lane.map((lane) => numbers.get(lane) ?? 0);
    return shown.map(placeOf);
  }

  #deepen(place: number, depth: number): void {
    const lane = elementAt(this.#lanes, place);
    if (depth > lane.depth) this.#lanes[place] = { ...lane, depth };
  }
}

function mergedColumns({ resolution, counts, times }: MergedRows, shown: Uint32Array): MergedColumns {
  const pack = (numbers: readonly number[]) =>
    packColumn(Float64Array.from(shown, (event) => elementAt(numbers, rowOf(event))));
  return { resolution, count: pack(counts), time: pack(times) };
}

/** Events by the number of their kernel. */
function eventsOfKernels({ id }: TimelineArrays): (kernel: number) => number | undefined {
  const events = new Map<number, number>();
  for (const [event, kernel] of id.entries()) if (kernel > 0) events.set(kernel, event);
  return (kernel) => events.get(kernel);
}

/** Pairs of event indexes: a launch, and an activity that it launched. */
function arrowsOf({ launchOf }: EventOrder, shown: Uint32Array): Uint32Array {
  const numbers = new Map<number, number>();
  shown.forEach((event, i) => {
    if (isLaunch(event)) numbers.set(event, i);
  });
  const arrows: number[] = [];
  shown.forEach((event, i) => {
    const launch = isLaunch(event) ? NO_LAUNCH : elementAt(launchOf, rowOf(event));
    const from = launch === NO_LAUNCH ? undefined : numbers.get(launch);
    if (from !== undefined) arrows.push(from, i);
  });
  return Uint32Array.from(arrows);
}
