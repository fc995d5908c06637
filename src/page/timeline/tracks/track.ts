/**
 * Values over time that are drawn with the lanes of a timeline, and the text for each value. Times are ns from the
 * timeline's start.
 */
import { elementAt } from '../../../containers/element.js';
import type { Lane } from '../../../prof/html/timeline/timeline-data.js';
import { memoryScale, quantityText, type DisplayUnit } from '../../document/units.js';
import { firstAbove, firstAtLeast } from '../model/lane-rows.js';
import { tickStep, tickText } from '../model/view.js';

/** Units of records, with the page's unit; `per` is the number of record units in one page unit. */
const UNITS: Readonly<Record<string, readonly [unit: DisplayUnit, per: number]>> = {
  bytes: ['bytes', 1],
  memory: ['memory', 1],
  'bytes/s': ['bytes/s', 1],
  FLOP: ['flop', 1],
  'FLOP/s': ['flop/s', 1],
  fraction: ['share', 1],
  '%': ['share', 100],
  ns: ['ns', 1],
  s: ['ns', 1e-9],
  count: ['count', 1],
};

/** Powers of a thousand, for units without a separate table. */
const PREFIXES = ['', 'k', 'M', 'G', 'T'] as const;

const FORMAT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const rounded = (value: number): string => FORMAT.format(value);

/** Strings such as '1.95 GiB', '83.2 %', '1.8 GHz', '12'. */
export function valueText(value: number, unit: string | null): string {
  const known = unit !== null && Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  // Counts may be means with fractions.
  if (known !== undefined && unit !== 'count') return quantityText(value / known[1], known[0]);
  if (unit === null || unit === 'count') return rounded(value);
  const power = Math.floor(Math.log10(Math.abs(value) || 1) / 3 + 1e-9);
  const step = unit === 'Hz' ? Math.max(0, Math.min(PREFIXES.length - 1, power)) : 0;
  return `${rounded(value / 1000 ** step)} ${PREFIXES[step] ?? ''}${unit}`;
}

export function rangeText(range: TrackRange | null, unit: string | null): string {
  if (range === null) return 'unknown';
  const [low, high] = [valueText(range.low, unit), valueText(range.high, unit)];
  return low === high ? low : `${low} to ${high}`;
}

/** Text such as '0 to 1.95 GiB'. */
export const scaleText = ({ scale: { low, high }, unit }: Track): string =>
  `${low < 0 ? valueText(low, unit) : '0'} to ${valueText(high, unit)}`;

/** The value at a time, and the time that it represents. @param perPixel ns per pixel; the mean over a pixel is shown */
interface TrackReading {
  readonly value: string;
  readonly of: string;
}

/** A time with the precision of a pixel. @param at ns from the profile's start */
export const momentText = (at: number, perPixel: number): string => tickText(at, tickStep(perPixel), at);

/** @param origin zero point of times, in ns from the profile's start */
export function readingOf(track: Track, time: number, perPixel: number, origin: number): TrackReading {
  const momentOf = (at: number): string => momentText(at + origin, perPixel);
  const [from, to] = track.around(time);
  if (track.heldAt !== null && from === to) {
    const range = track.rangeOf(time, time);
    const [since, until] = track.heldAt(time);
    const ends = [
      ...(Number.isFinite(since) ? [`since ${momentOf(since)}`] : ['before the first sample']),
      ...(Number.isFinite(until) ? [`up to ${momentOf(until)}`] : []),
    ];
    return { value: rangeText(range, track.unit), of: ends.join(', ') };
  }
  if (track.drawn === 'mean' && from === to) {
    const [start, end] = [time - perPixel / 2, time + perPixel / 2];
    return {
      value: rangeText(track.rangeOf(start, end), track.unit),
      of: `mean over ${quantityText(perPixel, 'ns')} around this time`,
    };
  }
  const what = track.drawn === 'mean' ? 'mean over' : 'within';
  return { value: rangeText(track.rangeOf(from, to), track.unit), of: `${what} ${momentOf(from)} to ${momentOf(to)}` };
}

/** Lowest and highest value of a time; equal for a mean. */
export interface TrackRange {
  readonly low: number;
  readonly high: number;
}

export interface Track {
  readonly kind: Lane['kind'];
  readonly group: string;
  readonly name: string;
  /** Unit as in records: 'bytes', 'fraction' …; 'memory' for bytes in use. */
  readonly unit: string | null;
  /**
   * Ends of its scale: the lower end is 0, or the lowest value if that is negative; the upper end is the highest value, for
   * memory rounded up.
   */
  readonly scale: TrackRange;
  /** How the values that share a pixel are drawn. */
  readonly drawn: 'mean' | 'lowest and highest';
  /** What a point represents, in one line. */
  readonly about: string;
  /** Range of values in a non-empty time; null when nothing is known about it. */
  readonly rangeOf: (from: number, to: number) => TrackRange | null;
  /** The shortest time around a time for which `rangeOf` is exact. A sample is valid until the next. */
  readonly around: (time: number) => readonly [from: number, to: number];
  /** For samples: start of the value that is valid at a time, and of the next; infinite when there is none. */
  readonly heldAt: ((time: number) => readonly [from: number, to: number]) | null;
}

type TrackNames = Pick<Track, 'kind' | 'group' | 'name' | 'unit' | 'about'>;

/** Samples; each is valid until the next one. */
export class SampleTrack implements Track {
  readonly kind: Track['kind'];
  readonly group: string;
  readonly name: string;
  readonly unit: string | null;
  readonly about: string;
  readonly drawn = 'lowest and highest';
  readonly scale: TrackRange;

  /**
   * @param at times in order
   * @param values NaN where the value becomes unknown
   * @param slot ns for which only the lowest, highest and last sample are kept; 0 when all samples are kept
   * @param origin start of the timeline in ns from the profile's start, from which slots are counted
   */
  constructor(
    { kind, group, name, unit, about }: TrackNames,
    readonly at: Float64Array,
    readonly values: Float64Array,
    private readonly slot = 0,
    private readonly origin = 0,
  ) {
    [this.kind, this.group, this.name, this.unit, this.about] = [kind, group, name, unit, about];
    const { low, high } = rangeOf(values, 0, values.length, { low: 0, high: 0 });
    this.scale = { low, high: unit === 'memory' ? (memoryScale(high)?.max ?? high) : high };
  }

  /**
   * For an instant, the value that is valid then. Otherwise the range of all samples that are valid at some point
   * within the time.
   */
  readonly rangeOf = (from: number, to: number): TrackRange | null => {
    const [first, end] = from < to ? this.#within(from, to) : this.#placeAt(from);
    const range = rangeOf(this.values, first, end, { low: Infinity, high: -Infinity });
    return range.low > range.high ? null : range;
  };

  readonly around = (time: number): readonly [from: number, to: number] => {
    if (this.slot > 0) {
      const from = Math.floor((time + this.origin) / this.slot) * this.slot - this.origin;
      return [from, from + this.slot];
    }
    return [time, time];
  };

  readonly heldAt = (time: number): readonly [from: number, to: number] => {
    const next = firstAbove(this.at, time);
    return [this.at[next - 1] ?? -Infinity, this.at[next] ?? Infinity];
  };

  #within(from: number, to: number): readonly [from: number, to: number] {
    const first = firstAtLeast(this.at, from);
    return [this.at[first] === from ? first : Math.max(0, first - 1), firstAtLeast(this.at, to)];
  }

  /** The last sample up to a time; if the value becomes unknown immediately, the one before. */
  #placeAt(time: number): readonly [from: number, to: number] {
    const place = firstAbove(this.at, time) - 1;
    if (place < 0) return [0, 0];
    const isInstant = Number.isNaN(this.values[place]) && this.at[place] === time && this.at[place - 1] === time;
    return isInstant ? [place - 1, place] : [place, place + 1];
  }
}

function rangeOf(values: Float64Array, from: number, to: number, start: TrackRange): TrackRange {
  let { low, high } = start;
  for (let i = from; i < to; i++) {
    const value = elementAt(values, i);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

/** Number of times that are checked one by one before a binary search. */
const NEAR = 8;

/** The share of time during which a condition held, from 0 to 1. */
export class ShareTrack implements Track {
  readonly kind: Track['kind'];
  readonly group: string;
  readonly name: string;
  readonly unit = 'fraction';
  readonly about: string;
  readonly drawn = 'mean';
  readonly heldAt = null;
  readonly scale: TrackRange = { low: 0, high: 1 };
  /** The time of the last lookup, the first index of `at` above it, and the ns up to it. */
  #time = NaN;
  #next = 1;
  #sum = NaN;

  /**
   * @param at times in order, between which the share is constant
   * @param sums ns up to each of them during which the condition held
   * @param isExact whether shares between two of them are exactly 0 or 1; otherwise they are means
   */
  constructor(
    { kind, group, name, about }: Omit<TrackNames, 'unit'>,
    readonly at: Float64Array,
    readonly sums: Float64Array,
    private readonly isExact: boolean,
  ) {
    [this.kind, this.group, this.name, this.about] = [kind, group, name, about];
  }

  readonly rangeOf = (from: number, to: number): TrackRange | null => {
    // No list is created here, because this is called for each pixel of each frame.
    const start = Math.max(from, this.at[0] ?? 0);
    const end = Math.min(to, this.at[this.at.length - 1] ?? 0);
    if (!(start < end)) return null;
    const before = this.#sumTo(start);
    const share = (this.#sumTo(end) - before) / (end - start);
    const mean = Math.max(0, Math.min(1, share));
    return { low: mean, high: mean };
  };

  readonly around = (time: number): readonly [from: number, to: number] => {
    if (this.isExact) return [time, time];
    const next = firstAbove(this.at, time);
    return [this.at[next - 1] ?? time, this.at[next] ?? time];
  };

  /** Time in ns up to a time within it. The end of a pixel is the start of the next, so each is looked up once. */
  #sumTo(time: number): number {
    if (time === this.#time) return this.#sum;
    const next = this.#nextAfter(time);
    const from = elementAt(this.at, next - 1);
    const to = elementAt(this.at, next);
    const before = elementAt(this.sums, next - 1);
    const after = elementAt(this.sums, next);
    this.#time = time;
    this.#next = next;
    this.#sum = to > from ? before + ((after - before) * (time - from)) / (to - from) : after;
    return this.#sum;
  }

  /** Index of the first time above a time, at most the last index. Pixels come in order, so it is near the previous one. */
  #nextAfter(time: number): number {
    const last = this.at.length - 1;
    if (elementAt(this.at, this.#next - 1) <= time) {
      const far = Math.min(last, this.#next + NEAR);
      for (let next = this.#next; next <= far; next++)
        if (next === last || elementAt(this.at, next) > time) return next;
    }
    return Math.max(1, Math.min(last, firstAbove(this.at, time)));
  }
}
