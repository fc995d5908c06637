/**
 * What a page of a profile holds: the data of `dprof html`, read by the page's own program in a browser. Plain data, as
 * JSON writes it. Times are ns, shares fractions of 1, unknown is null. Every list has a bound, and says what it leaves
 * out.
 */
import type { Finding } from '../advise/finding.js';
import type { ProfileSummary } from '../summary/summary-data.js';

export interface PageData {
  /** Version of this form. */
  readonly v: 1;
  readonly tool: { readonly name: string; readonly version: string };
  /** Base name of the input. */
  readonly title: string;
  readonly profiles: readonly PageProfile[];
  readonly advice: readonly Finding[];
}

/** One rank. */
export interface PageProfile {
  /** The answer of `dprof summary`. */
  readonly overview: ProfileSummary;
  readonly utilisation: Utilisation;
  readonly kernels: Bounded<KernelTotal>;
  readonly annotations: Bounded<Annotation>;
  readonly roofline: Roofline;
  readonly layers: Bounded<LayerRow>;
  readonly memory: readonly MemoryCurve[];
  readonly timeline: Timeline | null;
}

/** Some of a list, most important first, and what all of it adds up to. */
export interface Bounded<T> {
  readonly shown: readonly T[];
  readonly count: number;
  /** ns of the entries that are not shown. */
  readonly restTime: number;
}

/** Shares of equal spans of time, from the first work to the last; at most 1000. */
export interface Utilisation {
  readonly start: number;
  /** ns of one span. */
  readonly width: number;
  /** Per device: during how much of each span something ran. */
  readonly devices: readonly {
    readonly device: number;
    readonly busy: readonly number[];
    readonly compute: readonly number[];
    readonly communication: readonly number[];
    readonly memory: readonly number[];
  }[];
  /** During how much of each span some thread was in a call that launched something; null without launches. */
  readonly host: readonly number[] | null;
}

export interface KernelTotal {
  readonly name: string;
  readonly count: number;
  readonly time: number;
  /** Longest and shortest. */
  readonly max: number;
  readonly min: number;
  /** Part of its time on the matrix unit; null where it is not told. */
  readonly tc: number | null;
}

/** A text that the user put around launches (layer or range), and how long the device worked each time it did. */
export interface Annotation {
  readonly text: string;
  readonly count: number;
  /** Of these, how many no range tells: kernels under the text that follow each other are one. */
  readonly guessed: number;
  /** Of the kernels inside. */
  readonly time: number;
  /** Device time per occurrence, for a histogram: at most 2000, evenly taken. */
  readonly samples: readonly number[];
}

/** Kernels by op and kernel name under the roofs of one device. */
export interface Roofline {
  readonly points: readonly RooflinePoint[];
  readonly pointCount: number;
  readonly roofs: readonly DeviceRoof[];
}

export interface RooflinePoint {
  readonly device: number;
  readonly op: string | null;
  readonly kernel: string;
  readonly dtype: string | null;
  readonly tc: string | null;
  readonly count: number;
  readonly time: number;
  readonly flops: number;
  readonly bytes: number;
}

export interface DeviceRoof {
  readonly device: number;
  readonly name: string;
  /** Bytes/s; null when not known. */
  readonly bytesPerS: number | null;
  /** 'fp16 matrix unit' … in FLOP/s. */
  readonly units: readonly { readonly name: string; readonly flopsPerS: number }[];
}

/** A row of the tree of layers: in order, a parent before its children. */
export interface LayerRow {
  /** From the top. */
  readonly path: readonly string[];
  /** Of all kernels beneath it too. */
  readonly count: number;
  readonly time: number;
  /** Of kernels in no row beneath. */
  readonly own: number;
  readonly forward: number;
  readonly backward: number;
  /** Null where none is known. */
  readonly flops: number | null;
  readonly bytes: number | null;
  /** Part of its time on the matrix unit; null where it is not told. */
  readonly tc: number | null;
}

export interface MemoryCurve {
  readonly device: number | null;
  /** Curves of one metric are drawn together. */
  readonly metric: string;
  /** Component or kind of memory, or the metric itself where there is but one. */
  readonly name: string;
  /** [ns, bytes] in order of time; none for a value of the whole profile. */
  readonly points: readonly (readonly [number, number])[];
  readonly peak: number;
}

/**
 * The events of a span of time, for the canvas. Columns are arrays of one entry an event, in order of start, packed: see
 * `packed.ts`. Texts are numbers into `texts`.
 */
export interface Timeline {
  /** What was chosen: 'step 5', 'first 200000 events', 'all'. */
  readonly what: string;
  readonly start: number;
  readonly end: number;
  readonly texts: readonly string[];
  readonly lanes: readonly Lane[];
  readonly events: number;
  /** Events of the span that are left out to stay within the bound. */
  readonly leftOut: number;
  readonly columns: Readonly<Record<TimelineColumn, PackedColumn>>;
  /** Event number of a launch, event number of what it launched; in pairs. */
  readonly arrows: PackedColumn;
}

/** A row of the timeline: a thread of the host, or a stream or engine of a device. */
export interface Lane {
  readonly kind: 'host' | 'device';
  readonly name: string;
  /** Name of the group that it is shown under: a process, a device. */
  readonly group: string;
  /** How many events lie over each other at most. */
  readonly depth: number;
}

/**
 * start, dur: ns from the timeline's start; below 0 where it began before. lane, depth: where it is drawn. kind: place in
 * EVENT_KINDS. Texts, of which the first stands for what is not known: name, op, layer, dtype, tc. id: of the kernel in its profile, 0 for what is none. flops, bytes: -1 where not known.
 */
export const TIMELINE_COLUMNS = [
  'start',
  'dur',
  'lane',
  'depth',
  'kind',
  'name',
  'op',
  'layer',
  'dtype',
  'tc',
  'id',
  'flops',
  'bytes',
] as const;
export type TimelineColumn = (typeof TIMELINE_COLUMNS)[number];

export const EVENT_KINDS = ['kernel', 'communication', 'graph', 'copy', 'set', 'sync', 'launch', 'range'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Numbers of one type, compressed (raw deflate) and in base64. */
export interface PackedColumn {
  readonly type: 'u8' | 'u16' | 'u32' | 'f64';
  readonly length: number;
  readonly data: string;
}
