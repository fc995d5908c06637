/** The union of intervals: the time during which at least one of them was active. One pass, constant memory. */

export const PS_PER_NS = 1000;

/** The union of intervals that are added in order of start time, in any unit of time. */
export class IntervalUnion {
  /** Time during which at least one interval was active. */
  total = 0;
  /** Latest end so far. */
  end = -Infinity;
  /** Number of maximal spans without a gap. */
  stretches = 0;

  /**
   * Adds an interval; if it is out of order, only the part after the latest end counts.
   * @returns whether it ended a gap, between the latest end and this start; there is no gap before the first interval
   */
  add(start: number, end: number): boolean {
    if (end <= this.end) return false;
    const isNew = start > this.end;
    if (isNew) this.stretches++;
    // An interval that ends before it starts counts as empty.
    if (end > start) this.total += end - Math.max(start, this.end);
    this.end = end;
    return isNew && this.stretches > 1;
  }
}

/**
 * The cause of a gap: a late launch by the host, or work that was already queued; null when the launch is unknown.
 */
export type GapEnd = 'host' | 'queue' | null;

/**
 * What ended a gap.
 * @param from time when the device became idle
 * @param launched start of the call that launched the work after the gap,
 *   in the same unit; null or NaN if unknown
 */
export function gapEnd(from: number, launched: number | null): GapEnd {
  if (launched === null || Number.isNaN(launched)) return null;
  return launched >= from ? 'host' : 'queue';
}

/** Called for each idle gap, in ps, with the note of the interval after it. */
export type OnGap = (from: number, to: number, note: number) => void;

interface NotedInterval {
  readonly start: number;
  readonly end: number;
  readonly note: number;
}

/**
 * The union of intervals in ps that are added in order of whole ns, like records. Intervals that start in the same ns are
 * held until the next ns begins, and then added in order of ps, so that the result is exact.
 */
export class PicosecondUnion {
  readonly #union = new IntervalUnion();
  #now = -Infinity;
  readonly #held: NotedInterval[] = [];
  /** Number of intervals that came after one of a later ns; some of the time they cover may be missing. */
  outOfOrder = 0;
  intervals = 0;

  constructor(private readonly onGap: OnGap | null = null) {}

  /**
   * @param start start and `end` in ps; an interval that ends before it starts counts as empty
   * @param note for `onGap`
   */
  add(start: number, end: number, note = NaN): void {
    const nanosecond = Math.floor(start / PS_PER_NS);
    this.intervals++;
    if (nanosecond > this.#now) {
      this.#flush();
      this.#now = nanosecond;
    }
    this.#held.push({ start, end, note });
    if (nanosecond >= this.#now) return;
    this.outOfOrder++;
    // The held intervals are added too, because no later nanosecond may come.
    this.#flush();
  }

  /** Time in ps during which at least one interval was active. */
  get total(): number {
    this.#flush();
    return this.#union.total;
  }

  /** Number of maximal spans without a gap. */
  get stretches(): number {
    this.#flush();
    return this.#union.stretches;
  }

  #flush(): void {
    if (this.#held.length > 1) this.#held.sort((a, b) => a.start - b.start);
    for (const { start, end, note } of this.#held) {
      const { end: reached } = this.#union;
      if (this.#union.add(start, end)) this.onGap?.(reached, start, note);
    }
    this.#held.length = 0;
  }
}
