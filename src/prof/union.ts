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

interface Interval {
  readonly start: number;
  readonly end: number;
  readonly note: number;
}

export class Union {
  /** Picoseconds covered by what has been taken. */
  #covered = 0;
  #end = -Infinity;
  #now = -Infinity;
  readonly #held: Interval[] = [];
  /** Intervals that came after one that starts in a later nanosecond: what they cover is not all counted. */
  late = 0;
  intervals = 0;
  /** Stretches without a gap. */
  #stretches = 0;

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
    this.late++;
    // The next nanosecond may never come.
    this.#take();
  }

  /** Picoseconds during which at least one interval ran. */
  get total(): number {
    this.#take();
    return this.#covered;
  }

  /** How many stretches it is that intervals cover without a gap. */
  get stretches(): number {
    this.#take();
    return this.#stretches;
  }

  #take(): void {
    if (this.#held.length > 1) this.#held.sort((a, b) => a.start - b.start);
    for (const { start, end, note } of this.#held) {
      if (end <= this.#end) continue;
      if (start > this.#end) {
        if (this.#stretches > 0) this.onGap?.(this.#end, start, note);
        this.#stretches++;
      }
      if (end > start) this.#covered += end - Math.max(start, this.#end);
      this.#end = Math.max(this.#end, end);
    }
    this.#held.length = 0;
  }
}
