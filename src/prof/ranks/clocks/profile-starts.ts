/** Starts of profiles by their own clocks: the first idea of how the clocks of ranks lie to each other. */
import type { RankPart } from '../part/rank-part.js';

/** Starts against the earliest, ns; 0 where it is not known. */
export function startShifts(parts: readonly RankPart[]): number[] {
  const starts = parts.map(({ startUnixNs }) => (startUnixNs === null ? null : BigInt(startUnixNs)));
  let origin: bigint | null = null;
  for (const start of starts) if (start !== null && (origin === null || start < origin)) origin = start;
  return starts.map((start) => (start === null || origin === null ? 0 : Number(start - origin)));
}
