/** Annotated kernels → times by kernel name. */
import { boundedEntryOf, addTo, largestEntry } from '../../../containers/map-entry.js';
import { bounded } from '../bounds.js';
import { KernelTally } from './kernel-tally.js';
import type { Bounded } from '../page-data.js';
import type { PageKernel } from '../page-kernel.js';
import type { KernelTotal, CommonExtent, Extremes, LaunchShape } from './kernel-data.js';
import { addTimes } from '../../../record/fields/times.js';
import type { Extent } from '../../../record/record.js';
import type { OccupancyLimit } from '../../roofline/occupancy.js';

/** Different extents that are counted of a kernel: dynamic shapes may have one for each launch. */
const MOST_EXTENTS = 1000;

/** The least and the most of some values. */
class Span {
  least = Infinity;
  most = -Infinity;

  /** @returns whether it is the least so far */
  add(value: number): boolean {
    const isLeast = value < this.least;
    this.least = Math.min(this.least, value);
    this.most = Math.max(this.most, value);
    return isLeast;
  }

  get extremes(): Extremes | null {
    return this.least > this.most ? null : [this.least, this.most];
  }
}

/** Launches by extent; null until there is one. */
type Extents = Map<string, number> | null;

function counted(extents: Extents, extent: Extent | null): Extents {
  if (extent === null) return extents;
  const all: Map<string, number> = extents ?? new Map<string, number>();
  const key = extent.join(',');
  if (boundedEntryOf(all, key, MOST_EXTENTS, () => 0) !== null) addTo(all, key, 1);
  return all;
}

function commonest(extents: Extents): CommonExtent | null {
  if (extents === null) return null;
  const first = largestEntry(extents);
  if (first === null) return null;
  return { extent: first[0].split(',').map(Number), different: extents.size };
}

class LaunchShapes {
  #grids: Extents = null;
  #blocks: Extents = null;
  readonly #registers = new Span();
  readonly #shared = new Span();
  readonly #occupancy = new Span();
  #limit: OccupancyLimit | null = null;

  add({ record: { grid, block, registers = null, sharedBytes = null }, occupancy }: PageKernel): void {
    this.#grids = counted(this.#grids, grid);
    this.#blocks = counted(this.#blocks, block);
    if (registers !== null) this.#registers.add(registers);
    if (sharedBytes !== null) this.#shared.add(sharedBytes);
    if (occupancy !== null && this.#occupancy.add(occupancy.share)) this.#limit = occupancy.limit;
  }

  /** Null where no launch records any of it. */
  get shape(): LaunchShape | null {
    const shape: LaunchShape = {
      ...{ grid: commonest(this.#grids), block: commonest(this.#blocks) },
      ...{ registers: this.#registers.extremes, sharedBytes: this.#shared.extremes },
      ...{ occupancy: this.#occupancy.extremes, limit: this.#limit },
    };
    return Object.values(shape).every((part) => part === null) ? null : shape;
  }
}

/** Names that are kept apart, each of about 200 bytes. */
const MOST_NAMES = 50_000;

class KernelSum extends KernelTally {
  readonly launches = new LaunchShapes();

  constructor(readonly name: string) {
    super();
  }
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
    sum.tally(kernel.tc, time);
    sum.launches.add(kernel);
  }

  totals(most: number): Bounded<KernelTotal> {
    const { shown, ...rest } = bounded([...this.#sums.values()], most, this.#otherTime);
    const totals = shown.map(({ name, count, time, max, min, matrixUnitShare: tc, launches }) => ({
      ...{ name, count, time, max, min, tc, launch: launches.shape },
    }));
    return { shown: totals, ...rest };
  }
}
