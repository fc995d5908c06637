/**
 * The record: one vendor-neutral vocabulary for every profiler.
 *
 * A profile becomes a stream of lines: one `profile`, then device activities in order of start, then one `end`.
 * Times are integer nanoseconds since the profile's start, durations integer nanoseconds, sizes bytes.
 * A field that a format cannot have is absent; a field whose value is not known is null; never 0 for unknown.
 */
import type { Collective, CollectiveIdentity, ProcessGroup } from './fields/collective.js';
import type { GraphNode } from './fields/graph-node.js';
import type { PartRecord } from './partial.js';
import type { Transfer } from './fields/transfer.js';
import type { RecordedEnd } from './fields/recorded-end.js';

/** Version of the form of records. */
export const SCHEMA_VERSION = 1;

/** Three extents, x first. */
export type Extent = readonly [number, number, number];

/** Training direction of a kernel: forward or backward propagation. */
export type Direction = 'fprop' | 'bprop';

/** One argument of an op call, as the framework's marker has it. */
export interface Arg {
  /** Keyword; '' for a positional argument. */
  readonly name: string;
  /** 'tensor', 'ndarray', 'list', 'tuple', 'int', 'float', 'bool', 'str', 'NoneType'; 'unknown' where unspecified. */
  readonly type: string;
  /** Extents of a tensor, outermost dimension first; [] for a scalar tensor. */
  readonly shape?: readonly number[];
  /** Elements from one index of each dimension to the next, where known and not those of a contiguous tensor. */
  readonly strides?: readonly number[];
  /** Element type in the framework's words: 'float16', 'bfloat16', 'int64' … */
  readonly dtype?: string;
  /** Value of anything that is not a tensor; absent where unspecified. */
  readonly value?: ArgValue;
  /** The tensors of a list of tensors, their names ''. */
  readonly items?: readonly Arg[];
}

/** A value of an argument as JSON has it. */
export type ArgValue = null | boolean | number | string | readonly ArgValue[];

/**
 * Source of a call. Absent: a marker around a Python call; it may describe kernels of the backward pass too.
 * `dispatcher`: an op as the framework ran it, forward or backward, with shapes, types and values of its arguments in
 * the order of its schema. `sizes`: the same with shapes alone, lists of tensors flattened.
 */
export type CallOrigin = 'dispatcher' | 'sizes';

/** One call of a framework operation: module (as the framework names it), op name, arguments. */
export interface OpCall {
  /** `aten`, `_C` … of the dispatcher's ops. */
  readonly mod: string;
  /** Without its module and without its overload. */
  readonly op: string;
  readonly args: readonly Arg[];
  readonly from?: CallOrigin;
  /** Shapes of its results, known from its backward node, whose inputs are their gradients. */
  readonly out?: readonly (readonly number[])[];
}

/** A device of a profile. Each value but `id` and `vendor` is null when unknown. */
export interface Device {
  readonly id: number;
  readonly vendor: string;
  readonly name: string | null;
  /** 'sm80' … */
  readonly arch: string | null;
  /** Compute units (SMs, CUs). */
  readonly units: number | null;
  readonly clockHz: number | null;
  readonly memBytesPerS: number | null;
  readonly memBytes: number | null;
  /** Rank of its process, in a profile that holds several ranks. */
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
  /** Ranks of the job; absent where the format does not state it. */
  readonly worldSize?: number;
  /** The machine that it ran on, as the profile or the name of its file has it. */
  readonly host?: string;
  /** Process groups that this rank is in. */
  readonly groups?: readonly ProcessGroup[];
  /** Unix time of the profile's start in ns, as a decimal string (it exceeds 2^53). */
  readonly startUnixNs: string | null;
  readonly dur: number | null;
  readonly devices: readonly Device[];
  /** Metadata of the capture: versions, clocks, settings. Of the environment only four numbers of Ascend's. */
  readonly facts?: Labels;
}

/** Texts and numbers that identify or describe something, by name. */
export type Labels = Readonly<Record<string, string | number>>;

/** The host call that launched a device activity. */
export interface Launch {
  readonly api: string | null;
  readonly start: number;
  readonly dur: number;
  /** The part of the library that the call belongs to, where several have calls of one name; as the call's own range. */
  readonly domain?: string;
}

/** What every activity on a device has in common. */
export interface Activity {
  readonly profile: number;
  readonly start: number;
  /** Null when the profiler did not collect a valid end. */
  readonly dur: number | null;
  readonly device: number;
  readonly stream: number | null;
  /** Of the launching thread; null when no launch is known. */
  readonly pid: number | null;
  readonly tid: number | null;
  readonly corr: number | null;
  readonly launch: Launch | null;
  /** Of work launched while its device was idle: how long other work, launched before, had waited for a later start, ns. */
  readonly othersWait?: number;
  readonly graph?: GraphNode;
  /** Number of the step during which it was launched; null or absent outside of steps, and where none are recorded. */
  readonly step?: number | null;
  /** Picoseconds beyond `start` and beyond `dur`, 0 to 999, where the device's clock has them. */
  readonly ps?: readonly [start: number, dur: number];
  /** Part of the device, where it has several kinds: 'Tensor', 'Vector', 'E64' (a DMA engine); see engines.ts. */
  readonly engine?: string;
  /** Values the device measured, or that the tool derived, by name. */
  readonly counters?: Readonly<Record<string, number>>;
  /** Further attributes, by the tool's names. */
  readonly labels?: Labels;
}

/** The forward op whose gradient a backward kernel computes. */
export interface ForwardOp {
  readonly mod: string;
  readonly op: string;
  /** Thread that ran it. */
  readonly tid: number | null;
  readonly start: number;
}

/** Position of a launch in the program, from the ranges around it. */
export interface Context {
  readonly dir: Direction | null;
  /** User annotations, outermost first. */
  readonly layer: readonly string[];
  /** Call stack "file:line", outermost first. */
  readonly trace: readonly string[];
  /** Op calls around the launch, outermost first. */
  readonly calls: readonly OpCall[];
  /** What to print as module and op: one entry per call, or from sequence markers when there are no calls. */
  readonly mod: readonly string[];
  readonly op: readonly string[];
  /** Module representations, as the marker has them. */
  readonly repr: readonly string[];
  /** Framework sequence markers. */
  readonly seqMarker: readonly string[];
  /** The chosen sequence ids. */
  readonly seq: readonly number[];
  /** The other sequence ids. */
  readonly altSeq: readonly number[];
  /** Ordinal among consecutive kernels of the same op and sequence id. */
  readonly sub: number;
  /** Any other enclosing ranges, outermost first. */
  readonly ranges: readonly string[];
  /**
   * Work of a framework's own thread: ranges that were open on the thread that it works for, outermost first. What
   * autograd's threads launch belongs to the thread that called `backward`.
   */
  readonly callerRanges?: readonly string[];
  /** Step, where the profile records it. */
  readonly step?: number | null;
  /** Number of each call in its profile, one entry per call: kernels with one number were launched by one call. */
  readonly callIds?: readonly number[];
  /** How many kernels each call launched in all, one entry per call. */
  readonly callKernels?: readonly number[];
  /** Backward kernels: the forward op; null when the format records it and this profile lacks it. */
  readonly forward?: ForwardOp | null;
}

/** One piece of work on a device's compute units. */
export interface KernelRecord extends Activity, RecordedEnd, Context {
  readonly type: 'kernel';
  /** Position among the kernels of its profile in order of start, from 1. */
  readonly id: number;
  /** Full demangled name. */
  readonly name: string;
  /** The name shortened for display. */
  readonly short: string;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  /** Registers of a thread. */
  readonly registers?: number | null;
  /** Shared memory of a block, bytes: declared in the program and asked for at the launch. */
  readonly sharedBytes?: number | null;
  /** What the kernel does for a group of devices. */
  readonly collective?: Collective;
  /** An instruction's operands, as the tool writes them. */
  readonly operands?: string;
  /** Instructions that it had to wait for. */
  readonly after?: readonly Dependency[];
}

/** An instruction that another one has to wait for. */
export interface Dependency {
  /** As in `labels.id`: decimal text, since it exceeds 2^53. */
  readonly id: string;
  /** 'flow', 'anti', 'output', 'ordered'. */
  readonly kind: string;
}

/** Fields that every line of an activity has, whatever its format. */
type Always = 'type' | 'profile' | 'start' | 'dur' | 'device' | 'stream';

/** A kernel as a line has it: fields that its format cannot have are absent. */
export type KernelLine = Pick<KernelRecord, Always | 'id' | 'name' | 'short'> & Partial<KernelRecord>;

/** Direction of a copy between host (H) and devices (D), peer to peer, or by a DMA engine. */
export type CopyKind = 'HtoD' | 'DtoH' | 'DtoD' | 'PtoP' | 'HtoH' | 'DMA';

/** Kind of host memory that a copy reads or writes. */
export type HostMemory = 'pageable' | 'pinned' | 'managed';

/** A copy of `bytes` bytes. */
export interface CopyRecord extends Activity, RecordedEnd {
  readonly type: 'copy';
  readonly kind: CopyKind | null;
  readonly bytes: number | null;
  /** Of a copy between host and device; absent where unspecified. */
  readonly hostMemory?: HostMemory;
  /** Queue that it went through, and what the queue is for. */
  readonly queue?: number;
  readonly queueType?: string;
}

/** A copy as a line has it. */
export type CopyLine = Pick<CopyRecord, Always | 'kind' | 'bytes'> & Partial<CopyRecord>;

/** A fill of device memory (memset) of `bytes` bytes. */
export interface SetRecord extends Activity, RecordedEnd {
  readonly type: 'set';
  readonly bytes: number | null;
  readonly value: number | null;
}

/** A wait of the host, a stream or an event. */
export interface SyncRecord extends Activity {
  readonly type: 'sync';
  readonly kind: string | null;
}

/** A collective operation that the profiler reports as one, not by its kernels. */
export interface CollectiveRecord extends Activity, Partial<Context>, CollectiveIdentity {
  readonly type: 'collective';
  readonly name: string;
  /** 'allReduce', 'broadcast' … */
  readonly kind: string | null;
  /** Size of the message. */
  readonly bytes: number | null;
  readonly dtype: string | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly ranks: readonly number[] | null;
  /** As the library names it: 'MESH-RING' … */
  readonly algorithm: string | null;
  /** Interconnect: 'HCCS', 'PCIE', 'ROCE' …; null when unspecified or mixed. */
  readonly link: string | null;
  /** Messages that this device moved for it; only where the profiler records them. */
  readonly transfers?: readonly Transfer[];
}

/** A collective operation as a line has it. */
export type CollectiveLine = Pick<
  CollectiveRecord,
  Always | 'name' | 'kind' | 'bytes' | 'dtype' | 'group' | 'groupSize' | 'ranks' | 'algorithm' | 'link'
> &
  Partial<CollectiveRecord>;

/** A graph launch traced as a whole: the kernels inside are not in the profile. */
export interface GraphRecord extends Activity {
  readonly type: 'graph';
  readonly graphId: number | null;
  readonly execId: number | null;
}

/**
 * What a range of the host is: an annotation of the program or of a library, an op of the framework, a frame of the call
 * stack, a module, a text of PyProf's that describes a call, or a call of the device's library.
 */
export type RangeKind = 'annotation' | 'op' | 'frame' | 'layer' | 'marker' | 'api' | 'overhead';

/** A range of the host program, times in ns. Written with the option `ranges` alone. */
export interface RangeRecord {
  readonly type: 'range';
  readonly profile: number;
  /** Absent in records of earlier versions, as is `self`. */
  readonly kind?: RangeKind;
  readonly start: number;
  readonly dur: number;
  /** Time during which it was the range of its thread that began last, ns. */
  readonly self?: number;
  readonly pid: number | null;
  readonly tid: number | null;
  readonly domain: string | null;
  readonly text: string;
  /** The call stack where the profile has one of the range itself: frames as it writes them, outermost first. */
  readonly stack?: readonly string[];
  /** Of kind `api`: how many activities of devices the call launched. */
  readonly launched?: number;
  /** Where the program did not end it: `dur` is up to the profile's end. */
  readonly open?: true;
}

/** Metric of the samples that state when steps ran on the host: the value is the step's number, `text` its name. */
export const STEP_METRIC = 'step';

/** A value at a time, over a period, or of the whole profile. */
export interface SampleRecord {
  readonly type: 'sample';
  readonly profile: number;
  /** Null for a value of the whole profile. */
  readonly start: number | null;
  /** Only where the value holds over a period. */
  readonly dur?: number | null;
  readonly device: number | null;
  /** By the tool's name. */
  readonly metric: string;
  /** Null when unknown, or a text. */
  readonly value: number | null;
  readonly text?: string;
  /** 's', 'ns', 'bytes', 'bytes/s', 'fraction', '%', 'FLOP', 'FLOP/s', 'cycles', 'count'; null where there is none. */
  readonly unit: string | null;
  /** Identify one of several series: semaphore, queue, process, percentile … */
  readonly labels?: Labels;
}

/** What a tensor is to its program. */
export type TensorRole = 'input' | 'output' | 'weight';

/** A tensor of a compiled program. */
export interface TensorRecord {
  readonly type: 'tensor';
  readonly profile: number;
  readonly name: string;
  readonly role: TensorRole | null;
  /** Element type in the tool's words. */
  readonly dtype: string | null;
  readonly shape: readonly number[] | null;
  readonly bytes: number | null;
}

/** Statistics of one layer of the program, by the tool. */
export interface LayerRecord {
  readonly type: 'layer';
  readonly profile: number;
  readonly start: number;
  readonly dur: number | null;
  readonly device: number | null;
  readonly name: string;
  readonly counters: Readonly<Record<string, number>>;
}

/** A warning of the tool itself. */
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
  /** Records written, by type. */
  readonly counts: Readonly<Record<string, number>>;
  /** Counts of irregularities in the input, by name (diagnostics.ts). */
  readonly diagnostics: Readonly<Record<string, number>>;
}

/** Records that only some formats have. */
export type StatementRecord = SampleRecord | TensorRecord | LayerRecord | NoticeRecord;

/** Any line of a record stream. */
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
