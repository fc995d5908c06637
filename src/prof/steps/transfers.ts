/** Transfers of devices: waits for them, copies that programs start, and rates. Needs nothing of Node. */
import type { ProfileLine } from '../../record/record.js';
import { IntervalUnion } from '../../containers/interval-union.js';
import { entryOf } from '../../containers/map-entry.js';
import { NS_PER_S } from '../../record/units.js';

/** Minimum share of a gap that something must fill to be its cause. */
export const MOSTLY = 0.5;

interface TransferWait {
  readonly start: number;
  readonly end: number;
  readonly awaited: string;
}

/** Number of waits to keep: a gap has about one for each tensor that the next instruction reads. */
const MOST_WAITS = 64;

/**
 * Waits of a device's program for the end of transfers that it started, in any unit of time. Memory: the latest waits, which
 * are enough for the gap that the next work ends.
 */
export class TransferWaits {
  readonly #latest: TransferWait[] = [];

  /** Adds a wait, in order of start. @param awaited what it waits for, in words */
  add(start: number, end: number, awaited: string): void {
    this.#latest.push({ start, end, awaited });
    if (this.#latest.length > MOST_WAITS) this.#latest.shift();
  }

  /** What the longest wait in a gap was for, if waits fill most of the gap; else null. */
  filling(from: number, to: number): string | null {
    let [time, reached, longest, awaited] = [0, from, 0, ''];
    for (const wait of this.#latest) {
      const end = Math.min(to, wait.end);
      const added = Math.max(0, end - Math.max(reached, wait.start));
      if (added > longest) [longest, awaited] = [added, wait.awaited];
      time += added;
      reached = Math.max(reached, end);
    }
    return time > MOSTLY * (to - from) ? awaited : null;
  }
}

/**
 * Copies that the instructions of devices start: the profiler of a TPU may record them as copies for some of the devices
 * only. Memory: two numbers for each device.
 */
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

/**
 * The rate at which devices move data by transfers of one kind: their bytes over the time in which at least one of a device
 * runs. Transfers that overlap on a device share its link, so that the sum of their times says nothing about the rate.
 * Memory: three numbers per device.
 */
export class TransferRate {
  #bytes = 0;
  readonly #devices = new Map<number, IntervalUnion>();

  /** Adds a transfer, in order of start on its device. Times in ns. */
  add(device: number, start: number, dur: number, bytes: number): void {
    this.#bytes += bytes;
    entryOf(this.#devices, device, () => new IntervalUnion()).add(start, start + dur);
  }

  /** Mean over the devices; null when no transfer took time. */
  get bytesPerS(): number | null {
    const time = [...this.#devices.values()].reduce((sum, { total }) => sum + total, 0);
    return time > 0 ? (this.#bytes / time) * NS_PER_S : null;
  }
}
