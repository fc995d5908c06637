/** A tape → the events of a span of time, packed for the canvas. */
import type { ProfileRecord } from '../../record/record.js';
import { isLaunch, NO_LAUNCH, rowOf, type EventOrder } from './event-order.js';
import { LaneDepths, type LaneTable } from './timeline-lanes.js';
import { packColumn } from './column-packing.js';
import { EVENT_KINDS, TIMELINE_COLUMNS, type Lane, type Timeline, type TimelineColumn } from './page-data.js';
import type { EventBuffer } from './event-buffer.js';
import { TextTable } from './text-table.js';
import type { ChosenSpan } from './timeline-choice.js';

/** What a timeline is made of. */
export interface TimelineInput {
  readonly tape: EventBuffer;
  readonly lanes: LaneTable;
  readonly header: ProfileRecord | null;
  readonly span: ChosenSpan;
  readonly order: EventOrder;
  /** Events of the span, kept or not. */
  readonly total: number;
}

type TimelineArrays = Record<TimelineColumn, Float64Array>;

/** Longer texts are cut; to SHORT when there are more characters than MOST_TEXT. */
const LONGEST_TEXT = 600;
const LONGEST_TEXT_IN_FULL_TABLE = 60;
const FULL_TABLE_CHARACTERS = 4_000_000;

/** A return type says nothing of a kernel: all have it. */
const VOID = /^void /;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** @param most events, the first of the span */
export function timelineOf(recorded: TimelineInput, most: number): Timeline {
  const { span, order, total } = recorded;
  const shown = order.events.subarray(0, most);
  const columns = Object.fromEntries(
    TIMELINE_COLUMNS.map((name) => [name, new Float64Array(shown.length)]),
  ) as TimelineArrays;
  const texts = writeEvents(recorded, shown, columns);
  const lanes = placeEvents(recorded, columns, shown);
  const isCut = total > shown.length;
  const next = order.events[shown.length];
  return {
    what: isCut ? `first ${shown.length} events${span.what === 'all' ? '' : ` of ${span.what}`}` : span.what,
    start: span.start,
    end: isCut ? endOf(recorded, shown, next) : span.end,
    texts,
    lanes,
    events: shown.length,
    leftOut: total - shown.length,
    columns: Object.fromEntries(
      TIMELINE_COLUMNS.map((name) => [name, packColumn(columns[name])]),
    ) as Timeline['columns'],
    arrows: packColumn(arrowsOf(order, shown)),
  };
}

/** Where the events end that are shown: at the first that is left out. */
function endOf({ order, span }: TimelineInput, shown: Uint32Array, next: number | undefined): number {
  const last = next ?? shown.at(-1);
  return last === undefined ? span.end : Math.max(span.start, Math.min(span.end, order.startOf(last)));
}

const LAUNCH = EVENT_KINDS.indexOf('launch');
const TEXT_COLUMNS = ['op', 'layer', 'dtype', 'tc'] as const;

function writeEvents(
  { tape, order, span }: TimelineInput,
  shown: Uint32Array,
  columns: TimelineArrays,
): readonly string[] {
  const texts = new TextTable();
  const numbers = new Map<number, number>();
  const textOf = (number: number): number => {
    let known = numbers.get(number);
    if (known === undefined) {
      const text = tape.texts.at(number).replace(VOID, '');
      numbers.set(
        number,
        (known = texts.numberOf(
          cut(text, texts.size > FULL_TABLE_CHARACTERS ? LONGEST_TEXT_IN_FULL_TABLE : LONGEST_TEXT),
        )),
      );
    }
    return known;
  };
  shown.forEach((event, i) => {
    const row = rowOf(event);
    columns.start[i] = order.startOf(event) - span.start;
    columns.dur[i] = order.durOf(event);
    const cell = (name: Parameters<EventBuffer['column']>[0]): number => tape.column(name)[row] ?? 0;
    columns.flops[i] = columns.bytes[i] = -1;
    if (isLaunch(event)) {
      columns.kind[i] = LAUNCH;
      columns.lane[i] = cell('launchLane');
      columns.name[i] = textOf(cell('launchName'));
      return;
    }
    columns.name[i] = textOf(cell('name'));
    for (const name of ['kind', 'lane', 'id', 'flops', 'bytes'] as const) columns[name][i] = cell(name);
    for (const name of TEXT_COLUMNS) columns[name][i] = textOf(cell(name));
  });
  return texts.all;
}

/** Numbers the lanes that have events, in the order in which they are shown, and puts events that overlap below each other. */
function placeEvents({ lanes, header }: TimelineInput, columns: TimelineArrays, shown: Uint32Array): Lane[] {
  const used = new Map<number, LaneDepths>();
  for (let i = 0; i < shown.length; i++) {
    const lane = columns.lane[i] ?? 0;
    let depths = used.get(lane);
    if (depths === undefined) used.set(lane, (depths = new LaneDepths()));
    const start = columns.start[i] ?? 0;
    columns.depth[i] = depths.place(start, start + (columns.dur[i] ?? 0));
  }
  const order = lanes.order.filter((lane) => used.has(lane));
  const numbers = new Map(order.map((lane, i) => [lane, i]));
  columns.lane.forEach((lane, i) => (columns.lane[i] = numbers.get(lane) ?? 0));
  return order.map((lane) => lanes.lane(lane, used.get(lane)?.depth ?? 0, header));
}

/** Pairs of event numbers: a launch, and what it launched. */
function arrowsOf({ launchOf }: EventOrder, shown: Uint32Array): Uint32Array {
  const numbers = new Map<number, number>();
  shown.forEach((event, i) => {
    if (isLaunch(event)) numbers.set(event, i);
  });
  const arrows: number[] = [];
  shown.forEach((event, i) => {
    const launch = isLaunch(event) ? NO_LAUNCH : (launchOf[rowOf(event)] ?? NO_LAUNCH);
    const from = launch === NO_LAUNCH ? undefined : numbers.get(launch);
    if (from !== undefined) arrows.push(from, i);
  });
  return Uint32Array.from(arrows);
}
