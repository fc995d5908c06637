/**
 * The data of a page of `dprof html`, which the page's own program reads in a browser: plain JSON. Times are ns, shares
 * fractions of 1, unknown is null. Every list has a bound, and states how much it leaves out.
 */
import type { Doubt } from '../input/losses.js';
import type { PagePart, PageTimeline } from './timeline/timeline-data.js';
import type { FindingGroup } from '../advise/grouped-findings.js';
import type { JointUtilisation, Utilisation } from './utilisation/utilisation-data.js';
import type { PageMonitor, PageNeuron } from './neuron/neuron-data.js';
import type { JobTable } from './job/job-data.js';
import type { PageGap, PageIdle, StepBarList } from './idle/idle-data.js';
import type { ProfileVerdict } from '../advise/verdict/verdict.js';
import type { Peaks } from '../roofline/peaks.js';
import type { RooflineBound } from '../roofline/roofline.js';
import type { DiagnosticText } from '../summary/diagnostic-texts.js';
import type { ProfileSummary } from '../summary/summary-data.js';
import type { KernelTotal, OpTotal, StackTree } from './kernels/kernel-data.js';
import type { CollectiveKind } from '../../ops/collective-bytes.js';

/** Operations of one name, size class and group, of all devices of the profile. */
export interface CollectiveRow {
  /** As the summary names it. */
  readonly name: string;
  /** The same whatever a framework or library calls it; null where the name does not say. */
  readonly kind: CollectiveKind | null;
  /** Sizes from this power of four bytes on; null where sizes are unknown. */
  readonly size: number | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly count: number;
  /** Null where none has a duration, as `notUnderCompute`. */
  readonly time: number | null;
  /** How many of them have no duration, and no part in the time; absent: none. */
  readonly untimed?: number;
  /** S of NCCL's tests, of those whose size is known. */
  readonly bytes: number | null;
  /** While nothing is computed on the device. */
  readonly notUnderCompute: number | null;
  /** S over the time, and S times the factor of the operation over the time: of those where it is known. */
  readonly algorithmBandwidth: number | null;
  readonly busBandwidth: number | null;
}

export interface PageData {
  /** Version of this form. */
  readonly v: 1;
  readonly tool: { readonly name: string; readonly version: string };
  /** Base name of the input. */
  readonly title: string;
  /** The input as a word of a shell's command; FILE for several. */
  readonly input: string;
  /** What readers lost of the input: figures rest on the rest. */
  readonly doubts: readonly Doubt[];
  readonly profiles: readonly PageProfile[];
  /** Profiles that are rows of the tables of ranks alone. */
  readonly leftOut: number;
  /** Most time at stake first. */
  readonly advice: readonly FindingGroup[];
  /** The ranks against each other; null for one. */
  readonly job: PageJob | null;
}

/** What a page holds. */
export interface PageContents {
  readonly data: PageData;
  /** What is read only when it is shown. */
  readonly parts: readonly PagePart[];
}

/** What `dprof ranks` says. Clocks, waits and transfers are ns, bandwidths bytes/s. */
export interface PageJob {
  readonly worldSize: number | null;
  /** Ranks without a profile. */
  readonly missing: number;
  /** Profiles in which no device worked, and the first of them. */
  readonly withoutWork: number;
  readonly idle: readonly { readonly name: string; readonly reason: string | null }[];
  readonly matched: number;
  readonly unmatched: number;
  /** Ranks that were tested for being late. */
  readonly tested: number;
  /** Whether who is listed as late may be so by chance. */
  readonly isChance: boolean;
  readonly late: readonly PageStraggler[];
  readonly ranks: readonly {
    readonly name: string;
    readonly node: string | null;
    readonly clock: string;
    readonly offset: number | null;
    /**
     * A time t of its profile is shift + (1 − drift) t ns after the start of the job's first profile, as `dprof perfetto
     * --align job` has it; shift is null where its clock could not be set against the others, drift where it is not known.
     */
    readonly shift: number | null;
    readonly drift: number | null;
    readonly bound: number | null;
    readonly waited: number | null;
    /** Share of the operations that it joined last. */
    readonly last: number | null;
    readonly delayed: number | null;
    /** Index among the profiles of the page, and the device there; null where that is not known. */
    readonly profile: number | null;
    readonly device: number;
    /** Whether it does the work of one rank together with other devices: it is held against this device of other ranks. */
    readonly sharesRank: boolean;
    /** Whether it, or its machine, is late beyond chance. */
    readonly isLate: boolean;
  }[];
  readonly tables: readonly JobTable[];
  readonly classes: readonly {
    readonly kind: string | null;
    readonly groupKind: string | null;
    readonly size: number | null;
    readonly operations: number;
    readonly wait: number;
    readonly transfer: number | null;
    readonly busBandwidth: number | null;
  }[];
  readonly utilisation: JointUtilisation;
  /** Columns of the heat maps; null for the whole profile, where it has no steps. */
  readonly steps: readonly (number | null)[];
  /** A row a rank, a column a step. */
  readonly heat: readonly {
    readonly title: string;
    readonly unit: 'ns' | 'flop' | 'memory' | 'count';
    readonly values: readonly (readonly (number | null)[])[];
  }[];
}

/** A rank that is late, or a machine. */
export interface PageStraggler {
  readonly name: string;
  readonly node: string | null;
  readonly ranks: number;
  /** Own work of a step beyond that of its peers, ns, and as a share of the step. */
  readonly late: number;
  readonly share: number;
  readonly q: number;
  /** Steps in which it was compared, and those of them in which it was late. */
  readonly steps: number;
  readonly lateIn: number;
  /** By what factor all kernels are slower; null where they are not alike. */
  readonly slowdown: number | null;
  readonly by: string | null;
  readonly layer: LateWork | null;
  readonly op: LateWork | null;
  readonly kernel: LateWork | null;
}

interface LateWork {
  readonly name: string;
  readonly excess: number;
  readonly share: number | null;
}

/** The data of one profile: mostly one rank of a run. */
export interface PageProfile {
  /** As `dprof summary` prints it. */
  readonly overview: ProfileSummary;
  /** Whether it is of the capture of graphs, which other profiles may replay, rather than of a run. */
  readonly isGraphCapture: boolean;
  /** By the names in `overview.diagnostics`; absent where a name is of a later version. */
  readonly diagnosticTexts: Readonly<Record<string, DiagnosticText>>;
  /** Null where no work of a device has a time. */
  readonly verdict: ProfileVerdict | null;
  readonly idle: PageIdle;
  /** Longest first: the longest of all, and the longest of each step. */
  readonly gaps: readonly PageGap[];
  readonly stepBars: StepBarList;
  readonly collectives: Bounded<CollectiveRow>;
  readonly utilisation: Utilisation;
  readonly kernels: Bounded<KernelTotal>;
  readonly ops: Ops;
  /** Kernels by call stack; null where the profile has none. */
  readonly stacks: StackTree | null;
  readonly annotations: Bounded<Annotation>;
  readonly roofline: Roofline;
  readonly layers: Bounded<LayerRow>;
  readonly memory: readonly MemoryCurve[];
  readonly memoryPeaks: readonly MemoryPeak[];
  readonly timeline: PageTimeline | null;
  /** Null for other devices. */
  readonly neuron: PageNeuron | null;
  /** Null for all but reports of neuron-monitor. */
  readonly monitor: PageMonitor | null;
}

/** The peak of a device's memory, and what held it; owners are null where the profile does not say. */
export interface MemoryPeak {
  readonly device: number | null;
  readonly metric: string;
  /** Component or kind of memory; '' where there is but one. */
  readonly of: string;
  readonly bytes: number;
  /** ns; null for a value of the whole profile. */
  readonly start: number | null;
  readonly step: number | null;
  /** Of the newest allocation at the peak. */
  readonly op: string | null;
  readonly ops: MemoryOwners | null;
  readonly categories: MemoryOwners | null;
}

export interface MemoryOwner {
  readonly name: string;
  readonly bytes: number;
  /** Null where the profile has sums only. */
  readonly allocations: number | null;
}

/** Largest first, and what the others hold. */
export interface MemoryOwners {
  readonly shown: readonly MemoryOwner[];
  readonly count: number;
  readonly restBytes: number;
}

/** The first entries of a list, most important first, and the count of all. */
export interface Bounded<T> {
  readonly shown: readonly T[];
  readonly count: number;
  /** ns of the entries that are not shown. */
  readonly restTime: number;
}

/** The ops with the most time. */
export interface Ops extends Bounded<OpTotal> {
  /** Of all kernels, those without an op too; null where the profile has no work of a device. */
  readonly time: number | null;
}

/** A text that the user put around launches (layer or range), and the device time of each of its occurrences. */
export interface Annotation {
  readonly text: string;
  /** Null, as the times, where the profile has no work of a device. */
  readonly count: number | null;
  /** Occurrences without a recorded range: consecutive kernels under the text count as one. */
  readonly guessed: number;
  /** Of the kernels inside, those of the autograd engine's threads too. */
  readonly time: number | null;
  /** Of it, what the thread of the text launched. */
  readonly own: number | null;
  /** Ranges of the host, the time that its threads were in one, and without the ranges within; null where unknown. */
  readonly passes: number | null;
  readonly host: number | null;
  readonly hostSelf: number | null;
  /** Device times of single occurrences, for a histogram: at most 2000, evenly spread over all. */
  readonly samples: readonly number[];
  /** Durations of single ranges of the host, likewise: at most 200. */
  readonly hostSamples: readonly number[];
}

/** Kernels by op and kernel name, and the roofs of their devices. */
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
  /** ns of all its kernels, those without a point too. */
  readonly time: number;
  readonly name: string;
  /** How its peaks are known. */
  readonly origin: Peaks['origin'];
  /** Bytes/s; null when not known. */
  readonly bytesPerS: number | null;
  /** 'fp16 matrix unit' … in FLOP/s. */
  readonly units: readonly { readonly name: string; readonly flopsPerS: number }[];
}

/** A layer of the tree of layers, which are listed in order, a parent before its children. */
export interface LayerRow {
  /** From the top. */
  readonly path: readonly string[];
  /** Kernels of the layer and of all beneath it. */
  readonly count: number;
  readonly time: number;
  /** Time of kernels in no layer beneath. */
  readonly own: number;
  readonly forward: number;
  readonly backward: number;
  /** Backward kernels in no layer beneath. */
  readonly ownBackward: number;
  /** Null where none is known. */
  readonly flops: number | null;
  readonly bytes: number | null;
  readonly why: Readonly<Record<LayerPart, LayerReason | null>>;
}

/** Kernels of a layer: all of them, those of its forward, those of its backward. */
export type LayerPart = 'all' | 'forward' | 'backward';

/** Why some kernels of a layer take their time. */
export interface LayerReason {
  /** What bounds most of their time, `bound` of the kernels; null where that is not known. */
  readonly bound: RooflineBound | null;
  /** Share of their time that it bounds. */
  readonly boundShare: number | null;
  /** Share of their time on the matrix unit; null where that is not known. */
  readonly tc: number | null;
  /** The kernel that took longest, by its number in the profile; `start` is in ns from the profile's start. */
  readonly slowest: { readonly id: number; readonly name: string; readonly start: number; readonly time: number };
}

export interface MemoryCurve {
  readonly device: number | null;
  /** Curves of one metric are drawn together. */
  readonly metric: string;
  /** Component or kind of memory; the metric itself where it has only one curve. */
  readonly name: string;
  /** [ns, bytes] in order of time; empty for a value of the whole profile. */
  readonly points: readonly (readonly [number, number])[];
  readonly peak: number;
}
