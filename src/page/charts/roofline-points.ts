/** Where the points of a roofline lie, and how near their roof. */
import type { DeviceRoof, Roofline, RooflinePoint } from '../../prof/html/page-data.js';

export interface PlacedPoint {
  readonly point: RooflinePoint;
  /** Place among the points of the page's data. */
  readonly at: number;
  /** FLOP/byte. */
  readonly intensity: number;
  /** FLOP/s and bytes/s reached. */
  readonly flopsPerS: number;
  readonly bytesPerS: number;
  /** Parts of the peaks; null where the peak is not known. */
  readonly ofMemory: number | null;
  readonly ofCompute: number | null;
}

/** Unit that a point ran on: 'bf16 matrix unit' of a product on it, 'fp32' of other arithmetic. */
function unitOf(roof: DeviceRoof | undefined, { dtype, tc }: RooflinePoint): number | null {
  if (roof === undefined || dtype === null || tc === '?') return null;
  const onMatrix = tc === '1';
  const unit = roof.units.find(({ name }) => name.startsWith(`${dtype} `) && /matrix/.test(name) === onMatrix);
  return unit?.flopsPerS ?? null;
}

/** Points with FLOPs, bytes and time: the others have no place under logarithmic axes. */
export function placedPoints({ points, roofs }: Roofline, device: number): PlacedPoint[] {
  const roof = roofs.find((one) => one.device === device);
  return points.flatMap((point, at) => {
    const { flops, bytes, time } = point;
    if (point.device !== device || !(flops > 0 && bytes > 0 && time > 0)) return [];
    const flopsPerS = (flops / time) * 1e9;
    const bytesPerS = (bytes / time) * 1e9;
    const peak = unitOf(roof, point);
    const memory = roof?.bytesPerS ?? null;
    return [
      {
        point,
        at,
        intensity: flops / bytes,
        flopsPerS,
        bytesPerS,
        ofMemory: memory === null ? null : bytesPerS / memory,
        ofCompute: peak === null ? null : flopsPerS / peak,
      },
    ];
  });
}

export interface RoofLine {
  readonly name: string;
  /** Ends, and the ridge between them: FLOP/byte, FLOP/s. */
  readonly line: readonly (readonly [number, number])[];
}

/** Units of one rate under one name, fastest first. */
function unitsOf(roof: DeviceRoof): { names: string[]; rate: number }[] {
  const units: { names: string[]; rate: number }[] = [];
  for (const { name, flopsPerS } of roof.units) {
    const same = units.find(({ rate }) => rate === flopsPerS);
    if (same === undefined) units.push({ names: [name], rate: flopsPerS });
    else same.names.push(name);
  }
  return units.sort((a, b) => b.rate - a.rate);
}

/** 'bf16 matrix unit', 'fp16 matrix unit' → 'bf16, fp16 matrix unit'. */
function joined(names: readonly string[]): string {
  const kinds = new Map<string, string[]>();
  for (const name of names) {
    const [, type = name, kind = ''] = /^(\S+) (.*)$/.exec(name) ?? [];
    kinds.set(kind, [...(kinds.get(kind) ?? []), type]);
  }
  return [...kinds].map(([kind, types]) => `${types.join(', ')} ${kind}`.trim()).join('; ');
}

/**
 * Roofs between two intensities: the slope of the memory up to the fastest unit, and the flat roofs of the units.
 * @param types those that the points have: roofs of others, but for the usual arithmetic, only crowd the chart
 */
export function roofLines(roof: DeviceRoof, from: number, to: number, types: ReadonlySet<string | null>): RoofLine[] {
  const { bytesPerS } = roof;
  const isUsed = ({ name }: DeviceRoof['units'][number]): boolean =>
    types.has(name.split(' ')[0] ?? '') || name === 'fp32 vector units';
  const units = unitsOf(roof.units.some(isUsed) ? { ...roof, units: roof.units.filter(isUsed) } : roof);
  const fastest = units[0]?.rate ?? null;
  const ridge = (rate: number): number => (bytesPerS === null ? from : Math.min(to, Math.max(from, rate / bytesPerS)));
  const flat = units.map(({ names, rate }) => ({ name: joined(names), line: [[ridge(rate), rate], [to, rate]] as const })); // prettier-ignore
  if (bytesPerS === null) return flat;
  const end = fastest === null ? to : ridge(fastest);
  return [{ name: 'memory', line: [[from, from * bytesPerS], [end, end * bytesPerS]] }, ...flat]; // prettier-ignore
}
