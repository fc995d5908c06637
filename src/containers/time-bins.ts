/**
 * Share of time that is covered by intervals, computed in one pass: bins of equal width. When time exceeds the bins, their
 * width doubles, so that there are always a few hundred bins, each with the exact time covered in it.
 */
import { elementAt } from './element.js';

/** Maximum number of bins; more than half of them are used once the time spans that many ns. */
const MOST_BINS = 1000;

/** The union of one set of intervals; overlaps count once. */
export interface BinCoverage {
  /** Time covered in each bin, in ns. */
  covered: Float64Array;
  /** The latest end of all intervals so far. */
  end: number;
}

export class TimeBins {
  /** Start of the first interval that was added, in ns; null before that. */
  begin: number | null = null;
  /** Width of a bin in ns. */
  width = 1;
  #end = -Infinity;
  readonly #coverages: BinCoverage[] = [];

  constructor(private readonly most = MOST_BINS) {}

  /** Adds another set of intervals over the same bins. */
  addCoverage(): BinCoverage {
    const coverage = { covered: new Float64Array(this.most), end: -Infinity };
    this.#coverages.push(coverage);
    return coverage;
  }

  /** Number of bins in use. */
  get count(): number {
    return this.begin === null ? 0 : Math.max(1, Math.ceil((this.#end - this.begin) / this.width));
  }

  /** Extends the time range of the bins to include `start` to `end`. */
  extend(start: number, end: number): void {
    this.begin ??= start;
    if (end <= this.#end) return;
    this.#end = end;
    while (end - this.begin > this.width * this.most) this.#doubleWidth();
  }

  /**
   * Adds the part of an interval that lies within the bins. Intervals arrive in order of start time; if one is out of
   * order, its part before the coverage's end is not counted.
   */
  cover(coverage: BinCoverage, start: number, end: number): void {
    const begin = this.begin ?? start;
    const from = Math.max(start, coverage.end, begin);
    const to = Math.min(end, this.#end);
    coverage.end = Math.max(coverage.end, end);
    const last = Math.min(this.most - 1, Math.floor((to - begin) / this.width));
    for (let bin = Math.floor((from - begin) / this.width); from < to && bin <= last; bin++) {
      const first = begin + bin * this.width;
      const part = Math.min(to, first + this.width) - Math.max(from, first);
      if (part > 0) coverage.covered[bin] = elementAt(coverage.covered, bin) + part;
    }
  }

  /** The covered share of each bin, 0 to 1. */
  sharesOf(coverage: BinCoverage): number[] {
    return [...coverage.covered.subarray(0, this.count)].map((ns) => Math.round((1e9 * ns) / this.width) / 1e9);
  }

  #doubleWidth(): void {
    this.width *= 2;
    for (const coverage of this.#coverages) {
      const merged = new Float64Array(this.most);
      for (const [bin, ns] of coverage.covered.entries()) merged[bin >> 1] = elementAt(merged, bin >> 1) + ns;
      coverage.covered = merged;
    }
  }
}
