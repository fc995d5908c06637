/** Numbers of a trace, read from their digits: times exactly, to the nanosecond, and ids that exceed 2^53. */

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;

/** Times beyond 64 bits of nanoseconds are invalid. */
const LATEST_NS = 2 ** 63;

/** Digits that a double holds exactly. */
const EXACT_DIGITS = 15;

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

/**
 * The number in `bytes[from, to)`; NaN for anything else. Whole numbers are read in place, all others (`1e15`,
 * `0.5`) by way of a string; one that a double cannot hold (`1e309`) is none. Quotes are not part of the range.
 */
export function numberAt(bytes: Buffer, from: number, to: number): number {
  let at = from;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  if (at >= to || to - at > EXACT_DIGITS) return slowNumber(bytes, from, to);
  let value = 0;
  for (; at < to; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) return slowNumber(bytes, from, to);
    value = value * 10 + (byte - ZERO);
  }
  return negative ? -value : value;
}

function slowNumber(bytes: Buffer, from: number, to: number): number {
  const text = bytes.toString('latin1', from, to).trim();
  const value = text === '' || !/^[-+]?(\d|\.\d)/.test(text) ? NaN : Number(text);
  return Number.isFinite(value) ? value : NaN;
}

/**
 * Microseconds with decimals → whole nanoseconds after an origin of whole microseconds: exact where the difference is
 * below 2^53 ns (104 days), although a time since 1970 in ns is not.
 * @returns NaN when it is no number, or beyond all times
 */
export function nanosecondsAt(bytes: Buffer, from: number, to: number, originUs: number): number {
  let at = from;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  let whole = 0;
  let digits = 0;
  for (; at < to && isDigit(bytes[at] as number); at++, digits++) whole = whole * 10 + ((bytes[at] as number) - ZERO);
  let fraction = 0;
  let scale = 1000;
  if (at < to && bytes[at] === POINT) {
    for (at++; at < to && isDigit(bytes[at] as number) && scale > 1; at++) {
      scale /= 10;
      fraction += ((bytes[at] as number) - ZERO) * scale;
    }
    // The fourth decimal rounds.
    if (at < to && (bytes[at] as number) >= ZERO + 5 && isDigit(bytes[at] as number)) fraction++;
    while (at < to && isDigit(bytes[at] as number)) at++;
  }
  if (at !== to || digits === 0 || digits > EXACT_DIGITS + 1) {
    const ns = Math.round((slowNumber(bytes, from, to) - originUs) * 1000);
    return Math.abs(ns) < LATEST_NS ? ns : NaN;
  }
  return negative ? -(whole + originUs) * 1000 - fraction : (whole - originUs) * 1000 + fraction;
}

/** Whole microseconds of the time in `bytes[from, to)`; NaN when it is no number, or beyond all times. */
export function microsecondsAt(bytes: Buffer, from: number, to: number): number {
  const us = Math.floor(slowNumber(bytes, from, to));
  return Math.abs(us) * 1000 < LATEST_NS ? us : NaN;
}

/** Ids are compared, not computed with: one that a double cannot hold becomes a negative number of its own. */
export class Ids {
  readonly #large = new Map<string, number>();

  /** How many ids exceed 2^53. */
  get large(): number {
    return this.#large.size;
  }

  /** The id in `bytes[from, to)`; NaN when it is no whole number. */
  at(bytes: Buffer, from: number, to: number): number {
    if (to - from <= EXACT_DIGITS) {
      const value = numberAt(bytes, from, to);
      return Number.isSafeInteger(value) ? value : NaN;
    }
    const text = bytes.toString('latin1', from, to);
    if (!/^-?\d+$/.test(text)) return NaN;
    if (Number.isSafeInteger(Number(text))) return Number(text);
    let id = this.#large.get(text);
    if (id === undefined) this.#large.set(text, (id = -2 - this.#large.size));
    return id;
  }
}
