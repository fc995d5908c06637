/**
 * Number of intervals that run at once, averaged over bins of equal width. Takes one pass and constant time for each
 * interval. When time exceeds the bins, their width doubles.
 */
import { elementAt } from '../../containers/element.js';

const MOST_BINS = 1024;

export class CountOverTime {
  /** Start of the first bin; null before the first interval. */
  begin: number | null = null;
  width = 1024;
  #end = -Infinity;
  /** Time of the intervals that begin or end in a bin. */
  #parts = new Float64Array(MOST_BINS);
  /** Changes of the number of intervals that cover a whole bin. */
  #changes = new Float64Array(MOST_BINS + 1);

  /** Adds an interval; the part before the start of the first interval does not count. */
  add(from: number, to: number): void {
    this.begin ??= from;
    this.#end = Math.max(this.#end, to);
    while (to - this.begin > this.width * MOST_BINS) this.#doubleWidth();
    const [first, last] = [Math.max(0, from - this.begin), to - this.begin];
    if (last <= first) return;
    const [a, b] = [Math.floor(first / this.width), Math.min(MOST_BINS - 1, Math.floor(last / this.width))];
    if (a === b) {
      this.#addPart(a, last - first);
      return;
    }
    this.#addPart(a, (a + 1) * this.width - first);
    this.#addPart(b, last - b * this.width);
    this.#change(a + 1, 1);
    this.#change(b, -1);
  }

  #addPart(bin: number, time: number): void {
    this.#parts[bin] = elementAt(this.#parts, bin) + time;
  }

  #change(bin: number, by: number): void {
    this.#changes[bin] = elementAt(this.#changes, bin) + by;
  }

  /** Time of all intervals in each bin. */
  #sums(): Float64Array {
    let whole = 0;
    return this.#parts.map((part, bin) => part + (whole += elementAt(this.#changes, bin)) * this.width);
  }

  #doubleWidth(): void {
    const sums = this.#sums();
    this.#parts = this.#parts.map((_, bin) => (sums[2 * bin] ?? 0) + (sums[2 * bin + 1] ?? 0));
    this.#changes = new Float64Array(MOST_BINS + 1);
    this.width *= 2;
  }

  /** Mean number of open intervals in each of at most `most` bins of equal width, with their starts. */
  means(most: number): { readonly start: number; readonly end: number; readonly mean: number }[] {
    const { begin } = this;
    if (begin === null || this.#end <= begin) return [];
    const sums = this.#sums();
    const used = Math.min(MOST_BINS, Math.ceil((this.#end - begin) / this.width));
    const bins = Math.ceil(used / most);
    return Array.from({ length: Math.ceil(used / bins) }, (_, at) => {
      const [start, end] = [begin + at * bins * this.width, Math.min(this.#end, begin + (at + 1) * bins * this.width)];
      const time = sums.subarray(at * bins, (at + 1) * bins).reduce((sum, value) => sum + value, 0);
      return { start, end, mean: time / (end - start) };
    });
  }
}
