/**
 * Rare delays: steps in which a rank's own work takes much longer, relative to its peers, than it usually does. All
 * other ranks and steps show how large an unusual difference is: beyond the upper quartile, differences fall off at
 * least as fast as an exponential whose scale follows from quartile and octile. Normal noise falls off faster, so the
 * test is conservative; up to one in eight steps may be delayed without hiding the others. The scale is at least the
 * resolution of the times; otherwise, when most differences are 0, a difference of one microsecond would be
 * significant.
 *
 * Source: J. Pickands, "Statistical inference using extreme order statistics", Ann. Statist. 3 (1975) 119-131: the tail
 * beyond a quantile from the distances of higher quantiles; here with the shape 0.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median, quantile } from '../../../record/statistics.js';
import { falseDiscovery } from '../../diff/mann-whitney.js';
import type { RankPart } from '../part/rank-part.js';
import { excessOver, type OwnWork } from './own-work.js';
import { reasonsOf, type Reasons } from './reasons.js';
import type { UnitLevel } from './tested-units.js';

export interface DelayedStep {
  /** Null when the profile has no steps. */
  readonly step: number | null;
  /** Own work in ns beyond the rank's usual difference from its peers. */
  readonly late: number;
  readonly q: number;
}

/** A rank and its delays. */
export interface Delay {
  readonly part: number;
  /** Sorted by step. */
  readonly delayed: readonly DelayedStep[];
  /** Number of steps in which it was compared. */
  readonly steps: number;
  /** Step from which on all steps are delayed, if there are several; null when the delayed steps are not the last ones. */
  readonly since: number | null;
  /** Sum over the steps, in ns. */
  readonly late: number;
  /** The largest q-value of its steps. */
  readonly q: number;
  readonly reasons: Reasons;
}

/** Minimum share of a step; a shorter delay is not worth investigating. */
const LEAST_SHARE = 0.02;
/** Minimum number of cells (a rank in a step) to estimate the distribution of the differences. */
const FEWEST = 16;
/** Unit: ns. */
const MICROSECOND = 1000;

/** A rank that is reported for some of its steps; for all of them when start and end are absent. */
interface NamedStretch {
  readonly level: UnitLevel;
  readonly part: number;
  readonly since: number | null;
  readonly until: number | null;
}

interface Cell {
  readonly own: OwnWork;
  readonly row: number;
  readonly column: number;
  readonly late: number;
  readonly p: number;
}

/**
 * @param stragglers ranks already reported as late in all steps or in a stretch of them
 * @param rate maximum expected share of false positives
 */
export function delaysOf(
  parts: readonly RankPart[],
  works: readonly OwnWork[],
  stragglers: readonly NamedStretch[],
  rate: number,
): Delay[] {
  const cells = works.flatMap((work) => cellsOf(work, stragglers));
  const qs = falseDiscovery(cells.map(({ p }) => p));
  const rows = new Map<string, { own: OwnWork; row: number; found: (Cell & { readonly q: number })[] }>();
  for (const [index, cell] of cells.entries()) {
    const { own: work, row, late } = cell;
    const q = qs[index] ?? 1;
    if (q > rate || late < LEAST_SHARE * work.typical) continue;
    entryOf(rows, `${works.indexOf(work)}/${row}`, () => ({ own: work, row, found: [] })).found.push({ ...cell, q });
  }
  return [...rows.values()]
    .map(({ own: work, row, found }) => delayOf(parts, work, row, found))
    .sort((a, b) => b.late - a.late || a.part - b.part);
}

/** The probability that the difference of each rank and step is due to chance. */
function cellsOf(work: OwnWork, stragglers: readonly NamedStretch[]): Cell[] {
  const excess = excessOver(work.times).flatMap((rowExcess, row) => {
    const known = [...rowExcess.keys()].filter((column) => !Number.isNaN(rowExcess[column]));
    const typical = median(known.map((column) => elementAt(rowExcess, column))) ?? 0;
    return known
      .filter((column) => !isNamed(work, row, column, stragglers))
      .map((column) => ({ own: work, row, column, late: elementAt(rowExcess, column) - typical }));
  });
  if (excess.length < FEWEST) return [];
  const sorted = excess.map(({ late }) => late).sort((a, b) => a - b);
  const [quartile, octile] = [quantile(sorted, 3 / 4) ?? 0, quantile(sorted, 7 / 8) ?? 0];
  const halving = Math.max(octile - quartile, resolutionOf(work));
  return excess.map((cell) => {
    const beyond = cell.late - quartile;
    return { ...cell, p: beyond <= 0 ? 1 : 2 ** -(beyond / halving) / 4 };
  });
}

/**
 * Resolution of the times in ns: traces may have whole microseconds, and rounding then causes differences of one or two.
 */
function resolutionOf({ times }: OwnWork): number {
  const isWhole = (row: readonly number[]): boolean =>
    row.every((time) => Number.isNaN(time) || time % MICROSECOND === 0);
  return times.every(isWhole) ? MICROSECOND : 1;
}

/** Whether a step is in a stretch for which the rank is already reported. */
const isNamed = (
  { parts, steps }: OwnWork,
  row: number,
  column: number,
  stragglers: readonly NamedStretch[],
): boolean =>
  stragglers.some(({ level, part, since, until }) => {
    if (level !== 'rank' || part !== parts[row] || (since === null && until === null)) return false;
    const step = steps[column] ?? 0;
    return step >= (since ?? -Infinity) && step <= (until ?? Infinity);
  });

function delayOf(
  parts: readonly RankPart[],
  work: OwnWork,
  row: number,
  found: readonly (Cell & { readonly q: number })[],
): Delay {
  const columns = found.map(({ column }) => column);
  const compared = elementAt(work.times, row).flatMap((time, column) => (Number.isNaN(time) ? [] : [column]));
  const isLast = columns.length > 1 && compared.slice(-columns.length).every((column) => columns.includes(column));
  return {
    part: elementAt(work.parts, row),
    delayed: found.map(({ column, late, q }) => ({ step: work.steps[column] ?? null, late, q })),
    ...{ steps: compared.length, since: isLast ? (work.steps[elementAt(columns, 0)] ?? null) : null },
    late: found.reduce((sum, { late }) => sum + late, 0),
    q: found.reduce((most, { q }) => Math.max(most, q), 0),
    reasons: reasonsOf(parts, work, { row, together: [row], columns }),
  };
}
