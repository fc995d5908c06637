/** What a simulated job is made of: its size, its devices and links, its noise, its clocks and what is wrong with it. */

/** A way between two devices: time of a transfer is latency + bus bytes / bandwidth. */
interface Link {
  readonly latencyNs: number;
  readonly bytesPerS: number;
}

/** Kinds of process groups: all ranks, and those along each way of being parallel. */
export type GroupKind = 'world' | 'data' | 'tensor' | 'pipeline';

/** What is wrong with the job, which an analysis should find. */
export interface Injections {
  /** Kernels of one layer (counted within its stage) take longer on one rank. */
  readonly slowLayer?: { readonly rank: number; readonly layer: number; readonly factor: number };
  /** All kernels take longer on the ranks of a node, or of several. */
  readonly slowNode?: { readonly node: number | readonly number[]; readonly factor: number };
  /** Transfers of the group of this kind that has this rank take the bandwidth's time so many times; `data` by default. */
  readonly slowLink?: { readonly rank: number; readonly factor: number; readonly kind?: GroupKind };
  /** Loading the data of a step takes so much longer on one rank. */
  readonly dataLoading?: { readonly rank: number; readonly ns: number };
}

interface JobSizes {
  readonly hidden: number;
  readonly sequence: number;
  /** Sequences of a micro batch. */
  readonly batch: number;
  readonly heads: number;
}

export interface JobNoise {
  /** Standard deviation of a kernel's duration, as a fraction; independent for each kernel. */
  readonly kernel: number;
  /** The same of the transfers of collectives, one draw for all members. */
  readonly transfer: number;
  /** The same of the host's pace, one draw for each rank and step; data loading varies five times as much. */
  readonly host: number;
  /** Members see the end of a collective up to so much after the transfer. */
  readonly endSkewNs: number;
  /** Fraction of the collectives that end late on one of their ranks. */
  readonly late: number;
  /** How late, from and to. */
  readonly lateNs: readonly [number, number];
}

/** Ranges from which the clock of each rank is drawn, evenly from -limit to limit. */
interface ClockRanges {
  readonly offsetNs: number;
  /** Seconds a second: 50e-6 are 50 ppm. */
  readonly drift: number;
}

export interface JobOptions {
  readonly seed: number;
  /** Ranks are tp · pp · dp. */
  readonly tp: number;
  readonly pp: number;
  readonly dp: number;
  readonly ranksPerNode: number;
  /** Layers of each pipeline stage. */
  readonly layers: number;
  readonly microBatches: number;
  readonly steps: number;
  /** Forward kernels of a layer, 1 to 8; each has one or two in the backward pass. */
  readonly kernelsPerLayer: number;
  /** All-reduces after each block, or all-gathers before and reduce-scatters after it. */
  readonly tensorParallel: 'all-reduce' | 'sequence';
  /** Buckets of gradients of a stage, at most one a layer. */
  readonly buckets: number;
  readonly sizes: JobSizes;
  /** Within a node, and between nodes. */
  readonly links: { readonly inNode: Link; readonly betweenNodes: Link };
  readonly noise: JobNoise;
  readonly dataLoadingNs: number;
  /** Time of the host for each kernel. */
  readonly launchNs: number;
  readonly clocks: 'none' | ClockRanges;
  readonly inject: Injections;
}

/** No noise at all: each duration is what its formula says. */
export const NO_NOISE: JobNoise = { kernel: 0, transfer: 0, host: 0, endSkewNs: 0, late: 0, lateNs: [0, 0] };

/** Clocks as they are between machines that nobody keeps in step. */
const LOOSE_CLOCKS: ClockRanges = { offsetNs: 1e9, drift: 50e-6 };

/** Eight ranks of H100s on one node, 4 layers of a model of width 4,096 a stage. */
const JOB_DEFAULTS: JobOptions = {
  seed: 1,
  tp: 2,
  pp: 2,
  dp: 2,
  ranksPerNode: 8,
  layers: 4,
  microBatches: 4,
  steps: 10,
  kernelsPerLayer: 8,
  tensorParallel: 'all-reduce',
  buckets: 4,
  sizes: { hidden: 4096, sequence: 4096, batch: 1, heads: 32 },
  links: {
    inNode: { latencyNs: 12_000, bytesPerS: 360e9 },
    betweenNodes: { latencyNs: 30_000, bytesPerS: 45e9 },
  },
  noise: { kernel: 0.015, transfer: 0.01, host: 0.05, endSkewNs: 2000, late: 0.01, lateNs: [50_000, 500_000] },
  dataLoadingNs: 300_000,
  launchNs: 6000,
  clocks: LOOSE_CLOCKS,
  inject: {},
};

/** Options of which any may be left out, those of `sizes` and `noise` one by one. */
export type JobRequest = Partial<Omit<JobOptions, 'sizes' | 'noise'>> & {
  readonly sizes?: Partial<JobSizes>;
  readonly noise?: Partial<JobNoise>;
};

/** All options, missing ones by default. */
export const completeOptions = (request: JobRequest): JobOptions => ({
  ...JOB_DEFAULTS,
  ...request,
  sizes: { ...JOB_DEFAULTS.sizes, ...request.sizes },
  noise: { ...JOB_DEFAULTS.noise, ...request.noise },
});
