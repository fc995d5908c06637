/**
 * A profile in memory, in any format: columns of host calls, ranges and device activities, and the names and strings for
 * their numbers. A reader fills it, rows in any order; `emit.ts` makes the records. Strings and names stay in the database
 * and are looked up when they are needed.
 */
import type { NumberColumn } from '../../containers/numeric-column.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import type {
  Activity,
  CollectiveRecord,
  CopyRecord,
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

/** Facts about the job that the profile's process belongs to; unknown ones are absent. */
export type JobFacts = Pick<ProfileRecord, 'worldSize' | 'host' | 'groups'>;

/** Cells of the profile line that the reader knows; emission adds the rest. */
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

/** A device known by its id only. */
export const UNKNOWN_DEVICE: Omit<Device, 'id'> = {
  vendor: 'unknown',
  name: null,
  arch: null,
  units: null,
  clockHz: null,
  memBytesPerS: null,
  memBytes: null,
};

/** Fields of an activity that only some formats have. `short` is present if the format's names need a special rule. */
export type ActivityDetails = Pick<Activity, 'engine' | 'counters' | 'labels' | 'ps' | 'step'> &
  Pick<KernelRecord, 'callIds' | 'callKernels' | 'collective'> &
  Partial<
    Pick<KernelRecord, 'short' | 'dir' | 'layer' | 'trace' | 'calls' | 'mod' | 'op' | 'ranges' | 'callerRanges'>
  > &
  Partial<Pick<KernelRecord, 'operands' | 'accumRegisters' | 'scalarRegisters'>> &
  Pick<CopyRecord, 'queue' | 'queueType'>;

/** Fields of a collective operation, if the format reports collectives. */
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

/** Names and strings for the numbers and codes in the columns. */
export interface TraceNames {
  /**
   * Full name, demangled if possible. Null when the profile does not contain it: the record then has `kernel#NUMBER`, so
   * the number must be the profile's own. Never called with `UNNAMED`.
   */
  kernelName(name: number): string | null;
  /** The profile's own number of a kernel's name, if the column has a different number. */
  kernelNumber?(name: number): number;
  /** Name of a runtime or driver function, without ABI suffixes. */
  apiName(api: number): string | null;
  /** Layer of the library to which a call with this `precedence` belongs; absent if the format states no layers. */
  apiLayer?(precedence: number): string | null;
  /** Text of a range, by its `text` cell; null when it has none. */
  rangeText(text: number): string | null;
  /** Domain that precedes the colon in the text of a range, by its `text` cell; null when there is none. */
  rangeDomain?(text: number): string | null;
  /** Name of an NVTX domain; null for the default domain. */
  domainName(domain: number): string | null;
  /** Direction of a copy, by its `kindCode` cell; null for an unknown code. */
  copyKind(code: number): CopyKind | null;
  /** What a sync waits for, by its `kindCode` cell; null for an unknown code. */
  syncKind(code: number): string | null;
}

/**
 * Stands for the name number of a kernel without a name, in formats that number names in the order of rows. Written as
 * `kernel#na`.
 */
export const UNNAMED = 2 ** 32 - 1;

/** Full name of a kernel; null when the profile does not contain it. */
export const kernelNameOf = ({ names }: Trace, name: number): string | null =>
  name === UNNAMED ? null : names.kernelName(name);

/** Names for a format that has no names. */
export const NO_NAMES: TraceNames = {
  kernelName: () => null,
  apiName: () => null,
  rangeText: () => null,
  domainName: () => null,
  copyKind: () => null,
  syncKind: () => null,
};

/** Whether the time of a sample or value, in ns, is far from all other times. */
export type IsStray = (time: number) => boolean;

/** A profile in memory. Optional methods are for data that only some formats record. */
export interface Trace {
  readonly header: TraceHeader;
  readonly names: TraceNames;
  readonly threads: ThreadTable;
  readonly hostCalls: HostCalls;
  readonly ranges: Ranges;
  /** Overhead of the profiler and the driver, if the format records it separately. */
  readonly overhead?: Ranges;
  /** Calls of the operating system's libraries, if all host ranges are wanted and the format records such calls. */
  readonly systemCalls?: { readonly ranges: Ranges; readonly domain: string };
  readonly activities: Activities;
  readonly diagnostics: Diagnostics;
  /** The context of each kernel. Without this method, it is read from the strings of the ranges around the launch. */
  contexts?(launches: LaunchJoin): KernelContexts;
  /** The marker of a range, if the profile states it in separate cells; null when the text must be parsed. */
  markerOf?(range: number): Marker | null;
  /** Rows of the ranges whose strings may name steps. Without them, all strings are read. */
  readonly stepRanges?: readonly number[];
  /** The collective operation that a kernel implements. */
  collectiveOf?(activity: number): Collective | null;
  /** Fields of an activity of kind `collective`; required for formats that have such activities. */
  operationOf?(activity: number): CollectiveOperation;
  /** Graphs that were captured while the profile was taken, in order of capture. */
  capturedGraphs?(launches: LaunchJoin): readonly CapturedGraph[];
  /** The captured node that graph work was made from, if the profiler states it; null for other work. */
  capturedNode?(activity: number): CapturedNode | null;
  /** When threads added nodes to graphs, by capture or otherwise, if the profiler states it. Times in ns. */
  nodeCreations?(): readonly { readonly thread: number; readonly start: number }[];
  /** Kind of host memory that a copy reads or writes. */
  hostMemoryOf?(activity: number): HostMemory | null;
  /** The thread that an activity states as that of its launch, for work whose call is not in the profile. */
  statedThreadOf?(activity: number): number | null;
  /** Further fields of an activity; null when there are none. */
  detailsOf?(activity: number): ActivityDetails | null;
  /**
   * Samples and values of the whole profile in order of start time, those without a time first.
   * @param isStray whether a time is damaged. Use it when later samples depend on earlier ones; the caller removes
   *   strays from the result anyway
   */
  statements?(profile: number, isStray: IsStray): Iterable<StatementRecord>;
  /**
   * Times of samples and values on the host's clock, and of unread rows that may start the profile. If there are many,
   * the first and the last `ENDS_NEEDED` are enough.
   */
  statementTimes?(): readonly NumberColumn[];
}
