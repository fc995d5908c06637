/** What `dprof advise` says: one thing worth doing, with what shows it. Plain data, as JSON writes it. */

export interface Finding {
  /** The rule's name: 'fp32-product', 'launch-gaps' … */
  readonly rule: string;
  readonly profile: number;
  /** Null where it is about all devices. */
  readonly device: number | null;
  /** One line, short: what was found, with its figures. */
  readonly what: string;
  /** One line: what the headline sums up, and how it is known; absent where there is no more to say. */
  readonly details?: string;
  /** One line: what to change. */
  readonly action: string;
  /** ns of device time, or of waiting, that the finding is about. */
  readonly stake: number;
  /** ns that would be saved if it were done, and how that was computed; null when unknown. */
  readonly gain: Gain | null;
  /** Some of the kernels, most time first, as `dprof --explain` takes them ('PROFILE:IDX'); empty where it is about none. */
  readonly kernels: readonly string[];
  /** Of what is no kernel, such as gaps and copies, the longest: ns from the profile's start; absent where there is none. */
  readonly at?: LongestTime;
  /** How many activities it is about. */
  readonly count: number;
  /** Figures that it rests on, by name, units in the name ('idleNs', 'bytes'). */
  readonly evidence: Readonly<Record<string, number | string>>;
  /** Command that shows more; FILE stands for the input. */
  readonly see: string;
}

/** ns from the profile's start. */
export interface LongestTime {
  readonly start: number;
  readonly end: number;
}

export type Found = Omit<Finding, 'rule'>;

/** What doing it may save. */
export interface Gain {
  readonly ns: number;
  /** Formula with its figures: 'sum of dur − max(FLOPs / 156 TFLOP/s, bytes / 1555 GB/s)'. */
  readonly how: string;
  /**
   * An upper bound: no more can be saved, less is where the device does not reach its peak. Otherwise an estimate from
   * what memory moves at its peak: slower kernels may save more, what caches hold saves less.
   */
  readonly isBound: boolean;
}

/** A rule that looked and found nothing, or could not look. */
export interface Silence {
  readonly rule: string;
  /** 'nothing', 'below 1 % …': it looked; otherwise why it could not: 'no launches in the profile' … */
  readonly why: string;
}
