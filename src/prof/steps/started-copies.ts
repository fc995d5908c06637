/**
 * Copies that the instructions of devices start: the profiler of a TPU may record them as copies for some of the devices
 * only. Memory: two numbers for each device.
 */
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
