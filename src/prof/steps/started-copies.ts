/**
 * Copies that the instructions of devices start: the profiler of a TPU may record them as copies for some of the devices
 * only. Memory: two numbers for each device.
 */
import { plural } from '../../record/plural.js';
import type { ProfileLine } from '../../record/record.js';

export class StartedCopies {
  readonly #started = new Map<number, number>();
  readonly #recorded = new Set<number>();

  take(record: ProfileLine): void {
    if (record.type === 'copy') this.#recorded.add(record.device);
    if (record.type === 'kernel' && record.labels?.['category'] === 'copy-start')
      this.#started.set(record.device, (this.#started.get(record.device) ?? 0) + 1);
  }

  /** Number of copies that a device started, by device in order, for devices without a copy in the profile. */
  get unrecorded(): ReadonlyMap<number, number> {
    return new Map([...this.#started].filter(([device]) => !this.#recorded.has(device)).sort(([a], [b]) => a - b));
  }
}

/** Why busy and idle times of devices are unknown, as a sentence without a full stop; null when all are known. */
export function unrecordedCopiesText(
  devices: readonly Readonly<{ device: number; memory: number | null }>[],
): string | null {
  const unrecorded = devices.filter(({ memory }) => memory === null).map(({ device }) => device);
  return unrecorded.length === 0
    ? null
    : `copies of ${plural(unrecorded.length, 'device')} ${unrecorded.join(' ')} are not in the profile, so busy and idle times are unknown`;
}
