/** Values of tracks as text. */
import { quantityText, type DisplayUnit } from '../../document/units.js';
import { tickStep, tickText } from '../model/view.js';
import type { Track, TrackRange } from './track.js';

/** Units of records, and how the page writes them; `per` of the record's unit are one of the page's. */
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

/** Powers of a thousand, for units that have no table of their own. */
const PREFIXES = ['', 'k', 'M', 'G', 'T'] as const;

const FORMAT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const rounded = (value: number): string => FORMAT.format(value);

/** '1.95 GiB', '83.2 %', '1.8 GHz', '12'. */
export function valueText(value: number, unit: string | null): string {
  const known = unit !== null && Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  // Counts may have means and fractions.
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

/** '0 to 1.95 GiB'. */
export const scaleText = ({ scale: { low, high }, unit }: Track): string =>
  `${low < 0 ? valueText(low, unit) : '0'} to ${valueText(high, unit)}`;

/** The value at a time and what it stands for. @param perPixel ns of a pixel, whose mean is shown */
export interface TrackReading {
  readonly value: string;
  readonly of: string;
}

/** A time as exact as a pixel. @param at ns from the profile's start */
export const momentText = (at: number, perPixel: number): string => tickText(at, tickStep(perPixel), at);

/** @param origin ns from the profile's start, from which times count */
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
      of: `mean of ${quantityText(perPixel, 'ns')} around it`,
    };
  }
  const what = track.drawn === 'mean' ? 'mean of' : 'within';
  return { value: rangeText(track.rangeOf(from, to), track.unit), of: `${what} ${momentOf(from)} to ${momentOf(to)}` };
}
