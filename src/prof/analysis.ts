/** The contract of all commands over records: an analysis takes records and returns one answer. */
import { UserError } from '../record/errors.js';
import { counted } from '../record/plural.js';
import type { ProfileLine } from '../record/record.js';
import type { AnyTable } from '../table/column.js';
import type { Annotated } from './annotate.js';
import { WithoutDevice } from './input/device-activity.js';
import type { RecordTypes } from './input/record-types.js';

/** What an analysis takes: records in the order of the input and, where kernels are annotated, each kernel once it is complete. */
export type Item = ProfileLine | Annotated;

/** A line that limits an answer, for stderr; a UserError is printed with the input's name in front. */
export type Note = string | UserError;

export interface Answer<Facts> {
  /** For the table formats; absent where the answer is not a table. */
  readonly table?: AnyTable;
  /** For the command's own formats: screens, JSON documents, traces. */
  readonly facts: Facts;
  readonly notes?: readonly Note[];
}

export interface Analysis<Facts> {
  /** Types of the records that it takes; the reader skips all others. */
  readonly types: RecordTypes;
  /** Which ranges of the host it takes, as a reader's option has it: all of them when absent. */
  readonly ranges?: 'without-calls' | 'long-calls' | 'without-work';
  /** Whether it takes the samples that a reader derives of activities. */
  readonly derived?: true;
  /** Skip an input that cannot be read, and report it: the answer is about many profiles. */
  readonly skipUnreadable?: true;
  /** Takes the next item; kernels are annotated only where the runner has an annotator, else all items are records. */
  take(item: Item): void;
  /**
   * The answer, when all items are taken.
   * @throws UserError when the records have nothing that the answer could come from
   */
  finish(): Answer<Facts>;
}

/** What to do with a profile in which no device worked. The runner leaves out what does not answer for an input. */
export const HOST_HINT =
  'for the time of the host: dprof summary, or dprof --by ranges -c passes,host,hostself --sort hostself';
const SUMMARY_HINT = 'for the time of the host: dprof summary';

/** Where ranges of the host are missing. */
export const RANGES_HINT = 'records have ranges of the host with dparse --ranges';

/** What an input has of the host. */
export interface HostRecords {
  readonly annotations: boolean;
  /** Ranges of any kind. */
  readonly ranges: boolean;
  /** Time of its CPUs. */
  readonly cpus: boolean;
  /** Whether it is a profile, which was read with its ranges; records may have been written without them. */
  readonly isProfile: boolean;
}

/** Whether the error has a hint that rests on what the input has of the host. */
export const isAboutHost = ({ detail: { hint } }: UserError): boolean => hint === HOST_HINT || hint === RANGES_HINT;

/** The error with a hint that answers for its input, or without one. */
export function withHostHint({ what, detail }: UserError, host: HostRecords): UserError {
  const { hint, ...rest } = detail;
  const left = host.ranges || host.isProfile ? undefined : RANGES_HINT;
  const asked = host.annotations ? HOST_HINT : host.ranges || host.cpus ? SUMMARY_HINT : left;
  const answer = hint === HOST_HINT ? asked : left;
  return new UserError(what, answer === undefined ? rest : { ...rest, hint: answer });
}

/** @param profiles by name, where there are several */
export const withoutDevice = (profiles?: string): UserError =>
  new WithoutDevice(`no kernels, and no other work of a device${profiles === undefined ? '' : `, in ${profiles}`}`, {
    hint: HOST_HINT,
  });

/** The error for kernels that are missing, or of which none has a duration. */
export const withoutKernels = (untimed = 0): UserError =>
  untimed === 0
    ? new WithoutDevice('no kernels', { hint: HOST_HINT })
    : new UserError(`no kernels with a duration, ${untimed} without`);

export const withoutRanges = (): UserError => new UserError('no ranges of the host', { hint: RANGES_HINT });

export const withoutDeviceAndRanges = (): UserError =>
  new WithoutDevice('no work of a device, and no ranges of the host', { hint: RANGES_HINT });

/**
 * The error with the number of samples that have no time, which an answer over time cannot show.
 * @param hint for them, in place of the error's own
 */
export function withTimeless(error: UserError, samples: number, hint = error.detail.hint): UserError {
  if (samples === 0) return error;
  const what = `${error.what}; ${counted(samples, 'sample')} without a time`;
  const Kind = error instanceof WithoutDevice ? WithoutDevice : UserError;
  return new Kind(what, { ...error.detail, ...(hint === undefined ? {} : { hint }) });
}

const TIMES_HINT =
  'a net.dict of PyProf and counters of Nsight Compute have no times: run dparse on the profile itself';

/** The error for records without any time, as of a net.dict. */
export const withoutTimes = (what = 'no record has a start and a duration'): UserError =>
  new UserError(what, { hint: TIMES_HINT });

/** Formats of profiles that hold nothing of the host, and such without times. */
const WITHOUT_HOST = /^(?:ntff|neff|neuron|ncu|net\.dict)/;
const WITHOUT_TIMES = /^(?:ncu|net\.dict)/;

/**
 * The error without a hint that is not true of profiles of these formats; any other as it is.
 * @param formats of the input's profiles; none where no profile line says it
 */
export function fitting(error: unknown, formats: readonly string[]): unknown {
  if (!(error instanceof UserError)) return error;
  const { hint, ...rest } = error.detail;
  const areAll = (which: RegExp): boolean => formats.length > 0 && formats.every((format) => which.test(format));
  const isUntrue = hint === TIMES_HINT ? !areAll(WITHOUT_TIMES) : isAboutHost(error) && areAll(WITHOUT_HOST);
  if (!isUntrue) return error;
  return error instanceof WithoutDevice ? new WithoutDevice(error.what, rest) : new UserError(error.what, rest);
}

/** Formats without an activity: there is nothing but the vendor's metrics. */
export const METRICS_ONLY: ReadonlySet<string> = new Set(['neuron-summary', 'neff']);

/** Whether work of a device is to be expected in a profile of that format. */
export const mayHaveWork = (format: string): boolean => format !== 'neuron-monitor' && !METRICS_ONLY.has(format);

/** The error of commands over profiles for the reports of a monitor. */
export const noProfile = (): UserError =>
  new UserError('neuron-monitor reports are not a profile', { hint: 'dprof monitor FILE' });

/** Notes on what was counted, as `3 records without a time left out`; without those of which there are none. */
export const countNotes = (...counts: readonly (readonly [count: number, what: string, remark: string])[]): string[] =>
  counts.filter(([count]) => count > 0).map(([count, what, remark]) => `${counted(count, what)}${remark}`);
