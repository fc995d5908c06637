/** Points and roofs of a roofline chart. */
import type { DeviceRoof, Roofline, RooflinePoint } from '../../prof/html/page-data.js';

/** Names of well-known devices that `--peaks` accepts. */
export const DEVICE_EXAMPLES = ['H100 SXM', 'MI300X'] as const;

const HOW = [
  'dprof html --peaks NAME draws the roofs of another device, such as',
  DEVICE_EXAMPLES.map((name) => `"${name}"`).join(' or '),
  '(dprof --devices lists them).',
].join(' ');

/** Text about the source of the peaks. @param deviceName name of the device in the profile */
const ORIGINS: Readonly<Record<DeviceRoof['origin'], (deviceName: string | null) => string>> = {
  table: () => '',
  inferred: () => '',
  formula: () => ', from its units and clock',
  given: (deviceName) => `, from --peaks, instead of ${deviceName ?? "the profile's device"}`,
  none: () => '',
};

/** @param deviceName name of the device in the profile; null when it has none */
export function roofText(
  roof: Pick<DeviceRoof, 'name' | 'origin' | 'bytesPerS' | 'units'> | undefined,
  deviceName: string | null,
): string {
  if (roof === undefined || (roof.units.length === 0 && roof.bytesPerS === null))
    return `No roofs: the peaks of ${deviceName ?? 'this device'} are unknown. ${HOW}`;
  const lacks =
    roof.units.length === 0
      ? `; its peak FLOP/s is unknown. ${HOW}`
      : roof.bytesPerS === null
        ? `; its memory bandwidth is unknown. ${HOW}`
        : '.';
  return `Roofs of ${roof.name}${ORIGINS[roof.origin](deviceName)}${lacks}`;
}

export interface PlacedPoint {
  readonly point: RooflinePoint;
  /** Index of the point in the page's data. */
  readonly at: number;
  /** Arithmetic intensity in FLOP/byte. */
  readonly intensity: number;
  /** Achieved rates in FLOP/s and bytes/s. */
  readonly flopsPerS: number;
  readonly bytesPerS: number;
  /** Shares of the peaks; null when the peak is unknown. */
  readonly ofMemory: number | null;
  readonly ofCompute: number | null;
}

/**
 * Peak FLOP/s, for the point's dtype, of the unit on which it ran: the matrix unit or the vector units; null when unknown.
 */
function unitOf(roof: DeviceRoof | undefined, { dtype, tc }: RooflinePoint): number | null {
  if (roof === undefined || dtype === null || tc === '?') return null;
  const onMatrix = tc === '1';
  const unit = roof.units.find(({ name }) => name.startsWith(`${dtype} `) && /matrix/.test(name) === onMatrix);
  return unit?.flopsPerS ?? null;
}

/** Points with FLOPs, bytes and time above 0; others cannot be drawn on logarithmic axes. */
export function placedPoints({ points, roofs }: Roofline, device: number): PlacedPoint[] {
  const roof = roofs.find((candidate) => candidate.device === device);
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
  /** Both ends of the line, each as FLOP/byte and FLOP/s. */
  readonly line: readonly [start: readonly [number, number], end: readonly [number, number]];
}

/** Units grouped by rate, fastest first. */
function unitsOf(roof: DeviceRoof): { names: string[]; rate: number }[] {
  const units: { names: string[]; rate: number }[] = [];
  for (const { name, flopsPerS } of roof.units) {
    const same = units.find(({ rate }) => rate === flopsPerS);
    if (same === undefined) units.push({ names: [name], rate: flopsPerS });
    else same.names.push(name);
  }
  return units.sort((a, b) => b.rate - a.rate);
}

/** 'bf16 matrix unit' → 'bf16', 'matrix unit'. */
function splitUnit(name: string): readonly [type: string, kind: string] {
  const blank = name.indexOf(' ');
  return blank === -1 ? [name, ''] : [name.slice(0, blank), name.slice(blank + 1)];
}

/** 'bf16 matrix unit', 'fp16 matrix unit' → 'bf16, fp16 matrix unit'. */
function joined(names: readonly string[]): string {
  const kinds = new Map<string, string[]>();
  for (const name of names) {
    const [type, kind] = splitUnit(name);
    kinds.set(kind, [...(kinds.get(kind) ?? []), type]);
  }
  return [...kinds].map(([kind, types]) => `${types.join(', ')} ${kind}`.trim()).join('; ');
}

/**
 * Roofs between two intensities, FLOP/byte: the slope of the memory bandwidth up to the fastest unit, and the flat roofs of
 * all its units.
 */
export function roofLines(roof: DeviceRoof, from: number, to: number): RoofLine[] {
  const { bytesPerS } = roof;
  const units = unitsOf(roof);
  const fastest = units[0]?.rate ?? null;
  const ridge = (rate: number): number => (bytesPerS === null ? from : Math.min(to, Math.max(from, rate / bytesPerS)));
  const flat = units.map(({ names, rate }): RoofLine => {
    const [start, end] = [[ridge(rate), rate] as const, [to, rate] as const];
    return { name: joined(names), line: [start, end] };
  });
  if (bytesPerS === null) return flat;
  const memoryRoof = (intensity: number): readonly [number, number] => [intensity, intensity * bytesPerS];
  const end = fastest === null ? to : ridge(fastest);
  return [{ name: 'memory', line: [memoryRoof(from), memoryRoof(end)] }, ...flat];
}

/** The range of the axes in FLOP/byte and FLOP/s, and the points outside it. */
export interface RooflineRange {
  readonly intensity: readonly [from: number, to: number];
  readonly flopsPerS: readonly [from: number, to: number];
  readonly inside: readonly PlacedPoint[];
  readonly outside: readonly PlacedPoint[];
}

/** Points may be outliers beyond this share of the time on either side. */
const TAIL = 0.005;
/** Points within these factors of the others are not outliers; rates of tiny kernels vary more than intensities. */
const NEAR_INTENSITY = 1e2;
const NEAR_RATE = 1e4;

/** Bounds that contain almost all of the time, and values near these bounds. */
function usual(
  points: readonly PlacedPoint[],
  valueOf: (point: PlacedPoint) => number,
  near: number,
): readonly [from: number, to: number] {
  const ordered = points.toSorted((a, b) => valueOf(a) - valueOf(b));
  const all = ordered.reduce((sum, { point }) => sum + point.time, 0);
  let before = 0;
  const shares = ordered.map(({ point }) => (before += point.time) / all);
  const first = ordered[shares.findIndex((share) => share > TAIL)];
  const last = ordered[shares.findIndex((share) => share >= 1 - TAIL)];
  return first === undefined || last === undefined ? [0, Infinity] : [valueOf(first) / near, valueOf(last) * near];
}

/** The smallest range between two powers of ten that contains the values. */
function decades(values: readonly number[]): readonly [number, number] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), 0);
  return most === 0 ? [1, 10] : [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most * 1.05))];
}

/** Intensities that every chart includes. */
const SHOWN_INTENSITIES = [1, 1000];

/** Axis ranges that a few distant points do not stretch. @param peaks FLOP/s of the roofs, which are included */
export function rooflineRange(points: readonly PlacedPoint[], peaks: readonly number[]): RooflineRange {
  const x = usual(points, ({ intensity }) => intensity, NEAR_INTENSITY);
  const y = usual(points, ({ flopsPerS }) => flopsPerS, NEAR_RATE);
  const isWithin = (value: number, [from, to]: readonly [number, number]): boolean => value >= from && value <= to;
  const isInside = ({ intensity, flopsPerS }: PlacedPoint): boolean => isWithin(intensity, x) && isWithin(flopsPerS, y);
  const inside = points.filter(isInside);
  return {
    inside,
    outside: points.filter((point) => !isInside(point)),
    intensity: decades([...inside.map(({ intensity }) => intensity), ...SHOWN_INTENSITIES]),
    flopsPerS: decades([...inside.map(({ flopsPerS }) => flopsPerS), ...peaks]),
  };
}
