/**
 * Turns samples into counters, one for each metric, device and set of labels. Values of the whole profile, which have no
 * time, are arguments of one instant at the profile's start; each string is a separate instant.
 */
import { STEP_METRIC, type SampleRecord, type ProfileRecord } from '../../record/record.js';
import { ALLOCATION_METRIC } from '../memory/device-memory.js';
import { NO_ARROWS, type Emit, type TraceArg, type TraceTime, type TraceZero } from './trace-element.js';
import { nameOf, timeOf } from './slice-args.js';
import type { TraceTracks } from './tracks.js';

/** How profiles are aligned: at their Unix times if these are known, or all at 0. */
export type Alignment = 'unix' | 'start';

/** Viewers store timestamps as signed 64-bit ns. */
const LATEST = 1n << 62n;

/**
 * Where each profile starts in the trace. If the first profile has a Unix time, each profile starts at its Unix time,
 * and profiles without one start with the first. Otherwise all start at 0.
 */
export class ProfileClock {
  /** Start of the first profile in Unix ns; null when timestamps count from the start of each profile. */
  unixStart: bigint | null = null;
  #decided = false;
  readonly #starts = new Map<number, TraceZero>();
  #zero: TraceZero = { ns: 0n };
  /** Number of profiles without a Unix time in a trace of Unix times. */
  assumedStarts = 0;

  constructor(private readonly alignment: Alignment) {}

  /** @returns whether it is the first */
  profile({ profile, startUnixNs }: ProfileRecord): boolean {
    const isFirst = !this.#decided;
    const unixStart = this.alignment === 'unix' ? unixTime(startUnixNs) : null;
    if (isFirst) {
      this.unixStart = unixStart;
      this.#zero = { ns: unixStart ?? 0n };
    }
    if (unixStart === null && this.unixStart !== null) this.assumedStarts++;
    this.#decided = true;
    const isOwn = this.unixStart !== null && unixStart !== null;
    this.#starts.set(profile, isOwn ? { ns: unixStart } : this.#zero);
    return isFirst;
  }

  /** A record's time; null when it is unknown, or before timestamp 0. */
  time(profile: number, start: number | null): TraceTime | null {
    if (start === null) return null;
    const zero = this.zero(profile);
    return start < 0 && zero.ns + BigInt(start) < 0n ? null : { zero, start };
  }

  /** The profile's start in the trace; that of the first profile for records without a profile line. */
  zero(profile: number): TraceZero {
    return this.#starts.get(profile) ?? this.#zero;
  }
}

function unixTime(text: unknown): bigint | null {
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) return null;
  const time = BigInt(text);
  return time < LATEST ? time : null;
}

/** The label with the number of a monitor's report, which is different in each sample of a series. */
const REPORT = 'report';
/** Maximum number of arguments of one mark. */
const LONGEST_MARK = 500;

interface CounterCounts {
  counters: number;
  instants: number;
  untimed: number;
  early: number;
}

export class TraceCounters {
  #whole: TraceArg[] = [];
  #profile = 0;
  /** Number of samples with neither a number nor a string. */
  unknown = 0;
  /** Number of samples left out because there are more counters than a viewer can show. */
  beyond = 0;
  /** Number of samples left out because they are sizes of single allocations, whose sum is a separate series. */
  allocations = 0;
  /** Number of values of the whole profile. */
  timeless = 0;

  constructor(
    private readonly emit: Emit,
    private readonly tracks: TraceTracks,
    private readonly clock: ProfileClock,
    private readonly counts: CounterCounts,
  ) {}

  take(sample: SampleRecord): void {
    const { profile, start, device, value, unit, text, metric } = sample;
    // Steps are host time ranges; their numbers are not a quantity.
    if (metric === STEP_METRIC) return;
    if (metric === ALLOCATION_METRIC) {
      this.allocations++;
      return;
    }
    const known = typeof value === 'number' && Number.isFinite(value) ? value : typeof text === 'string' ? text : null;
    if (known === null) {
      this.unknown++;
      return;
    }
    if (start === null) {
      this.#addTimeless(sample, known);
      return;
    }
    const at = timeOf(start);
    const time = this.clock.time(profile, at);
    if (time === null) this.counts[at === null ? 'untimed' : 'early']++;
    else if (typeof known === 'string') {
      const track = this.tracks.mark(this.tracks.onDevice(profile, device, 'texts'), time.start);
      const args: TraceArg[] = [[nameOf(sample.metric), known]];
      const name = `${seriesOf(sample)}: ${known}`;
      this.emit({ type: 'instant', track, ...time, name, category: 'sample', args, ...NO_ARROWS });
      this.counts.instants++;
    } else {
      const track = this.tracks.counter(profile, device, seriesOf(sample), unit);
      if (track === null) this.beyond++;
      else {
        this.emit({ type: 'counter', track, ...time, value: known });
        this.counts.counters++;
      }
    }
  }

  /** Must be called after the last sample of each profile. */
  end(): void {
    if (this.#whole.length === 0) return;
    const track = this.tracks.mark(this.tracks.own(this.#profile, 'whole profile', true), 0);
    const time = { zero: this.clock.zero(this.#profile), start: 0 };
    const what = { name: 'whole profile', category: 'sample', args: this.#whole };
    this.emit({ type: 'instant', track, ...time, ...what, ...NO_ARROWS });
    this.#whole = [];
  }

  #addTimeless(sample: SampleRecord, value: number | string): void {
    const { profile, device, unit } = sample;
    if (profile !== this.#profile || this.#whole.length === LONGEST_MARK) this.end();
    this.#profile = profile;
    const where = device === null ? '' : `device ${device} `;
    this.#whole.push([`${where}${seriesOf(sample)}${unit === null ? '' : ` (${unit})`}`, value]);
    this.timeless++;
  }
}

/** `memory kind=Generic`, `hits cache="L2 read" bank=7` */
function seriesOf({ metric, labels }: SampleRecord): string {
  const ofSeries = Object.entries(labels ?? {}).filter(([name]) => name !== REPORT);
  return [nameOf(metric), ...ofSeries.map(([name, value]) => `${name}=${shownLabel(value)}`)].join(' ');
}

/** A string in quotes if it would otherwise be read back as a number, or as several labels. */
const shownLabel = (value: string | number): string =>
  typeof value === 'string' && (!/^[^\s="]+$/.test(value) || !Number.isNaN(Number(value)))
    ? JSON.stringify(value)
    : String(value);
