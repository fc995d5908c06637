/** What a page has of steps, of idle time and of launches. Times are ns, unknown is null. */
import type { Distribution } from '../../../containers/log-histogram.js';
import type { IdleCause } from '../../advise/idle/idle-causes.js';

/** A gap in the work of a device. */
export interface PageGap {
  readonly device: number;
  /** Of the work that ended it; null for none. */
  readonly step: number | null;
  /** Whether no work of that step ran on the device before: such a gap is no idle time of the step. */
  readonly isBetween: boolean;
  readonly start: number;
  readonly time: number;
  readonly cause: IdleCause;
  /** The call or range of the host that fills most of it; null where none is known. */
  readonly host: string | null;
  /** What ended last before it, and what ended it. */
  readonly before: string;
  readonly after: string;
}

/** Idle time of one cause, of all devices. */
export interface CauseTime {
  readonly cause: IdleCause;
  readonly count: number;
  readonly time: number;
  readonly longest: number;
}

export interface PageIdle {
  /** Most time first. */
  readonly causes: readonly CauseTime[];
  /** Of each device with gaps: the idle time of each cause. */
  readonly devices: readonly { readonly device: number; readonly times: Readonly<Record<IdleCause, number>> }[];
  /** Null where no launch of a kernel is known. */
  readonly launches: LaunchWaits | null;
}

/** Kernels that the host launched one by one: those of graphs are not counted. */
export interface LaunchWaits {
  readonly kernels: number;
  /** Kernels that ran for less time than the call took that launched them. */
  readonly shorter: number;
  /** From the end of the call to the start of the kernel; 0 where the kernel began before the call ended. */
  readonly delay: Distribution;
  /** How many kernels launched before on the same stream had not begun when a call began. */
  readonly queue: Distribution;
}

/** Parts of a step besides idle time, by cause (of which `copy` is one): each moment is in one. `other` is work of other steps, or of none. */
type StepPart = 'compute' | 'communication' | 'copies' | 'other' | 'missing';
export type StepBarPart = StepPart | IdleCause;

/** Where the time of a device went in a step, from its first work to the end of its last. */
export interface StepBar {
  readonly step: number;
  readonly device: number;
  readonly start: number;
  readonly span: number;
  /** They add up to the span; those of 0 are absent. */
  readonly parts: Readonly<Partial<Record<StepBarPart, number>>>;
  readonly host: StepOnHost;
}

export interface StepOnHost {
  /** From the begin of the step on the host to the begin of the next, and to its first work on the device. */
  readonly iteration: number | null;
  readonly preparing: number | null;
  /** Time in which some op ran on the host, and in which it loaded data, of those that began in the step. */
  readonly ops: number | null;
  readonly loading: number | null;
}

/** The first steps of each device, and how many there are. */
export interface StepBarList {
  readonly shown: readonly StepBar[];
  readonly count: number;
}
