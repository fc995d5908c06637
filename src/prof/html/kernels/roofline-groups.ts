/** Annotated kernels → points of a roofline: one for each device, op, name, dtype and use of the matrix unit. */
import type { Writable } from '../../../containers/writable.js';
import { addTo, boundedEntryOf } from '../../../containers/map-entry.js';
import type { Rates } from '../../roofline/devices.js';
import type { Peaks } from '../../roofline/peaks.js';
import { longest } from '../bounds.js';
import type { PageKernel } from '../page-kernel.js';
import type { DeviceRoof, Roofline, RooflinePoint } from '../page-data.js';

/** Points that are kept, each of about 300 bytes. */
const MOST_POINTS = 50_000;

type RooflineGroup = Writable<RooflinePoint>;

export class RooflineGroups {
  readonly #points = new Map<string, RooflineGroup>();
  readonly #peaks = new Map<number, Peaks>();
  /** By device. */
  readonly #times = new Map<number, number>();

  constructor(private readonly most = MOST_POINTS) {}

  /** Kernels without FLOPs or bytes, or with either unknown, have no point. @param time ns */
  add({ record, op, dtype, tc: unit, flops, bytes, peaks }: PageKernel, time: number): void {
    const { device, short } = record;
    if (!this.#peaks.has(device)) this.#peaks.set(device, peaks);
    addTo(this.#times, device, time);
    if (flops === null || bytes === null || flops <= 0 || bytes <= 0 || time <= 0) return;
    const tc = unit === null ? null : String(unit);
    const key = [device, op ?? '', dtype ?? '', tc ?? '', short].join('\0');
    const nothing = () => ({ device, op, kernel: short, dtype, tc, count: 0, time: 0, flops: 0, bytes: 0 });
    const point = boundedEntryOf(this.#points, key, this.most, nothing);
    if (point === null) return;
    point.count++;
    point.time += time;
    point.flops += flops;
    point.bytes += bytes;
  }

  roofline(most: number): Roofline {
    const points = [...this.#points.values()];
    const roofs = [...this.#peaks]
      .sort(([a], [b]) => a - b)
      .map(([device, peaks]) => roofOf(device, peaks, this.#times.get(device) ?? 0));
    return { points: longest(points, most).shown, pointCount: points.length, roofs };
  }
}

const roofOf = (device: number, { name, origin, bytesPerS, vector, matrix }: Peaks, time: number): DeviceRoof => ({
  device,
  name,
  origin,
  bytesPerS,
  units: [...unitsOf(matrix, 'matrix unit'), ...unitsOf(vector, 'vector units')].sort(
    (a, b) => b.flopsPerS - a.flopsPerS,
  ),
  time,
});

const unitsOf = (rates: Rates, unit: string): DeviceRoof['units'][number][] =>
  Object.entries(rates).map(([type, flopsPerS]) => ({ name: `${type} ${unit}`, flopsPerS }));
