/** Annotated kernels → times by kernel name. */
import { boundedEntryOf } from '../../containers/map-entry.js';
import { bounded } from './bounds.js';
import { MatrixUnitTimer } from './matrix-unit-time.js';
import type { Bounded, KernelTotal } from './page-data.js';
import type { PageKernel } from './page-kernel.js';

/** Names that are kept apart, each of about 200 bytes. */
const MOST_NAMES = 50_000;

class KernelSum {
  count = 0;
  time = 0;
  max = 0;
  min = Infinity;
  readonly unit = new MatrixUnitTimer();
  constructor(readonly name: string) {}
}

const sumOf = (name: string): KernelSum => new KernelSum(name);

/** By short name, as in `dprof summary`. */
export class KernelTotals {
  readonly #sums = new Map<string, KernelSum>();
  /** ns of kernels whose names exceed the bound. */
  #otherTime = 0;

  constructor(private readonly most = MOST_NAMES) {}

  /** @param time ns */
  add({ record: { short }, tc }: PageKernel, time: number): void {
    const sum = boundedEntryOf(this.#sums, short, this.most, sumOf);
    if (sum === null) {
      this.#otherTime += time;
      return;
    }
    sum.count++;
    sum.time += time;
    sum.max = Math.max(sum.max, time);
    sum.min = Math.min(sum.min, time);
    sum.unit.add(tc, time);
  }

  totals(most: number): Bounded<KernelTotal> {
    const { shown, ...rest } = bounded([...this.#sums.values()], most, this.#otherTime);
    const totals = shown.map(({ name, count, time, max, min, unit }) => ({
      ...{ name, count, time, max, min },
      tc: unit.share,
    }));
    return { shown: totals, ...rest };
  }
}
