/** What callers choose by name or number. */
import { deviceNamed, unknownDevice } from '../prof/roofline/device-choice.js';
import type { Peaks } from '../prof/roofline/peaks.js';
import { UsageError } from '../record/errors.js';
import type { ReadingOptions } from './options.js';

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
