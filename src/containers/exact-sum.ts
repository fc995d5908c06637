/**
 * Sums of floating-point numbers without loss: the rounding error of each sum is kept next to it (Neumaier's
 * summation). Sums of whole numbers are exact up to 2^100; other sums do not depend on the order of their terms, except
 * in very rare ties.
 */

/** The rounding error of `sum + value`. */
export function roundingError(sum: number, value: number): number {
  const rounded = sum + value;
  if (!Number.isFinite(rounded)) return 0;
  const added = rounded - sum;
  return sum - (rounded - added) + (value - added);
}
