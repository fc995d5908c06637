/** Transfers of devices: waits for them, copies that programs start, and rates. Needs nothing of Node. */
import { many, plural } from '../../record/plural.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import type { KernelSummary } from '../summary/summary-data.js';
import { IntervalUnion } from '../../containers/interval-union.js';
import { addTo, entryOf } from '../../containers/map-entry.js';
import { CALLED_COPIES_FACT, isCopyStart } from '../../record/wait-calls.js';
import { amountText, NS_PER_S } from '../../record/units.js';

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

  /** Adds a wait, in order of start time. @param awaited what it waits for, in words */
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

/** Number of copies that the CPU issued in a profile that contains no copies; 0 for other profiles. */
export const calledCopies = ({ facts }: Pick<ProfileRecord, 'facts'>): number =>
  Number(facts?.[CALLED_COPIES_FACT] ?? 0);

/** `the CPU issued 3 copies, but the profile contains none` */
export const calledCopiesText = (called: number): string =>
  `the CPU issued ${many(called, 'copy')}, but the profile contains none`;

/**
 * Copies of one profile that the profiler did not record: those that the CPU issued, if the profile contains no copies at
 * all, and those that the instructions of devices started, which the profiler of a TPU may record for some of the devices
 * only. Memory: two numbers for each device.
 */
export class UnrecordedCopies {
  readonly #started = new Map<number, number>();
  readonly #recorded = new Set<number>();
  /** Number of copies that the CPU issued; 0 if the profile contains copies. */
  called = 0;

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.called = calledCopies(record);
    if (record.type === 'copy') this.#recorded.add(record.device);
    if (record.type === 'kernel' && isCopyStart(record.labels)) addTo(this.#started, record.device, 1);
  }

  /** Whether a device may have copied while it looks idle. */
  has(device: number): boolean {
    return this.called > 0 || (this.#started.has(device) && !this.#recorded.has(device));
  }

  /** Number of copies that a device started, by device in order, for devices without a copy in the profile. */
  get started(): ReadonlyMap<number, number> {
    return new Map([...this.#started].filter(([device]) => this.has(device)).sort(([a], [b]) => a - b));
  }
}

/** Why busy and idle times of devices are only bounds, as a sentence without a full stop; null when all are known. */
export function unrecordedCopiesText(
  devices: readonly Readonly<{ device: number; memory: number | null }>[],
): string | null {
  const unrecorded = devices.filter(({ memory }) => memory === null).map(({ device }) => device);
  return unrecorded.length === 0
    ? null
    : `copies of ${plural(unrecorded.length, 'device')} ${unrecorded.join(' ')} are not in the profile, so busy and idle times are only bounds`;
}

/** `waits (2,400 instructions, 304.3 s) count only in dprof --by op`; null without any. */
export const countedWaitsText = (kernels: Pick<KernelSummary, 'waits'> | null): string | null =>
  kernels?.waits === undefined
    ? null
    : `waits (${many(kernels.waits.count, 'instruction')}, ${amountText(kernels.waits.time, 'time')}) count only in dprof --by op`;

/**
 * The rate at which devices move data by transfers of one kind: their bytes over the time in which at least one of a device
 * runs. Transfers that overlap on a device share its link, so that the sum of their times says nothing about the rate.
 * Memory: three numbers per device.
 */
export class TransferRate {
  #bytes = 0;
  readonly #devices = new Map<number, IntervalUnion>();

  /** Adds a transfer, in order of start time on its device. Times in ns. */
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
