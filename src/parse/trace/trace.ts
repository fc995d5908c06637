/**
 * A profile in memory, whatever its format: columns of host calls, ranges and device activities, and the names and texts of their
 * numbers. A reader fills it, rows in any order; `emit.ts` makes the records. Texts and names stay in the
 * database and are looked up when they are needed.
 */
import type { NumericColumn } from '../../containers/numeric-column.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import type {
  Activity,
  CollectiveRecord,
  KernelRecord,
  CopyKind,
  Device,
  HostMemory,
  Labels,
  ProfileRecord,
  StatementRecord,
} from '../../record/record.js';
import type { Collective } from '../../record/fields/collective.js';
import type { Activities, HostCalls, Ranges } from './trace-columns.js';
import type { CapturedGraph, CapturedNode } from './graphs/captured-graph.js';
import type { KernelContexts } from './launch-steps.js';
import type { LaunchJoin } from './launches.js';
import type { Marker } from './markers/markers.js';
import type { ThreadTable } from './threads.js';

/** What a profile states of the job that its process is a part of; absent where it does not. */
export type JobFacts = Pick<ProfileRecord, 'worldSize' | 'host' | 'groups'>;

/** Cells of the profile line that the reader knows; the rest comes with emission. */
export interface TraceHeader {
  readonly format: string;
  /** Name and version of the profiler; null when the file does not state it. */
  readonly tool: string | null;
  /** Distributed rank; null when the file does not state it. */
  readonly rank: number | null;
  readonly job?: JobFacts;
  /** Unix time of the profile's start in ns, as text because it exceeds 2^53. */
  readonly startUnixNs: string | null;
  /** Whether times count from a start that the profile states, not from its first event. */
  readonly isStartStated?: true;
  /** Length of the session in ns; null to take the end of the last event. */
  readonly dur: number | null;
  readonly devices: readonly Device[];
  readonly facts?: Labels;
}

/** A device of which nothing is known, but for its id. */
export const UNKNOWN_DEVICE: Omit<Device, 'id'> = {
  vendor: 'unknown',
  name: null,
  arch: null,
  units: null,
  clockHz: null,
  memBytesPerS: null,
  memBytes: null,
};

/** Fields of an activity that only some formats have; `short` where the format's names need another rule. */
export type ActivityDetails = Pick<Activity, 'engine' | 'counters' | 'labels'> & Partial<Pick<KernelRecord, 'short'>>;

/** Fields of a collective operation, where the format reports it as one. */
export type CollectiveOperation = Pick<
  CollectiveRecord,
  | 'name'
  | 'kind'
  | 'bytes'
  | 'dtype'
  | 'group'
  | 'groupSize'
  | 'ranks'
  | 'ordinal'
  | 'peer'
  | 'algorithm'
  | 'link'
  | 'transfers'
>;

/** Names and texts by the numbers and codes in the columns. */
export interface TraceNames {
  /**
   * Full name, demangled if possible; null when the profile does not hold it: it is then written `kernel#NUMBER`, so
   * that the number must be the profile's own. Never asked for `UNNAMED`.
   */
  kernelName(name: number): string | null;
  /** The profile's own number of a kernel's name, where that in the column is another. */
  kernelNumber?(name: number): number;
  /** Name of a runtime or driver function, without ABI suffixes. */
  apiName(api: number): string | null;
  /** Layer of the library to which a call with this `precedence` belongs; absent where the format states none. */
  apiLayer?(precedence: number): string | null;
  /** Text of a range by its `text` cell; null when it has none. */
  rangeText(text: number): string | null;
  /** Domain with which the text of a range begins, before a colon, by its `text` cell; null without one. */
  rangeDomain?(text: number): string | null;
  /** Name of an NVTX domain; null for the default domain. */
  domainName(domain: number): string | null;
  /** Direction of a copy by its `kindCode` cell; null for an unknown code. */
  copyKind(code: number): CopyKind | null;
  /** What a sync waits for, by its `kindCode` cell; null for an unknown code. */
  syncKind(code: number): string | null;
}

/** Number of the name of a kernel without one, where names are numbered in the order of rows. Written `kernel#na`. */
export const UNNAMED = 2 ** 32 - 1;

/** Full name of a kernel; null when the profile does not hold it. */
export const kernelNameOf = ({ names }: Trace, name: number): string | null =>
  name === UNNAMED ? null : names.kernelName(name);

/** Names of a format that has none of them. */
export const NO_NAMES: TraceNames = {
  kernelName: () => null,
  apiName: () => null,
  rangeText: () => null,
  domainName: () => null,
  copyKind: () => null,
  syncKind: () => null,
};

/** Whether the time of a statement, ns, is far from all others. */
export type IsStray = (time: number) => boolean;

/** A profile in memory. Optional methods are for what only some formats record. */
export interface Trace {
  readonly header: TraceHeader;
  readonly names: TraceNames;
  readonly threads: ThreadTable;
  readonly hostCalls: HostCalls;
  readonly ranges: Ranges;
  /** What the profiler and the driver did for themselves, where the format has a place of its own for that. */
  readonly overhead?: Ranges;
  readonly activities: Activities;
  readonly diagnostics: Diagnostics;
  /** The context of each kernel; when absent, it is read from the texts of the ranges around the launch. */
  contexts?(launches: LaunchJoin): KernelContexts;
  /** What a range is, where the profile states it in cells of its own; null where its text does. */
  markerOf?(range: number): Marker | null;
  /** Rows of the ranges whose texts may name steps; when absent, all texts are read. */
  readonly stepRanges?: readonly number[];
  /** The collective operation that a kernel implements. */
  collectiveOf?(activity: number): Collective | null;
  /** Fields of an activity of kind `collective`; required of formats that have such. */
  operationOf?(activity: number): CollectiveOperation;
  /** Graphs that were captured while the profile was taken, in that order. */
  capturedGraphs?(launches: LaunchJoin): readonly CapturedGraph[];
  /** The node of a capture that work of a graph was made from, where the profiler states it; null for other work. */
  capturedNode?(activity: number): CapturedNode | null;
  /** Kind of host memory that a copy reads or writes. */
  hostMemoryOf?(activity: number): HostMemory | null;
  /** Further fields of an activity; null when there are none. */
  detailsOf?(activity: number): ActivityDetails | null;
  /**
   * Samples and values of the whole profile in order of start, those without a time first.
   * @param isStray for those that the ones after them depend on: strays are left out of what this gives
   */
  statements?(profile: number, isStray: IsStray): Iterable<StatementRecord>;
  /**
   * Times of the statements on the host's clock, and of what is not read but may begin a profile. The first and the last
   * `ENDS_NEEDED` of many are enough.
   */
  statementTimes?(): readonly NumericColumn[];
}
