/**
 * Times of a trace and of the csv files beside it: microseconds since 1970 with three decimals, as text. They are held
 * as nanoseconds after the first of them, because a double does not hold them exactly.
 */
import type { NumericColumn } from '../../../../containers/numeric-column.js';
import { microsecondsAt, nanosecondsAt } from '../../../json/number-bytes.js';

export class TraceClock {
  /** Whole microseconds of the first time read. */
  #originUs = NaN;
  /** Where the profile starts, in ns after the origin. */
  #first = 0;

  /** The time in `bytes[from, to)`, in ns after the origin; NaN when it is none. */
  at(bytes: Buffer, from: number, to: number): number {
    if (Number.isNaN(this.#originUs)) this.#originUs = microsecondsAt(bytes, from, to);
    return nanosecondsAt(bytes, from, to, this.#originUs);
  }

  /** A time of a csv file, which ends in a tab. */
  ofText(text: string): number {
    const bytes = Buffer.from(text.trim(), 'latin1');
    return bytes.length === 0 ? NaN : this.at(bytes, 0, bytes.length);
  }

  /** Moves times so that the earliest of `starts` is 0. */
  moveToFirst(starts: readonly NumericColumn[], others: readonly NumericColumn[]): void {
    let first = Infinity;
    for (const column of starts) for (const start of column.values) if (start < first) first = start;
    if (first === Infinity) first = 0;
    this.#first += first;
    for (const { values } of [...starts, ...others]) {
      for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? NaN) - first;
    }
  }

  /** Unix time of the profile's start in ns; null when there was no time. */
  get startUnixNs(): string | null {
    if (!Number.isFinite(this.#originUs)) return null;
    return String(BigInt(this.#originUs) * 1000n + BigInt(Math.round(this.#first)));
  }
}

/** Microseconds of a csv cell → ns; NaN when it holds none. */
export function microseconds(text: string): number {
  const bytes = Buffer.from(text.trim(), 'latin1');
  return bytes.length === 0 ? NaN : nanosecondsAt(bytes, 0, bytes.length, 0);
}

/** A number of a csv cell; NaN for `N/A` and an empty one. */
export function numberOf(text: string | undefined): number {
  const bare = (text ?? '').trim();
  return /^[-+]?(\d|\.\d)/.test(bare) ? Number(bare) : NaN;
}
