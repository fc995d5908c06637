/**
 * Histogram of values in bins of 1/64 of a power of two: quantiles are exact to 1 %, whatever the number and order of
 * values. Memory: the bins that are not empty.
 */
import { elementAt } from './element.js';
import { addTo } from './map-entry.js';

/** Number of bins for each power of two. */
const FINE = 64;

/**
 * A bin of a readable distribution: from 1, 2 or 5 times a power of ten to the next such number. The first bin is from
 * 0 to 1.
 */
interface RoundBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The distribution of a list of numbers, in their unit. Quantiles are exact to 1 %. */
export interface Distribution {
  readonly count: number;
  readonly total: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  /** Bins that are not empty, in ascending order. */
  readonly bins: readonly RoundBin[];
}

export class LogHistogram {
  readonly #counts = new Map<number, number>();
  /** Bins by the position of their upper edge. */
  readonly #rounds = new Map<number, number>();
  #count = 0;
  #total = 0;
  #min = Infinity;
  #max = -Infinity;
  #areWhole = true;

  /** @param value 0 or more */
  add(value: number): void {
    addTo(this.#counts, binOf(value), 1);
    addTo(this.#rounds, edgeAbove(value), 1);
    this.#areWhole &&= Number.isInteger(value);
    this.#count++;
    this.#total += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** Null when no value was added. */
  get distribution(): Distribution | null {
    if (this.#count === 0) return null;
    const sorted = [...this.#counts].sort(([a], [b]) => a - b);
    const quantile = (share: number): number => this.#quantile(sorted, share);
    return {
      ...{ count: this.#count, total: this.#total, mean: this.#total / this.#count },
      ...{ min: this.#min, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: this.#max },
      bins: roundBins(this.#rounds),
    };
  }

  /**
   * The smallest value such that this share of all values is not larger. It is the middle of its bin, or a whole number
   * in the bin when all values are whole.
   */
  #quantile(sorted: readonly (readonly [bin: number, count: number])[], share: number): number {
    let left = Math.ceil(share * this.#count);
    for (const [bin, count] of sorted) {
      left -= count;
      if (left > 0) continue;
      const [from, to] = [beginOf(bin), beginOf(bin + 1)];
      const middle = (from + to) / 2;
      const value = this.#areWhole ? Math.max(Math.ceil(from), Math.floor(middle)) : middle;
      return Math.min(this.#max, Math.max(this.#min, value));
    }
    return this.#max;
  }
}

/** Values below 1 are in bin 0. */
export function binOf(value: number): number {
  if (value < 1) return 0;
  const power = Math.floor(Math.log2(value));
  // The logarithm may be rounded across a power of two.
  const octave = 2 ** power > value ? power - 1 : power;
  return 1 + octave * FINE + Math.min(FINE - 1, Math.floor((value / 2 ** octave - 1) * FINE));
}

const beginOf = (bin: number): number =>
  bin === 0 ? 0 : 2 ** Math.floor((bin - 1) / FINE) * (1 + ((bin - 1) % FINE) / FINE);

/** Edges of bins: 0, and 1, 2 and 5 times each power of ten, for values of any size. */
const EDGES: readonly number[] = [
  0,
  ...Array.from({ length: 19 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat(),
];

/** The next edge on the scale. @param from 0, or 1, 2 or 5 times a power of ten */
export const edgeAfter = (from: number): number => EDGES[edgeAbove(from)] ?? Infinity;

/** Position of the first edge above a value. */
function edgeAbove(value: number): number {
  let [low, high] = [0, EDGES.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elementAt(EDGES, middle) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

const roundBins = (counts: ReadonlyMap<number, number>): RoundBin[] =>
  [...counts]
    .sort(([a], [b]) => a - b)
    .map(([edge, count]) => ({ from: elementAt(EDGES, edge - 1), to: elementAt(EDGES, edge), count }));
