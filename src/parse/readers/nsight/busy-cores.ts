/**
 * Stretches in which threads ran → how many cores were busy over time, in bins. Stretches come in any order, and those of
 * several cores add up. Memory: as many bins as are kept, whatever the length of the profile.
 */
import { CPU_BUSY_METRIC } from '../../../record/sample-metrics.js';
import { ValueLine } from '../../../record/value-line.js';

/** Bins in which some thread ran, at most. */
const MOST_BINS = 1000;

export class BusyCores {
  /** ns of a bin: a power of two, so that wider bins hold whole narrower ones. */
  #width = 1;
  /** ns that threads ran in each bin, by its number: its start over the width. */
  #bins = new Map<number, number>();

  constructor(private readonly most = MOST_BINS) {}

  /** Adds a stretch in which one thread ran, ns. */
  add(from: number, to: number): void {
    while ((to - from) / this.#width > this.most) this.#widen();
    let at = from;
    while (at < to) {
      const bin = Math.floor(at / this.#width);
      const next = Math.min(to, (bin + 1) * this.#width);
      this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + next - at);
      at = next;
    }
    while (this.#bins.size > this.most) this.#widen();
  }

  /**
   * The mean number of busy cores in each bin, equal neighbours as one, and 0 for the time between bins, in order of start.
   * Value times `dur`, in whole ns, is the time that threads ran: all together are the sum of the stretches.
   * @param from the first and the last event of scheduling, ns: the time that is covered
   */
  *records(profile: number, from: number, to: number): Generator<ValueLine> {
    let [start, end, cores] = [from, from, 0];
    const record = (): ValueLine =>
      new ValueLine(profile, start, null, CPU_BUSY_METRIC, cores, 'count', null, end - start);
    for (const [binStart, binEnd, ns] of this.#covered(from, to)) {
      const value = ns / (binEnd - binStart);
      if (value !== cores) {
        if (end > start) yield record();
        [start, cores] = [binStart, value];
      }
      end = binEnd;
    }
    if (end > start) yield record();
  }

  /** Bins, and the time between them, from one time to another. */
  *#covered(from: number, to: number): Generator<readonly [start: number, end: number, ns: number]> {
    let at = from;
    for (const [bin, ns] of [...this.#bins].sort(([a], [b]) => a - b)) {
      const start = Math.max(from, bin * this.#width);
      if (start > at) yield [at, start, 0];
      at = Math.min(to, (bin + 1) * this.#width);
      yield [start, at, ns];
    }
    if (to > at) yield [at, to, 0];
  }

  #widen(): void {
    this.#width *= 2;
    const wider = new Map<number, number>();
    for (const [bin, ns] of this.#bins) {
      const half = Math.floor(bin / 2);
      wider.set(half, (wider.get(half) ?? 0) + ns);
    }
    this.#bins = wider;
  }
}
