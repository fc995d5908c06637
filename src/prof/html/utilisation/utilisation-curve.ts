/** Records → how busy devices and host were over time. One pass; memory: 32 KB a device, 3 MB of launches and cores. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { SampleRecord } from '../../../record/record.js';
import { CPU_BUSY_METRIC } from '../../../record/sample-metrics.js';
import { launchOf } from '../../input/device-activity.js';
import type { Utilisation } from './utilisation-data.js';
import { TimeBins, type BinCoverage } from '../../../containers/time-bins.js';
import type { TimedActivity } from '../timed-activity.js';
import { WORK_OF_KIND } from '../timeline/timeline-data.js';
import { binnedMeans, type ValueStretch } from './binned-means.js';

type UtilisationPart = 'busy' | 'compute' | 'communication' | 'memory';

/** Launches are read in the order of their activities: so many are buffered to be sorted by their own start. */
const BUFFERED_LAUNCHES = 1 << 15;

const MOST_DEVICES = 256;
const MOST_SPANS = 1000;

/** Stretches of the curve of busy cores that are read: readers make 2001 at most. */
const MOST_STRETCHES = 1 << 14;

export class UtilisationCurve {
  readonly #bins: TimeBins;
  readonly #devices = new Map<number, Readonly<Record<UtilisationPart, BinCoverage>>>();
  readonly #host: BinCoverage;
  #buffered: (readonly [start: number, end: number])[] = [];
  readonly #cores: ValueStretch[] = [];
  #launches = 0;
  #latestStart = -Infinity;
  /** Activities that start before an earlier record: some of their time may not be counted. */
  outOfOrder = 0;

  /** @param most spans of each curve */
  constructor(private readonly most = MOST_SPANS) {
    this.#bins = new TimeBins(most);
    this.#host = this.#bins.addCoverage();
  }

  /** To be called in order of start. */
  take({ record, kind, start, dur }: TimedActivity): void {
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

  /** Takes how many cores were busy; samples of other metrics are passed over. */
  takeSample({ metric, start, dur, value }: SampleRecord): void {
    if (metric !== CPU_BUSY_METRIC || start === null || value === null) return;
    const end = start + (dur ?? 0);
    if (end > start && this.#cores.length < MOST_STRETCHES) this.#cores.push({ from: start, to: end, value });
  }

  get utilisation(): Utilisation {
    this.#flush(0);
    const shares = (coverage: BinCoverage): number[] => this.#bins.sharesOf(coverage);
    return {
      // 0 where the profile holds no activity: there are no bins then.
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

  /** Adds the earliest buffered launches to the host's time, all but `keep`. */
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
