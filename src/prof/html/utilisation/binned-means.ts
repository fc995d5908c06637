/** Values that hold over stretches of time → their means in bins of equal width, weighted by time. */
import { elementAt } from '../../../containers/element.js';
import type { BinnedValues } from './utilisation-data.js';

/** A value from one time to another, ns. */
export interface ValueStretch {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

export class BinnedMeans {
  readonly #sums: Float64Array;
  readonly #known: Float64Array;

  /**
   * @param start of the first bin, ns
   * @param width of a bin, ns
   */
  constructor(
    private readonly start: number,
    private readonly width: number,
    private readonly count: number,
  ) {
    this.#sums = new Float64Array(count);
    this.#known = new Float64Array(count);
  }

  /** Adds a stretch, as far as it lies in the bins: several at a time have their mean. */
  add({ from, to, value }: ValueStretch): void {
    const { start, width, count } = this;
    const last = Math.min(count - 1, Math.floor((to - start) / width));
    for (let bin = Math.max(0, Math.floor((from - start) / width)); bin <= last; bin++) {
      const begin = start + bin * width;
      const part = Math.min(to, begin + width) - Math.max(from, begin);
      if (!(part > 0)) continue;
      this.#sums[bin] = elementAt(this.#sums, bin) + part * value;
      this.#known[bin] = elementAt(this.#known, bin) + part;
    }
  }

  /** By bin; null where no stretch reaches into it. */
  get values(): (number | null)[] {
    return [...this.#sums].map((sum, bin) => {
      const known = elementAt(this.#known, bin);
      return known > 0 ? Math.round((1e6 * sum) / known) / 1e6 : null;
    });
  }
}

/** The means of stretches from the first to the last. @param stretches at least one */
export function binnedMeans(stretches: readonly ValueStretch[], count: number): BinnedValues {
  const start = stretches.reduce((first, { from }) => Math.min(first, from), Infinity);
  const end = stretches.reduce((last, { to }) => Math.max(last, to), -Infinity);
  const bins = new BinnedMeans(start, (end - start) / count, count);
  for (const one of stretches) bins.add(one);
  return { start, width: (end - start) / count, values: bins.values };
}
