/** Turns annotated kernels into times by kernel name, and into the points of a roofline. */
import type { Category } from '../../../ops/category.js';
import { boundedEntryOf, addTo, entryOf, largestEntry } from '../../../containers/map-entry.js';
import { bounded, longest } from '../bounds.js';
import type { Bounded, DeviceRoof, Roofline, RooflinePoint } from '../page-data.js';
import type { SummedKernel } from '../page-kernel.js';
import type { CategoryTotal, KernelTotal, CommonExtent, Extremes, LaunchShape } from './kernel-data.js';
import { addTimes } from '../../../record/fields/times.js';
import type { Extent } from '../../../record/record.js';
import type { OccupancyLimit } from '../../roofline/occupancy.js';
import { KernelTally, knownWork, type KernelSum } from '../../tally/kernel-tally.js';
import type { Rates } from '../../roofline/devices.js';
import type { Peaks } from '../../roofline/peaks.js';

/** Maximum number of points to keep, about 300 bytes each. */
const MOST_POINTS = 50_000;

type RooflineKey = Pick<RooflinePoint, 'device' | 'op' | 'kernel' | 'dtype' | 'tc'>;

/** Points of a roofline: one for each device, op, name, dtype and use of the matrix unit. */
export class RooflineGroups {
  /** Points of the roofline, each with its number in the tally. */
  readonly #points = new Map<string, RooflineKey & { readonly number: number }>();
  readonly #tally = new KernelTally();
  readonly #peaks = new Map<number, Peaks>();
  /** Time by device. */
  readonly #times = new Map<number, number>();

  constructor(private readonly most = MOST_POINTS) {}

  /**
   * A kernel whose FLOPs or bytes are 0 or unknown has no point.
   * @param time in ns
   */
  add(kernel: SummedKernel, time: number): void {
    const { record, op, dtype, tc: unit, flops, bytes, peaks } = kernel;
    const { device, short } = record;
    if (peaks !== null && !this.#peaks.has(device)) this.#peaks.set(device, peaks);
    addTo(this.#times, device, time);
    if (flops === null || bytes === null || flops <= 0 || bytes <= 0 || time <= 0) return;
    const tc = unit === null ? null : String(unit);
    const key = [device, op ?? '', dtype ?? '', tc ?? '', short].join('\0');
    const made = () => ({ device, op, kernel: short, dtype, tc, number: this.#points.size });
    const point = boundedEntryOf(this.#points, key, this.most, made);
    if (point !== null) this.#tally.add(point.number, time, kernel);
  }

  roofline(most: number): Roofline {
    const points = [...this.#points.values()].map(({ number, ...key }): RooflinePoint => {
      const { count, time, flops, bytes } = this.#tally.of(number);
      return { ...key, count, time, flops: flops.sum, bytes: bytes.sum };
    });
    const roofs = [...this.#peaks]
      .sort(([a], [b]) => a - b)
      .map(([device, peaks]) => roofOf(device, peaks, this.#times.get(device) ?? 0));
    return { points: longest(points, most).shown, pointCount: points.length, roofs };
  }
}

function roofOf(device: number, peaks: Peaks, time: number): DeviceRoof {
  const { name, origin, bytesPerS, vector, matrix } = peaks;
  const units = [...unitsOf(matrix, 'matrix unit'), ...unitsOf(vector, 'vector units')];
  return { device, name, origin, bytesPerS, peaks, units: units.sort((a, b) => b.flopsPerS - a.flopsPerS), time };
}

const unitsOf = (rates: Rates, unit: string): DeviceRoof['units'][number][] =>
  Object.entries(rates).map(([type, flopsPerS]) => ({ name: `${type} ${unit}`, flopsPerS }));

/** Kernels by category. */
export class CategoryTotals {
  readonly #numbers = new Map<Category | null, number>();
  readonly #tally = new KernelTally();

  /** @param time in ns */
  add(kernel: SummedKernel, time: number): void {
    const number = entryOf(this.#numbers, kernel.category, () => this.#numbers.size);
    this.#tally.add(number, time, kernel);
  }

  /** Totals of categories, the longest first. */
  get totals(): CategoryTotal[] {
    const all = [...this.#numbers].map(([category, number]): CategoryTotal => {
      const sum = this.#tally.of(number);
      return { category, count: sum.count, time: sum.time, ...knownWork(sum), tc: sum.matrixUnitShare };
    });
    return longest(all, all.length).shown;
  }
}

/** Maximum number of different extents to count for a kernel: with dynamic shapes, each launch may have another. */
const MOST_EXTENTS = 1000;

/** Minimum and maximum of some values. */
class Span {
  least = Infinity;
  most = -Infinity;

  /** @returns whether it is the minimum so far */
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

/** Number of launches by extent; null until there is a launch. */
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

  add({ record: { grid, block, registers = null, sharedBytes = null }, occupancy }: SummedKernel): void {
    this.#grids = counted(this.#grids, grid);
    this.#blocks = counted(this.#blocks, block);
    if (registers !== null) this.#registers.add(registers);
    if (sharedBytes !== null) this.#shared.add(sharedBytes);
    if (occupancy !== null && this.#occupancy.add(occupancy.share)) this.#limit = occupancy.limit;
  }

  /** Null when no launch has any of these values. */
  get shape(): LaunchShape | null {
    const shape: LaunchShape = {
      ...{ grid: commonest(this.#grids), block: commonest(this.#blocks) },
      ...{ registers: this.#registers.extremes, sharedBytes: this.#shared.extremes },
      ...{ occupancy: this.#occupancy.extremes, limit: this.#limit },
    };
    return Object.values(shape).every((part) => part === null) ? null : shape;
  }
}

/** Maximum number of separate names, about 200 bytes each. */
const MOST_NAMES = 50_000;

class NamedKernels {
  /** Longest and shortest time in ns. */
  max = 0;
  min = Infinity;
  communicating = 0;
  readonly launches = new LaunchShapes();

  /** @param number number of the name in the tally */
  constructor(
    readonly name: string,
    readonly number: number,
    private readonly tally: KernelTally,
  ) {}

  get kernels(): KernelSum {
    return this.tally.of(this.number);
  }
  get time(): number {
    return this.kernels.time;
  }
}

/** Totals by short name, as in `dprof summary`. */
export class KernelTotals {
  readonly #names = new Map<string, NamedKernels>();
  readonly #tally = new KernelTally();
  /** Time in ns of kernels whose names exceed the limit. */
  #otherTime = 0;

  constructor(private readonly most = MOST_NAMES) {}

  /** @param time in ns */
  add(kernel: SummedKernel, time: number): void {
    const { short } = kernel.record;
    const named = boundedEntryOf(
      this.#names,
      short,
      this.most,
      () => new NamedKernels(short, this.#names.size, this.#tally),
    );
    if (named === null) {
      this.#otherTime = addTimes(this.#otherTime, time);
      return;
    }
    this.#tally.add(named.number, time, kernel);
    named.max = Math.max(named.max, time);
    named.min = Math.min(named.min, time);
    if (kernel.isCommunication) named.communicating = addTimes(named.communicating, time);
    named.launches.add(kernel);
  }

  totals(most: number): Bounded<KernelTotal> {
    const { shown, ...rest } = bounded([...this.#names.values()], most, this.#otherTime);
    const totals = shown.map(({ name, kernels, max, min, communicating, launches }): KernelTotal => {
      const { count, time, matrixUnitShare: tc } = kernels;
      const part = communicating > 0 ? { communicating } : {};
      return { ...{ name, count, time, max, min, tc }, ...part, launch: launches.shape };
    });
    return { shown: totals, ...rest };
  }
}
