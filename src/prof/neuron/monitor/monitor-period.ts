/** Periods as neuron-monitor's configuration writes them: `1s`, `500ms`, `1m30s`. */
const NS = { ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 } as const;

const PART = /(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g;
const FORM = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h)){1,4}$/;

/** Longest period: a year. */
const LONGEST = 366 * 24 * NS.h;

/** Nanoseconds of a period; null for anything that is none, and for 0. */
export function parsePeriod(text: string): number | null {
  if (!FORM.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(PART)) sum += Math.round(Number(amount) * NS[unit as keyof typeof NS]);
  return sum > 0 && sum <= LONGEST ? sum : null;
}
