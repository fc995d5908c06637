/** Units of metrics in output: the vendor's (seconds, fractions), ours for programs (ns, percent), and scaled ones. */
import { PS_PER_NS } from '../../containers/interval-union.js';
import { scaleOf, type Quantity } from '../../record/units.js';
import type { MetricUnit } from './metric.js';

export interface MetricQuantity {
  readonly value: number;
  readonly unit: string;
}

/** Output unit and factor, for units that are converted. */
type UnitConversions = Readonly<Partial<Record<MetricUnit, readonly [unit: string, factor: number]>>>;

const VENDOR: UnitConversions = { ps: ['s', 1e-12], text: ['', 1] };
const OURS: UnitConversions = { ps: ['ns', 1e-3], fraction: ['%', 100], text: ['', 1] };

/** Divides by the reciprocal of factors below 1, which keeps decimal digits: 0.1 s is 0.1, not 0.10000000000000002. */
const times = (value: number, factor: number): number => (factor < 1 ? value / Math.round(1 / factor) : value * factor);

function converted(value: number, from: MetricUnit, conversions: UnitConversions): MetricQuantity {
  const [unit, factor] = conversions[from] ?? [from, 1];
  return { value: times(value, factor), unit };
}

export const inVendorUnit = (value: number, unit: MetricUnit): MetricQuantity => converted(value, unit, VENDOR);
/** For programs: nanoseconds, percent, everything else in base units. */
export const inOurUnit = (value: number, unit: MetricUnit): MetricQuantity => converted(value, unit, OURS);
/** Converts a reported value to the unit of computed values, rounded to the 15 digits that are significant. */
export function fromVendor(value: number, unit: MetricUnit): number {
  const [, factor] = VENDOR[unit] ?? [unit, 1];
  return factor === 1 ? value : Number((value / factor).toPrecision(15));
}

/** What a metric measures, if it has scaled units. */
const SCALED: Readonly<Partial<Record<MetricUnit, Quantity>>> = {
  ps: 'time',
  ns: 'time',
  bytes: 'transfer',
  FLOP: 'flop',
};

/** For readable tables of metrics: in the largest unit in which the value is at least 1. */
export function scaled(value: number, unit: MetricUnit): MetricQuantity {
  const quantity = SCALED[unit];
  if (quantity === undefined) return inOurUnit(value, unit);
  const base = unit === 'ps' ? value / PS_PER_NS : value;
  const scale = scaleOf(base, quantity);
  return { value: base / scale.size, unit: scale.unit };
}

/** Prints six significant digits, so that a value can be compared with the vendor's, and integers in full. */
export const digits = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
