/** What a page has of utilisation over time. Shares are fractions of 1. */

/** Values in equal spans of time. */
export interface BinnedValues {
  readonly start: number;
  /** ns of one span. */
  readonly width: number;
  /** By span; null where it is not known. */
  readonly values: readonly (number | null)[];
}

/** How busy devices and host were in equal spans of time, at most 1000, from the first work to the last. */
export interface Utilisation {
  readonly start: number;
  /** ns of one span. */
  readonly width: number;
  /** Per device and span: the share of it during which something ran. */
  readonly devices: readonly {
    readonly device: number;
    readonly busy: readonly number[];
    readonly compute: readonly number[];
    readonly communication: readonly number[];
    readonly memory: readonly number[];
  }[];
  /** Per span: the share of it during which some thread was in a call that launched recorded work; null without launches. */
  readonly host: readonly number[] | null;
  /** Cores of the host that traced threads kept busy, in as many spans at most; null where no profiler recorded that. */
  readonly cpu: BinnedValues | null;
}

/** How busy the devices and hosts of all profiles of a page were: lines in one chart each. */
export interface JointUtilisation {
  /** Whether times are those of the job; else each profile's own. */
  readonly isAligned: boolean;
  /** Shares of time during which something ran on the devices; null, as `cpu`, for fewer than two. */
  readonly devices: JointCurves | null;
  /** Cores that the traced threads of a profile kept busy. */
  readonly cpu: JointCurves | null;
}

export interface JointCurves extends Pick<BinnedValues, 'start' | 'width'> {
  /** Devices, or profiles, that the lines are of. */
  readonly members: number;
  /** Whether a line is the mean of a machine. */
  readonly isByMachine: boolean;
  /** The mean of all first; then the name of a machine or rank each, or 'Least' and 'Most' of all members. */
  readonly lines: readonly { readonly name: string; readonly values: BinnedValues['values'] }[];
}
