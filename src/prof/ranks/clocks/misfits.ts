/**
 * Finds ranks whose times fit no clock: ranks whose numbers run backwards, and ranks that the times refuted in every
 * group although the other ranks of these groups agree.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { countBelow } from '../../../containers/row-order.js';
import { median } from '../../../record/statistics.js';
import type { MatchedGroup, MatchedOperation } from '../matching/match-group.js';
import type { RankPart } from '../part/rank-part.js';
import { jobTime, type RankClock } from './job-clocks.js';
import { endsTogether } from './observations.js';
import { robustLine } from './robust-line.js';

export interface Misfit {
  readonly part: number;
  /** Whether later operations or steps have earlier times. */
  readonly isBackwards: boolean;
  /** The drift that would align most of its ends with those of the others, as a fraction; null if unknown. */
  readonly drift: number | null;
  /** Median remaining difference from the others' ends with that drift, in ns; null if unknown. */
  readonly residual: number | null;
}

/** A counter that is reset falls once; a clock that runs backwards makes almost all numbers fall. */
const FEWEST_FALLS = 2;
const MOST_RISES = 0.1;

/** Whether ordinals, and step numbers, fall while time rises. */
export function runsBackwards({ operations, steps }: RankPart): boolean {
  let [falls, rises] = [0, 0];
  const note = (before: number | null | undefined, next: number | null): void => {
    if (before === null || before === undefined || next === null) return;
    if (next < before) falls++;
    else if (next > before) rises++;
  };
  // Messages have separate counters.
  const lasts = new Map<string, number>();
  const { ordinal, group, kind, peer } = operations;
  for (const [at, number] of ordinal.entries()) {
    if (number === null) continue;
    const key = `${group[at]}/${kind[at]}/${peer[at]}`;
    note(lasts.get(key), number);
    lasts.set(key, number);
  }
  for (const [at, start] of steps.start.entries()) if (at > 0) note(steps.start[at - 1], start);
  return falls >= FEWEST_FALLS && rises <= MOST_RISES * (falls + rises);
}

/**
 * @param before groups as they were first matched
 * @param after the groups that the times confirm
 * @param clocks the clocks that follow from these
 */
export function misfitsOf(
  before: readonly MatchedGroup[],
  after: readonly MatchedGroup[],
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): Misfit[] {
  const left = matchedParts(after);
  const hasOthers = new Set(before.filter(({ group }) => group.members.some(({ part }) => left.has(part))));
  const groupsOf = new Map<number, MatchedGroup[]>();
  for (const group of before)
    for (const part of matchedParts([group])) entryOf(groupsOf, part, (): MatchedGroup[] => []).push(group);
  // If two ranks contradict each other, it is unknown which is wrong.
  const found = [...groupsOf].filter(
    ([part, groups]) => !left.has(part) && groups.some((group) => hasOthers.has(group)),
  );
  const points = pointsOf(new Set(found.map(([part]) => part)), before, parts, clocks);
  return found.map(([part]) => ({ part, isBackwards: false, ...lineOf(points.get(part)) }));
}

function matchedParts(groups: readonly MatchedGroup[]): Set<number> {
  const found = new Set<number>();
  for (const { group, operations } of groups)
    for (const [column, { part }] of group.members.entries())
      if (operations.some(({ at }) => elementAt(at, column) >= 0)) found.add(part);
  return found;
}

/** Ends of a rank on its own clock, and the difference of each from the median of the others, in ns. */
interface Points {
  readonly xs: number[];
  readonly ys: number[];
}

/**
 * The ends of some ranks compared with those of the others. Each operation is sorted only once, however many of these ranks
 * take part.
 */
function pointsOf(
  wanted: ReadonlySet<number>,
  groups: readonly MatchedGroup[],
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): ReadonlyMap<number, Points> {
  const points = new Map<number, Points>();
  for (const matched of groups) {
    if (!matched.group.members.some(({ part }) => wanted.has(part))) continue;
    for (const operation of matched.operations) {
      if (!endsTogether(operation.signature, matched.group)) continue;
      const ends = endsOf(operation, matched, parts);
      const wantedEnds = ends.filter(({ part }) => wanted.has(part));
      if (wantedEnds.length === 0) continue;
      const isKnown = (part: number): boolean => clocks[part]?.source !== 'refuted';
      const timeOf = ({ part, time }: RankEnd): number => jobTime(elementAt(clocks, part), time);
      const times = Float64Array.from(ends.filter(({ part }) => isKnown(part)).map(timeOf)).sort();
      for (const end of wantedEnds) {
        const common = isKnown(end.part) ? medianWithout(times, timeOf(end)) : median(times);
        if (common === null) continue;
        const { xs, ys } = entryOf(points, end.part, (): Points => ({ xs: [], ys: [] }));
        xs.push(end.time);
        ys.push(end.time - common);
      }
    }
  }
  return points;
}

/** The median of all but one of the sorted values. */
function medianWithout(sorted: Float64Array, value: number): number | null {
  const place = countBelow(sorted.length, (index) => elementAt(sorted, index), value);
  const others = sorted.length - 1;
  const at = (index: number): number => elementAt(sorted, index < place ? index : index + 1);
  return others < 1 ? null : (at((others - 1) >> 1) + at(others >> 1)) / 2;
}

/** How the ends of a rank relate to those of the others, for any drift. */
function lineOf(points: Points | undefined): Pick<Misfit, 'drift' | 'residual'> {
  if (points === undefined) return { drift: null, residual: null };
  const { xs, ys } = points;
  const [first] = xs;
  const [at, apart] = [Float64Array.from(xs, (x) => x - (first ?? 0)), Float64Array.from(ys)];
  const { offset, slope } = robustLine(at, apart);
  const rest = apart.map((y, i) => Math.abs(y - offset - (slope ?? 0) * elementAt(at, i)));
  return { drift: slope, residual: median(rest) };
}

interface RankEnd {
  readonly part: number;
  readonly time: number;
}

/** Ends of an operation on the clock of each rank, since the start of its profile. */
const endsOf = ({ at }: MatchedOperation, { group }: MatchedGroup, parts: readonly RankPart[]): RankEnd[] =>
  at.flatMap((operation, column) => {
    if (operation < 0) return [];
    const { part } = elementAt(group.members, column);
    const { start, dur } = elementAt(parts, part).operations;
    return [{ part, time: elementAt(start, operation) + elementAt(dur, operation) }];
  });
