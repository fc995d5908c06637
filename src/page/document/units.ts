/**
 * Formats quantities for the page: in the units of `src/record/units.ts`, with a fixed number of digits, so that the
 * numbers in a column line up. An unknown quantity is 'na', never 0.
 */
import { entryOf } from '../../containers/map-entry.js';
import { scaleOf as unitOf, type Quantity } from '../../record/units.js';

/** With a capital first letter, for a sentence or a title. */
export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Maximum number of steps of a scale, which has 3 or 4. */
const MOST_STEPS = 4;

interface MemoryScale {
  readonly interval: number;
  /** A multiple of the interval, not below the highest value. */
  readonly max: number;
}

/** @param highest highest value in bytes. @returns null when it is 0 */
export function memoryScale(highest: number): MemoryScale | null {
  if (!(highest > 0) || !Number.isFinite(highest)) return null;
  const interval = Math.max(1, 2 ** Math.ceil(Math.log2(highest / MOST_STEPS)));
  return { interval, max: interval * Math.ceil(highest / interval) };
}

/** `bytes` is for transfers, `memory` for memory in use. */
export type DisplayUnit =
  'ns' | 'bytes' | 'memory' | 'bytes/s' | 'flop' | 'flop/s' | 'flop/byte' | 'share' | 'count' | 'cores';

/** Values are divided by `factor` and written with `digits` decimals and `suffix`. */
export interface DisplayScale {
  readonly suffix: string;
  readonly factor: number;
  readonly digits: number;
}

interface UnitDigits {
  readonly quantity: Quantity;
  /** Decimals in the base unit, in the next larger unit, and in all others. */
  readonly digits: readonly [base: number, next: number, larger: number];
}

/** Units that have smaller and larger units. */
const SCALED: Readonly<Partial<Record<DisplayUnit, UnitDigits>>> = {
  ns: { quantity: 'time', digits: [0, 2, 3] },
  bytes: { quantity: 'transfer', digits: [0, 2, 2] },
  memory: { quantity: 'memory', digits: [0, 2, 2] },
  'bytes/s': { quantity: 'rate', digits: [0, 2, 2] },
  flop: { quantity: 'flop', digits: [0, 2, 2] },
  'flop/s': { quantity: 'flop/s', digits: [0, 2, 2] },
  share: { quantity: 'share', digits: [1, 1, 1] },
};

const ONES: DisplayScale = { suffix: '', factor: 1, digits: 0 };

/** Units without smaller and larger units, whose values may have fractions. */
const FIXED: Readonly<Partial<Record<DisplayUnit, DisplayScale>>> = {
  'flop/byte': { suffix: 'FLOP/byte', factor: 1, digits: 2 },
  cores: { suffix: 'cores', factor: 1, digits: 2 },
};

/** The largest factor between units: 1024 for binary units. */
const STEP = 1024;

/** Scale in which a value of this size has at least one digit before the point. */
export function scaleOf(unit: DisplayUnit, size: number): DisplayScale {
  const scaled = SCALED[unit];
  if (scaled === undefined) return FIXED[unit] ?? ONES;
  const { unit: suffix, size: factor } = unitOf(size, scaled.quantity);
  const [base, next, larger] = scaled.digits;
  return { suffix, factor, digits: factor <= 1 ? base : factor <= STEP ? next : larger };
}

/** Scale of a column: that of a tenth of its largest value, so that small values keep their digits. */
export function scaleOfAll(unit: DisplayUnit, values: readonly (number | null)[]): DisplayScale {
  const largest = values.reduce<number>((most, value) => (value === null ? most : Math.max(most, Math.abs(value))), 0);
  return scaleOf(unit, largest / 10);
}

/**
 * Number formats by number of digits. They are cached, because creating one takes long and each frame formats some
 * numbers.
 */
const formats = new Map<number, Intl.NumberFormat>();

/** A number with this many decimals, and thousands separators. */
export function grouped(value: number, digits: number): string {
  const make = (): Intl.NumberFormat =>
    new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return entryOf(formats, digits, make).format(value);
}

/** A number without its unit. A value above 0 is never written as 0, but as '<0.01'. */
export function inScale(value: number | null, { factor, digits }: DisplayScale): string {
  if (value === null || !Number.isFinite(value)) return 'na';
  const scaled = value / factor;
  const least = 10 ** -digits;
  if (scaled !== 0 && Math.abs(scaled) < least / 2) return `<${grouped(least, digits)}`;
  return grouped(scaled, digits);
}

/** Maximum significant digits of a single figure; all digits before the point are written. */
const DIGITS = 4;

/** A number with its unit, in the scale that fits it. */
export function quantityText(value: number | null, unit: DisplayUnit): string {
  if (value === null || !Number.isFinite(value)) return 'na';
  const unitScale = scaleOf(unit, value);
  const before = Math.max(1, Math.floor(Math.log10(Math.abs(value / unitScale.factor) || 1)) + 1);
  const scale = { ...unitScale, digits: Math.max(0, Math.min(unitScale.digits, DIGITS - before)) };
  return [inScale(value, scale), scale.suffix].filter((part) => part !== '').join(' ');
}

/** A number with its unit and without trailing zeros, for axis ticks: '20 ms'. */
export function tick(value: number, unit: DisplayUnit): string {
  if (value === 0) return '0';
  const { suffix, factor } = scaleOf(unit, value);
  const number = (value / factor).toLocaleString('en-US', { maximumSignificantDigits: 4 });
  return suffix === '' ? number : `${number} ${suffix}`;
}

/** Two round numbers, with the unit only once if they share it: '1 – 2 us', '500 ns – 1 us'. */
export function rangeText(from: number, to: number, unit: DisplayUnit): string {
  const [first, last] = [tick(from, unit), tick(to, unit)];
  const { suffix } = scaleOf(unit, to);
  const isShared = suffix !== '' && first.endsWith(` ${suffix}`) && scaleOf(unit, from).suffix === suffix;
  return `${isShared ? first.slice(0, -suffix.length - 1) : first} – ${last}`;
}
