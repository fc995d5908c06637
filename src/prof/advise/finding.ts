/** What `dprof advise` says: one thing worth doing, with what shows it. Plain data, as JSON writes it. */
import { column, int, real, str, type Column } from '../../table/column.js';

/** Whether the program should be changed, or the way in which it is profiled. */
export type Concern = 'program' | 'profile';

/** One thing worth doing. */
export interface Finding {
  /** The rule's name: 'fp32-product', 'launch-gaps' … */
  readonly rule: string;
  readonly about: Concern;
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

/** What a rule returns; `about` where it differs from that of the rule. */
export type Found = Omit<Finding, 'rule' | 'about'> & Partial<Pick<Finding, 'about'>>;

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

/** Columns of `dprof advise`: a row a finding. */
export interface FindingRow {
  readonly finding: Finding;
  /** Of the time of its device, as a fraction of 1. */
  readonly share: number;
}

export const FINDING_COLUMNS: readonly Column<FindingRow>[] = [
  column('profile', 'profile', int(7), 'number of the input, from 0', ({ finding }) => finding.profile),
  column('device', 'device', int(6), 'device; unknown for all together', ({ finding }) => finding.device),
  column('rule', 'rule', str(20), 'name of the rule', ({ finding }) => finding.rule, { vocabulary: true }),
  column(
    'about',
    'about',
    str(7),
    'what to change: the program, or how it is profiled',
    ({ finding }) => finding.about,
    {
      vocabulary: true,
    },
  ),
  column(
    'share',
    'share_percent',
    real(13, 2, '%'),
    "stake as a share of the device's time",
    ({ share }) => 100 * share,
  ),
  column(
    'gain',
    'gain_ns',
    real(14, 0, 'ns'),
    'time that may be gained; unknown where it cannot be computed',
    ({ finding }) => finding.gain?.ns ?? null,
  ),
  column('stake', 'stake_ns', real(14, 0, 'ns'), 'time that the finding is about', ({ finding }) => finding.stake),
  column('count', 'count', int(8), 'activities that the finding is about', ({ finding }) => finding.count),
  column('what', 'what', str(0), 'what was found, with its figures', ({ finding: { what, details } }) =>
    details === undefined ? what : `${what}; ${details}`,
  ),
  column('action', 'action', str(0), 'what to change', ({ finding }) => finding.action),
  column('kernels', 'kernels', str(12), 'longest kernels, PROFILE:IDX', ({ finding }) => finding.kernels, {
    list: 'str',
  }),
  column('see', 'see', str(0), 'command that shows more', ({ finding }) => finding.see),
];
