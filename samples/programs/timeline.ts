/**
 * What happened in one captured run, free of any file format: host threads with their ranges and API calls, and the
 * work that the calls put on a device. Times are integer nanoseconds since the start of the capture.
 */
import type { Gpu } from './gpu.js';
import type { Kernel } from './kernels.js';

export type Extent = readonly [number, number, number];

export interface Process {
  readonly pid: number;
  readonly name: string;
  /** Index into `Timeline.gpus`. The process itself sees this device as its number 0. */
  readonly gpu: number;
}

export interface Thread {
  readonly process: Process;
  /** Operating system's id; 24 bits at most. */
  readonly tid: number;
  /** Low 32 bits of the pthread handle, as a signed number: what nvprof records instead of the id. */
  readonly handle: number;
  readonly name: string;
}

/** `push-pop` ranges nest on their thread; `start-end` ranges may overlap and end on another thread. */
export type RangeKind = 'push-pop' | 'start-end' | 'mark';

export interface Range {
  readonly kind: RangeKind;
  readonly thread: Thread;
  readonly start: number;
  /** Null for a mark, and for a range that was never closed. */
  readonly end: number | null;
  /** Where a start/end range ended, if on another thread. */
  readonly endThread: Thread | null;
  readonly text: string;
  /** Null for the default domain. */
  readonly domain: string | null;
  /** The text was registered beforehand: a profiler records its id instead of the text. */
  readonly registered: boolean;
}

export type ApiLevel = 'runtime' | 'driver';

export interface ApiCall {
  readonly thread: Thread;
  readonly level: ApiLevel;
  /** Without a version suffix. */
  readonly api: string;
  readonly start: number;
  readonly end: number;
  /** Unique within a process. */
  readonly correlation: number;
}

/** Work on a device. */
interface Activity {
  readonly process: Process;
  readonly stream: number;
  readonly start: number;
  readonly end: number;
  /** Of the call that launched it; that call may lie outside the capture. */
  readonly correlation: number;
}

export interface KernelRun extends Activity {
  readonly kernel: Kernel;
  readonly grid: Extent;
  readonly block: Extent;
  /** The node of an executable graph that was replayed. */
  readonly graphNode: number | null;
}

export interface CopyRun extends Activity {
  readonly kind: CopyKind;
  readonly bytes: number;
  /** Host memory is page-locked. */
  readonly pinned: boolean;
}

export type CopyKind = 'HtoD' | 'DtoH' | 'DtoD';

export interface SetRun extends Activity {
  readonly value: number;
  readonly bytes: number;
}

/** The host waits for a stream. */
export type WaitRun = Activity;

/** A graph launch recorded as a whole. */
export interface GraphRun extends Activity {
  readonly graph: number;
  readonly executable: number;
}

/** Birth of a graph node: by capture, or by cloning another node when the graph is made executable. */
export interface GraphNodeBirth {
  readonly thread: Thread;
  readonly at: number;
  readonly api: string;
  readonly node: number;
  readonly original: number | null;
}

export interface Timeline {
  /** What to write for the profiled program's name. */
  readonly program: string;
  readonly gpus: readonly Gpu[];
  /** Unix time of the start of the capture in ns. */
  readonly startUnixNs: bigint;
  readonly end: number;
  readonly processes: readonly Process[];
  readonly threads: readonly Thread[];
  readonly ranges: readonly Range[];
  readonly calls: readonly ApiCall[];
  readonly kernels: readonly KernelRun[];
  readonly copies: readonly CopyRun[];
  readonly sets: readonly SetRun[];
  readonly waits: readonly WaitRun[];
  readonly graphs: readonly GraphRun[];
  readonly graphNodes: readonly GraphNodeBirth[];
}
