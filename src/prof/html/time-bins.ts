/**
 * During how much of each span of time something ran, in one pass: spans of equal width, which double when time outgrows
 * them, so that there are always a few hundred and each holds exactly the time covered in it.
 */

/** Spans at most; more than half as many once there are that many nanoseconds. */
const MOST = 1000;

/** What covers time, one row for each thing that is told apart: intervals in it count once. */
export interface BinCoverage {
  /** ns covered in each span. */
  covered: Float64Array;
  /** End of what was covered so far. */
  end: number;
}

export class TimeBins {
  #begin: number | null = null;
  #end = -Infinity;
  #width = 1;
  readonly #rows: BinCoverage[] = [];
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  addCoverage(): BinCoverage {
    const row = { covered: new Float64Array(this.#most), end: -Infinity };
    this.#rows.push(row);
    return row;
  }

  /** Start of the first interval that was added; null while there is none. */
  get begin(): number | null {
    return this.#begin;
  }
  get width(): number {
    return this.#width;
  }
  get count(): number {
    return this.#begin === null ? 0 : Math.max(1, Math.ceil((this.#end - this.#begin) / this.#width));
  }

  /** Makes the time from `start` to `end` part of what is divided. */
  extend(start: number, end: number): void {
    this.#begin ??= start;
    if (end <= this.#end) return;
    this.#end = end;
    while (end - this.#begin > this.#width * this.#most) this.#double();
  }

  /**
   * Covers the part of an interval that the row does not cover yet and that is part of what is divided. Intervals of a
   * row come in order of start: of one that comes late, what lies before the row's end is not counted.
   */
  cover(row: BinCoverage, start: number, end: number): void {
    const begin = this.#begin ?? start;
    const from = Math.max(start, row.end, begin);
    const to = Math.min(end, this.#end);
    row.end = Math.max(row.end, end);
    const last = Math.min(this.#most - 1, Math.floor((to - begin) / this.#width));
    for (let span = Math.floor((from - begin) / this.#width); from < to && span <= last; span++) {
      const first = begin + span * this.#width;
      const part = Math.min(to, first + this.#width) - Math.max(from, first);
      if (part > 0) row.covered[span] = (row.covered[span] ?? 0) + part;
    }
  }

  /** Parts of 1. */
  sharesOf(row: BinCoverage): number[] {
    return [...row.covered.subarray(0, this.count)].map((ns) => Math.round((1e9 * ns) / this.#width) / 1e9);
  }

  #double(): void {
    this.#width *= 2;
    for (const row of this.#rows) {
      const { covered } = row;
      const halved = new Float64Array(this.#most);
      for (let i = 0; i < covered.length; i++) halved[i >> 1] = (halved[i >> 1] ?? 0) + (covered[i] ?? 0);
      row.covered = halved;
    }
  }
}
