/** Annotated kernels → times by kernel name. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { bounded } from '../bounds.js';
import { MatrixUnitTimer } from '../matrix-unit-time.js';
import type { Bounded } from '../page-data.js';
import type { PageKernel } from '../page-kernel.js';
import type { KernelTotal } from './kernel-data.js';
import { LaunchShapes } from './launch-shapes.js';
import { addTimes } from '../../../record/fields/times.js';

/** Names that are kept apart, each of about 200 bytes. */
const MOST_NAMES = 50_000;

class KernelSum {
  count = 0;
  time = 0;
  max = 0;
  min = Infinity;
  readonly unit = new MatrixUnitTimer();
  readonly launches = new LaunchShapes();
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
  add(kernel: PageKernel, time: number): void {
    const { short } = kernel.record;
    const sum = boundedEntryOf(this.#sums, short, this.most, sumOf);
    if (sum === null) {
      this.#otherTime = addTimes(this.#otherTime, time);
      return;
    }
    sum.count++;
    sum.time = addTimes(sum.time, time);
    sum.max = Math.max(sum.max, time);
    sum.min = Math.min(sum.min, time);
    sum.unit.add(kernel.tc, time);
    sum.launches.add(kernel);
  }

  totals(most: number): Bounded<KernelTotal> {
    const { shown, ...rest } = bounded([...this.#sums.values()], most, this.#otherTime);
    const totals = shown.map(({ name, count, time, max, min, unit, launches }) => ({
      ...{ name, count, time, max, min },
      ...{ tc: unit.share, launch: launches.shape },
    }));
    return { shown: totals, ...rest };
  }
}
