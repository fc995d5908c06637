/** What is read, and how: of `open` and of the answers. */
import { UsageError, type UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { deviceNamed, unknownDevice } from '../prof/roofline/device-choice.js';
import type { Peaks } from '../prof/roofline/peaks.js';

/** Options of answers that rest on peak rates of devices. */
export interface DeviceOptions extends ReadingOptions {
  /** Peak rates for every device: by a name in `DEVICES`, or as they are; those of the profile's devices when not given. */
  readonly device?: string | Peaks;
}

/** @throws UsageError for an unknown name, with the nearest one */
export function peaksFor({ device }: DeviceOptions): Peaks | null {
  if (typeof device !== 'string') return device ?? null;
  const peaks = deviceNamed(device);
  if (peaks === null) throw unknownDevice(device);
  return peaks;
}

/** @throws UsageError for what is no fraction of 1 */
export function requireShare(option: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new UsageError(`${option} is a number from 0 to 1, not ${String(value)}`);
}

/** @throws UsageError for what is no whole number, or too small */
export function requireCount(option: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new UsageError(`${option} is a whole number of at least ${least}, not ${String(value)}`);
}

/** How inputs are read. What concerns another format than the input's is ignored. */
export interface ReadingOptions {
  /** Id of the format to read profiles as, of docs/formats.md; detected by content when not given. */
  readonly format?: string;
  /** AWS Neuron: path of the program that ran (NEFF); the one beside the profile when not given. */
  readonly program?: string;
  /** AWS Neuron: whether to take that program although it is not the one that ran. */
  readonly force?: boolean;
  /** Path of a CSV of Nsight Compute whose counters the kernels are given. */
  readonly ncu?: string;
  /** File or folder with the captures of graphs; `capture_traces/` beside the profile when not given. */
  readonly capture?: string;
  /** AWS Neuron: whether samples that follow from other records are there too. */
  readonly derived?: boolean;
  /** neuron-monitor: whether fields that are not documented are there too. */
  readonly allFields?: boolean;
  /**
   * Takes what could not be read, when all else is: the end of an input that is cut off, a file of a folder, one of several
   * inputs. Without it the first such error is thrown.
   */
  readonly onError?: (error: UserError) => void;
  /** Takes what the commands say on stderr of an answer: a line on what is left out, or looks odd. */
  readonly onNote?: (line: string) => void;
}

/**
 * What an answer is about: a path or several, as `open` takes them; or records, those of `open` or any others. Of a path
 * is read what the answer needs; records have ranges of the host only where `open` was asked for them.
 */
export type AnswerInput = string | readonly string[] | AsyncIterable<ProfileLine>;
