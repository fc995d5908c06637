/** Data of a page about steps, idle time and launches. Times are ns, unknown values are null. */
import type { Distribution } from '../../../containers/log-histogram.js';
import type { IdleCause } from '../../advise/idle/cause-names.js';

/** A gap in the work of a device. */
export interface PageGap {
  readonly device: number;
  /** Step of the work that ended it; null for none. */
  readonly step: number | null;
  /** Whether no work of that step ran on the device before; the gap is then not idle time of the step. */
  readonly isBetween: boolean;
  readonly start: number;
  readonly time: number;
  readonly cause: IdleCause;
  /** The host call or range that fills most of it; null when none is known. */
  readonly host: string | null;
  /** The work before it that ended last, and the work that ended it. */
  readonly before: string;
  readonly after: string;
}

/** Idle time with one cause, over all devices. */
export interface CauseTime {
  readonly cause: IdleCause;
  readonly count: number;
  readonly time: number;
  readonly longest: number;
}

export interface PageIdle {
  /** Causes, largest time first. */
  readonly causes: readonly CauseTime[];
  /** Idle time by cause for each device with gaps. */
  readonly devices: readonly { readonly device: number; readonly times: Readonly<Record<IdleCause, number>> }[];
  /** Null when no launch of a kernel is known. */
  readonly launches: LaunchWaits | null;
}

/** Kernels that the host launched one by one; those of graphs are not counted. */
export interface LaunchWaits {
  readonly kernels: number;
  /** Number of kernels that ran for a shorter time than the call that launched them. */
  readonly shorter: number;
  /** Time from the end of the call to the start of the kernel; 0 when the kernel began before the call ended. */
  readonly delay: Distribution;
  /** Number of kernels launched earlier on the same stream that had not begun when a call began. */
  readonly queue: Distribution;
}

/**
 * Parts of a step in addition to idle time by cause (`copy` is one of the causes): each moment is in one part. `other` is
 * work of other steps, or outside of steps.
 */
type StepPart = 'compute' | 'communication' | 'copies' | 'other' | 'missing';
export type StepBarPart = StepPart | IdleCause;

/** How a device spent its time in a step, from its first work to the end of its last. */
export interface StepBar {
  readonly step: number;
  readonly device: number;
  readonly start: number;
  readonly span: number;
  /** Parts that add up to the span; parts of 0 are absent. */
  readonly parts: Readonly<Partial<Record<StepBarPart, number>>>;
  readonly host: StepOnHost;
  /**
   * Time by index in `StepBarList.works`. The times within a part of the step add up to at most that part; the rest is
   * other work. Null for steps after the first 100.
   */
  readonly works: readonly (readonly [work: number, time: number])[] | null;
}

/** Work of a device: an op, a kernel whose op is unknown, a collective, or a copy. */
export interface StepWork {
  readonly part: 'compute' | 'communication' | 'copies';
  readonly name: string;
}

export interface StepOnHost {
  /** Time from the start of the step on the host to the start of the next, and to its first work on the device. */
  readonly iteration: number | null;
  readonly preparing: number | null;
  /** Time in which ops ran on the host, and time in which it loaded data, for ranges that began in the step. */
  readonly ops: number | null;
  readonly loading: number | null;
}

/** The first steps of each device, and the total number. */
export interface StepBarList {
  readonly shown: readonly StepBar[];
  /** Works that took more than 0.5 % of some step. */
  readonly works: readonly StepWork[];
  readonly count: number;
}
