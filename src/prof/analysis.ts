/** The contract of all commands over records: an analysis takes records and returns one answer. */
import { UserError } from '../record/errors.js';
import { counted } from '../record/plural.js';
import type { ProfileLine } from '../record/record.js';
import type { AnyTable } from '../table/column.js';
import type { Annotated } from './annotate.js';
import type { Losses } from './input/losses.js';
import type { Note } from './limits.js';
import { WithoutDevice } from './input/device-activity.js';

/** Input of an analysis: records in input order and, if kernels are annotated, each kernel once it is complete. */
export type Item = ProfileLine | Annotated;

export interface Answer<Facts> {
  /** Table for the table formats; absent if the answer is not a table. */
  readonly table?: AnyTable;
  /** Facts for the command's own formats: screens, JSON documents, traces. */
  readonly facts: Facts;
  readonly notes?: readonly Note[];
  /** Losses and doubts that the records show, and no reader counted. */
  readonly losses?: Losses;
}

export interface Analysis<Facts> {
  /** Types of the records that the analysis takes; the reader skips all others. */
  readonly types: RecordTypes;
  /** Which host ranges the analysis takes, as a value of the reader's option; all of them when absent. */
  readonly ranges?: 'without-calls' | 'long-calls' | 'without-work';
  /** Whether the analysis takes the samples that a reader derives from activities, and counters of GPUs. */
  readonly derived?: true;
  /** Takes work that crosses an edge of the chosen time in full, and not only the part inside. */
  readonly inFull?: true;
  /** Also takes records outside of the chosen time, because they may cause what is inside; `ranges`: only ranges. */
  readonly anyTime?: true | 'ranges';
  /** Skip an input that cannot be read and report it, because the answer is about many profiles. */
  readonly skipUnreadable?: true;
  /**
   * Takes the next item. Kernels are annotated only if the runner has an annotator; otherwise all items are records.
   */
  take(item: Item): void;
  /**
   * Returns the answer once all items are taken.
   * @throws UserError when the records contain nothing to compute the answer from
   */
  finish(): Answer<Facts>;
}

/** Hint for a profile without device work. The runner leaves out the parts that do not apply to an input. */
export const HOST_HINT = 'for CPU times: dprof summary, or dprof --by ranges -c passes,host,hostself --sort hostself';
const SUMMARY_HINT = 'for CPU times: dprof summary';

/** Hint for records without host ranges. */
export const RANGES_HINT = 'dparse --ranges adds CPU ranges to records';

/** Data about the host that an input contains. */
export interface HostRecords {
  readonly annotations: boolean;
  /** Whether it has host ranges of any kind. */
  readonly ranges: boolean;
  /** Whether it has CPU times. */
  readonly cpus: boolean;
  /** Whether it is a profile, whose ranges were read. Records may have been written without ranges. */
  readonly isProfile: boolean;
}

/** Whether the error has a hint that depends on what the input contains about the host. */
export const isAboutHost = ({ detail: { hint } }: UserError): boolean => hint === HOST_HINT || hint === RANGES_HINT;

/** The error with a hint that fits its input, or without a hint. */
export function withHostHint({ what, detail }: UserError, host: HostRecords): UserError {
  const { hint, ...rest } = detail;
  const left = host.ranges || host.isProfile ? undefined : RANGES_HINT;
  const asked = host.annotations ? HOST_HINT : host.ranges || host.cpus ? SUMMARY_HINT : left;
  const answer = hint === HOST_HINT ? asked : left;
  return new UserError(what, answer === undefined ? rest : { ...rest, hint: answer });
}

/** @param profiles names of the profiles, when there are several */
export const withoutDevice = (profiles?: string): UserError =>
  new WithoutDevice(`no kernels and no other device activity${profiles === undefined ? '' : `, in ${profiles}`}`, {
    hint: HOST_HINT,
  });

/** The error for missing kernels, or for kernels without any duration. */
export const withoutKernels = (untimed = 0): UserError =>
  untimed === 0
    ? new WithoutDevice('no kernels', { hint: HOST_HINT })
    : new UserError(`no kernel has a duration (kernels: ${untimed})`);

export const withoutRanges = (): UserError => new UserError('no CPU ranges', { hint: RANGES_HINT });

export const withoutDeviceAndRanges = (): UserError =>
  new WithoutDevice('no device activity and no CPU ranges', { hint: RANGES_HINT });

/**
 * The error with the number of samples that have no time, which an answer over time cannot show.
 * @param hint a hint for these samples, which replaces the error's own
 */
export function withTimeless(error: UserError, samples: number, hint = error.detail.hint): UserError {
  if (samples === 0) return error;
  const what = `${error.what}; ${counted(samples, 'sample')} without a time`;
  const Kind = error instanceof WithoutDevice ? WithoutDevice : UserError;
  return new Kind(what, { ...error.detail, ...(hint === undefined ? {} : { hint }) });
}

const TIMES_HINT = 'a PyProf net.dict and Nsight Compute counters have no times: run dparse on the profile itself';

/** The error for records without any time, such as those of a net.dict. */
export const withoutTimes = (what = 'no record has both a start time and a duration'): UserError =>
  new UserError(what, { hint: TIMES_HINT });

/** Formats of profiles that contain nothing about the host or no times. */
const WITHOUT_HOST = /^(?:ntff|neff|neuron|ncu|net\.dict)/;
const WITHOUT_TIMES = /^(?:ncu|net\.dict)/;

/**
 * The error without its hint if that is wrong for profiles of these formats; any other error unchanged.
 * @param formats the formats of the input's profiles; empty when no profile line gives the format
 */
export function fitting(error: unknown, formats: readonly string[]): unknown {
  if (!(error instanceof UserError)) return error;
  const { hint, ...rest } = error.detail;
  const areAll = (which: RegExp): boolean => formats.length > 0 && formats.every((format) => which.test(format));
  const isUntrue = hint === TIMES_HINT ? !areAll(WITHOUT_TIMES) : isAboutHost(error) && areAll(WITHOUT_HOST);
  if (!isUntrue) return error;
  return error instanceof WithoutDevice ? new WithoutDevice(error.what, rest) : new UserError(error.what, rest);
}

/** Formats without activities, which contain only the vendor's metrics. */
export const METRICS_ONLY: ReadonlySet<string> = new Set(['neuron-summary', 'neff']);

/** Whether a profile of that format should contain device work. */
export const mayHaveWork = (format: string): boolean => format !== 'neuron-monitor' && !METRICS_ONLY.has(format);

/** The error of commands over profiles when the input is the reports of a monitor. */
export const noProfile = (): UserError =>
  new UserError('neuron-monitor reports are not a profile', { hint: 'dprof monitor FILE' });

// Sets of record types.

export type RecordTypes = ReadonlySet<ProfileLine['type']>;

/** Types that a kernel report needs. */
export const KERNEL_TYPES: RecordTypes = new Set<ProfileLine['type']>(['profile', 'kernel', 'end']);
/** Types that a table of host activity needs. */
export const HOST_TYPES: RecordTypes = new Set<ProfileLine['type']>([
  ...(['profile', 'range', 'kernel', 'collective', 'copy', 'set', 'graph', 'end'] as const),
]);
/** Types that a report on kernels and host ranges needs. */
export const KERNEL_AND_RANGE_TYPES: RecordTypes = new Set<ProfileLine['type']>([...KERNEL_TYPES, 'range']);
