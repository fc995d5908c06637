/**
 * Units of the metrics in a summary of the vendor's tool, by name.
 * Source: the tool's own definitions (its table `terminology`, AWS's profile schema reference), checked on real
 * summaries: metrics called percent are fractions of 1, and times are in seconds unless the name says otherwise.
 */

/** The first matching pattern decides. */
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

/** Unit of a summary's metric; null for numbers without a unit (indices, ratios), texts, and unknown names. */
export const unitOfMetric = (name: string): string | null => UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
