/** Options of `open` and of the answers. */
import { UsageError, type UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { deviceNamed, unknownDevice } from '../prof/roofline/device-choice.js';
import type { Peaks } from '../prof/roofline/peaks.js';

/** Options of answers that use peak rates of devices. */
export interface DeviceOptions extends ReadingOptions {
  /** Peak rates for all devices: a name in `DEVICES`, or the rates; by default those of the profile's devices. */
  readonly device?: string | Peaks;
}

/** @throws UsageError for an unknown name, which suggests the nearest one */
export function peaksFor({ device }: DeviceOptions): Peaks | null {
  if (typeof device !== 'string') return device ?? null;
  const peaks = deviceNamed(device);
  if (peaks === null) throw unknownDevice(device);
  return peaks;
}

/** @throws UsageError for a value that is not from 0 to 1 */
export function requireShare(option: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new UsageError(`${option} is a number from 0 to 1, not ${String(value)}`);
}

/** @throws UsageError for a value that is not a whole number, too small or too large */
export function requireCount(option: string, value: number, least: number, most = Infinity): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${option} is a whole number ${range}, not ${String(value)}`);
}

/** How inputs are read. Options for other formats than the input's are ignored. */
export interface ReadingOptions {
  /** Id of the format in which to read profiles, from docs/formats.md; detected from the content by default. */
  readonly format?: string;
  /** AWS Neuron: path of the program that ran (NEFF); by default the one next to the profile. */
  readonly program?: string;
  /** AWS Neuron: whether to use that program even if it is not the one that ran. */
  readonly force?: boolean;
  /** Path of a Nsight Compute CSV file, whose counters are added to the kernels. */
  readonly ncu?: string;
  /** File or folder with the graph captures; by default `capture_traces/` next to the profile. */
  readonly capture?: string;
  /** AWS Neuron: whether to include samples that are derived from other records. */
  readonly derived?: boolean;
  /** neuron-monitor: whether to include undocumented fields. */
  readonly allFields?: boolean;
  /**
   * Called with the errors about parts that could not be read, after everything else was read: the end of an input that
   * is cut off, a file of a folder, one of several inputs. Without it, the first such error is thrown.
   */
  readonly onError?: (error: UserError) => void;
  /** Called with each line that the commands would print on stderr about an answer, such as parts that are left out. */
  readonly onNote?: (line: string) => void;
}

/**
 * The input of an answer: one or several paths, as `open` takes them; or records, from `open` or elsewhere. From a path,
 * the answer reads what it needs; records contain host ranges only if `open` was called with `ranges`.
 */
export type AnswerInput = string | readonly string[] | AsyncIterable<ProfileLine>;
