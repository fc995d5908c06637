/**
 * Computes from records how busy devices and host were over time. One pass; memory: 32 KB per device, 3 MB for launches and
 * cores.
 */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { SampleRecord } from '../../../record/record.js';
import { CPU_BUSY_METRIC } from '../../../record/sample-metrics.js';
import { launchOf, type DeviceActivity } from '../../input/device-activity.js';
import type { Utilisation, BinnedValues } from './utilisation-data.js';
import { TimeBins, type BinCoverage } from '../../../containers/time-bins.js';
import type { TimedActivity } from '../timed-activity.js';
import { WORK_OF_KIND } from '../timeline/timeline-data.js';
import { elementAt } from '../../../containers/element.js';

/** A value from one time to another, in ns. */
export interface ValueStretch {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

/** Turns values that are valid over stretches of time into means in bins of equal width, weighted by time. */
export class BinnedMeans {
  readonly #sums: Float64Array;
  readonly #known: Float64Array;

  /**
   * @param start the start of the first bin, in ns
   * @param width the width of a bin, in ns
   */
  constructor(
    private readonly start: number,
    private readonly width: number,
    private readonly count: number,
  ) {
    this.#sums = new Float64Array(count);
    this.#known = new Float64Array(count);
  }

  /** Adds the part of a stretch within the bins; overlapping stretches are averaged. */
  add({ from, to, value }: ValueStretch): void {
    const { start, width, count } = this;
    const last = Math.min(count - 1, Math.floor((to - start) / width));
    for (let bin = Math.max(0, Math.floor((from - start) / width)); bin <= last; bin++) {
      const begin = start + bin * width;
      const part = Math.min(to, begin + width) - Math.max(from, begin);
      if (!(part > 0)) continue;
      this.#sums[bin] = elementAt(this.#sums, bin) + part * value;
      this.#known[bin] = elementAt(this.#known, bin) + part;
    }
  }

  /** One value per bin; null if no stretch overlaps with the bin. */
  get values(): (number | null)[] {
    return [...this.#sums].map((sum, bin) => {
      const known = elementAt(this.#known, bin);
      return known > 0 ? Math.round((1e6 * sum) / known) / 1e6 : null;
    });
  }
}

/**
 * The means of stretches from the first to the last.
 * @param stretches at least one
 */
function binnedMeans(stretches: readonly ValueStretch[], count: number): BinnedValues {
  const start = stretches.reduce((first, { from }) => Math.min(first, from), Infinity);
  const end = stretches.reduce((last, { to }) => Math.max(last, to), -Infinity);
  const bins = new BinnedMeans(start, (end - start) / count, count);
  for (const stretch of stretches) bins.add(stretch);
  return { start, width: (end - start) / count, values: bins.values };
}

/** A device's work in a profile, or an event of it in a timeline. */
interface DrawnActivity extends Omit<TimedActivity, 'record'> {
  readonly record: Pick<DeviceActivity, 'device' | 'launch' | 'pid' | 'tid'>;
}

type UtilisationPart = 'busy' | 'compute' | 'communication' | 'memory';

/** Launches come in the order of their activities; this many are buffered to sort them by their own start. */
const BUFFERED_LAUNCHES = 1 << 15;

const MOST_DEVICES = 256;
const MOST_SPANS = 1000;

/** Maximum number of stretches of the curve of busy cores to read; readers make at most 2001. */
const MOST_STRETCHES = 1 << 14;

export class UtilisationCurve {
  readonly #bins: TimeBins;
  readonly #devices = new Map<number, Readonly<Record<UtilisationPart, BinCoverage>>>();
  readonly #host: BinCoverage;
  #buffered: (readonly [start: number, end: number])[] = [];
  readonly #cores: ValueStretch[] = [];
  #launches = 0;
  #latestStart = -Infinity;
  /** Number of activities that start before an earlier record; some of their time may not be counted. */
  outOfOrder = 0;

  /** @param most maximum number of intervals of each curve */
  constructor(private readonly most = MOST_SPANS) {
    this.#bins = new TimeBins(most);
    this.#host = this.#bins.addCoverage();
  }

  /** Must be called in order of start time. */
  take({ record, kind, start, dur }: DrawnActivity): void {
    const part = WORK_OF_KIND[kind];
    if (part === undefined) return;
    const coverages = boundedEntryOf(this.#devices, record.device, MOST_DEVICES, this.#addDevice);
    if (coverages === null) return;
    if (start < Math.floor(this.#latestStart)) this.outOfOrder++;
    else this.#latestStart = start;
    this.#bins.extend(start, start + dur);
    this.#bins.cover(coverages.busy, start, start + dur);
    this.#bins.cover(coverages[part], start, start + dur);
    const launch = launchOf(record);
    if (launch === null) return;
    this.#launches++;
    const end = launch.start + Math.max(0, launch.dur ?? 0);
    if (this.#buffered.push([launch.start, end]) === 2 * BUFFERED_LAUNCHES) this.#flush(BUFFERED_LAUNCHES);
  }

  /** Takes samples of the number of busy cores; ignores other metrics. */
  takeSample({ metric, start, dur, value }: SampleRecord): void {
    if (metric !== CPU_BUSY_METRIC || start === null || value === null) return;
    const end = start + (dur ?? 0);
    if (end > start && this.#cores.length < MOST_STRETCHES) this.#cores.push({ from: start, to: end, value });
  }

  get utilisation(): Utilisation {
    this.#flush(0);
    const shares = (coverage: BinCoverage): number[] => this.#bins.sharesOf(coverage);
    return {
      // 0 when the profile has no activity; there are no bins then.
      start: this.#bins.begin ?? 0,
      width: this.#bins.width,
      devices: [...this.#devices]
        .sort(([a], [b]) => a - b)
        .map(([device, { busy, compute, communication, memory }]) => ({
          ...{ device, busy: shares(busy), compute: shares(compute) },
          ...{ communication: shares(communication), memory: shares(memory) },
        })),
      host: this.#launches === 0 ? null : shares(this.#host),
      cpu: this.#cores.length === 0 ? null : binnedMeans(this.#cores, this.most),
    };
  }

  /** Adds the earliest buffered launches to the host's time, and leaves `keep` in the buffer. */
  #flush(keep: number): void {
    this.#buffered.sort(([a], [b]) => a - b);
    const first = this.#buffered.splice(0, Math.max(0, this.#buffered.length - keep));
    for (const [start, end] of first) this.#bins.cover(this.#host, start, end);
  }

  readonly #addDevice = (): Readonly<Record<UtilisationPart, BinCoverage>> => {
    const add = (): BinCoverage => this.#bins.addCoverage();
    return { busy: add(), compute: add(), communication: add(), memory: add() };
  };
}
