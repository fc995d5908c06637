/**
 * Times of a trace and its CSV files: texts of microseconds since 1970 with three decimals. They are converted to
 * nanoseconds relative to the first one, because a double cannot represent them exactly.
 */
import type { NumericColumn } from '../../../../containers/numeric-column.js';
import { microsecondsAt, nanosecondsAt } from '../../../json/number-bytes.js';
import { shiftToFirst } from '../shift-times.js';
import { textOfCell } from './csv-cells.js';

export class TextClock {
  /** Whole microseconds of the first time read. */
  #originUs = NaN;
  /** Start of the profile, in ns after the origin. */
  #first = 0;

  /** The time in `bytes[from, to)`, in ns after the origin; NaN when it is invalid. */
  at(bytes: Buffer, from: number, to: number): number {
    if (Number.isNaN(this.#originUs)) this.#originUs = microsecondsAt(bytes, from, to);
    return nanosecondsAt(bytes, from, to, this.#originUs);
  }

  /** The time in a CSV cell; NaN when it is missing or invalid. */
  ofCell(cell: string | undefined): number {
    const bytes = Buffer.from(textOfCell(cell), 'latin1');
    return bytes.length === 0 ? NaN : this.at(bytes, 0, bytes.length);
  }

  /** Moves times so that the earliest of `starts` is 0. */
  moveToFirst(starts: readonly NumericColumn[], others: readonly NumericColumn[]): void {
    this.#first += shiftToFirst(starts, others);
  }

  /** Unix time of the profile's start in ns; null when there is no time. */
  get startUnixNs(): string | null {
    if (!Number.isFinite(this.#originUs)) return null;
    return String(BigInt(this.#originUs) * 1000n + BigInt(Math.round(this.#first)));
  }
}
