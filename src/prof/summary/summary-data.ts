/**
 * Summary of a profile of any vendor: the answer of `dprof summary`, and what the HTML page shows first. Plain data, in the
 * form of the JSON output. Times are ns, with a fraction when the device's clock has picoseconds; shares are fractions of
 * 1; unknown values are null.
 */
import type { ProgramSummary } from './program-sums.js';
import type { TensorWork } from '../neuron/flops.js';
import type { ProfileRecord } from '../../record/record.js';
import type { PhaseSummary, ServedStep } from '../steps/serving/serving-summary.js';
import type { Distribution } from '../../containers/log-histogram.js';
import type { Utilisation } from '../html/utilisation/utilisation-data.js';

/** Figures of one profile: devices, kernels, copies, collectives, steps and unknown values. */
export interface ProfileSummary {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  /** Sorted by id. */
  readonly devices: readonly DeviceTime[];
  /** Over all devices; null without kernels. */
  readonly kernels: KernelSummary | null;
  /** One entry per kind of copy or memset, largest time first. */
  readonly memory: readonly MemoryOperations[];
  /** One entry per kind of wait, largest time first. */
  readonly syncs: readonly Tally[];
  readonly collectives: readonly CollectiveOperations[];
  /** Messages of collectives by link, `HCCS`, and by link and ranks, `HCCS 0>1`, largest time first. */
  readonly links: readonly MemoryOperations[];
  readonly steps: StepSummary | null;
  /** What the host did, when no device worked; null without host ranges, and when a device worked. */
  readonly host: HostSummary | null;
  /** What threads did on the host's cores; null when the profiler recorded neither their scheduling nor samples of them. */
  readonly cpu: CpuSummary | null;
  /** Null when the profile describes no compiled program. */
  readonly program: ProgramSummary | null;
  /** Warnings of the vendor's tool about DMA, which affect copies and all figures that are computed from them. */
  readonly notices: readonly string[];
  /** Anomalies by name: those of the input, from the reader's end line, and those of the records (`record-…`, `step-…`). */
  readonly diagnostics: Readonly<Record<string, number>>;
}

/** How one device spent its time. Each length is that of a union: concurrent activities count once. */
export interface DeviceTime {
  readonly device: number;
  /** Name in the profile. */
  readonly name: string | null;
  /** Start of the first work and end of the last, from the profile's start. */
  readonly start: number;
  readonly end: number;
  /** Time from the first start to the last end of kernels, collectives, graph launches, copies and memsets. */
  readonly span: number;
  /** Null when the profile lacks copies of the device, as are all values below that depend on copies. */
  readonly busy: number | null;
  /** The rest of the span, without missing time. */
  readonly idle: number | null;
  /**
   * Present when the profile lacks copies of the device: it was busy for at least, and idle for at most, as long. Copies that
   * ran alone are then in the idle time.
   */
  readonly bounds?: { readonly busy: number; readonly idle: number };
  /** Kernels that do not communicate, and graph launches that were traced as a whole. */
  readonly compute: number;
  /** Kernels of NCCL, RCCL or a process group, and collective operations. */
  readonly communication: number;
  /** Copies and sets. */
  readonly memory: number | null;
  /** Waits that the profile reports on the device; they are not work and not part of busy. */
  readonly sync: number;
  /** Communication while no compute runs. Copies may run. */
  readonly exposed: number;
  /**
   * Copies while neither compute nor communication runs (null when unknown), and sets while nothing else runs. Each moment of the span is thus
   * in one part: compute, `exposed`, these two, `idleInWaits`, the rest of idle, and missing.
   */
  readonly copiesAlone: number | null;
  readonly setsAlone: number;
  /** Idle time during which the profile reports that the host or a stream waited. Null when work is missing. */
  readonly idleInWaits: number | null;
  /** Sum of the durations of all kernels, whatever they do. */
  readonly kernelSum: number;
  /** The part of it in kernels that compute. */
  readonly computeSum: number;
  /** Sum of the durations of operations that communicate, as kernels or not. */
  readonly communicationSum: number;
  readonly counts: Readonly<Record<WorkKind, number>>;
  /**
   * Engines of a NeuronCore, and DMA, the longest active time first. Engines run at the same time, so their times do not add
   * up to busy. Absent for devices without engines.
   */
  readonly engines?: readonly EngineTime[];
  /** Only work whose launch is in the profile; null when no launch is (compiled programs). */
  readonly linked: { readonly activities: number; readonly span: number; readonly busy: number } | null;
  readonly gaps: Gaps | null;
  /**
   * Launches whose work the profiler lost, work without a duration, and time without other work in which these may have
   * run. This time is neither busy nor idle. Null when none is missing.
   */
  readonly missing: MissingTime | null;
}

/** How long an engine worked; waits do not count. */
export interface EngineTime {
  readonly engine: string;
  /** Time in ns during which at least one instruction or transfer of the engine ran. */
  readonly active: number;
}

interface MissingTime {
  readonly launches: number;
  /** Number of pieces of work without a duration; absent when 0. */
  readonly untimed?: number;
  /** The call that launched; null if unknown. */
  readonly api: string | null;
  readonly time: number;
  /** Time from the first of the launches to the next work after the last; null without launches. */
  readonly start: number | null;
  readonly end: number | null;
}

/** Kinds of device work, as the counts name them. */
export type WorkKind = 'kernels' | 'communications' | 'graphs' | 'copies' | 'sets' | 'syncs';

/**
 * Idle time by what ended each gap: work that the host launched (start of its call) only after the device had run out of
 * work; work that was launched before, or that waited even longer after its launch (queue, dependency, work from before the
 * profile); or work whose launch is unknown. The three add up to idle.
 */
interface Gaps {
  readonly count: number;
  readonly longest: number;
  /** Launch-bound time: the device waited for the host. Null, like `queue`, when no launch of the device is known. */
  readonly host: number | null;
  readonly queue: number | null;
  /** Time in which the program waited for transfers that it started; absent when 0. */
  readonly transfer?: number;
  readonly unknown: number;
}

/** A name with its count and total time. */
export interface Tally {
  readonly name: string;
  readonly count: number;
  /** Null when none has a duration. */
  readonly time: number | null;
  /** How many of them have no duration and are not in the time; absent when 0. */
  readonly untimed?: number;
}

/** A tally of things that always have a duration. */
export interface TimedTally extends Tally {
  readonly time: number;
}

/** Host ranges by name; `time` is self time, without inner ranges of any kind. */
export interface HostTally extends TimedTally {
  /** Sum of durations. */
  readonly total: number;
}

/** What the host did, according to its ranges. */
export interface HostSummary {
  /** Null where the thread of a range is unknown. */
  readonly threads: number | null;
  /** Time that threads spent in ranges. */
  readonly time: number;
  /** By kind: op, annotation, layer, frame, marker. Largest self time first, as in the lists. */
  readonly kinds: readonly TimedTally[];
  readonly ops: readonly HostTally[];
  readonly annotations: readonly HostTally[];
  readonly layers: readonly HostTally[];
  /** Duration of steps on the host. */
  readonly steps: (Pick<StepSpread, 'median' | 'min' | 'max'> & Pick<StepSummary, 'count'>) | null;
}

/** Threads on the host's cores, for the processes that the profiler traced. */
export interface CpuSummary {
  /** Time from the first scheduling event to the last. The other times are its parts. Null without such events. */
  readonly traced: number | null;
  /**
   * Over all cores, as in the lists: time that threads ran, number of times that they were scheduled, number of samples.
   */
  readonly time: number | null;
  readonly switches: number | null;
  readonly samples: number | null;
  /** Largest time first, as are the processes. */
  readonly cores: readonly CpuTally[];
  readonly processes: readonly CpuTally[];
}

/** Thread activity on one core, or of one process. */
export interface CpuTally {
  /** Number of the core, or of the process. */
  readonly id: number;
  readonly time: number | null;
  readonly switches: number | null;
  readonly samples: number | null;
}

/** Kernels of all devices: which ones, in which precision, on which unit, and what is known about their work. */
export interface KernelSummary {
  readonly count: number;
  /** Sum of durations; the shares below refer to it. Null when no kernel has a duration. */
  readonly time: number | null;
  /** Number of kernels without a duration. They are not included in any time. */
  readonly untimed: number;
  /** Instructions that only wait, which no other figure includes, although `--by` does; absent without any. */
  readonly waits?: { readonly count: number; readonly time: number };
  /**
   * Kernels whose recorded end is not plausible, and their time, which is counted until the next work of their stream or a
   * wait.
   */
  readonly cut: Pick<TimedTally, 'count' | 'time'>;
  /** Kernels by short name, those with the largest time and with the most launches first. */
  readonly byTime: readonly Tally[];
  readonly byCount: readonly Tally[];
  readonly names: number;
  /** Time by element type of the arithmetic; 'na' when unknown. Largest time first. */
  readonly precision: readonly Tally[];
  readonly matrixUnit: MatrixUnitTime;
  /** Figures about FLOPs and bytes, where known. */
  readonly work: WorkTime;
  readonly unattributed: Unattributed;
  /** Kernels of replayed graphs by how it is known where they were captured. Largest time first. */
  readonly replayed: readonly Tally[];
}

/** Times of kernels by use of the matrix unit: the four values of `tc`, and unknown. They add up to the kernels' time. */
export interface MatrixUnitTime {
  readonly used: number;
  readonly unused: number;
  readonly notApplicable: number;
  /** Products for which use of the unit is undetermined: `?`. */
  readonly undetermined: number;
  readonly unknown: number;
  /**
   * Time of products whose types the unit supports, and the part of it on the unit; products whose name does not say are in
   * neither. Null when it is known for no product.
   */
  readonly eligible: number | null;
  readonly eligibleUsed: number | null;
}

/** Kernels with known work. */
export interface WorkTime {
  /** Time of kernels with known FLOPs and bytes. */
  readonly known: number;
  readonly flops: number;
  readonly bytes: number;
  /** Time-weighted shares of the peaks, over kernels for which both are known; null when there are none. */
  readonly computeShare: number | null;
  readonly memoryShare: number | null;
  /** Time of the kernels for which both are known. */
  readonly rated: number;
  /**
   * Model FLOPs utilisation: the time that the known FLOPs take at the peaks of the units that they ran on, in their
   * types, divided by the spans of the devices. Null if no kernel has both FLOPs and peak, or if work of a device is
   * missing. Unknown FLOPs count as 0. On a Neuron device it is the vendor's MFU, which is relative to the BF16 peak.
   *
   * Source: Chowdhery et al., PaLM, appendix B, https://arxiv.org/abs/2204.02311.
   */
  readonly mfu: number | null;
  /** Work of the tensor engines, only on a Neuron device. `flops` come from the formulas. */
  readonly tensor?: TensorWork;
  /** Time of the kernels whose FLOPs and peak are known. */
  readonly flopsRated: number;
  /** Time by bound: compute, memory, latency, na. */
  readonly bounds: readonly Tally[];
  /** Number of kernels above a peak, which indicates a defect. */
  readonly impossible: number;
  /** Number of these whose recorded time is too short: see `AbovePeaks`. Absent when 0. */
  readonly mistimed?: number;
  /** Kernels that a library ran to choose an algorithm: number and time. */
  readonly trials: number;
  readonly trialTime: number;
}

/** Kernels whose op is unknown. */
interface Unattributed {
  readonly count: number;
  /** Null when none has a duration. */
  readonly time: number | null;
  /** Reasons, largest time first. */
  readonly reasons: readonly Tally[];
}

/** Data movement operations of one kind. */
export interface MemoryOperations {
  /** For a copy 'HtoD' etc. ('copy' when unknown); 'set'; for messages the link. */
  readonly kind: string;
  readonly count: number;
  /** Null when none has a duration. */
  readonly time: number | null;
  /** Bytes of the operations whose size is known; null when no size is known. */
  readonly bytes: number | null;
  /** Number of operations of unknown size; left out when the size of none or of all is known. */
  readonly unsized?: number;
  /** Bytes over the time in which at least one runs on a device, of those that have both: see `TransferRate`. */
  readonly bytesPerS: number | null;
}

/**
 * Collective operations of one kind: a kernel with its op (or the kind in its name when no op is known), or an operation.
 */
export interface CollectiveOperations extends Tally {
  readonly bytes: number | null;
  readonly groups: readonly string[];
}

/** Unit: ns. */
export interface StepSpread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation divided by the mean; null for fewer than two. */
  readonly variation: number | null;
}

/**
 * Duration of steps. The host may only launch a step's work and continue, so that its time for a step (the column
 * `iteration` of `dprof steps`) differs from the device's (`span`).
 */
export interface StepSummary {
  readonly count: number;
  /**
   * Times of each step in ns, in order: from its start on the host to the start of the next (null when unknown), from its
   * first work on the device to the end of the last, busy time, time of kernels launched in it, and of those launched by
   * its own threads (null when unknown).
   */
  readonly list: readonly {
    readonly step: number;
    readonly device: number;
    readonly iteration: number | null;
    readonly span: number;
    readonly busy: number;
    readonly kernelTime: number;
    readonly ownKernelTime: number | null;
    /** Absent when no kernel was launched in a server's step. */
    readonly served?: ServedStep;
  }[];
  /** Spread of the iterations, each counted once; null when none is known. */
  readonly host: StepSpread | null;
  /** Spread of the spans, one per step and device. */
  readonly device: StepSpread;
  /** Steps of inference servers for language models, by phase; absent when there are none. */
  readonly serving?: readonly PhaseSummary[];
}

/** Curves and distributions of a profile. */
export interface ProfileDetails {
  /** How busy each device was over time, from its first work to its last. */
  readonly utilisation: Utilisation;
  /** Figures of each device that had kernels. */
  readonly launches: readonly LaunchTimes[];
  /** Names of ranges around launches, largest device time first, at most 50. */
  readonly annotations: readonly AnnotationTimes[];
  /** Null when the records have no host ops. */
  readonly ops: OpTimes | null;
}

/** Time from the start of a kernel's launch call to the kernel's start. */
export interface LaunchTimes {
  readonly device: number;
  readonly latency: Distribution | null;
  /**
   * Number of kernels without a known launch, or with a start before it (different clocks); distributions leave them
   * out.
   */
  readonly unknown: number;
  readonly early: number;
}

/** A layer or range of the program: its times on the host, and the device times of the work launched in it. */
export interface AnnotationTimes {
  readonly text: string;
  /** Device time of each occurrence; null when nothing was launched in it. */
  readonly device: Distribution | null;
  /** Duration of each range; null when the records do not have the ranges. */
  readonly host: Distribution | null;
}

/** Time that threads spent in framework ops, and the time from the first op's start to the last op's end. */
export interface OpTimes {
  readonly start: number;
  readonly span: number;
  /** Over all threads. */
  readonly time: number;
  /** Largest time first. */
  readonly threads: readonly {
    readonly pid: number | null;
    readonly tid: number | null;
    readonly time: number;
    readonly share: number | null;
  }[];
}
