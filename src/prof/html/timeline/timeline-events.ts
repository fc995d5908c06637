/** An event buffer → the events of a span of time, packed for the canvas. */
import { entryOf } from '../../../containers/map-entry.js';
import { elementAt } from '../../../containers/element.js';
import type { ProfileRecord } from '../../../record/record.js';
import { isLaunch, NO_LAUNCH, rowOf, type EventOrder } from './event-order.js';
import { LaneDepths, type LaneTable } from './timeline-lanes.js';
import { packColumn } from '../column-packing.js';
import {
  EVENT_KINDS,
  TIMELINE_COLUMNS,
  type Lane,
  type ShownActivities,
  type Timeline,
  type TimelineColumn,
} from '../page-data.js';
import type { EventBuffer, EventColumn } from './event-buffer.js';
import { TextTable } from '../text-table.js';

/** The chosen span, ns, and its name: 'step 5', '0 to 50 ms', 'all'. */
export interface ChosenSpan {
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

interface TimelineInput {
  readonly buffer: EventBuffer;
  readonly lanes: LaneTable;
  readonly header: ProfileRecord | null;
  readonly span: ChosenSpan;
  readonly order: EventOrder;
  /** The first events of the order. */
  readonly shown: Uint32Array;
  /** Null where their number is not known. */
  readonly leftOut: number | null;
  /** Start of the first event that is left out; beyond the span where none is. */
  readonly cutAt: number;
  readonly activities: ShownActivities;
}

type TimelineArrays = Record<TimelineColumn, Float64Array>;

/** Texts are cut to this length, and to a shorter one when all texts together have too many characters. */
const LONGEST_TEXT = 600;
const LONGEST_FACT = 2000;
const LONGEST_TEXT_IN_FULL_TABLE = 60;
const FULL_TABLE_CHARACTERS = 4_000_000;

/** The return type, which all kernels share. */
const RETURN_TYPE = /^void /;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function timelineOf(input: TimelineInput): Timeline {
  const { buffer, span, order, shown, leftOut, cutAt, activities } = input;
  const columns = Object.fromEntries(
    TIMELINE_COLUMNS.map((name) => [name, new Float64Array(shown.length)]),
  ) as TimelineArrays;
  const texts = writeEvents(input, shown, columns);
  const lanes = assignLanes(input, columns);
  const facts = buffer.facts.packed(columns.facts, (text) => cut(text, LONGEST_FACT));
  return {
    what: leftOut !== 0 ? `first ${shown.length} events${span.what === 'all' ? '' : ` of ${span.what}`}` : span.what,
    start: span.start,
    end: Math.max(span.start, Math.min(span.end, cutAt)),
    dependencies: buffer.dependencies.packed(eventsOfKernels(columns), texts),
    texts: texts.all,
    lanes,
    events: shown.length,
    leftOut,
    activities,
    columns: Object.fromEntries(
      TIMELINE_COLUMNS.map((name) => [name, packColumn(columns[name])]),
    ) as Timeline['columns'],
    arrows: packColumn(arrowsOf(order, shown)),
    facts,
  };
}

const LAUNCH = EVENT_KINDS.indexOf('launch');
const NUMBER_COLUMNS = ['kind', 'lane', 'id', 'pc', 'flops', 'bytes', 'facts', 'seq'] as const;
const TEXT_COLUMNS = ['op', 'layer', 'dtype', 'tc', 'operands', 'queue'] as const;

function writeEvents({ buffer, order, span }: TimelineInput, shown: Uint32Array, columns: TimelineArrays): TextTable {
  const texts = new TextTable();
  const numbers = new Map<number, number>();
  const shortened = (number: number): number => {
    const text = buffer.texts.at(number).replace(RETURN_TYPE, '');
    const isFull = texts.size > FULL_TABLE_CHARACTERS;
    return texts.numberOf(cut(text, isFull ? LONGEST_TEXT_IN_FULL_TABLE : LONGEST_TEXT));
  };
  const textOf = (number: number): number => entryOf(numbers, number, shortened);
  shown.forEach((event, i) => {
    const row = rowOf(event);
    columns.start[i] = order.startOf(event) - span.start;
    columns.dur[i] = order.durOf(event);
    const cell = (name: EventColumn): number => elementAt(buffer.column(name), row);
    columns.flops[i] = columns.bytes[i] = columns.pc[i] = columns.seq[i] = -1;
    if (isLaunch(event)) {
      columns.kind[i] = LAUNCH;
      columns.lane[i] = cell('launchLane');
      columns.name[i] = textOf(cell('launchName'));
      return;
    }
    columns.name[i] = textOf(cell('name'));
    for (const name of NUMBER_COLUMNS) columns[name][i] = cell(name);
    for (const name of TEXT_COLUMNS) columns[name][i] = textOf(cell(name));
  });
  return texts;
}

/** Numbers the lanes that have events, in the order in which they are shown, and puts overlapping events below each other. */
function assignLanes({ lanes, header }: TimelineInput, columns: TimelineArrays): Lane[] {
  const used = new Map<number, LaneDepths>();
  for (const [i, lane] of columns.lane.entries()) {
    const start = elementAt(columns.start, i);
    columns.depth[i] = entryOf(used, lane, () => new LaneDepths()).place(start, start + elementAt(columns.dur, i));
  }
  const shownLanes: Lane[] = [];
  const numbers = new Map<number, number>();
  for (const lane of lanes.order) {
    const depths = used.get(lane);
    if (depths !== undefined) numbers.set(lane, shownLanes.push(lanes.lane(lane, depths.depth, header)) - 1);
  }
  columns.lane = columns.lane.map((lane) => {
    const number = numbers.get(lane);
    if (number === undefined) throw new RangeError(`no lane ${lane}`);
    return number;
  });
  return shownLanes;
}

/** Events by the numbers of their kernels. */
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
