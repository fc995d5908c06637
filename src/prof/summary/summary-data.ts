/**
 * What a profile adds up to, for every vendor: the answer of `dprof summary`, and what a page shows first. Plain data,
 * as JSON writes it. Times are ns, with a fraction where the device's clock has picoseconds; shares are fractions of
 * 1; what is not known is null.
 */
import type { ProgramSummary } from './program-sums.js';
import type { ProfileRecord } from '../../record/record.js';
import type { PhaseSummary, ServedStep } from '../steps/serving/serving-summary.js';
import type { Distribution } from '../../containers/log-histogram.js';
import type { Utilisation } from '../html/utilisation/utilisation-data.js';

/** What a profile adds up to. */
export interface ProfileSummary {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  /** In order of id. */
  readonly devices: readonly DeviceTime[];
  /** Of all devices together; null without kernels. */
  readonly kernels: KernelSummary | null;
  /** By kind, most time first. */
  readonly memory: readonly MemoryOperations[];
  /** By kind, most time first. */
  readonly syncs: readonly Tally[];
  readonly collectives: readonly CollectiveOperations[];
  /** Messages of collectives by link, `HCCS`, and by link and ranks, `HCCS 0>1`, most time first. */
  readonly links: readonly MemoryOperations[];
  readonly steps: StepSummary | null;
  /** Where no device worked, what the host did; null without its ranges, and where a device worked. */
  readonly host: HostSummary | null;
  /** What threads did on the host's cores; null where the profiler recorded neither scheduling nor samples of them. */
  readonly cpu: CpuSummary | null;
  /** Null where the profile describes no compiled program. */
  readonly program: ProgramSummary | null;
  /** What the vendor's tool warned of that figures of DMA rest on: copies, and all that is computed from them. */
  readonly notices: readonly string[];
  /** What was odd, by name: in the input, as the reader's end line has it, and in the records (`record-…`, `step-…`). */
  readonly diagnostics: Readonly<Record<string, number>>;
}

/** Where the time of one device went. Each length is that of a union: what ran at the same time counts once. */
export interface DeviceTime {
  readonly device: number;
  /** As the profile names it. */
  readonly name: string | null;
  /** Start of the first work, and end of the last, from the profile's start. */
  readonly start: number;
  readonly end: number;
  /** From the first start to the last end of kernels, collectives, graph launches, copies and sets. */
  readonly span: number;
  readonly busy: number;
  /** The rest of the span, but what is missing. */
  readonly idle: number;
  /** Kernels that do not communicate, and graph launches traced as a whole. */
  readonly compute: number;
  /** Kernels of NCCL, RCCL or a process group, and collective operations. */
  readonly communication: number;
  /** Copies and sets. */
  readonly memory: number;
  /** Waits that the profile reports on the device: no work, not part of busy. */
  readonly sync: number;
  /** Communication while nothing else runs; while nothing is computed. */
  readonly exposed: number;
  readonly notUnderCompute: number;
  /**
   * Copies while nothing is computed or communicated, and sets while nothing else runs. So each moment of the span is in one
   * part: compute, `notUnderCompute`, these two, `idleInWaits`, the rest of idle, and what is missing.
   */
  readonly copiesAlone: number;
  readonly setsAlone: number;
  /** Idle time during which the profile reports a wait: the host, or a stream, waited. Null where work is missing. */
  readonly idleInWaits: number | null;
  /** Durations of kernels, added up. */
  readonly kernelSum: number;
  readonly counts: Readonly<Record<WorkKind, number>>;
  /** Only work whose launch is in the profile; null where no launch is (compiled programs). */
  readonly linked: { readonly activities: number; readonly span: number; readonly busy: number } | null;
  readonly gaps: Gaps | null;
  /**
   * Launches whose work the profiler lost, work without a duration, and time without any work in which these may have run:
   * neither busy nor idle. Null where none is missing.
   */
  readonly missing: MissingTime | null;
}

interface MissingTime {
  readonly launches: number;
  /** Work without a duration; absent: none. */
  readonly untimed?: number;
  /** The call of the launches; null where it is not known. */
  readonly api: string | null;
  readonly time: number;
  /** From the first of the launches to the next work after the last; null without launches. */
  readonly start: number | null;
  readonly end: number | null;
}

/** What a device does, as counts name it. */
export type WorkKind = 'kernels' | 'communications' | 'graphs' | 'copies' | 'sets' | 'syncs';

/**
 * Why a device was idle, by what ended each gap: work that the host launched (the start of its call) only after the
 * device had run dry, work that had been launched before or waited longer still after its launch (queue, dependency, work
 * from before the profile), or work of unknown launch. The three add up to idle.
 */
interface Gaps {
  readonly count: number;
  readonly longest: number;
  /** Launch-bound: the device waited for the host. Null, as `queue`, where no launch of the device is known. */
  readonly host: number | null;
  readonly queue: number | null;
  readonly unknown: number;
}

/** A name with how often and how long. */
export interface Tally {
  readonly name: string;
  readonly count: number;
  /** Null where none has a duration. */
  readonly time: number | null;
  /** How many of them have no duration, and no part in the time; absent: none. */
  readonly untimed?: number;
}

/** Names of what always has a duration. */
export interface TimedTally extends Tally {
  readonly time: number;
}

/** Ranges of the host by name: `time` is without the ranges within, of whatever kind. */
export interface HostTally extends TimedTally {
  /** Durations. */
  readonly total: number;
}

/** What the host did, by its ranges. */
export interface HostSummary {
  readonly threads: number;
  /** What the threads spent in ranges. */
  readonly time: number;
  /** By kind: op, annotation, layer, frame, marker. Most time of their own first, as in the lists. */
  readonly kinds: readonly TimedTally[];
  readonly ops: readonly HostTally[];
  readonly annotations: readonly HostTally[];
  readonly layers: readonly HostTally[];
  /** How long steps took on the host. */
  readonly steps: (Pick<StepSpread, 'median' | 'min' | 'max'> & Pick<StepSummary, 'count'>) | null;
}

/** Threads on the cores of the host, of the processes that the profiler traced. */
export interface CpuSummary {
  /** From the first to the last event of scheduling: the whole of which times are parts; null without such events. */
  readonly traced: number | null;
  /** Of all cores together, as in the lists: times that threads ran, times that they were scheduled, samples taken. */
  readonly time: number | null;
  readonly switches: number | null;
  readonly samples: number | null;
  /** Most time first, as the processes. */
  readonly cores: readonly CpuTally[];
  readonly processes: readonly CpuTally[];
}

/** What threads did on one core, or those of one process. */
export interface CpuTally {
  /** Number of the core, or of the process. */
  readonly id: number;
  readonly time: number | null;
  readonly switches: number | null;
  readonly samples: number | null;
}

/** Kernels of all devices: which, in which precision, on which unit, with what is known of their work. */
export interface KernelSummary {
  readonly count: number;
  /** Durations added up: the whole of which shares below are parts. Null where no kernel has one. */
  readonly time: number | null;
  /** Kernels without a duration, in no time. */
  readonly untimed: number;
  /** Kernels whose recorded end is not believed, and their time, which is up to the next work of their stream or a wait. */
  readonly cut: Pick<TimedTally, 'count' | 'time'>;
  /** By short name; most time first, and most launches first. */
  readonly byTime: readonly Tally[];
  readonly byCount: readonly Tally[];
  readonly names: number;
  /** Time by element type of the arithmetic; name 'na' where it is unknown. Most time first. */
  readonly precision: readonly Tally[];
  readonly matrixUnit: MatrixUnitTime;
  /** What is known of FLOPs and bytes. */
  readonly work: WorkTime;
  readonly unattributed: Unattributed;
  /** Kernels of replayed graphs by how it is known where they were captured. Most time first. */
  readonly replayed: readonly Tally[];
}

/** Times of kernels by use of the matrix unit: the four of `tc`, and not known. They add up to the kernels' time. */
export interface MatrixUnitTime {
  readonly used: number;
  readonly unused: number;
  readonly notApplicable: number;
  /** Products for which it is undetermined: `?`. */
  readonly undetermined: number;
  readonly unknown: number;
  /**
   * Products whose types the unit takes, and of these the time on it; the name's silence counts as neither. Null where
   * of no product it is known.
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
  /** Time-weighted shares of the peaks, of kernels where both are known; null where none is. */
  readonly computeShare: number | null;
  readonly memoryShare: number | null;
  /** Time of the kernels where both are known. */
  readonly rated: number;
  /**
   * Model FLOPs utilisation: the time that known FLOPs take at the peaks of the units that they ran on, in their types,
   * over the spans of the devices; null where no kernel has both, and where work of a device is missing. What is not
   * known counts as nothing done.
   *
   * Source: Chowdhery et al., PaLM, appendix B, https://arxiv.org/abs/2204.02311.
   */
  readonly mfu: number | null;
  /** Time of the kernels whose FLOPs and peak are known. */
  readonly flopsRated: number;
  /** Time by bound: compute, memory, latency, na. */
  readonly bounds: readonly Tally[];
  /** Kernels above a peak: a defect. */
  readonly impossible: number;
  /** Kernels that a library ran to choose an algorithm, and their time. */
  readonly trials: number;
  readonly trialTime: number;
}

/** Kernels of which no op is known. */
interface Unattributed {
  readonly count: number;
  /** Null where none has a duration. */
  readonly time: number | null;
  /** Why, most time first. */
  readonly reasons: readonly Tally[];
}

/** Operations of one kind that move data. */
export interface MemoryOperations {
  /** 'HtoD' … of a copy ('copy' where it is unknown), or 'set'; of messages the link. */
  readonly kind: string;
  readonly count: number;
  /** Null where none has a duration. */
  readonly time: number | null;
  /** Of those whose size is known. */
  readonly bytes: number | null;
  /** Bytes over time, of those that have both. */
  readonly bytesPerS: number | null;
}

/** Collective operations of one kind: a kernel with its op, its name's kind where no op is known, or an operation. */
export interface CollectiveOperations extends Tally {
  readonly bytes: number | null;
  readonly groups: readonly string[];
}

/** ns. */
export interface StepSpread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation over mean; null for fewer than two. */
  readonly variation: number | null;
}

/**
 * How long steps took. The host may only launch a step and go on, so that its time of a step (the column `iteration` of
 * `dprof steps`) is another one than the device's (`span`).
 */
export interface StepSummary {
  readonly count: number;
  /**
   * ns of each step in order: from its begin on the host to the begin of the next (null where unknown), from its first work
   * on the device to the end of the last, busy time, kernels launched in it, and by its own threads (null where unknown).
   */
  readonly list: readonly {
    readonly step: number;
    readonly device: number;
    readonly iteration: number | null;
    readonly span: number;
    readonly busy: number;
    readonly kernelTime: number;
    readonly ownKernelTime: number | null;
    /** Absent where no kernel was launched in a server's step. */
    readonly served?: ServedStep;
  }[];
  /** Of the iterations, each once; null where none is known. */
  readonly host: StepSpread | null;
  /** Of the spans, one a step and device. */
  readonly device: StepSpread;
  /** Steps of servers of language models by phase; absent where there are none. */
  readonly serving?: readonly PhaseSummary[];
}

/** Curves and distributions of a profile. */
export interface ProfileDetails {
  /** How busy each device was over time, from its first work to its last. */
  readonly utilisation: Utilisation;
  /** Of each device that had kernels. */
  readonly launches: readonly LaunchTimes[];
  /** Texts around launches, most device time first, at most 50. */
  readonly annotations: readonly AnnotationTimes[];
  /** Null where the records have no ops of the host. */
  readonly ops: OpTimes | null;
}

/** How long kernels waited from the begin of their launch call to their own start. */
export interface LaunchTimes {
  readonly device: number;
  readonly latency: Distribution | null;
  /** Kernels without a known launch, and those that start before it (clocks that differ): in no distribution. */
  readonly unknown: number;
  readonly early: number;
}

/** A layer or range of the program: its times on the host, and on devices of what was launched in it. */
export interface AnnotationTimes {
  readonly text: string;
  /** Device time of each occurrence; null where nothing was launched in it. */
  readonly device: Distribution | null;
  /** Duration of each range; null where the records have no ranges of it. */
  readonly host: Distribution | null;
}

/** Time in which threads were in ops of the framework, out of the time from the first op to the end of the last. */
export interface OpTimes {
  readonly start: number;
  readonly span: number;
  /** Of all threads. */
  readonly time: number;
  /** Most time first. */
  readonly threads: readonly {
    readonly pid: number | null;
    readonly tid: number | null;
    readonly time: number;
    readonly share: number | null;
  }[];
}
