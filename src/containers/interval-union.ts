/**
 * How long at least one of many intervals ran, in one pass and constant memory: intervals come in order of their
 * start, so that the end reached so far is all that has to be known.
 *
 * Records are in order of whole nanoseconds. Those of the nanosecond at hand are held until the next one begins, and
 * then taken in order of picoseconds: the result is exact.
 */

export const PS_PER_NS = 1000;

/**
 * Told of each gap between two stretches.
 * @param from and `to` in picoseconds
 * @param note of the interval that ended it
 */
export type OnGap = (from: number, to: number, note: number) => void;

/**
 * The sweep itself, in any unit of time, for intervals in order of their start: what is known is known at once. Of one
 * that starts too late, only what lies beyond the end reached so far is counted.
 */
export class IntervalUnion {
  /** Time during which at least one interval ran. */
  total = 0;
  /** The end reached so far. */
  end = -Infinity;
  /** How many stretches it is that intervals cover without a gap. */
  stretches = 0;

  /** @returns whether it ended a gap, which began at the end reached before; nothing is known of what was before all */
  add(start: number, end: number): boolean {
    if (end <= this.end) return false;
    const isNew = start > this.end;
    if (isNew) this.stretches++;
    // One that ends before it starts counts as empty.
    if (end > start) this.total += end - Math.max(start, this.end);
    this.end = end;
    return isNew && this.stretches > 1;
  }
}

/** Whose work ended a gap: the host's, too late, or the device's own, which had been queued; null where nothing tells. */
export type GapEnd = 'host' | 'queue' | null;

/**
 * What ended a gap.
 * @param from when the device had run dry
 * @param launched when the call began that launched what ended the gap, in the same unit; null or NaN when not known
 */
export function gapEnd(from: number, launched: number | null): GapEnd {
  if (launched === null || Number.isNaN(launched)) return null;
  return launched >= from ? 'host' : 'queue';
}

interface Interval {
  readonly start: number;
  readonly end: number;
  readonly note: number;
}

export class PicosecondUnion {
  readonly #cover = new IntervalUnion();
  #now = -Infinity;
  readonly #held: Interval[] = [];
  /** Intervals that came after one that starts in a later nanosecond: what they cover is not all counted. */
  outOfOrder = 0;
  intervals = 0;

  constructor(private readonly onGap: OnGap | null = null) {}

  /**
   * @param start and `end` in picoseconds; an interval that ends before it starts counts as empty
   * @param note for `onGap`
   */
  add(start: number, end: number, note = NaN): void {
    const nanosecond = Math.floor(start / PS_PER_NS);
    this.intervals++;
    if (nanosecond > this.#now) {
      this.#take();
      this.#now = nanosecond;
    }
    this.#held.push({ start, end, note });
    if (nanosecond >= this.#now) return;
    this.outOfOrder++;
    // The next nanosecond may never come.
    this.#take();
  }

  /** Picoseconds during which at least one interval ran. */
  get total(): number {
    this.#take();
    return this.#cover.total;
  }

  /** How many stretches it is that intervals cover without a gap. */
  get stretches(): number {
    this.#take();
    return this.#cover.stretches;
  }

  #take(): void {
    if (this.#held.length > 1) this.#held.sort((a, b) => a.start - b.start);
    for (const { start, end, note } of this.#held) {
      const { end: reached } = this.#cover;
      if (this.#cover.add(start, end)) this.onGap?.(reached, start, note);
    }
    this.#held.length = 0;
  }
}
