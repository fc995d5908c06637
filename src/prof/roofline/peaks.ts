/** Peak rates of a profile's device and of its links, from the device table. */
import { matrixTypes, type MathType } from '../../ops/kernels/matrix-unit.js';
import type { Device } from '../../record/record.js';
import { DEVICES, GIB, type DeviceRow, type PeakRates } from './devices.js';

/** Memory in bytes from a name such as `A100-SXM4-80GB`; null when the name has no size. */
const memoryInName = (name: string): number | null => {
  const size = /(?<!\d)(\d+)\s?GB\b/.exec(name)?.[1];
  return size === undefined ? null : Number(size) * GIB;
};

/**
 * The row of a device; null for a part that is not in the table.
 * @param name the driver's name
 * @param memBytes memory in bytes; null when the profile does not have it
 */
export function rowOf(name: string, memBytes: number | null): DeviceRow | null {
  if (/\bMIG\b/.test(name)) return null;
  const memory = memBytes ?? memoryInName(name);
  const fits = ([least, most]: readonly [number, number]): boolean =>
    memory !== null && memory >= least && memory <= most;
  return DEVICES.find((row) => row.pattern.test(name) && (row.memory === undefined || fits(row.memory))) ?? null;
}

/** The row of the only part with this architecture, number of units and memory; null when there is none. */
const rowOfUnnamed = ({ arch, units, memBytes }: Device): DeviceRow | null =>
  DEVICES.find(({ arch: rowArch, unnamed }) => {
    if (unnamed === undefined || rowArch !== arch || unnamed.units !== units || memBytes === null) return false;
    const [least, most] = unnamed.memory;
    return memBytes >= least && memBytes <= most;
  }) ?? null;

/** The rates that a vendor states for a device whose rates were measured. */
export type StatedRates = Pick<PeakRates, 'name' | 'bytesPerS' | 'matrix' | 'vector'>;

/** Peak rates of a device, and how they were found. */
export interface Peaks extends PeakRates {
  /** Whether the file that gives the rates says how they were found. */
  readonly isMeasured?: true;
  /** For measured rates: those of the vendor. */
  readonly stated?: StatedRates;
  /** `table` by name, `inferred` without one, `formula` from units and clock, `given` by the user, `none` when unknown. */
  readonly origin: 'table' | 'inferred' | 'formula' | 'given' | 'none';
}

/** A device about which nothing is known. */
export const NO_PEAKS: Peaks = {
  name: 'unknown',
  origin: 'none',
  source: 'the device is not in the profile; name it with --peaks',
  arch: null,
  bytesPerS: null,
  cacheBytes: null,
  vector: {},
  matrix: {},
};

/**
 * FLOP per clock and unit: `matrix` for dense FP16 products accumulated in FP32, `vector` for FP32 multiply-adds. The first
 * reproduces the table's rows (V100 80 x 1.53 GHz x 1024 = 125 TFLOP/s, H100 132 x 1.83 x 4096 = 989); the second is twice
 * the results per clock in the CUDA C++ Programming Guide's table of arithmetic throughput.
 */
interface PerClock {
  readonly arch: RegExp;
  readonly matrix: number;
  /** Null when no source gives it. */
  readonly vector: number | null;
  /** Rates relative to FP16, where they differ from `OVER_FP16`. */
  readonly over?: Readonly<Partial<Record<MathType, number>>>;
}

const PER_CLOCK: readonly PerClock[] = [
  { arch: /^sm70$/, matrix: 1024, vector: 128 },
  { arch: /^sm75$/, matrix: 1024, vector: 128 },
  { arch: /^sm80$/, matrix: 2048, vector: 128 },
  { arch: /^sm86$/, matrix: 1024, vector: 256 },
  { arch: /^sm89$/, matrix: 1024, vector: 256 },
  { arch: /^sm90$/, matrix: 4096, vector: 256 },
  { arch: /^sm100$/, matrix: 8192, vector: 256 },
  { arch: /^sm120$/, matrix: 1024, vector: 256 },
  // AMD, data sheets: rates of FP32 and FP64 per clock and compute unit do not grow with those of FP16. Radeon parts are left
  // out, because runtimes count their units one by one or in pairs.
  { arch: /^gfx908$/, matrix: 1024, vector: 128, over: { bf16: 0.5, int8: 1, fp32: 0.25 } },
  { arch: /^gfx90a$/, matrix: 1024, vector: 256, over: { int8: 1, fp32: 0.25, fp64: 0.25 } },
  { arch: /^gfx942$/, matrix: 2048, vector: 256, over: { fp32: 0.125, fp64: 0.125 } },
  { arch: /^gfx950$/, matrix: 4096, vector: 256, over: { fp32: 1 / 16, fp64: 1 / 32, fp4: 4 } },
  // A cube has 16 x 16 x 16 multiply-adds; counters show half of that for HF32 (as TF32), and a quarter for FP32.
  { arch: /^ascend(310p?|910a?|910b|910_93)?$/, matrix: 8192, vector: null, over: { fp32: 0.25 } },
];

/** Rates of other types relative to FP16: the same in every row of the table whose FP16 rate is not halved. */
const OVER_FP16: Readonly<Partial<Record<MathType, number>>> = { fp16: 1, bf16: 1, tf32: 0.5, fp8: 2, int8: 2 };

/** GeForce parts accumulate FP16 products in FP32 at half the rate; INT8 is not slowed. */
const isHalved = (name: string, arch: string): boolean => /GeForce/i.test(name) && /^sm(75|86|89|120)$/.test(arch);

const round = (hz: number): string => String(Math.round(hz / 1e7) / 100);

/** Rates from number of units and clock; null when these, or the rates of the architecture, are unknown. */
function byFormula({ name, arch, units, clockHz }: Device): Pick<Peaks, 'vector' | 'matrix' | 'source'> | null {
  const perClock = PER_CLOCK.find((known) => arch !== null && known.arch.test(arch));
  if (perClock === undefined || arch === null || units === null || clockHz === null) return null;
  const cycles = units * clockHz;
  const halved = name !== null && isHalved(name, arch);
  const matrix: Partial<Record<MathType, number>> = {};
  for (const type of matrixTypes(arch) ?? []) {
    const ratio = perClock.over?.[type] ?? OVER_FP16[type];
    if (ratio === undefined) continue;
    const isHalf = halved && (type === 'fp16' || type === 'bf16' || type === 'tf32' || type === 'fp8');
    matrix[type] = cycles * perClock.matrix * ratio * (isHalf ? 0.5 : 1);
  }
  return {
    vector: perClock.vector === null ? {} : { fp32: cycles * perClock.vector },
    matrix,
    source:
      `formula: ${units} units x ${round(clockHz)} GHz (the clock at most) x ` +
      `${perClock.matrix / (halved ? 2 : 1)} FLOP for FP16 products` +
      (perClock.vector === null ? '' : `, x ${perClock.vector} for FP32 multiply-adds`),
  };
}

const fromRow = (row: DeviceRow, device: Device | null): Peaks => {
  const measured = device?.memBytesPerS ?? null;
  const isMeasured = row.bytesPerS === null && measured !== null;
  const source = isMeasured ? `${row.source}; bandwidth: the profile` : row.source;
  return { ...row, origin: 'table', source, bytesPerS: row.bytesPerS ?? measured };
};

/** The only part that a device can be if it has no name, or a name that says no more than its architecture. */
function inferred(row: DeviceRow, device: Device): Peaks {
  const { source, ...peaks } = fromRow(row, device);
  const gigabytes = Math.round((device.memBytes ?? NaN) / 1e9);
  return {
    ...peaks,
    name: `${row.name} (inferred)`,
    origin: 'inferred',
    source: `${device.name === null ? 'the profile does not name the device' : `'${device.name}' is not a part's name`}; inferred from ${row.arch}, ${device.units} units and ${gigabytes} GB; ${source}`,
  };
}

/** Architectures by vendor, for devices whose profile states none. The cubes of all Ascend parts have the same size. */
const DEFAULT_ARCH: Readonly<Record<string, string>> = { huawei: 'ascend' };

/** Names that drivers give to parts that they do not know. */
const GENERIC_NAME = /^(gfx\w+|AMD Radeon Graphics|AMD Instinct)$/i;

function find(recorded: Device): Peaks {
  const device = { ...recorded, arch: recorded.arch ?? DEFAULT_ARCH[recorded.vendor] ?? null };
  const named = device.name === null ? null : rowOf(device.name, device.memBytes);
  if (named !== null) return fromRow(named, device);
  const only = device.name === null || GENERIC_NAME.test(device.name) ? rowOfUnnamed(device) : null;
  if (only !== null) return inferred(only, device);
  const { arch, memBytesPerS: bytesPerS } = device;
  const name = device.name ?? 'unnamed device';
  const formula = byFormula(device);
  const known = { name, arch, bytesPerS, cacheBytes: null };
  if (formula !== null) return { ...known, ...formula, origin: 'formula' };
  const source =
    bytesPerS === null ? `${name} is not in the device table; give its rates with --peaks` : 'bandwidth: the profile';
  return { ...known, origin: bytesPerS === null ? 'none' : 'formula', source, vector: {}, matrix: {} };
}

/** Profiles have few devices, but millions of kernels refer to them. */
const found = new WeakMap<Device, Peaks>();

/** Peak rates of a profile's device: from the table by its name and memory, else by formula from its record. */
export function peaksOf(device: Device | null): Peaks {
  if (device === null) return NO_PEAKS;
  let peaks = found.get(device);
  if (peaks === undefined) found.set(device, (peaks = find(device)));
  return peaks;
}

export const peaksOfRow = (row: DeviceRow): Peaks => ({ ...fromRow(row, null), origin: 'given' });

interface LinkRate {
  /** Applied to names in the device table. */
  readonly pattern: RegExp;
  /** Rate in GB/s in one direction, over all links of the device. */
  readonly rate: number;
  readonly source: string;
}

/**
 * Peak rates of the links between devices of one machine, in one direction, by names in the device table. Vendors print
 * the sum of both directions; bus bandwidths are compared with half of that. Devices whose boards have several forms (PCIe
 * with or without bridges) have no entry.
 */
const LINKS: readonly LinkRate[] = [
  { pattern: /^V100 SXM2$/, rate: 150, source: 'NVIDIA V100 datasheet: NVLink 300 GB/s both ways' },
  { pattern: /^A100 SXM/, rate: 300, source: 'NVIDIA A100 datasheet: NVLink 600 GB/s both ways' },
  { pattern: /^(H100 SXM|H200)$/, rate: 450, source: 'NVIDIA H100 and H200 datasheets: NVLink 900 GB/s both ways' },
  { pattern: /^(B200|GB200, one GPU)$/, rate: 900, source: 'NVIDIA Blackwell datasheet: NVLink 1.8 TB/s both ways' },
  { pattern: /^MI3(00|25)X$/, rate: 448, source: 'AMD Instinct MI300X datasheet: 7 links of 128 GB/s both ways' },
];

/** Bytes per second in one direction between the device and others of its machine; null when no source gives it. */
export function linkPeakOf(deviceName: string | null): number | null {
  const row = deviceName === null ? null : rowOf(deviceName, null);
  const link = row === null ? undefined : LINKS.find(({ pattern }) => pattern.test(row.name));
  return link === undefined ? null : link.rate * 1e9;
}
