/**
 * Many tests at once: of 1000 rows without any change, 50 have p < 0.05. The adjusted values bound instead how many of
 * the rows that are called changed are not. Pure.
 *
 * Source: Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995) 289-300.
 */

/**
 * Adjusted values: with p₍₁₎ ≤ … ≤ p₍ₘ₎, q₍ᵢ₎ = min over k ≥ i of p₍ₖ₎·m/k, at most 1. The rows with q ≤ Q are those that
 * the procedure rejects at the rate Q.
 * @param ps null where there was no test; null again in the result, and no part of m
 */
export function falseDiscovery(ps: readonly (number | null)[]): (number | null)[] {
  const tested = ps.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((a, b) => b.p - a.p);
  const qs: (number | null)[] = ps.map(() => null);
  let least = 1;
  tested.forEach(({ p, at }, fromTop) => {
    least = Math.min(least, (p * tested.length) / (tested.length - fromTop));
    qs[at] = least;
  });
  return qs;
}
