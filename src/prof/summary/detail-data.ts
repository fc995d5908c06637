/**
 * What `dprof summary -f json` has of a profile besides its summary: curves and distributions, for tools that draw them.
 * Plain data; times are ns, shares fractions of 1, unknown is null.
 */
import type { Distribution } from '../../containers/log-histogram.js';
import type { Utilisation } from '../html/utilisation/utilisation-data.js';

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
