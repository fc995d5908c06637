/** The format of a page's timelines: pieces, their events in packed columns, and what pieces share. */
import { IDLE_CAUSES, type IdleCause } from '../../advise/idle/cause-names.js';
import type { LongestTexts } from './longest-texts.js';

/**
 * Which piece a timeline shows first. `usual`: the whole profile. If the page has no room for the events of all pieces,
 * the events of the step of median length come first. A selected time is a separate piece; it is in ns from the
 * profile's start.
 */
export type TimelineChoice =
  | { readonly of: 'usual' }
  | { readonly of: 'step'; readonly step: number }
  | { readonly of: 'time'; readonly from: number; readonly to: number };

/** Maximum numbers of events in all pieces, and of bars and points in the whole profile. */
export interface TimelineBounds {
  readonly events: number;
  readonly bars: number;
  /** Points of all tracks. */
  readonly trackPoints: number;
}

/**
 * The timeline of a profile in pieces, the whole profile first. It contains no events: each piece has its own element in
 * the page, `timelineId`, which is read when the piece is shown.
 */
export interface PageTimeline {
  readonly pieces: readonly TimelinePiece[];
  /** Index of the piece that is shown first. */
  readonly first: number;
  /** The strings that get strong colours; the same in every piece. */
  readonly longest: LongestTexts;
  /** Names in the page's tables that no event of any piece has; layers as paths with `/` as separator. */
  readonly lacks: Readonly<Record<NamedField, readonly string[]>>;
}

/** Search fields by which the page's tables link to events. */
export type NamedField = 'kernel' | 'op' | 'category' | 'layer' | 'range';

/** A step, the time between steps, or a part of either. */
export interface TimelinePiece {
  /** 'whole profile', 'step 5', 'step 5, part 1 of 2', 'before step 1' … */
  readonly name: string;
  /** Time in ns from the profile's start. The piece has every event that runs after `start` and begins before `end`. */
  readonly start: number;
  readonly end: number;
  /** Null when the page does not hold them: the piece is then drawn from that of the whole profile. */
  readonly events: number | null;
  /** The first and the last of its steps; absent for the time between steps. */
  readonly steps?: readonly [number, number];
  /** Present when its events are bars that represent several events. */
  readonly isMerged?: true;
  /**
   * Only for a single step. The piece of a step is longer, from the start on the host to the end of the last work on a
   * device.
   */
  readonly took?: StepLengths;
}

/**
 * Duration of a step in ns. On the host, it runs from the start of the step to the start of the next (the column
 * `iteration` of `dprof steps`). On the device, it runs from the first work to the end of the last (`span`), on the
 * device where it takes longest. Null when unknown.
 */
export type StepLengths = Readonly<Record<'host' | 'device', number | null>>;

/** Part of a page that is written into a separate element. */
export interface PagePart {
  readonly id: string;
  readonly value: TimelineTables | PackedTimeline;
}

/** Id of the element with a piece; without a piece, of the element with the tables that all pieces of a profile share. */
export const timelineId = (profile: number, piece: number | null = null): string =>
  piece === null ? `timeline-${profile}` : `timeline-${profile}-${piece}`;

/** Data that all pieces of a timeline share. */
export interface TimelineTables {
  readonly texts: readonly string[];
  readonly lanes: readonly Lane[];
  readonly facts: PackedFacts;
  /** Pairs of indexes of `texts`: the name of a kernel or a range, and its name in tables if that differs. */
  readonly shortNames: PackedColumn;
  readonly tracks: PackedTracks;
  readonly marks: TimelineMarks;
}

/** Samples of the whole profile over time. */
export interface PackedTracks {
  readonly list: readonly PackedTrack[];
  /** Number of series beyond the maximum. */
  readonly leftOut: number;
  /** Number of series whose values are all 0; they have no track. */
  readonly zero: number;
}

/** A value over time, drawn with the lanes of its group. */
export interface PackedTrack {
  readonly kind: Lane['kind'];
  /** Group of its lanes. */
  readonly group: string;
  /** 'memory allocated CUDA'. */
  readonly name: string;
  /** Metric of its samples, as is the unit. */
  readonly metric: string;
  readonly unit: string | null;
  /** Time in ns from the profile's start, ascending; each value is valid until the next. */
  readonly at: PackedColumn;
  /** NaN when the value becomes unknown. */
  readonly values: PackedColumn;
  /** Number of samples in the profile. */
  readonly samples: number;
  /**
   * 0 when all samples are kept; otherwise the length of a slot in ns. The lowest, the highest and the last sample of
   * each slot are kept.
   */
  readonly width: number;
}

/** Something other than an event that happened at a time. */
export interface TimelineMark {
  readonly kind: 'throttling' | 'missing' | 'cut' | 'step' | 'gap' | 'advice';
  /** Time in ns from the profile's start; the end equals the start when it has no duration. */
  readonly start: number;
  readonly end: number;
  readonly device: number | null;
  /** Text of the mark, in one line. */
  readonly text: string;
}

/** Marks for what the profile itself reports about times. Gaps and advice are elsewhere in the page. */
export interface TimelineMarks {
  /** Sorted by start. */
  readonly list: readonly TimelineMark[];
  /** Number of marks beyond the maximum. */
  readonly leftOut: number;
}

/**
 * The events of a piece, for the canvas, in order of start time. Columns have one number per event, packed by
 * `column-packing.ts`; strings are indexes of the strings that all pieces share.
 */
export interface PackedTimeline {
  /** Name of the piece. */
  readonly what: string;
  /** Time in ns from the profile's start. */
  readonly start: number;
  readonly end: number;
  /** Indexes of its lanes among those that all pieces share; the column `lane` contains indexes of this list. */
  readonly laneNumbers: readonly number[];
  readonly events: number;
  readonly columns: Readonly<Record<TimelineColumn, PackedColumn>>;
  /** Null when no events are merged. */
  readonly merged: MergedColumns | null;
  /** Pairs of event indexes: a launch, and an activity that it launched. */
  readonly arrows: PackedColumn;
  readonly dependencies: Dependencies;
}

/**
 * Facts about kernels from `--explain`: lists of labels and strings, which equal kernels share. The first list is empty.
 */
export interface PackedFacts {
  readonly texts: readonly string[];
  /** Indexes of `texts` for label and text, of all lists one after the other. */
  readonly pairs: PackedColumn;
  /** For each list, where its numbers end in `pairs`; they begin where the previous list ends. */
  readonly ends: PackedColumn;
}

/**
 * For each bar, the number of its events and the sum of their durations in ns. The bar has the kind and strings of the
 * longest.
 */
export interface MergedColumns {
  /** Unit: ns. Shorter events of a lane and depth may be merged when they are close to each other. */
  readonly resolution: number;
  readonly count: PackedColumn;
  readonly time: PackedColumn;
}

/** A piece with its strings and lanes. */
export interface Timeline extends Omit<PackedTimeline, 'laneNumbers'>, TimelineTables {}

/** Stands for an event that is not shown. */
export const NO_EVENT = 0xffff_ffff;

/** Instructions that waited for earlier ones, with three numbers for each pair. */
export interface Dependencies {
  /** The event that waited. */
  readonly later: PackedColumn;
  /** The event for which it waited; NO_EVENT when that is not shown. */
  readonly earlier: PackedColumn;
  /** Index of `texts`: the kind, and the semaphore that connects the two. */
  readonly what: PackedColumn;
}

/** A lane of the timeline: a thread of the host, or a stream or engine of a device. */
export interface Lane {
  readonly kind: 'host' | 'device';
  readonly name: string;
  /** Name of the group under which it is shown: a process, a device. */
  readonly group: string;
  /** Maximum number of overlapping events. */
  readonly depth: number;
  /**
   * Which ranges of a thread the lane contains, if they are separate from its other ranges because they would hide them;
   * absent for all other lanes.
   */
  readonly apart?: ApartRanges;
  /** Ids as in the profile; absent when the lane does not come from a profile. */
  readonly ids?: LaneIds;
}

/** Frames of call stacks, ranges that the program did not end while it was profiled, and what determined its duration. */
export type ApartRanges = 'frames' | 'never ended' | 'critical path';

/** Whether a lane is that of a thread, and not that of the critical path. */
export const isThread = ({ kind, apart }: Lane): boolean => kind === 'host' && apart !== 'critical path';

/** For a device lane its device and stream, for a thread its process and thread; null when unknown. */
export interface LaneIds {
  readonly profile: number | null;
  readonly rank: number | null;
  readonly device?: number;
  readonly stream?: number | null;
  readonly pid?: number | null;
  readonly tid?: number | null;
}

/** Meaning of the numbers of a column. */
interface EventColumnForm {
  /**
   * A place is the position where the event is drawn, or an index of another list. A string is an index of the strings, 0
   * when unknown. A number is the value itself. An ordinal is the value plus one, so that 0 means unknown.
   */
  readonly is: 'place' | 'text' | 'number' | 'ordinal';
  /** Type of the array while the timeline is made. */
  readonly array: Float64ArrayConstructor | Uint32ArrayConstructor | Uint8ArrayConstructor;
  /** Value that stands for unknown. */
  readonly unknown: number;
}

const PLACE = { is: 'place', array: Uint32Array, unknown: 0 } as const;
const TIME = { is: 'place', array: Float64Array, unknown: 0 } as const;
const INDEX = { is: 'place', array: Uint8Array, unknown: 0 } as const;
const TEXT = { is: 'text', array: Uint32Array, unknown: 0 } as const;
const NUMBER = { is: 'number', array: Float64Array, unknown: -1 } as const;
const ORDINAL = { is: 'ordinal', array: Float64Array, unknown: 0 } as const;

/**
 * The columns of events, in the order in which a page stores them. All code that holds, packs or reads events follows this
 * table: a new text or number needs a row here and a value in `timeline-builder.ts`.
 */
export const EVENT_COLUMNS = {
  /** Time in ns from the timeline's start; negative for events that began before it. */
  start: TIME,
  dur: TIME,
  /** Lane in which the event is drawn. */
  lane: PLACE,
  depth: INDEX,
  /** Index of EVENT_KINDS. */
  kind: INDEX,
  name: TEXT,
  op: TEXT,
  layer: TEXT,
  category: TEXT,
  dtype: TEXT,
  tc: TEXT,
  operands: TEXT,
  queue: TEXT,
  /** Position in the program of its engine. */
  pc: NUMBER,
  /** Number of the kernel in its profile; 0 for all other events. */
  id: { is: 'number', array: Uint32Array, unknown: 0 },
  flops: NUMBER,
  bytes: NUMBER,
  /** A list of `facts`; 0 when there is none. */
  facts: PLACE,
  /** Sequence number, which forward and backward of an op share. */
  seq: NUMBER,
  /** Index of DIRECTIONS. */
  dir: INDEX,
  /** Why its device was idle before it: one more than the index of GAP_CAUSES; 0 where the device was not idle. */
  gap: INDEX,
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

/** Makes a value for each of some columns. */
export const byColumn = <Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;

/** Forward and backward kernels, as in the column `dir` of `dprof`; the first stands for unknown. */
export const DIRECTIONS = [null, 'fprop', 'bprop'] as const;

/** Causes of gaps, in the order of the numbers in column `gap`. */
export const GAP_CAUSES = Object.keys(IDLE_CAUSES) as readonly IdleCause[];

/** Work and waits of devices; host calls that launched work, and those that waited; host ranges; the critical path. */
export const EVENT_KINDS = [
  ...(['kernel', 'communication', 'graph', 'copy', 'set', 'wait'] as const),
  ...(['launch', 'range', 'op', 'layer', 'frame', 'path'] as const),
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const HOST_RANGES: ReadonlySet<EventKind> = new Set(['range', 'op', 'layer', 'frame', 'path']);
/** Whether it is a host range or a part of the critical path, and not a call of a device's API. */
export const isHostRange = (kind: EventKind): boolean => HOST_RANGES.has(kind);

/** What a device does during an event of each kind, in addition to being busy. Other kinds are not device work. */
export const WORK_OF_KIND: Readonly<Partial<Record<EventKind, 'compute' | 'communication' | 'memory'>>> = {
  kernel: 'compute',
  graph: 'compute',
  communication: 'communication',
  copy: 'memory',
  set: 'memory',
};

/** What the host does in calls that launched recorded work. Calls that wait do not count. */
export const LAUNCHING = 'in launch calls';

/** Numbers of one type, compressed (raw deflate) and in base64. */
export interface PackedColumn {
  readonly type: 'u8' | 'u16' | 'u32' | 'f64';
  readonly length: number;
  /** If present, the first number; `data` then has 0 and, for each further number, the difference from the previous one. */
  readonly rising?: number;
  readonly data: string;
}
