/** Ranks that do their own work more slowly than their peers, more often than chance, by how much, and why. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import { falseDiscovery } from '../../diff/false-discovery.js';
import type { RankPart } from '../part/rank-part.js';
import { ownWorkOf, type OwnWork } from './own-work.js';
import { slowerThanChance } from './rank-sum-test.js';
import { reasonsOf, type Reasons } from './reasons.js';

/** A rank, or the ranks of a machine that do the same work. */
export interface Straggler {
  /** The rank; of a machine the one of its ranks that is latest. */
  readonly part: number;
  /** The machine, where its ranks are late together; null for a rank. */
  readonly node: string | null;
  /** Ranks of it. */
  readonly members: readonly number[];
  /** Own work per step beyond the median of the peers, ns: of the median step. */
  readonly late: number;
  /** As a share of the step. */
  readonly share: number;
  /** Adjusted for all that were tested: how many of those that are named are none. */
  readonly q: number;
  readonly steps: number;
  /** Ranks, or machines, that it was compared with, itself included. */
  readonly peers: number;
  readonly reasons: Reasons;
}

/** At most this share of those that are named is expected to be none. */
const FALSE_DISCOVERY_RATE = 0.02;
/** So much of a step is worth a word, even where it may be chance. */
const NOTABLE_SHARE = 0.01;
/** Less than this share of a step is no straggler, however constant: devices differ. */
const LEAST_SHARE = 0.002;

export interface Lateness {
  /** Latest first. */
  readonly stragglers: readonly Straggler[];
  /** Where there are none, the rank that is latest by far; too few steps to distinguish it from chance. Null for none. */
  readonly latest: Straggler | null;
  /** Parts that could be tested. */
  readonly tested: number;
  /** Why some were not: null where all were. */
  readonly untested: string | null;
}

/** What is tested: ranks, or machines with the mean of their ranks. */
interface Unit {
  readonly node: string | null;
  /** Rows of the own work. */
  readonly rows: readonly number[];
  readonly times: readonly number[];
}

/**
 * @param classes lists of parts that do the same work
 * @param nodes machine of each part; null where unknown
 */
export function latenessOf(
  parts: readonly RankPart[],
  classes: readonly (readonly number[])[],
  nodes: readonly (string | null)[],
): Lateness {
  const works = classes.map((peers) => ownWorkOf(parts, peers));
  const tests = works.flatMap((own) => [
    ...tested(
      own,
      own.times.map((times, row) => ({ node: null, rows: [row], times })),
    ),
    ...tested(own, machinesOf(own, nodes)),
  ]);
  const qs = falseDiscovery(tests.map(({ p }) => p));
  const found = tests.map((test, index) => {
    const late = lateBy(test.unit, test.units);
    return { ...test, late, share: late / (median(test.own.lengths.flat()) ?? NaN), q: qs[index] ?? null };
  });
  const stragglers = found
    .filter(({ q, share }) => q !== null && q <= FALSE_DISCOVERY_RATE && share >= LEAST_SHARE)
    .map((test) => stragglerOf(parts, test));
  const [latest] = found
    .filter(({ q, share, unit }) => q !== null && unit.node === null && share >= NOTABLE_SHARE)
    .sort((a, b) => b.late - a.late);
  const count = tests.filter(({ p, unit }) => p !== null && unit.node === null).length;
  return {
    stragglers: stragglers.sort(
      (a, b) => Number(a.node === null) - Number(b.node === null) || b.late - a.late || a.part - b.part,
    ),
    latest: stragglers.length > 0 || latest === undefined ? null : stragglerOf(parts, latest),
    tested: count,
    untested: count === classes.flat().length ? null : whyUntested(works),
  };
}

/** A unit with the outcome of its test. */
interface Outcome {
  readonly own: OwnWork;
  readonly unit: Unit;
  readonly units: readonly Unit[];
  readonly late: number;
  readonly share: number;
  readonly q: number | null;
}

function stragglerOf(parts: readonly RankPart[], { own, unit, units, late, share, q }: Outcome): Straggler {
  const row = latestRow(own, unit.rows);
  return {
    ...{ part: elementAt(own.parts, row), node: unit.node, members: unit.rows.map((of) => elementAt(own.parts, of)) },
    ...{ late, share, q: q ?? 1, steps: own.steps.length, peers: units.length },
    reasons: reasonsOf(parts, own, row, unit.rows),
  };
}

function tested(own: OwnWork, units: readonly Unit[]) {
  // Where even one that is last in each step could be so by chance, nothing can be found.
  const isPossible = units.length ** -own.steps.length <= FALSE_DISCOVERY_RATE;
  const ps = isPossible ? slowerThanChance(units.map(({ times }) => times)) : units.map(() => null);
  return units.map((unit, index) => ({ own, unit, units, p: ps[index] ?? null }));
}

/** Machines with several of the ranks; none where they are all on one, or some on none. */
function machinesOf(own: OwnWork, nodes: readonly (string | null)[]): Unit[] {
  const rows = new Map<string, number[]>();
  for (const [row, part] of own.parts.entries()) {
    const node = nodes[part] ?? null;
    if (node === null) return [];
    entryOf(rows, node, (): number[] => []).push(row);
  }
  if (rows.size < 2 || rows.size === own.parts.length) return [];
  return [...rows].map(([node, of]) => ({ node, rows: of, times: own.steps.map((_, step) => meanOf(own, of, step)) }));
}

const meanOf = ({ times }: OwnWork, rows: readonly number[], step: number): number =>
  rows.reduce((sum, row) => sum + elementAt(elementAt(times, row), step), 0) / rows.length;

/** The median over steps of what it took longer than the median of the others. */
function lateBy(unit: Unit, units: readonly Unit[]): number {
  const excess = unit.times.map((time, step) => {
    const others = units.flatMap((other) => (other === unit ? [] : [elementAt(other.times, step)]));
    return time - (median(others) ?? time);
  });
  return median(excess) ?? 0;
}

/** The row with the most own work. */
function latestRow({ times }: OwnWork, rows: readonly number[]): number {
  const sumOf = (row: number): number => elementAt(times, row).reduce((sum, time) => sum + time, 0);
  return rows.reduce((most, row) => (sumOf(row) > sumOf(most) ? row : most), elementAt(rows, 0));
}

function whyUntested(works: readonly OwnWork[]): string {
  if (works.every(({ parts }) => parts.length < 2)) return 'no two ranks do the same work';
  if (works.every(({ steps }) => steps.length === 0)) return 'the ranks have no step in common';
  return 'too few steps in common with ranks of the same work to tell';
}
