/**
 * Units of metrics in output: the vendor's (seconds, fractions of 1), ours for programs (ns, percent, bytes), and scaled
 * ones for people.
 */
import type { MetricUnit } from './metric.js';

export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

type UnitConversion = readonly [unit: string, factor: number];

const SAME = (unit: string): UnitConversion => [unit, 1];

const VENDOR: Readonly<Record<MetricUnit, UnitConversion>> = {
  ps: ['s', 1e-12],
  ns: SAME('ns'),
  cycles: SAME('cycles'),
  count: SAME('count'),
  bytes: SAME('bytes'),
  FLOP: SAME('FLOP'),
  fraction: SAME('fraction'),
  'FLOP/B': SAME('FLOP/B'),
  text: SAME(''),
};

const OURS: Readonly<Record<MetricUnit, UnitConversion>> = { ...VENDOR, ps: ['ns', 1e-3], fraction: ['%', 100] };

/** Divides by a reciprocal below 1, which keeps decimal digits: 0.1 s is 0.1, not 0.10000000000000002. */
const times = (value: number, factor: number): number => (factor < 1 ? value / Math.round(1 / factor) : value * factor);

const converted = (value: number, [unit, factor]: UnitConversion): Quantity => ({ value: times(value, factor), unit });

/** In the unit of the vendor's summary. */
export const inVendorUnit = (value: number, unit: MetricUnit): Quantity => converted(value, VENDOR[unit]);
/** For programs: nanoseconds, percent, everything else in base units. */
export const inOurUnit = (value: number, unit: MetricUnit): Quantity => converted(value, OURS[unit]);
/** Converts a reported value to the unit of computed ones, rounded to the 15 digits that it can have. */
export function fromVendor(value: number, unit: MetricUnit): number {
  const [, factor] = VENDOR[unit];
  return factor === 1 ? value : Number((value / factor).toPrecision(15));
}

const SCALES: Readonly<Partial<Record<MetricUnit, readonly (readonly [least: number, unit: string, size: number])[]>>> =
  {
    ps: [
      [1e12, 's', 1e12],
      [1e9, 'ms', 1e9],
      [1e6, 'us', 1e6],
      [0, 'ns', 1e3],
    ],
    ns: [
      [1e9, 's', 1e9],
      [1e6, 'ms', 1e6],
      [1e3, 'us', 1e3],
      [0, 'ns', 1],
    ],
    bytes: [
      [2 ** 30, 'GiB', 2 ** 30],
      [2 ** 20, 'MiB', 2 ** 20],
      [2 ** 10, 'KiB', 2 ** 10],
      [0, 'B', 1],
    ],
    FLOP: [
      [1e12, 'TFLOP', 1e12],
      [1e9, 'GFLOP', 1e9],
      [1e6, 'MFLOP', 1e6],
      [0, 'FLOP', 1],
    ],
  };

/** For people: in the largest unit in which the value is at least 1. */
export function scaled(value: number, unit: MetricUnit): Quantity {
  const scale = SCALES[unit]?.find(([least]) => Math.abs(value) >= least);
  return scale === undefined ? inOurUnit(value, unit) : { value: value / scale[2], unit: scale[1] };
}

/** Six significant digits; integers in full. */
export const digits = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));

/** A quantity for a sentence, with three significant digits: `1.09 ms`, `12.3 %`. */
export function formatQuantity(value: number, unit: MetricUnit): string {
  const quantity = scaled(value, unit);
  const { value: number } = quantity;
  const text = Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(3)));
  return unit === 'count' ? text : `${text} ${quantity.unit}`;
}
