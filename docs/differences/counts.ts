/** What the probes show, as committed in counts.json: the page must not need the probe files, which are not ours. */
import { accountFor } from './account.js';
import type { Probe } from './probe.js';

export interface Counts {
  readonly probes: number;
  readonly equalToPyprof2: number;
  readonly equalToNvidia: number;
  readonly equalToEither: number;
  readonly explained: number;
  readonly unaccounted: number;
  /** Probes in which a difference covers at least one cell. */
  readonly byDifference: Readonly<Record<string, number>>;
}

/** The text of counts.json. */
export function countsOf(probes: readonly Probe[]): string {
  const { byDifference, unaccounted, ...totals } = accountFor(probes);
  const counts: Counts = {
    ...totals,
    unaccounted: new Set(unaccounted.map(({ probe }) => probe)).size,
    byDifference: Object.fromEntries(byDifference),
  };
  return `${JSON.stringify(counts, null, 2)}\n`;
}
