/** How quantities are written: one table of units. A quantity that is not known is 'na', never 0. */

export type Unit = 'ns' | 'bytes' | 'bytes/s' | 'flop' | 'flop/s' | 'flop/byte' | 'share' | 'count';

/** Values up to the next scale are divided by `factor` and written with `digits` decimals and `suffix`. */
export interface Scale {
  readonly suffix: string;
  readonly factor: number;
  readonly digits: number;
}

const decimal = (base: string, prefixes: readonly string[]): Scale[] =>
  prefixes.map((prefix, power) => ({ suffix: prefix + base, factor: 1000 ** power, digits: power === 0 ? 0 : 2 }));

/** Smallest first. */
const SCALES: Readonly<Record<Unit, readonly Scale[]>> = {
  ns: [
    { suffix: 'ns', factor: 1, digits: 0 },
    { suffix: 'µs', factor: 1e3, digits: 2 },
    { suffix: 'ms', factor: 1e6, digits: 3 },
    { suffix: 's', factor: 1e9, digits: 3 },
  ],
  bytes: decimal('B', ['', 'k', 'M', 'G', 'T']),
  'bytes/s': decimal('B/s', ['', 'k', 'M', 'G', 'T']),
  flop: decimal('FLOP', ['', 'k', 'M', 'G', 'T', 'P']),
  'flop/s': decimal('FLOP/s', ['', 'k', 'M', 'G', 'T', 'P']),
  'flop/byte': [{ suffix: 'FLOP/byte', factor: 1, digits: 2 }],
  share: [{ suffix: '%', factor: 0.01, digits: 1 }],
  count: [{ suffix: '', factor: 1, digits: 0 }],
};

/** Scale in which a value of this size has a digit or more before the point. */
export function scaleOf(unit: Unit, size: number): Scale {
  const scales = SCALES[unit];
  const fitting = scales.filter(({ factor }) => Math.abs(size) >= factor);
  return (fitting.at(-1) ?? scales[0]) as Scale;
}

/** Scale of a column: that of a tenth of its largest value, so that small ones keep their digits. */
export function scaleOfAll(unit: Unit, values: readonly (number | null)[]): Scale {
  const most = values.reduce<number>((all, value) => Math.max(all, Math.abs(value ?? 0)), 0);
  return scaleOf(unit, most / 10);
}

const grouped = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A number without its unit. What is not 0 does not read as 0: '<0.01'. */
export function inScale(value: number | null, { factor, digits }: Scale): string {
  if (value === null || !Number.isFinite(value)) return 'na';
  const scaled = value / factor;
  const least = 10 ** -digits;
  if (scaled !== 0 && Math.abs(scaled) < least / 2) return `<${grouped(least, digits)}`;
  return grouped(scaled, digits);
}

/** Digits that a figure by itself has at most, before and after the point; those before are all written. */
const DIGITS = 4;

/** A number with its unit, in its own scale. */
export function written(value: number | null, unit: Unit): string {
  if (value === null || !Number.isFinite(value)) return 'na';
  const own = scaleOf(unit, value);
  const before = Math.max(1, Math.floor(Math.log10(Math.abs(value / own.factor) || 1)) + 1);
  const scale = { ...own, digits: Math.max(0, Math.min(own.digits, DIGITS - before)) };
  return [inScale(value, scale), scale.suffix].filter((part) => part !== '').join(' ');
}

/** A number with its unit as short as it can be, for the ticks of an axis: '20 ms'. */
export function tick(value: number, unit: Unit): string {
  if (value === 0) return '0';
  const { suffix, factor } = scaleOf(unit, value);
  const number = (value / factor).toLocaleString('en-US', { maximumSignificantDigits: 4 });
  return suffix === '' ? number : `${number} ${suffix}`;
}
