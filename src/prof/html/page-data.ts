/**
 * The data of a page of `dprof html`, which the page's own program reads in a browser: plain JSON. Times are ns, shares
 * are fractions of 1, unknown values are null. Every list is bounded, and states how much it leaves out.
 */
import type { KnownWork } from '../tally/kernel-tally.js';
import type { Doubt } from '../input/losses.js';
import type { PagePart, PageTimeline } from './timeline/timeline-data.js';
import type { JobVerdict } from '../advise/rule.js';
import type { FindingGroup } from '../advise/grouped-findings.js';
import type { JointUtilisation, Utilisation } from './utilisation/utilisation-data.js';
import type { PageMonitor, PageNeuron } from './neuron/neuron-data.js';
import type { JobTable } from './job/job-data.js';
import type { PageGap, PageIdle, StepBarList } from './idle/idle-data.js';
import type { ProfileVerdict } from '../advise/verdict/verdict.js';
import type { Peaks } from '../roofline/peaks.js';
import type { RooflineBound } from '../roofline/roofline.js';
import type { ProfileSummary } from '../summary/summary-data.js';
import type { CheckVerdict, Reason } from '../check/reason.js';
import type { SequenceRow } from '../sequences/repeated-sequences.js';
import type { HistogramBin } from '../../record/statistics.js';
import type { CategoryTotal, KernelTotal, LineTotal, OpTotal, StackTree } from './kernels/kernel-data.js';
import type { CollectiveKind } from '../../ops/collective-bytes.js';

/** Operations of one name, size class and group, over all devices of the profile. */
export interface CollectiveRow {
  /** Name as in the summary. */
  readonly name: string;
  /** Kind of the operation, whatever name the framework or library uses; null if the name does not show it. */
  readonly kind: CollectiveKind | null;
  /** Lower end of the size class, a power of four in bytes; null when sizes are unknown. */
  readonly size: number | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly count: number;
  /** Null when none has a duration, as is `notUnderCompute`. */
  readonly time: number | null;
  /** How many of them have no duration and are not in the time; absent when 0. */
  readonly untimed?: number;
  /** Sum of the sizes S, as in NCCL's tests, over operations whose size is known. */
  readonly bytes: number | null;
  /** Time while no compute runs on the device. */
  readonly notUnderCompute: number | null;
  /**
   * S divided by the time, and S times the operation's bus factor divided by the time, over operations for which they
   * are known.
   */
  readonly algorithmBandwidth: number | null;
  readonly busBandwidth: number | null;
}

export interface PageData {
  /** Version of this format. */
  readonly v: 1;
  readonly tool: { readonly name: string; readonly version: string };
  /** Base name of the input. */
  readonly title: string;
  /** The input, quoted as a shell word; FILE for several. */
  readonly input: string;
  /** Parts of the input that readers could not read; figures are computed from the rest. */
  readonly doubts: readonly Doubt[];
  readonly profiles: readonly PageProfile[];
  /** Number of profiles that are only rows in the tables of ranks. */
  readonly leftOut: number;
  /** Findings, largest time at stake first. */
  readonly advice: readonly FindingGroup[];
  /** Comparison of the ranks; null for a single one. */
  readonly job: PageJob | null;
}

export interface PageContents {
  readonly data: PageData;
  /** Parts that are read only when they are shown. */
  readonly parts: readonly PagePart[];
}

/** The results of `dprof ranks`. Clocks, waits and transfers are in ns, bandwidths in bytes/s. */
export interface PageJob {
  readonly worldSize: number | null;
  /** Number of ranks without a profile. */
  readonly missing: number;
  /** Number of profiles in which no device worked, and the first of them. */
  readonly withoutWork: number;
  readonly idle: readonly { readonly name: string; readonly reason: string | null }[];
  readonly matched: number;
  readonly unmatched: number;
  /** Number of ranks that were tested for lateness. */
  readonly tested: number;
  /** Whether the ranks listed as late may be late by chance. */
  readonly isChance: boolean;
  readonly late: readonly PageStraggler[];
  readonly verdict: JobVerdict;
  /** How much of all waiting could be clock error; null if it is too little to matter. */
  readonly unsure: string | null;
  readonly ranks: readonly {
    readonly name: string;
    readonly node: string | null;
    readonly clock: string;
    readonly offset: number | null;
    /**
     * A time t of its profile is shift + (1 − drift) t ns after the start of the job's first profile, as in `dprof
     * perfetto --align job`. `shift` is null if its clock could not be aligned with the others, and `drift` if it is
     * unknown.
     */
    readonly shift: number | null;
    readonly drift: number | null;
    readonly bound: number | null;
    readonly waited: number | null;
    /** Share of the waiting that could be clock error. */
    readonly unsure: number | null;
    /** Share of the operations that it joined last. */
    readonly last: number | null;
    readonly delayed: number | null;
    /** Index of its profile in the page, and its device; null if unknown. */
    readonly profile: number | null;
    readonly device: number;
    /**
     * Whether several devices share the work of its rank, so that it is compared with the same device of other ranks.
     */
    readonly sharesRank: boolean;
    /** Whether it, or its machine, is late more often than by chance. */
    readonly isLate: boolean;
  }[];
  readonly tables: readonly JobTable[];
  readonly classes: readonly {
    readonly kind: string | null;
    readonly groupKind: string | null;
    readonly size: number | null;
    readonly operations: number;
    readonly wait: number;
    readonly unsure: number | null;
    readonly transfer: number | null;
    readonly busBandwidth: number | null;
  }[];
  readonly utilisation: JointUtilisation;
  /** Columns of the heat maps; null for the whole profile, when it has no steps. */
  readonly steps: readonly (number | null)[];
  /** One row per rank, one column per step. */
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
  /** Work per step in excess of its peers, in ns and as a share of the step. */
  readonly late: number;
  readonly share: number;
  readonly q: number;
  /** Number of steps in which it was compared, and number of those in which it was late. */
  readonly steps: number;
  readonly lateIn: number;
  /** Factor by which all kernels are slower; null when there is no common factor. */
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

/** The data of one profile, usually one rank of a run. */
export interface PageProfile {
  /** The summary of the profile, as in `dprof summary`. */
  readonly overview: ProfileSummary;
  /** Whether it shows the capture of graphs, which other profiles may replay, and not a run. */
  readonly isGraphCapture: boolean;
  /** Keyed by the names in `overview.diagnostics`; absent for a name from a later version. */
  readonly diagnosticTexts: Readonly<Record<string, string>>;
  /** Null when no device work has a time. */
  readonly verdict: ProfileVerdict | null;
  readonly idle: PageIdle;
  /** Longest first: the longest of all, and the longest of each step. */
  readonly gaps: readonly PageGap[];
  readonly stepBars: StepBarList;
  readonly collectives: Bounded<CollectiveRow>;
  readonly utilisation: Utilisation;
  readonly kernels: Bounded<KernelTotal>;
  readonly ops: Ops;
  /** The category with the most time first. */
  readonly categories: readonly CategoryTotal[];
  /** Sequences of kernels that one fused kernel could replace, in order of the time that it could save. */
  readonly sequences: readonly SequenceRow[];
  /** Null when they have too many passes. */
  readonly regions: PageRegions | null;
  /** Whether the profile is complete, as in `dprof check`. */
  readonly check: { readonly verdict: CheckVerdict; readonly reasons: readonly Reason[] };
  /** Null when no kernel has a line. */
  readonly lines: Lines | null;
  /** Kernels by call stack; null when the profile has none. */
  readonly stacks: StackTree | null;
  readonly annotations: Bounded<Annotation>;
  readonly roofline: Roofline;
  readonly layers: Bounded<LayerRow>;
  readonly memory: readonly MemoryCurve[];
  readonly memoryPeaks: readonly MemoryPeak[];
  readonly timeline: PageTimeline | null;
  /** Null for other devices. */
  readonly neuron: PageNeuron | null;
  /** Null except for neuron-monitor reports. */
  readonly monitor: PageMonitor | null;
}

/** The peak of a device's memory, and its owners; null when the profile does not record them. */
export interface MemoryPeak {
  readonly device: number | null;
  readonly metric: string;
  /** Component or kind of memory; '' when there is only one. */
  readonly of: string;
  readonly bytes: number;
  /** Unit: ns; null for a value of the whole profile. */
  readonly start: number | null;
  readonly step: number | null;
  /** Op of the newest allocation at the peak. */
  readonly op: string | null;
  readonly ops: MemoryOwners | null;
  readonly categories: MemoryOwners | null;
}

export interface MemoryOwner {
  readonly name: string;
  readonly bytes: number;
  /** Null when the profile has only sums. */
  readonly allocations: number | null;
}

/** Owners, largest first, and the total of the others. */
export interface MemoryOwners {
  readonly shown: readonly MemoryOwner[];
  readonly count: number;
  readonly restBytes: number;
}

/** The first entries of a list, most important first, and the total number. */
export interface Bounded<T> {
  readonly shown: readonly T[];
  readonly count: number;
  /** Time in ns of the entries that are not shown. */
  readonly restTime: number;
}

/** The ops with the largest times. */
export interface Ops extends Bounded<OpTotal> {
  /** Time of all kernels, including those without an op; null when the profile has no device work. */
  readonly time: number | null;
}

/** The lines of the program with the largest times. */
export interface Lines extends Bounded<LineTotal> {
  /** Time of all kernels, including those without a line. */
  readonly time: number;
}

/** A string that the user put around launches (layer or range), with the device time of each occurrence. */
export interface Annotation {
  readonly text: string;
  /** Null, like the times, when the profile has no device work. */
  readonly count: number | null;
  /** Number of occurrences without a recorded range: consecutive kernels under the text count as one. */
  readonly guessed: number;
  /** Time of the kernels inside, including those of the autograd engine's threads. */
  readonly time: number | null;
  /** The part that was launched by the thread of the text. */
  readonly own: number | null;
  /** Number of host ranges, the time that its threads were in one, and the same without inner ranges; null when unknown. */
  readonly passes: number | null;
  readonly host: number | null;
  readonly hostSelf: number | null;
  /** Device times of single occurrences, for a histogram: at most 2000, evenly spread over all. */
  readonly samples: readonly number[];
  /** Durations of single host ranges, for a histogram: at most 200. */
  readonly hostSamples: readonly number[];
}

/** Figures of a region, those of the columns of `dprof steps --by`. Times are ns, sums over its passes. */
export interface RegionFigures {
  /** Number of ranges with work on the device. */
  readonly passes: number | null;
  readonly span: number | null;
  readonly busy: number | null;
  readonly idle: number | null;
  /** Idle time in which the device waited for launches, and in gaps between queued kernels. */
  readonly idleHost: number | null;
  readonly idleQueue: number | null;
  /** Percentiles of the span of a pass. */
  readonly spanP50: number | null;
  readonly spanP90: number | null;
  readonly spanP99: number | null;
  /** Median time on the CPU from the start of a pass to the start of the next. */
  readonly iterationP50: number | null;
  readonly exposed: number | null;
  readonly mfu: number | null;
  readonly kernels: number | null;
  readonly collectives: number | null;
}

/** An annotation on a device, with the work that was launched in it. */
export interface RegionTotal extends RegionFigures {
  readonly region: string;
  readonly device: number;
  /** Distribution of the spans of its passes. */
  readonly bins: readonly HistogramBin[];
}

/** Regions, the one with the most busy time first. */
export interface PageRegions {
  readonly shown: readonly RegionTotal[];
  readonly count: number;
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
  /** Time in ns of all its kernels, including those without a point. */
  readonly time: number;
  readonly name: string;
  /** Source of its peak rates. */
  readonly origin: Peaks['origin'];
  /** Unit: bytes/s; null if unknown. */
  readonly bytesPerS: number | null;
  /** The peaks on which shares of peak are based. */
  readonly peaks: Peaks;
  /** 'fp16 matrix unit' etc., in FLOP/s. */
  readonly units: readonly { readonly name: string; readonly flopsPerS: number }[];
}

/** A layer in the tree of layers; parents are listed before their children. */
export interface LayerRow extends KnownWork {
  /** Names from the top. */
  readonly path: readonly string[];
  /** Number of kernels of the layer and of all layers below it. */
  readonly count: number;
  readonly time: number;
  /** Time of kernels in no inner layer. */
  readonly own: number;
  readonly forward: number;
  readonly backward: number;
  /** Time of backward kernels in no inner layer. */
  readonly ownBackward: number;
  readonly why: Readonly<Record<LayerPart, LayerReason | null>>;
}

/** Kernels of a layer: all of them, those of its forward pass, those of its backward pass. */
export type LayerPart = 'all' | 'forward' | 'backward';

/** Reasons for the time of some kernels of a layer. */
export interface LayerReason {
  /** What bounds most of their time, the `bound` of the kernels; null if unknown. */
  readonly bound: RooflineBound | null;
  /** Share of their time with that bound. */
  readonly boundShare: number | null;
  /** Share of their time on the matrix unit; null if unknown. */
  readonly tc: number | null;
  /** The kernel that took longest, by its number in the profile; `start` is in ns from the profile's start. */
  readonly slowest: { readonly id: number; readonly name: string; readonly start: number; readonly time: number };
}

export interface MemoryCurve {
  readonly device: number | null;
  /** Curves of one metric are drawn together. */
  readonly metric: string;
  /** Component or kind of memory; the metric itself when it has only one curve. */
  readonly name: string;
  /** [ns, bytes] in time order; empty for a value of the whole profile. */
  readonly points: readonly (readonly [number, number])[];
  readonly peak: number;
}
