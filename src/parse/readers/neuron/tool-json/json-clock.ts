/**
 * The unit of the times in a file's tables. Tools write nanoseconds; other units are reported of other versions, and
 * nothing in a file names its unit. What tells it is a length of the capture in seconds, which the summary and the
 * metadata's dates give, beside the same length in the tables' unit.
 */
import { numberOf, rawTextOf, type Row } from './table-row.js';

/** How table times become nanoseconds since the capture's start. */
export interface Clock {
  /** Nanoseconds of a unit. */
  readonly scale: number;
  /** Time of the start, in the unit. */
  readonly origin: number;
  /** Whether nothing in the file told the unit. */
  readonly isAssumed: boolean;
}

/** Units by how many of them make a second: ms, µs, ns, ps; seconds themselves. */
const PER_SECOND = [1, 1e3, 1e6, 1e9, 1e12] as const;

/** Lengths that tell one unit differ by less than this factor. */
const AGREEMENT = 10;

/**
 * @param metadata the table's only row
 * @param totalSeconds length of the capture, from the summary; null where it does not tell
 * @param range first and last start of all rows, in the unit; infinite when there is no row
 */
export function clockOf(
  metadata: Row,
  totalSeconds: number | null,
  [earliest, latest]: readonly [earliest: number, latest: number],
): Clock {
  const first = numberOf(metadata['first_hw_timestamp']);
  const last = numberOf(metadata['last_hw_timestamp']);
  const hasRows = latest >= earliest;
  // Rows before the first timestamp count from the capture's start already.
  const origin = first !== null && (!hasRows || earliest >= first) ? first : 0;
  const seconds = totalSeconds ?? secondsBetween(metadata['first_ts'], metadata['last_ts']);
  // Only without the metadata's own times: the last row starts near the end of the capture, not at it.
  const length = last !== null ? last - (first ?? 0) : hasRows ? latest - origin : null;
  const perSecond =
    seconds !== null && length !== null && seconds > 0 && length > 0
      ? PER_SECOND.find((unit) => Math.abs(Math.log10(length / seconds / unit)) < Math.log10(AGREEMENT))
      : undefined;
  return { scale: 1e9 / (perSecond ?? 1e9), origin, isAssumed: perSecond === undefined && hasRows };
}

/** Nanoseconds, rounded down; what a unit's decimals leave of rounding errors is none. */
export const nanoseconds = (clock: Clock, value: number): number => Math.floor(value * clock.scale + 1e-4);

const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?Z$/;

/** Seconds between two dates with up to twelve decimals; null when one is none. */
function secondsBetween(from: unknown, to: unknown): number | null {
  const [start, end] = [from, to].map((cell) => {
    const match = DATE.exec(rawTextOf(cell) ?? '');
    const whole = Date.parse(`${match?.[1] ?? ''}Z`);
    return Number.isNaN(whole) ? null : { whole: whole / 1000, part: Number(`0.${match?.[2] ?? '0'}`) };
  });
  if (!start || !end) return null;
  return end.whole - start.whole + (end.part - start.part);
}
