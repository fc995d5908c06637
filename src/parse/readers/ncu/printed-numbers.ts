/** Numbers and units as Nsight Compute prints them → base units: ns, bytes, Hz, and counts for all else. */

/** `1,234.5` and `1.234,5`: which sign separates the decimals depends on the locale of whoever printed it. */
export type Decimals = '.' | ',';

const GROUPED = {
  '.': /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/,
  ',': /^[-+]?\d{1,3}(?:[.' \u00a0\u202f]\d{3})+(?:,\d*)?$/,
};
const FRACTION = { '.': /^[-+]?\d+\.(?!\d{3}$)\d*$/, ',': /^[-+]?\d+,(?!\d{3}$)\d*$/ };
/** `1,234` is a thousand and more in one locale, and a little more than 1 in another. */
const UNCLEAR = /^[-+]?\d{1,3}[.,]\d{3}$/;

/** The sign before decimals in numbers of one report; a point where none of them shows it. */
export function decimalsOf(texts: Iterable<string>): Decimals {
  const votes = { '.': 0, ',': 0 };
  for (const text of texts) {
    if (UNCLEAR.test(text)) continue;
    for (const sign of ['.', ','] as const) if (GROUPED[sign].test(text) || FRACTION[sign].test(text)) votes[sign]++;
  }
  return votes[','] > votes['.'] ? ',' : '.';
}

/** NaN for a text that is no number: `n/a`, and values of metrics that are texts. */
export function numberOfText(text: string, decimals: Decimals): number {
  const plain = text.trim().replace(decimals === '.' ? /,/g : /[.' \u00a0\u202f]/g, '');
  const number = decimals === '.' ? plain : plain.replace(',', '.');
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(number) ? Number(number) : NaN;
}

const PREFIXES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
/** Times in ns. */
const TIMES: Readonly<Record<string, number>> = {
  ...{ nsecond: 1, usecond: 1e3, msecond: 1e6, second: 1e9, ns: 1, us: 1e3, ms: 1e6, s: 1e9 },
};

/** What a value in this unit is to be multiplied by: `usecond` 1e3 (ns), `Mbyte/second` 1e6, `cycle/nsecond` 1e9. */
export function factorOf(unit: string): number {
  const [above = '', below] = unit.trim().split('/');
  const time = TIMES[above];
  if (time !== undefined && below === undefined) return time;
  const [, prefix] = /^([KMGTP])[a-z]/.exec(above) ?? [];
  const scale = prefix === undefined ? 1 : (PREFIXES[prefix] ?? 1);
  const perTime = below === undefined ? undefined : TIMES[below];
  return perTime === undefined ? scale : scale * (1e9 / perTime);
}
