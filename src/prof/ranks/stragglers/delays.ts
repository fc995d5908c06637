/**
 * Rare delays: steps in which the own work of a rank takes far longer than its own work otherwise does against its peers.
 * The others show what is far: of all ranks and steps, differences beyond the upper quartile fall off at least as
 * fast as an exponential, whose scale is that of the octiles. Noise that is normal falls off faster, which is cautious;
 * up to one in eight of the steps may be delayed without hiding the others. The scale is the resolution of the times at
 * least: where most differences are 0, one of a microsecond would be beyond all chance.
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
  /** Null where the profile has no steps. */
  readonly step: number | null;
  /** Own work beyond what the rank otherwise takes longer than its peers, ns. */
  readonly late: number;
  readonly q: number;
}

/** A rank and its delays. */
export interface Delay {
  readonly part: number;
  /** In order of steps. */
  readonly delayed: readonly DelayedStep[];
  /** Steps in which it was compared. */
  readonly steps: number;
  /** Step from which on all of several are delayed; null where they are not the last ones. */
  readonly since: number | null;
  /** Sum over the steps, ns. */
  readonly late: number;
  /** The largest of its steps. */
  readonly q: number;
  readonly reasons: Reasons;
}

/** A delay is this share of a step at least: less is not worth a search. */
const LEAST_SHARE = 0.02;
/** Fewest ranks, and fewest steps, that show how times are spread. */
const FEWEST = 16;
/** ns. */
const MICROSECOND = 1000;

/** A rank that is named for a stretch of its steps; without a begin and an end for all of them. */
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
 * @param stragglers whose delays are known: they are late in all steps, or in a stretch
 * @param rate share of those that are named that are none, at most
 */
export function delaysOf(
  parts: readonly RankPart[],
  works: readonly OwnWork[],
  stragglers: readonly NamedStretch[],
  rate: number,
): Delay[] {
  const cells = works.flatMap((own) => cellsOf(own, stragglers));
  const qs = falseDiscovery(cells.map(({ p }) => p));
  const rows = new Map<string, { own: OwnWork; row: number; found: (Cell & { readonly q: number })[] }>();
  for (const [index, cell] of cells.entries()) {
    const { own, row, late } = cell;
    const q = qs[index] ?? 1;
    if (q > rate || late < LEAST_SHARE * own.typical) continue;
    entryOf(rows, `${works.indexOf(own)}/${row}`, () => ({ own, row, found: [] })).found.push({ ...cell, q });
  }
  return [...rows.values()]
    .map(({ own, row, found }) => delayOf(parts, own, row, found))
    .sort((a, b) => b.late - a.late || a.part - b.part);
}

/** Each rank and step with how likely it is by chance. */
function cellsOf(own: OwnWork, stragglers: readonly NamedStretch[]): Cell[] {
  const excess = excessOver(own.times).flatMap((of, row) => {
    const known = [...of.keys()].filter((column) => !Number.isNaN(of[column]));
    const typical = median(known.map((column) => elementAt(of, column))) ?? 0;
    return known
      .filter((column) => !isNamed(own, row, column, stragglers))
      .map((column) => ({ own, row, column, late: elementAt(of, column) - typical }));
  });
  if (excess.length < FEWEST) return [];
  const sorted = excess.map(({ late }) => late).sort((a, b) => a - b);
  const [quartile, octile] = [quantile(sorted, 3 / 4) ?? 0, quantile(sorted, 7 / 8) ?? 0];
  const halving = Math.max(octile - quartile, resolutionOf(own));
  return excess.map((cell) => {
    const beyond = cell.late - quartile;
    return { ...cell, p: beyond <= 0 ? 1 : 2 ** -(beyond / halving) / 4 };
  });
}

/** What times of all ranks are multiples of, ns: traces may have whole microseconds, and differ by one or two by rounding. */
function resolutionOf({ times }: OwnWork): number {
  const isWhole = (row: readonly number[]): boolean =>
    row.every((time) => Number.isNaN(time) || time % MICROSECOND === 0);
  return times.every(isWhole) ? MICROSECOND : 1;
}

/** Whether a step is in a stretch for which the rank is named. */
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
  own: OwnWork,
  row: number,
  found: readonly (Cell & { readonly q: number })[],
): Delay {
  const columns = found.map(({ column }) => column);
  const compared = elementAt(own.times, row).flatMap((time, column) => (Number.isNaN(time) ? [] : [column]));
  const isLast = columns.length > 1 && compared.slice(-columns.length).every((column) => columns.includes(column));
  return {
    part: elementAt(own.parts, row),
    delayed: found.map(({ column, late, q }) => ({ step: own.steps[column] ?? null, late, q })),
    ...{ steps: compared.length, since: isLast ? (own.steps[elementAt(columns, 0)] ?? null) : null },
    late: found.reduce((sum, { late }) => sum + late, 0),
    q: found.reduce((most, { q }) => Math.max(most, q), 0),
    reasons: reasonsOf(parts, own, { row, together: [row], columns }),
  };
}
