/** The form of the timelines of a page: pieces, their events in packed columns, and what pieces share. */
import type { LongestTexts } from './longest-texts.js';

/**
 * Which piece a timeline shows first. `usual`: the whole profile; where the page has no room for the events of all pieces,
 * those of the step of median length come first. A time is a piece of its own. ns from the profile's start.
 */
export type TimelineChoice =
  | { readonly of: 'usual' }
  | { readonly of: 'step'; readonly step: number }
  | { readonly of: 'time'; readonly from: number; readonly to: number };

/** Events of all pieces; bars and points of the whole profile. */
export interface TimelineBounds {
  readonly events: number;
  readonly bars: number;
  /** Points of all tracks. */
  readonly trackPoints: number;
}

/**
 * The timeline of a profile in pieces, the whole profile first. The data holds no events: each piece has an element of its
 * own in the page, `timelineId`, which is read when the piece is shown.
 */
export interface PageTimeline {
  readonly pieces: readonly TimelinePiece[];
  /** Index of the piece that is shown first. */
  readonly first: number;
  /** Which texts have strong colours, whatever piece is shown. */
  readonly longest: LongestTexts;
  /** Names in the page's tables that no event of any piece has; layers as paths with `/` between. */
  readonly lacks: Readonly<Record<NamedField, readonly string[]>>;
}

/** Fields of a search by which the page's tables lead to events. */
export type NamedField = 'kernel' | 'op' | 'layer' | 'range';

/** A step, what lies between steps, or a part of either. */
export interface TimelinePiece {
  /** 'whole profile', 'step 5', 'step 5, part 1 of 2', 'before step 1' … */
  readonly name: string;
  /** ns from the profile's start: every event that runs after `start` and begins before `end` is there. */
  readonly start: number;
  readonly end: number;
  /** Null where the page does not hold them: the piece is drawn from that of the whole profile. */
  readonly events: number | null;
  /** The first and the last of its steps; left out of what lies between steps. */
  readonly steps?: readonly [number, number];
  /** Set where its events are bars that stand for several. */
  readonly isMerged?: true;
  /** Of a single step. A piece of it is longer: from the begin on the host to the end of the last work on a device. */
  readonly took?: StepLengths;
}

/**
 * How long a step took, ns: on the host from its begin to the begin of the next (the column `iteration` of `dprof steps`), on
 * the device from its first work to the end of the last (`span`), of several devices the longest. Null where unknown.
 */
export type StepLengths = Readonly<Record<'host' | 'device', number | null>>;

/** Part of a page that is written into an element of its own. */
export interface PagePart {
  readonly id: string;
  readonly value: TimelineTables | PackedTimeline;
}

/** Id of the element with a piece; without one, of that with the tables that all pieces of a profile share. */
export const timelineId = (profile: number, piece: number | null = null): string =>
  piece === null ? `timeline-${profile}` : `timeline-${profile}-${piece}`;

/** What all pieces of a timeline share. */
export interface TimelineTables {
  readonly texts: readonly string[];
  readonly lanes: readonly Lane[];
  readonly facts: PackedFacts;
  /** Pairs of indexes of `texts`: the name of a kernel or a range, and that of tables where it is another. */
  readonly shortNames: PackedColumn;
  readonly tracks: PackedTracks;
  readonly marks: TimelineMarks;
}

/** Samples of the whole profile over time. */
export interface PackedTracks {
  readonly list: readonly PackedTrack[];
  /** Series beyond the bound on their number. */
  readonly leftOut: number;
  /** Series whose values are all 0, which have no track. */
  readonly zero: number;
}

/** A value over time, drawn with the lanes of its group. */
export interface PackedTrack {
  readonly kind: Lane['kind'];
  /** As of its lanes. */
  readonly group: string;
  /** 'memory allocated CUDA'. */
  readonly name: string;
  /** As of its samples, like the unit. */
  readonly metric: string;
  readonly unit: string | null;
  /** ns from the profile's start, rising; each value holds up to the next. */
  readonly at: PackedColumn;
  /** NaN where the value is unknown from then on. */
  readonly values: PackedColumn;
  /** How many samples the profile has. */
  readonly samples: number;
  /** 0 where all of them are there; else ns in which the lowest, the highest and the last are. */
  readonly width: number;
}

/** What happened at a time, besides events. */
export interface TimelineMark {
  readonly kind: 'throttling' | 'missing' | 'cut' | 'step' | 'gap' | 'advice';
  /** ns from the profile's start; the end is the start where it has no duration. */
  readonly start: number;
  readonly end: number;
  readonly device: number | null;
  /** One line. */
  readonly text: string;
}

/** What the profile itself says of times; gaps and advice are elsewhere in the page. */
export interface TimelineMarks {
  /** In order of start. */
  readonly list: readonly TimelineMark[];
  /** Marks beyond the bound. */
  readonly leftOut: number;
}

/**
 * The events of a piece, for the canvas, in order of start. Columns have one number an event, packed by
 * `column-packing.ts`; texts are indexes of the texts that all pieces share.
 */
export interface PackedTimeline {
  /** Name of the piece. */
  readonly what: string;
  /** ns from the profile's start. */
  readonly start: number;
  readonly end: number;
  /** Of its lanes the place among those that all pieces share; the column `lane` has places in this list. */
  readonly laneNumbers: readonly number[];
  readonly events: number;
  readonly columns: Readonly<Record<TimelineColumn, PackedColumn>>;
  /** Null where each event stands for itself. */
  readonly merged: MergedColumns | null;
  /** Pairs of event indexes: a launch, and an activity that it launched. */
  readonly arrows: PackedColumn;
  readonly dependencies: Dependencies;
}

/** What `--explain` says of kernels: lists of a label and a text, which equal kernels share. The first list is empty. */
export interface PackedFacts {
  readonly texts: readonly string[];
  /** Label and text, indexes of `texts`, of all lists one after the other. */
  readonly pairs: PackedColumn;
  /** By list: where its numbers end in `pairs`; they begin where those of the one before end. */
  readonly ends: PackedColumn;
}

/** Of each event how many it stands for, and the sum of their durations, ns: it has kind and texts of the longest. */
export interface MergedColumns {
  /** Shorter events of a lane and depth may be merged where they are near each other, ns. */
  readonly resolution: number;
  readonly count: PackedColumn;
  readonly time: PackedColumn;
}

/** A piece with its texts and lanes. */
export interface Timeline extends Omit<PackedTimeline, 'laneNumbers'>, TimelineTables {}

/** In place of an event that is not shown. */
export const NO_EVENT = 0xffff_ffff;

/** Instructions that waited for earlier ones: three numbers for each. */
export interface Dependencies {
  /** Event that waited. */
  readonly later: PackedColumn;
  /** Event that it waited for; NO_EVENT where that is not shown. */
  readonly earlier: PackedColumn;
  /** Index of `texts`: kind, and the semaphore that joins the two. */
  readonly what: PackedColumn;
}

/** A lane of the timeline: a thread of the host, or a stream or engine of a device. */
export interface Lane {
  readonly kind: 'host' | 'device';
  readonly name: string;
  /** Name of the group that it is shown under: a process, a device. */
  readonly group: string;
  /** How many events lie over each other at most. */
  readonly depth: number;
  /** Of a thread what is kept apart from its other ranges, as it would hide them; left out for all others. */
  readonly apart?: ApartRanges;
  /** Its ids as the profile has them; left out where it is not made of a profile. */
  readonly ids?: LaneIds;
}

/** Frames of call stacks, and ranges that the program did not end while it was profiled. */
export type ApartRanges = 'frames' | 'never ended';

/** Of a lane of a device its device and stream, of a thread its process and thread; null where unknown. */
export interface LaneIds {
  readonly profile: number | null;
  readonly rank: number | null;
  readonly device?: number;
  readonly stream?: number | null;
  readonly pid?: number | null;
  readonly tid?: number | null;
}

/** What the numbers of a column are. */
interface EventColumnForm {
  /**
   * A place: where the event is drawn, or an index of another list. A text: an index of the texts, 0 where it is unknown. A
   * number: itself. An ordinal: one more than the number, so that 0 is unknown.
   */
  readonly is: 'place' | 'text' | 'number' | 'ordinal';
  /** Holds them while the timeline is made. */
  readonly array: Float64ArrayConstructor | Uint32ArrayConstructor | Uint8ArrayConstructor;
  /** Stands for what is not known. */
  readonly unknown: number;
}

const PLACE = { is: 'place', array: Uint32Array, unknown: 0 } as const;
const TIME = { is: 'place', array: Float64Array, unknown: 0 } as const;
const INDEX = { is: 'place', array: Uint8Array, unknown: 0 } as const;
const TEXT = { is: 'text', array: Uint32Array, unknown: 0 } as const;
const NUMBER = { is: 'number', array: Float64Array, unknown: -1 } as const;
const ORDINAL = { is: 'ordinal', array: Float64Array, unknown: 0 } as const;

/**
 * The columns of events, in the order in which a page has them. Whatever holds events, packs or reads them, follows this
 * table: a further text or number needs a row here and a value in `timeline-builder.ts`.
 */
export const EVENT_COLUMNS = {
  /** ns from the timeline's start; below 0 for events that began before it. */
  start: TIME,
  dur: TIME,
  /** Where the event is drawn. */
  lane: PLACE,
  depth: INDEX,
  /** Index of EVENT_KINDS. */
  kind: INDEX,
  name: TEXT,
  op: TEXT,
  layer: TEXT,
  dtype: TEXT,
  tc: TEXT,
  operands: TEXT,
  queue: TEXT,
  /** Position in the program of its engine. */
  pc: NUMBER,
  /** Of the kernel in its profile; 0 for all other events. */
  id: { is: 'number', array: Uint32Array, unknown: 0 },
  flops: NUMBER,
  bytes: NUMBER,
  /** A list of `facts`; 0 where there is none. */
  facts: PLACE,
  /** Sequence number, which forward and backward of an op share. */
  seq: NUMBER,
  /** Index of DIRECTIONS. */
  dir: INDEX,
  /** Training step. */
  step: ORDINAL,
  /** Correlation id. */
  corr: ORDINAL,
} as const satisfies Readonly<Record<string, EventColumnForm>>;
export type TimelineColumn = keyof typeof EVENT_COLUMNS;
export const TIMELINE_COLUMNS = Object.keys(EVENT_COLUMNS) as readonly TimelineColumn[];

type ColumnsOf<Kind> = {
  [Name in TimelineColumn]: (typeof EVENT_COLUMNS)[Name]['is'] extends Kind ? Name : never;
}[TimelineColumn];
export type TextColumn = ColumnsOf<'text'>;
export type NumberColumn = ColumnsOf<'number' | 'ordinal'>;

const isOf =
  <Kind extends EventColumnForm['is']>(...kinds: readonly Kind[]) =>
  (name: TimelineColumn): name is ColumnsOf<Kind> =>
    (kinds as readonly string[]).includes(EVENT_COLUMNS[name].is);
export const TEXT_COLUMNS: readonly TextColumn[] = TIMELINE_COLUMNS.filter(isOf('text'));
export const NUMBER_COLUMNS: readonly NumberColumn[] = TIMELINE_COLUMNS.filter(isOf('number', 'ordinal'));

/** A value for each of some columns. */
export const byColumn = <Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;

/** Forward and backward kernels, as the column `dir` of `dprof` has them; the first stands for unknown. */
export const DIRECTIONS = [null, 'fprop', 'bprop'] as const;

/** Work and waits of devices; calls of the host that launched work, and that waited; then its ranges. */
export const EVENT_KINDS = [
  ...(['kernel', 'communication', 'graph', 'copy', 'set', 'wait'] as const),
  ...(['launch', 'range', 'op', 'layer', 'frame'] as const),
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const HOST_RANGES: ReadonlySet<EventKind> = new Set(['range', 'op', 'layer', 'frame']);
/** Whether it is a range of the host, not a call of a device's API. */
export const isHostRange = (kind: EventKind): boolean => HOST_RANGES.has(kind);

/** What a device does in its events, besides being busy; kinds that are left out are no work of a device. */
export const WORK_OF_KIND: Readonly<Partial<Record<EventKind, 'compute' | 'communication' | 'memory'>>> = {
  kernel: 'compute',
  graph: 'compute',
  communication: 'communication',
  copy: 'memory',
  set: 'memory',
};

/** What the host does in its calls that launched such work; calls that wait are none. */
export const LAUNCHING = 'launching recorded work';

/** Numbers of one type, compressed (raw deflate) and in base64. */
export interface PackedColumn {
  readonly type: 'u8' | 'u16' | 'u32' | 'f64';
  readonly length: number;
  /** Where it is there: the first number; `data` has 0 and, for each further one, what it is above the one before. */
  readonly rising?: number;
  readonly data: string;
}
