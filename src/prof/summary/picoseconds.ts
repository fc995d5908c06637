/** Sums of ns with a fraction: what adding up leaves beyond a picosecond is no time. */

const PER_NS = 1000;

/** @param ns with at most so many digits as a double has */
export const toPicoseconds = (ns: number): number => Math.round(ns * PER_NS) / PER_NS;

/** The same of each of several. */
export function allToPicoseconds<Times extends object>(times: Times): Times {
  const entries = Object.entries(times).map(([name, ns]) => [name, toPicoseconds(ns as number)] as const);
  return Object.fromEntries(entries) as Times;
}
