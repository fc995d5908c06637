/** Records → how busy devices and host were over time. One pass; memory: 32 KB a device, 2 MB of launches. */
import type { Utilisation } from './page-data.js';
import { TimeBins, type BinCoverage } from './time-bins.js';
import { launchOf, type TimedActivity } from './timed-activity.js';

type UtilisationPart = 'busy' | 'compute' | 'communication' | 'memory';

/** What each kind of activity is part of, besides `busy`; a wait is no work. */
const PART_OF: Readonly<Record<string, UtilisationPart>> = {
  kernel: 'compute',
  graph: 'compute',
  communication: 'communication',
  copy: 'memory',
  set: 'memory',
};

/** Launches of different threads and streams come in the order of their devices' work: these many are put in order. */
const HELD = 1 << 15;

/** Devices of a profile that are shown. */
const MOST_DEVICES = 256;

export class UtilisationCurve {
  readonly #spans: TimeBins;
  readonly #devices = new Map<number, Readonly<Record<UtilisationPart, BinCoverage>>>();
  readonly #host: BinCoverage;
  #held: (readonly [start: number, end: number])[] = [];
  #launches = 0;
  #now = -Infinity;
  /** Activities that start before one that came before: some of their time may not be counted. */
  outOfOrder = 0;

  /** @param most spans at most */
  constructor(most?: number) {
    this.#spans = new TimeBins(most);
    this.#host = this.#spans.addCoverage();
  }

  /** To be called in order of start. */
  take({ record, kind, start, dur }: TimedActivity): void {
    const part = PART_OF[kind];
    if (part === undefined) return;
    const rows = this.#device(record.device);
    if (rows === null) return;
    if (start < Math.floor(this.#now)) this.outOfOrder++;
    else this.#now = start;
    this.#spans.extend(start, start + dur);
    this.#spans.cover(rows.busy, start, start + dur);
    this.#spans.cover(rows[part], start, start + dur);
    const launch = launchOf(record);
    if (launch === null) return;
    this.#launches++;
    if (this.#held.push([launch.start, launch.start + launch.dur]) === 2 * HELD) this.#release(HELD);
  }

  get utilisation(): Utilisation {
    this.#release(0);
    const shares = (row: BinCoverage): number[] => this.#spans.sharesOf(row);
    return {
      start: this.#spans.begin ?? 0,
      width: this.#spans.width,
      devices: [...this.#devices]
        .sort(([a], [b]) => a - b)
        .map(([device, { busy, compute, communication, memory }]) => ({
          ...{ device, busy: shares(busy), compute: shares(compute) },
          ...{ communication: shares(communication), memory: shares(memory) },
        })),
      host: this.#launches === 0 ? null : shares(this.#host),
    };
  }

  /** Covers the host's time with the calls that began first, all but `keep`. */
  #release(keep: number): void {
    this.#held.sort(([a], [b]) => a - b);
    const first = this.#held.splice(0, Math.max(0, this.#held.length - keep));
    for (const [start, end] of first) this.#spans.cover(this.#host, start, end);
  }

  #device(device: number): Readonly<Record<UtilisationPart, BinCoverage>> | null {
    const known = this.#devices.get(device);
    if (known !== undefined || this.#devices.size === MOST_DEVICES) return known ?? null;
    const row = (): BinCoverage => this.#spans.addCoverage();
    const rows = { busy: row(), compute: row(), communication: row(), memory: row() };
    this.#devices.set(device, rows);
    return rows;
  }
}
