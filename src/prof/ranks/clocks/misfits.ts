/**
 * Ranks whose times fit no clock: those that run backwards by their own numbers, and those that times have refuted in
 * every group, although others of these groups go together.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import type { MatchedGroup, MatchedOperation } from '../matching/match-group.js';
import type { RankPart } from '../part/rank-part.js';
import { jobTime, type RankClock } from './job-clocks.js';
import { endsTogether } from './observations.js';
import { robustLine } from './robust-line.js';

export interface Misfit {
  readonly part: number;
  /** Whether later operations, or steps, have earlier times. */
  readonly isBackwards: boolean;
  /** The drift that would bring most of its ends to those of the others, a fraction; null where it is not known. */
  readonly drift: number | null;
  /** How far its ends would be from the others' even so, the median, ns; likewise. */
  readonly residual: number | null;
}

/** A counter that begins anew falls once; a clock that runs backwards makes all but a few numbers fall. */
const FEWEST_FALLS = 2;
const MOST_RISES = 0.1;

/** Whether ordinals, and numbers of steps, fall while time rises. */
export function runsBackwards({ operations, steps }: RankPart): boolean {
  let [falls, rises] = [0, 0];
  const note = (before: number | null | undefined, next: number | null): void => {
    if (before === null || before === undefined || next === null) return;
    if (next < before) falls++;
    else if (next > before) rises++;
  };
  // Messages have counters of their own.
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
 * @param before groups as they were matched first
 * @param after what times have left of them
 * @param clocks by these
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
  return [...groupsOf].flatMap(([part, groups]) => {
    // Of two that contradict each other it is not known which is wrong.
    if (left.has(part) || !groups.some((group) => hasOthers.has(group))) return [];
    return [{ part, isBackwards: false, ...lineOf(part, groups, parts, clocks) }];
  });
}

function matchedParts(groups: readonly MatchedGroup[]): Set<number> {
  const found = new Set<number>();
  for (const { group, operations } of groups)
    for (const [column, { part }] of group.members.entries())
      if (operations.some(({ at }) => elementAt(at, column) >= 0)) found.add(part);
  return found;
}

/** How the ends of a rank lie to those of the others, whatever the drift. */
function lineOf(
  part: number,
  groups: readonly MatchedGroup[],
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): Pick<Misfit, 'drift' | 'residual'> {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (const matched of groups) {
    for (const operation of matched.operations) {
      if (!endsTogether(operation.signature, matched.group)) continue;
      const ends = endsOf(operation, matched, parts);
      const own = ends.find((end) => end.part === part);
      const others = ends.filter((end) => end.part !== part && clocks[end.part]?.source !== 'refuted');
      const common = median(others.map((end) => jobTime(elementAt(clocks, end.part), end.time)));
      if (own === undefined || common === null) continue;
      xs.push(own.time);
      ys.push(own.time - common);
    }
  }
  if (xs.length === 0) return { drift: null, residual: null };
  const [first] = xs;
  const [at, apart] = [Float64Array.from(xs, (x) => x - (first ?? 0)), Float64Array.from(ys)];
  const { offset, slope } = robustLine(at, apart);
  const rest = apart.map((y, i) => Math.abs(y - offset - (slope ?? 0) * elementAt(at, i)));
  return { drift: slope, residual: median(rest) };
}

/** Ends of an operation by the clock of each rank, since the start of its profile. */
const endsOf = ({ at }: MatchedOperation, { group }: MatchedGroup, parts: readonly RankPart[]) =>
  at.flatMap((operation, column) => {
    if (operation < 0) return [];
    const { part } = elementAt(group.members, column);
    const { start, dur } = elementAt(parts, part).operations;
    return [{ part, time: elementAt(start, operation) + elementAt(dur, operation) }];
  });
