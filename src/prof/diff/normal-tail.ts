/** The tail of the normal distribution, to about 14 digits. Pure. */

/** Below it the series has all digits, above it the continued fraction converges fast. */
const SERIES_UP_TO = 2.5;
const FRACTION_DEPTH = 80;

/**
 * Probability of a standard normal value at least as far from 0 as z, on either side: erfc(z / √2).
 * @param z not negative
 */
export function bothTails(z: number): number {
  const x = z / Math.SQRT2;
  return x < SERIES_UP_TO ? 1 - erfBySeries(x) : erfcByFraction(x);
}

/** erf(x) = 2/√π · exp(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1)). Source: NIST Digital Library of Mathematical Functions, 7.6.2. */
function erfBySeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; term > sum * Number.EPSILON; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** erfc(x) = exp(−x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))). Source: the same, 7.9.3 on the real axis. */
function erfcByFraction(x: number): number {
  let fraction = x;
  for (let k = FRACTION_DEPTH; k > 0; k--) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}
