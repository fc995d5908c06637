/** Ranks that do their own work more slowly than their peers, more often than chance, by how much, and why. */
import { elementAt } from '../../../containers/element.js';
import { median } from '../../../record/statistics.js';
import { falseDiscovery } from '../../diff/false-discovery.js';
import type { RankPart } from '../part/rank-part.js';
import { ownWorkOf, type OwnWork } from './own-work.js';
import { slowerThanChance } from './rank-sum-test.js';
import { reasonsOf, type Reasons } from './reasons.js';

export interface Straggler {
  readonly part: number;
  /** Own work per step beyond the median of the peers, ns: of the median step. */
  readonly late: number;
  /** As a share of the step. */
  readonly share: number;
  /** Adjusted for all ranks of the job: how many of the ranks that are named are none. */
  readonly q: number;
  readonly steps: number;
  readonly peers: number;
  readonly reasons: Reasons;
}

/** At most this share of the named ranks is expected to be none. */
const FALSE_DISCOVERY_RATE = 0.01;
/** Less than this share of a step is no straggler, however constant: devices differ. */
const LEAST_SHARE = 0.001;

export interface Lateness {
  readonly stragglers: readonly Straggler[];
  /** Parts that could be tested. */
  readonly tested: number;
  /** Why some were not: null where all were. */
  readonly untested: string | null;
}

/** @param classes lists of parts that do the same work */
export function latenessOf(parts: readonly RankPart[], classes: readonly (readonly number[])[]): Lateness {
  const works = classes.map((peers) => ownWorkOf(parts, peers));
  const tests = works.flatMap((own) =>
    // Where even a rank that is last in each step could be so by chance, nothing can be found.
    (own.parts.length ** -own.steps.length > FALSE_DISCOVERY_RATE
      ? own.parts.map(() => null)
      : slowerThanChance(own.times)
    ).map((p, row) => ({ own, row, p, part: elementAt(own.parts, row) })),
  );
  const qs = falseDiscovery(tests.map(({ p }) => p));
  const stragglers = tests.flatMap(({ own, row, part }, index) => {
    const q = qs[index] ?? null;
    if (q === null || q > FALSE_DISCOVERY_RATE) return [];
    const late = lateBy(own, row);
    const share = late / (median(own.lengths.flat()) ?? NaN);
    if (!(share >= LEAST_SHARE)) return [];
    const { length: steps } = own.steps;
    return [{ part, late, share, q, steps, peers: own.parts.length, reasons: reasonsOf(parts, own, row) }];
  });
  const tested = tests.filter(({ p }) => p !== null).length;
  return {
    stragglers: stragglers.sort((a, b) => b.late - a.late || a.part - b.part),
    tested,
    untested: tested === parts.length ? null : whyUntested(works),
  };
}

/** The median over steps of what the rank took longer than the median of its peers. */
function lateBy({ times }: OwnWork, row: number): number {
  const excess = elementAt(times, row).map((time, step) => {
    const others = times.flatMap((of, other) => (other === row ? [] : [elementAt(of, step)]));
    return time - (median(others) ?? time);
  });
  return median(excess) ?? 0;
}

function whyUntested(works: readonly OwnWork[]): string {
  if (works.every(({ parts }) => parts.length < 2)) return 'no two ranks do the same work';
  if (works.every(({ steps }) => steps.length === 0)) return 'the ranks have no step in common';
  return 'too few steps in common with ranks of the same work to tell';
}
