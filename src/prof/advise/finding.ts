/** A finding of `dprof advise`: one thing worth doing, with its evidence. Plain data, in the form of the JSON output. */
import { column, knownColumn, int, real, str, type Column } from '../../table/column.js';
import type { Action } from './framework-words.js';

/** Whether the program should be changed, or the way in which it is profiled. */
export type Concern = 'program' | 'profile';

/** One thing worth doing. */
export interface Finding {
  /** The rule's name: 'fp32-product', 'launch-gaps' … */
  readonly rule: string;
  readonly about: Concern;
  readonly profile: number;
  /** Null when it is about all devices. */
  readonly device: number | null;
  /** One short line: what was found, with its figures. */
  readonly what: string;
  /** One line: what the headline includes, and how this is known; absent when there is nothing to add. */
  readonly details?: string;
  /** One line: what to change. */
  readonly action: string;
  /** Time in ns, of the device or of waiting, that the finding is about. */
  readonly stake: number;
  /** Time in ns that the action would save, and how that was computed; null when unknown. */
  readonly gain: Gain | null;
  /**
   * Some of the kernels, longest total time first, in the form that `dprof --explain` takes ('PROFILE:IDX'); empty when it
   * is not about kernels.
   */
  readonly kernels: readonly string[];
  /** For things other than kernels, such as gaps and copies: the longest of them; absent when there is none. */
  readonly at?: LongestTime;
  /** Number of activities that it is about. */
  readonly count: number;
  /** Figures that support it, by name, with the unit in the name ('idleNs', 'bytes'). */
  readonly evidence: Readonly<Record<string, number | string>>;
  /** Command that shows more details; FILE stands for the input. */
  readonly see: string;
}

/** Start in ns from the profile's start. */
export interface LongestTime {
  readonly start: number;
  readonly end: number;
}

/** What a rule returns; `about` where it differs from that of the rule, and the action for any framework. */
export type Found = Omit<Finding, 'rule' | 'about' | 'action'> &
  Partial<Pick<Finding, 'about'>> & { readonly action: Action };

/** What the action could save. */
export interface Gain {
  readonly ns: number;
  /** Formula with its figures: 'sum of dur − max(FLOPs / 156 TFLOP/s, bytes / 1555 GB/s)'. */
  readonly how: string;
  /**
   * Whether it is an upper bound, because the saving is smaller when the device does not reach its peak. Otherwise it
   * is an estimate from memory traffic at peak bandwidth: the saving may be larger for slower kernels and smaller for
   * data in caches.
   */
  readonly isBound: boolean;
}

/** A rule that found nothing, or could not check. */
export interface Silence {
  readonly rule: string;
  /** 'nothing' or 'below 1 % …' when the rule checked; otherwise why it could not: 'no launches in the profile' … */
  readonly why: string;
}

/** Columns of `dprof advise`, one row per finding. */
export interface FindingRow {
  readonly finding: Finding;
  /** Share of the time of its device, as a fraction of 1. */
  readonly share: number;
}

export const FINDING_COLUMNS: readonly Column<FindingRow>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ finding }) => finding.profile),
  column('device', 'device', int(6), 'device; na for all devices together', ({ finding }) => finding.device),
  knownColumn('rule', 'rule', str(20), 'name of the rule', ({ finding }) => finding.rule, { vocabulary: true }),
  knownColumn(
    'about',
    'about',
    str(7),
    'what to change: the program, or how it is profiled',
    ({ finding }) => finding.about,
    {
      vocabulary: true,
    },
  ),
  knownColumn(
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
    'time that a fix could save; unknown where it cannot be computed',
    ({ finding }) => finding.gain?.ns ?? null,
  ),
  knownColumn('stake', 'stake_ns', real(14, 0, 'ns'), 'time that the finding is about', ({ finding }) => finding.stake),
  knownColumn(
    'count',
    'count',
    int(8),
    'number of activities that the finding is about',
    ({ finding }) => finding.count,
  ),
  knownColumn('what', 'what', str(0), 'what was found, with its figures', ({ finding: { what, details } }) =>
    details === undefined ? what : `${what}; ${details}`,
  ),
  knownColumn('action', 'action', str(0), 'what to change', ({ finding }) => finding.action),
  knownColumn('kernels', 'kernels', str(12), 'longest kernels, PROFILE:IDX', ({ finding }) => finding.kernels, {
    list: 'str',
  }),
  knownColumn('see', 'see', str(0), 'command that shows more', ({ finding }) => finding.see),
];
