/**
 * What a database profiler captured, in columns: host calls, ranges and device activities. A reader fills it, rows in
 * any order; `emit.ts` turns it into records. Memory: about 110 bytes an activity, 45 a host call, 40 a range; texts
 * and names stay in the database and are looked up when they are needed.
 */
import type {
  Activity,
  Collective,
  CollectiveRecord,
  Device,
  HostMemory,
  Labels,
  StatementRecord,
} from '../../record/record.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import type { KernelContexts } from './context.js';
import type { Launches } from './launches.js';
import type { Threads } from './threads.js';

export const ACTIVITY_KINDS = ['kernel', 'copy', 'set', 'sync', 'graph', 'collective'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** Host calls that may launch work. */
export class Calls {
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  readonly thread = NumericColumn.counts();
  /** Process whose correlation ids these are. */
  readonly process = NumericColumn.counts();
  readonly corr = NumericColumn.floats();
  /** Name, for `Capture.apiName`. */
  readonly api = NumericColumn.counts();
  /** Which record of a call to prefer when several have one correlation id: 0 runtime, 1 driver, 2 other. */
  readonly rank = NumericColumn.codes();

  get length(): number {
    return this.start.length;
  }
}

/** Host ranges with a start and an end on one thread. */
export class Ranges {
  /** @param text where each text is, for `Capture.rangeText`; 4 bytes a row where the reader numbers them */
  constructor(readonly text: NumericColumn | NumericColumn<Int32Array<ArrayBuffer>> = NumericColumn.floats()) {}

  readonly start = NumericColumn.floats();
  /** Infinity for a range still open at the end. */
  readonly end = NumericColumn.floats();
  readonly thread = NumericColumn.counts();
  /** Domain, for `Capture.domainName`; 0 is the default one. Left empty where there are no others. */
  readonly domain = NumericColumn.counts();

  get length(): number {
    return this.start.length;
  }

  /** The domain of a range. */
  domainOf(row: number): number {
    return this.domain.length === 0 ? 0 : this.domain.at(row);
  }
}

/** Work on a device, and waits for it. Cells that a kind has not are NaN. */
export class Activities {
  readonly kind = NumericColumn.codes();
  /** NaN where the times were not collected: such a row is placed at its launch. */
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  readonly device = NumericColumn.counts();
  readonly stream = NumericColumn.floats();
  readonly process = NumericColumn.counts();
  readonly corr = NumericColumn.floats();
  /** Kernel: name, for `Capture.kernelName`. Copy and sync: the format's code of its kind. */
  readonly name = NumericColumn.counts();
  /** Grid then block of a kernel, six numbers a row; only kernels have rows here. */
  readonly extents = NumericColumn.counts();
  /** Row in `extents` / 6 of a kernel. */
  readonly extent = NumericColumn.counts();
  /** Copy and set: bytes. Graph: execution id. */
  readonly bytes = NumericColumn.floats();
  /** Set: value. Copy: the format's code of the host's memory. Kernel and graph: graph id. */
  readonly value = NumericColumn.floats();
  /** Graph node of a kernel, copy or set. */
  readonly node = NumericColumn.floats();

  get length(): number {
    return this.start.length;
  }
}

/** Facts of the profile line that the reader knows; the rest comes with emission. */
export interface Header {
  readonly format: string;
  readonly tool: string | null;
  readonly rank: number | null;
  readonly startUnixNs: string | null;
  /** Known length of the session, null to take the end of the last event. */
  readonly dur: number | null;
  readonly devices: readonly Device[];
  readonly facts?: Labels;
}

/** What only some formats tell of an activity. */
export type Details = Pick<Activity, 'engine' | 'counters' | 'labels'>;

/** What a collective operation is, where it is reported as one. */
export type Operation = Pick<
  CollectiveRecord,
  'name' | 'kind' | 'bytes' | 'dtype' | 'group' | 'groupSize' | 'ranks' | 'algorithm' | 'link'
>;

/** How names and texts are found by the numbers in the columns. */
export interface Names {
  /** Full name, demangled where it can be; null when the name is not in the profile. */
  kernelName(name: number): string | null;
  apiName(api: number): string | null;
  /** Text of a range by its `text` cell; null when it has none. */
  rangeText(text: number): string | null;
  /** Name of a domain in a process, null for the default domain. */
  domainName(domain: number): string | null;
  /** Kind of a copy or a sync by the code in its `name` cell. */
  kindName(kind: ActivityKind, code: number): string | null;
}

export interface Capture {
  readonly header: Header;
  readonly names: Names;
  readonly threads: Threads;
  readonly calls: Calls;
  readonly ranges: Ranges;
  readonly activities: Activities;
  readonly diagnostics: Diagnostics;
  /** Where each kernel's launch stands, where the format tells it by more than ranges with texts. */
  contexts?(launches: Launches): KernelContexts;
  /** The collective operation of a kernel, where the format tells it. */
  collectiveOf?(activity: number): Collective | null;
  /** What an activity of kind `collective` is; to be told by formats that have such. */
  operationOf?(activity: number): Operation;
  /** The host's memory of a copy, where the format tells it. */
  hostMemoryOf?(activity: number): HostMemory | null;
  /** What else the format tells of an activity; null where nothing. */
  detailsOf?(activity: number): Details | null;
  /** Values over time and of the whole, in order of start, those without a time first. */
  statements?(profile: number): Iterable<StatementRecord>;
}
