/**
 * The record: one vendor-neutral vocabulary for every profiler.
 *
 * A profile becomes a stream of lines: one `profile`, then device activities in order of start time, then one `end`.
 * Times are integer nanoseconds since the profile's start, durations integer nanoseconds, sizes bytes. A field that a
 * format cannot have is absent; a field whose value is unknown is null, never 0.
 */
import type { Collective, CollectiveIdentity, ProcessGroup, Transfer } from './fields/collective.js';
import type { GraphNode } from './fields/graph-node.js';
import type { PartRecord } from './partial.js';

/** Version of the record format. */
export const SCHEMA_VERSION = 1;

/** Three extents; x is the first. */
export type Extent = readonly [number, number, number];

/** Training direction of a kernel: forward or backward propagation. */
export type Direction = 'fprop' | 'bprop';

/** One argument of an op call, as given in the framework's marker. */
export interface Arg {
  /** Keyword; '' for a positional argument. */
  readonly name: string;
  /**
   * Type name: 'tensor', 'ndarray', 'list', 'tuple', 'int', 'float', 'bool', 'str', 'NoneType'; 'unknown' when unspecified.
   */
  readonly type: string;
  /** Extents of a tensor, outermost dimension first; [] for a scalar tensor. */
  readonly shape?: readonly number[];
  /** Distance in elements between neighbouring indices of each dimension; only when known and not contiguous. */
  readonly strides?: readonly number[];
  /** Element type by the framework's name: 'float16', 'bfloat16', 'int64' … */
  readonly dtype?: string;
  /** Value of an argument that is not a tensor; absent when unspecified. */
  readonly value?: ArgValue;
  /** The tensors of a tensor list, with '' as names. */
  readonly items?: readonly Arg[];
}

/** The value of an argument, as in JSON. */
export type ArgValue = null | boolean | number | string | readonly ArgValue[];

/**
 * Source of a call. Source of the call. Absent: a marker around a Python call, which may describe kernels of the
 * backward pass too. `dispatcher`: an op as the framework ran it, forward or backward, with shapes, types and values of
 * its arguments in schema order. `sizes`: the same with only shapes, and tensor lists flattened.
 */
export type CallOrigin = 'dispatcher' | 'sizes';

/** One call of a framework operation: module (by the framework's name), op name, arguments. */
export interface OpCall {
  /** Module: `aten`, `_C` … for dispatcher ops. */
  readonly mod: string;
  /** Op name, without its module and overload. */
  readonly op: string;
  readonly args: readonly Arg[];
  readonly from?: CallOrigin;
  /** Shapes of its results, known from its backward node, whose inputs are the gradients of these results. */
  readonly out?: readonly (readonly number[])[];
}

/** A device of a profile. All values except `id` and `vendor` may be null, when unknown. */
export interface Device {
  readonly id: number;
  readonly vendor: string;
  readonly name: string | null;
  /** Architecture: 'sm80' … */
  readonly arch: string | null;
  /** Compute units (SMs, CUs). */
  readonly units: number | null;
  readonly clockHz: number | null;
  readonly memBytesPerS: number | null;
  readonly memBytes: number | null;
  /** Rank of its process, in a profile with several ranks. */
  readonly rank?: number;
}

/** The first line of a profile: where it comes from, and its devices. */
export interface ProfileRecord {
  readonly type: 'profile';
  readonly v: number;
  readonly profile: number;
  readonly format: string;
  readonly tool: string | null;
  /** Base name of the input. */
  readonly file: string;
  readonly rank: number | null;
  /** Number of ranks in the job; absent when the format does not state it. */
  readonly worldSize?: number;
  /** The machine on which it ran, as stated in the profile or in its file name. */
  readonly host?: string;
  /** Process groups to which this rank belongs. */
  readonly groups?: readonly ProcessGroup[];
  /** Unix time of the profile's start in ns, as a decimal string (it exceeds 2^53). */
  readonly startUnixNs: string | null;
  readonly dur: number | null;
  readonly devices: readonly Device[];
  /**
   * Metadata of the capture: versions, clocks, settings. Four numeric Ascend variables are kept from the environment.
   */
  readonly facts?: Labels;
}

/** Strings and numbers that identify or describe something, by name. */
export type Labels = Readonly<Record<string, string | number>>;

/** The host call that launched a device activity. */
export interface Launch {
  readonly api: string | null;
  readonly start: number;
  readonly dur: number;
  /**
   * The library component that the call belongs to, when several have calls with the same name; the same as in the call's
   * range.
   */
  readonly domain?: string;
}

/** Fields that all device activities have. */
export interface Activity {
  readonly profile: number;
  readonly start: number;
  /** Null when the profiler did not record a valid end. */
  readonly dur: number | null;
  readonly device: number;
  readonly stream: number | null;
  /** Process and thread of the launch; null when no launch is known. */
  readonly pid: number | null;
  readonly tid: number | null;
  readonly corr: number | null;
  readonly launch: Launch | null;
  /**
   * Present for work launched while its device was idle: how long, in ns, other work that was launched earlier but
   * starts later had been waiting.
   */
  readonly othersWait?: number;
  readonly graph?: GraphNode;
  /**
   * Number of the step during which it was launched; null or absent outside of steps, and when the profile records none.
   */
  readonly step?: number | null;
  /** Additional picoseconds of `start` and of `dur`, 0 to 999, when the device's clock has them. */
  readonly ps?: readonly [start: number, dur: number];
  /** Part of the device, when it has several kinds: 'Tensor', 'Vector', 'E64' (a DMA engine), 'XLA Ops'; see named-lane.ts. */
  readonly engine?: string;
  /** Values that the device measured or that the tool derived, by name. */
  readonly counters?: Readonly<Record<string, number>>;
  /** Additional attributes, by the tool's names. */
  readonly labels?: Labels;
}

/** The forward op whose gradient a backward kernel computes. */
export interface ForwardOp {
  readonly mod: string;
  readonly op: string;
  /** The thread that ran it. */
  readonly tid: number | null;
  readonly start: number;
}

/** Position of a launch in the program, derived from the ranges around it. */
export interface Context {
  readonly dir: Direction | null;
  /** User annotations, outermost first. */
  readonly layer: readonly string[];
  /** Call stack of "file:line", outermost first. */
  readonly trace: readonly string[];
  /** Op calls around the launch, outermost first. */
  readonly calls: readonly OpCall[];
  /** Module and op to print: one entry for each call, or from sequence markers when there are no calls. */
  readonly mod: readonly string[];
  readonly op: readonly string[];
  /** Module representations, as written in the marker. */
  readonly repr: readonly string[];
  /** Framework sequence markers. */
  readonly seqMarker: readonly string[];
  /** The chosen sequence ids. */
  readonly seq: readonly number[];
  /** The other sequence ids. */
  readonly altSeq: readonly number[];
  /** Ordinal among consecutive kernels with the same op and sequence id. */
  readonly sub: number;
  /** Any other enclosing ranges, outermost first. */
  readonly ranges: readonly string[];
  /**
   * For work of a framework's internal thread: ranges that were open on the thread for which it works, outermost first.
   * Autograd's threads work for the thread that called `backward`.
   */
  readonly callerRanges?: readonly string[];
  /** Step, when the profile records it. */
  readonly step?: number | null;
  /**
   * Number of each call in its profile, one entry for each call; kernels with the same number were launched by the same
   * call.
   */
  readonly callIds?: readonly number[];
  /** Number of kernels that each call launched in total, one entry for each call. */
  readonly callKernels?: readonly number[];
  /** The forward op of a backward kernel; null when the format records it and this profile lacks it. */
  readonly forward?: ForwardOp | null;
}

/** The recorded end of work that a stream runs in order: a kernel, a copy or a memset. */
export interface RecordedEnd {
  /**
   * Present when the recorded end is impossible. `dur` then ends at the start of the stream's next work, or at the
   * return of a wait for it.
   */
  readonly cut?: true;
}

/** A mark that the host put into a stream: it is reached when the work launched before it has ended. */
export interface RecordedEvent {
  /** The stream into which it was put. */
  readonly stream: number;
  /** Start of the host call that put it there, in ns. */
  readonly recorded: number;
}

/** A kernel: a piece of work on a device's compute units. */
export interface KernelRecord extends Activity, RecordedEnd, Context {
  readonly type: 'kernel';
  /** Position among the kernels of its profile, ordered by start, from 1. */
  readonly id: number;
  /** Full demangled name. */
  readonly name: string;
  /** Name shortened for display. */
  readonly short: string;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  /** Number of registers for each thread. */
  readonly registers?: number | null;
  /** Shared memory of a block in bytes: static plus dynamic. */
  readonly sharedBytes?: number | null;
  /** AMD: number of further registers for each thread that only matrix instructions use, out of the same register file. */
  readonly accumRegisters?: number | null;
  /** AMD: number of scalar registers for each wave. */
  readonly scalarRegisters?: number | null;
  /** Set for communication kernels: what the kernel does for a group of devices. */
  readonly collective?: Collective;
  /** Operands of an instruction, as the tool writes them. */
  readonly operands?: string;
  /** Instructions that it had to wait for. */
  readonly after?: readonly Dependency[];
}

/** An instruction for which another one has to wait. */
export interface Dependency {
  /** Same as in `labels.id`: decimal text, because it may exceed 2^53. */
  readonly id: string;
  /** Kind of dependency: 'flow', 'anti', 'output', 'ordered'. */
  readonly kind: string;
}

/** Fields that every activity line has, in any format. */
type Always = 'type' | 'profile' | 'start' | 'dur' | 'device' | 'stream';

/** A kernel as in a line: fields that its format cannot have are absent. */
export type KernelLine = Pick<KernelRecord, Always | 'id' | 'name' | 'short'> & Partial<KernelRecord>;

/** Direction of a copy between host (H) and devices (D) or between peers (P), or a copy by a DMA engine. */
export type CopyKind = 'HtoD' | 'DtoH' | 'DtoD' | 'PtoP' | 'HtoH' | 'DMA';

/** Kind of host memory that a copy reads or writes. */
export type HostMemory = 'pageable' | 'pinned' | 'managed';

/** A copy of `bytes` bytes. */
export interface CopyRecord extends Activity, RecordedEnd {
  readonly type: 'copy';
  readonly kind: CopyKind | null;
  readonly bytes: number | null;
  /** Set for copies between host and device; absent when unspecified. */
  readonly hostMemory?: HostMemory;
  /** Queue through which it went, and the purpose of the queue. */
  readonly queue?: number;
  readonly queueType?: string;
}

/** A copy as in a line. */
export type CopyLine = Pick<CopyRecord, Always | 'kind' | 'bytes'> & Partial<CopyRecord>;

/** A fill of device memory (memset) of `bytes` bytes. */
export interface SetRecord extends Activity, RecordedEnd {
  readonly type: 'set';
  readonly bytes: number | null;
  readonly value: number | null;
}

/** A wait by the host, by a stream or for an event. */
export interface SyncRecord extends Activity {
  readonly type: 'sync';
  readonly kind: string | null;
  /** The event that it waits for, when the profile has the call that recorded the event. */
  readonly event?: RecordedEvent;
}

/** A collective operation that the profiler reports as a whole, not by its kernels. */
export interface CollectiveRecord extends Activity, Partial<Context>, CollectiveIdentity {
  readonly type: 'collective';
  readonly name: string;
  /** Kind of operation: 'allReduce', 'broadcast' … */
  readonly kind: string | null;
  /** Size of the message in bytes. */
  readonly bytes: number | null;
  readonly dtype: string | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly ranks: readonly number[] | null;
  /** The library's name for the algorithm: 'MESH-RING' … */
  readonly algorithm: string | null;
  /** Interconnect: 'HCCS', 'PCIE', 'ROCE' …; null when unspecified or mixed. */
  readonly link: string | null;
  /** Messages that this device moved for it; present only when the profiler records them. */
  readonly transfers?: readonly Transfer[];
}

/** A collective operation as in a line. */
export type CollectiveLine = Pick<
  CollectiveRecord,
  Always | 'name' | 'kind' | 'bytes' | 'dtype' | 'group' | 'groupSize' | 'ranks' | 'algorithm' | 'link'
> &
  Partial<CollectiveRecord>;

/** A graph launch traced as a whole: its kernels are not in the profile. */
export interface GraphRecord extends Activity {
  readonly type: 'graph';
  readonly graphId: number | null;
  readonly execId: number | null;
}

/**
 * Kind of a host range: an annotation of the program or of a library, an op of the framework, a stack frame, a module, a
 * PyProf text that describes a call, or a call of the device's library or of a system library.
 */
export type RangeKind = 'annotation' | 'op' | 'frame' | 'layer' | 'marker' | 'api' | 'overhead';

/** A range of the host program, with times in ns. Written only with the option `ranges`. */
export interface RangeRecord {
  readonly type: 'range';
  readonly profile: number;
  /** Absent in records of earlier versions, as `self` is. */
  readonly kind?: RangeKind;
  readonly start: number;
  readonly dur: number;
  /** Time during which it was the most recently started open range of its thread, in ns. */
  readonly self?: number;
  readonly pid: number | null;
  readonly tid: number | null;
  readonly domain: string | null;
  readonly text: string;
  /** The call stack, when the profile has one for the range itself: frames as the profile writes them, outermost first. */
  readonly stack?: readonly string[];
  /** For kind `api`: number of device activities that the call launched. */
  readonly launched?: number;
  /** Set when the program did not end the range: `dur` extends to the profile's end. */
  readonly open?: true;
}

/** Metric of samples that state when steps ran on the host: the value is the step's number, `text` is its name. */
export const STEP_METRIC = 'step';

/** A value at one time, over a period, or for the whole profile. */
export interface SampleRecord {
  readonly type: 'sample';
  readonly profile: number;
  /** Null for a value that applies to the whole profile. */
  readonly start: number | null;
  /** Present only when the value applies to a period. */
  readonly dur?: number | null;
  readonly device: number | null;
  /** The tool's name for the metric. */
  readonly metric: string;
  /** Null when it is unknown, or a string. */
  readonly value: number | null;
  readonly text?: string;
  /** Unit: 's', 'ns', 'bytes', 'bytes/s', 'fraction', '%', 'FLOP', 'FLOP/s', 'cycles', 'count'; null when there is none. */
  readonly unit: string | null;
  /** Labels that identify one of several series: semaphore, queue, process, percentile … */
  readonly labels?: Labels;
}

/** The role of a tensor in its program. */
export type TensorRole = 'input' | 'output' | 'weight';

/** A tensor of a compiled program. */
export interface TensorRecord {
  readonly type: 'tensor';
  readonly profile: number;
  readonly name: string;
  readonly role: TensorRole | null;
  /** The tool's name for the element type. */
  readonly dtype: string | null;
  readonly shape: readonly number[] | null;
  readonly bytes: number | null;
}

/** Statistics of one layer of the program, computed by the tool. */
export interface LayerRecord {
  readonly type: 'layer';
  readonly profile: number;
  readonly start: number;
  readonly dur: number | null;
  readonly device: number | null;
  readonly name: string;
  readonly counters: Readonly<Record<string, number>>;
}

/** A warning from the tool itself. */
export interface NoticeRecord {
  readonly type: 'notice';
  readonly profile: number;
  readonly category: string | null;
  readonly text: string;
}

/** The last line of a profile: number of records by type, and diagnostics by name. */
export interface EndRecord {
  readonly type: 'end';
  readonly profile: number;
  /** Number of records written, by type. */
  readonly counts: Readonly<Record<string, number>>;
  /** Counts of irregularities in the input, by name (diagnostics.ts). */
  readonly diagnostics: Readonly<Record<string, number>>;
}

/** Records that only some formats have. */
export type StatementRecord = SampleRecord | TensorRecord | LayerRecord | NoticeRecord;

/** Any line in a record stream. */
export type ProfileLine =
  | ProfileRecord
  | KernelLine
  | CopyLine
  | SetRecord
  | SyncRecord
  | CollectiveLine
  | GraphRecord
  | RangeRecord
  | StatementRecord
  | PartRecord
  | EndRecord;
