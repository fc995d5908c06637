/**
 * How long at least one of many intervals ran, in one pass and constant memory: intervals come in order of their
 * start, so that the end reached so far is all that has to be known.
 *
 * Records are in order of whole nanoseconds. Those of the nanosecond at hand are held until the next one begins, and
 * then taken in order of picoseconds: the result is exact.
 */

const PS_PER_NS = 1000;

export class Union {
  /** Picoseconds covered by what has been taken. */
  #covered = 0;
  #end = -Infinity;
  #now = -Infinity;
  readonly #held: (readonly [start: number, end: number])[] = [];
  /** Intervals that came after one that starts in a later nanosecond: what they cover is not all counted. */
  late = 0;
  intervals = 0;
  /** Stretches without a gap. */
  #stretches = 0;

  /** @param start and `end` in picoseconds; an interval that ends before it starts counts as empty */
  add(start: number, end: number): void {
    const nanosecond = Math.floor(start / PS_PER_NS);
    this.intervals++;
    if (nanosecond < this.#now) this.late++;
    if (nanosecond > this.#now) {
      this.#take();
      this.#now = nanosecond;
    }
    this.#held.push([start, end]);
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
    if (this.#held.length > 1) this.#held.sort(([a], [b]) => a - b);
    for (const [start, end] of this.#held) {
      if (end <= this.#end) continue;
      if (start > this.#end) this.#stretches++;
      if (end > start) this.#covered += end - Math.max(start, this.#end);
      this.#end = Math.max(this.#end, end);
    }
    this.#held.length = 0;
  }
}
