/** Data of a page about utilisation over time. Shares are fractions of 1. */

/** Values in equal intervals of time. */
export interface BinnedValues {
  readonly start: number;
  /** Length of an interval in ns. */
  readonly width: number;
  /** One value per interval; null if unknown. */
  readonly values: readonly (number | null)[];
}

/** How busy devices and host were in equal intervals of time, at most 1000, from the first work to the last. */
export interface Utilisation {
  readonly start: number;
  /** Length of an interval in ns. */
  readonly width: number;
  /** By device and interval: the share of the interval during which something ran. */
  readonly devices: readonly {
    readonly device: number;
    readonly busy: readonly number[];
    readonly compute: readonly number[];
    readonly communication: readonly number[];
    readonly memory: readonly number[];
  }[];
  /**
   * By interval: the share of the interval during which some thread was in a call that launched recorded work; null
   * without launches.
   */
  readonly host: readonly number[] | null;
  /**
   * Number of host cores that traced threads kept busy, in at most as many intervals; null when no profiler recorded it.
   */
  readonly cpu: BinnedValues | null;
}

/** How busy the devices and hosts of all profiles of a page were, as lines of one chart each. */
export interface JointUtilisation {
  /** Whether times are job times; otherwise each profile has its own. */
  readonly isAligned: boolean;
  /** Shares of time during which something ran on the devices. This and `cpu` are null for fewer than two lines. */
  readonly devices: JointCurves | null;
  /** Number of cores that the traced threads of a profile kept busy. */
  readonly cpu: JointCurves | null;
}

export interface JointCurves extends Pick<BinnedValues, 'start' | 'width'> {
  /** Number of devices, or of profiles, that the lines represent. */
  readonly members: number;
  /** Whether each line is the mean of a machine. */
  readonly isByMachine: boolean;
  /**
   * The mean of all comes first, followed by one line for each machine or rank, or by 'Minimum' and 'Maximum' over all
   * members.
   */
  readonly lines: readonly { readonly name: string; readonly values: BinnedValues['values'] }[];
}
