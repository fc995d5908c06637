/** Amounts of a summary for people. */
import { plural } from '../../../record/plural.js';

export const UNKNOWN = 'na';

/** 1234567 → `1,234,567`. */
export const whole = (count: number): string => count.toLocaleString('en-US');

/** `1 kernel`, `1,234 kernels`. */
export const many = (count: number, what: string): string => `${whole(count)} ${plural(count, what)}`;

const NS_PER_US = 1e3;
const NS_PER_MS = 1e6;
/** From this on times are in ms: three digits after the point are whole us then. */
const LONG = 10 * NS_PER_MS;

/** Times of one profile, all in one unit. */
export class TimeUnit {
  readonly #size: number;
  readonly name: 'ms' | 'us';

  /** @param longest ns */
  constructor(longest: number) {
    this.name = longest >= LONG ? 'ms' : 'us';
    this.#size = longest >= LONG ? NS_PER_MS : NS_PER_US;
  }

  text(ns: number): string {
    return `${this.bare(ns)} ${this.name}`;
  }

  /** Without the unit. */
  bare(ns: number): string {
    return (ns / this.#size).toFixed(3);
  }
}

export const inUs = (ns: number): string => `${(ns / NS_PER_US).toFixed(2)} us`;

const PERCENT = 100;

export const percent = (share: number | null): string =>
  share === null ? UNKNOWN : `${(PERCENT * share).toFixed(1)} %`;

/** Unknown of nothing. */
export const share = (part: number, all: number): string => percent(all > 0 ? part / all : null);

type Scale = readonly (readonly [least: number, unit: string])[];

const BYTES: Scale = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
  [1, 'B'],
];
const FLOPS: Scale = [
  [1e15, 'PFLOP'],
  [1e12, 'TFLOP'],
  [1e9, 'GFLOP'],
  [1e6, 'MFLOP'],
  [1, 'FLOP'],
];

/** In the largest unit of which there is at least one; units are powers of ten, as bandwidths have them. */
function scaled(amount: number | null, scale: Scale): string {
  if (amount === null) return UNKNOWN;
  const [least, unit] = scale.find(([least]) => amount >= least) ?? [1, scale.at(-1)?.[1] ?? ''];
  const value = amount / least;
  return `${Number.isInteger(value) ? String(value) : value.toPrecision(4)} ${unit}`;
}

export const bytes = (amount: number | null): string => scaled(amount, BYTES);
export const flops = (amount: number | null): string => scaled(amount, FLOPS);
export const rate = (bytesPerS: number | null): string => (bytesPerS === null ? UNKNOWN : `${bytes(bytesPerS)}/s`);
