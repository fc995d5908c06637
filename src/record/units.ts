/**
 * The only table of units. Each quantity has one set of units and one rounding in all readable output. Machine formats
 * keep base units.
 *
 * Transfers, rates and FLOP are decimal (kB, MB, GB/s), as vendors state peaks; memory in use is binary (MiB, GiB), as
 * PyTorch prints it.
 */

/** Matches a decimal number as people and tools write it: `7`, `-0.5`, `2.`, `.5`, `1e-9`. */
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

/** Whether a string is a decimal number and nothing else. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/**
 * Converts a percentage into a fraction of 1 by its decimal digits: 0.57 % is 0.0057, which a binary division would not
 * give.
 */
export function fractionOf(percent: number): number {
  const [digits = '', exponent = '0'] = String(percent).split('e');
  return Number(`${digits}e${Number(exponent) - 2}`);
}

/** A quantity in its base unit: ns, bytes, bytes/s, FLOP, FLOP/s, a fraction of 1. */
export type Quantity = 'time' | 'transfer' | 'memory' | 'rate' | 'flop' | 'flop/s' | 'share';

/** A unit and its size in base units. */
export interface Scale {
  readonly unit: string;
  readonly size: number;
}

type Scales = readonly [base: Scale, ...larger: Scale[]];

const decimal = (base: string): Scales => [
  { unit: base, size: 1 },
  ...['k', 'M', 'G', 'T', 'P'].map((prefix, i) => ({ unit: prefix + base, size: 1000 ** (i + 1) })),
];

/** Units of tables in which each column has the same unit for all rows. */
export const MICROSECOND: Scale = { unit: 'us', size: 1e3 };
export const MEBIBYTE: Scale = { unit: 'MiB', size: 2 ** 20 };
const MILLISECOND: Scale = { unit: 'ms', size: 1e6 };

/** Scales from the smallest unit to the largest. */
const SCALES: Readonly<Record<Quantity, Scales>> = {
  time: [{ unit: 'ns', size: 1 }, MICROSECOND, MILLISECOND, { unit: 's', size: 1e9 }],
  transfer: decimal('B'),
  memory: [
    { unit: 'B', size: 1 },
    { unit: 'KiB', size: 2 ** 10 },
    MEBIBYTE,
    { unit: 'GiB', size: 2 ** 30 },
    { unit: 'TiB', size: 2 ** 40 },
  ],
  rate: decimal('B/s'),
  flop: decimal('FLOP'),
  'flop/s': decimal('FLOP/s'),
  share: [{ unit: '%', size: 0.01 }],
};

export const NS_PER_S = 1e9;
/** Text for an unknown value. */
export const UNKNOWN = 'na';
/** Significant digits of an amount. */
const DIGITS = 4;
/** A value that rounds up to 1 of a larger unit is written in that unit: 999.96 us is `1.000 ms`. */
const ROUNDS_UP = 1 - 0.5 / 10 ** DIGITS;

/** The largest unit in which the value is at least 1. */
export function scaleOf(value: number, quantity: Quantity): Scale {
  const [base, ...larger] = SCALES[quantity];
  return larger.findLast(({ size }) => Math.abs(value) >= size * ROUNDS_UP) ?? base;
}

/** Rounds to four significant digits; whole numbers keep all digits. */
export function rounded(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 10 ** (DIGITS - 1) ? value.toFixed(0) : value.toPrecision(DIGITS);
}

/** An amount in readable form, such as `525.3 kB`, `1.092 ms`, `99.4 %`; `na` for unknown. */
export function amountText(value: number | null, quantity: Quantity): string {
  if (value === null) return UNKNOWN;
  if (quantity === 'share') return percentText(value);
  const { unit, size } = scaleOf(value, quantity);
  return `${rounded(value / size)} ${unit}`;
}

const PERCENT = 100;
/** Smaller percentages would be rounded to 0 with one decimal. */
const SMALL_PERCENT = 0.05;

/** A fraction of 1 as a percentage with one decimal; a small one with one significant digit. */
function percentText(fraction: number): string {
  const percent = PERCENT * fraction;
  const isSmall = percent !== 0 && Math.abs(percent) < SMALL_PERCENT;
  return `${isSmall ? percent.toPrecision(1) : percent.toFixed(1)} %`;
}

/** Decimals in a table column with one unit. */
export const DECIMALS = 3;

export const inUnit = (value: number, { size }: Scale): string => (value / size).toFixed(DECIMALS);

/** From this duration on, times of a profile are in ms, with three decimals, which are whole us. */
const LONG_NS = 10e6;

/** One unit for all times of a table, with three decimals. */
export class TimeUnit {
  readonly #scale: Scale;

  /** @param longest the longest time, in ns */
  constructor(longest: number) {
    this.#scale = longest >= LONG_NS ? MILLISECOND : MICROSECOND;
  }

  get name(): string {
    return this.#scale.unit;
  }

  text(ns: number | null): string {
    return ns === null ? UNKNOWN : `${this.bare(ns)} ${this.name}`;
  }

  /** The number without its unit. */
  bare(ns: number): string {
    return inUnit(ns, this.#scale);
  }
}

/** Whether a figure that is known for this share of the time may represent all of it. */
export const isMostly = (known: number): boolean => 2 * known >= 1;

/**
 * The text of a sum over the part of the time for which it is known: a sum over less than half is a lower bound, and one
 * without a known amount is unknown. @param value null for a rate, which has no lower bound @param known share of the time
 */
export function partialText(text: string, value: number | null, known = 1): string {
  if (isMostly(known)) return text;
  if (value !== null && value > 0) return `≥ ${text}`;
  return known > 0 ? `unknown (${amountText(known, 'share')} known)` : text;
}
