/**
 * Sums of floating-point numbers that lose nothing: beside each sum stands what its rounding left out (Neumaier's
 * summation). Whole numbers add up exactly to 2^100; sums of others are those of any order of their terms, but for the rarest of ties.
 */

/** What `sum + value`, rounded, leaves out. */
export function roundingError(sum: number, value: number): number {
  const rounded = sum + value;
  if (!Number.isFinite(rounded)) return 0;
  const added = rounded - sum;
  return sum - (rounded - added) + (value - added);
}
