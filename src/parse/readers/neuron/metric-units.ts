/**
 * Units of the metrics that the vendor's tool sums a profile up in, by their names.
 * Source: the tool's own definitions (its table `terminology`, AWS's profile schema reference), checked on real
 * summaries: what is called percent is a fraction of 1 there, and times are in seconds unless the name says otherwise.
 */

/** The first that fits counts. */
const UNITS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/_percent$/, 'fraction'],
  [/_ns$/, 'ns'],
  [/(?:^|_)time$/, 's'],
  [/^ultraserver_size$/, 'count'],
  [/_(?:bytes|size)$/, 'bytes'],
  [/(?:^|_)flops$/, 'FLOP'],
  [/_cycles$|_cycle_count$/, 'cycles'],
  [/_count$/, 'count'],
];

/** Unit of a summary's metric; null for numbers without a unit (indices, ratios), texts, and names that are not known. */
export const unitOfMetric = (name: string): string | null => UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
