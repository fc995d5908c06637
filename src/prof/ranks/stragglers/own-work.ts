/**
 * Each rank's own work in each step: the time from the end of the previous step to the end of this one, without
 * communication that does not overlap with other work. Ranks that wait for each other take equally long for a step; this
 * value shows which one is slower. Ranks are compared step by step, each with those that also have the step, so that a
 * truncated profile does not reduce the steps of the others.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import type { RankPart } from '../part/rank-part.js';

/** Maximum number of steps by which a rank is compared. */
const MOST_STEPS = 64;

export interface OwnWork {
  /** Parts that have a step in common with another one. */
  readonly parts: readonly number[];
  /** Numbers of the steps that several parts have, in ascending order. */
  readonly steps: readonly (number | null)[];
  /** For each part, the index of each of these steps in its columns; -1 for a missing step. */
  readonly at: readonly (readonly number[])[];
  /** In ns, one row per part, one column per step; NaN for a missing step. */
  readonly times: readonly (readonly number[])[];
  /** Median duration of a step in ns; NaN without steps. */
  readonly typical: number;
}

/** @param peers parts that do the same work */
export function ownWorkOf(parts: readonly RankPart[], peers: readonly number[]): OwnWork {
  const holders = holdersOf(parts, peers);
  const steps = comparedSteps(holders);
  const compared = peers.filter((peer) => steps.some((step) => holders.get(step)?.has(peer) === true));
  const at = compared.map((peer) => steps.map((step) => holders.get(step)?.get(peer) ?? -1));
  const rowsOf = (value: (part: RankPart, index: number) => number): number[][] =>
    compared.map((peer, row) =>
      elementAt(at, row).map((index) => (index < 0 ? NaN : value(elementAt(parts, peer), index))),
    );
  const lengths = rowsOf(stepLength);
  const typical = median(lengths.flat().filter((length) => !Number.isNaN(length))) ?? NaN;
  return { parts: compared, steps, at, times: rowsOf(ownWork), typical };
}

/** For each step, its index in the columns of each peer. */
type Holders = ReadonlyMap<number | null, ReadonlyMap<number, number>>;

function holdersOf(parts: readonly RankPart[], peers: readonly number[]): Holders {
  const holders = new Map<number | null, Map<number | null, Map<number, number>>>();
  for (const peer of peers) {
    const numbers = elementAt(parts, peer).steps.step;
    for (const [index, step] of numbers.entries()) {
      const before = entryOf(holders, step, () => new Map<number | null, Map<number, number>>());
      entryOf(before, numbers[index - 1] ?? null, () => new Map<number, number>()).set(peer, index);
    }
  }
  return new Map([...holders].map(([step, before]) => [step, mostUsual(before)] as const));
}

/**
 * Ranks that have the most common previous step, because a step's duration counts from its end. If a profile begins
 * later, or lacks a step, the duration of its next step is unknown.
 */
function mostUsual(before: ReadonlyMap<number | null, ReadonlyMap<number, number>>): ReadonlyMap<number, number> {
  const [most] = [...before].sort(([a, x], [b, y]) => y.size - x.size || (b ?? -1) - (a ?? -1));
  return most?.[1] ?? new Map<number, number>();
}

/** Steps that most ranks have come first, until each rank has enough of them. */
function comparedSteps(holders: Holders): (number | null)[] {
  const counts = new Map<number, number>();
  return [...holders]
    .filter(([, { size }]) => size > 1)
    .sort(([a, x], [b, y]) => y.size - x.size || Number(a) - Number(b))
    .flatMap(([step, byPeer]) => {
      if ([...byPeer.keys()].every((peer) => (counts.get(peer) ?? 0) >= MOST_STEPS)) return [];
      for (const peer of byPeer.keys()) counts.set(peer, (counts.get(peer) ?? 0) + 1);
      return [step];
    })
    .sort((a, b) => Number(a) - Number(b));
}

/** Duration of the step without exposed communication, in ns. */
export const ownWork = (part: RankPart, index: number): number =>
  stepLength(part, index) - elementAt(part.steps.exposed, index);

/** Time from the end of the previous step, if that was captured, else from the start on the host or the first work. */
export function stepLength({ steps }: RankPart, index: number): number {
  const { start, end, preparing } = steps;
  const before = index > 0 ? elementAt(end, index - 1) : elementAt(start, index) - Math.max(0, preparing[index] ?? 0);
  return elementAt(end, index) - Math.min(before, elementAt(end, index));
}

/**
 * How much longer each row took in each step than the median of the others that have the step; NaN when there are no
 * others.
 */
export function excessOver(times: readonly (readonly number[])[]): number[][] {
  const excess = times.map((row) => row.map(() => NaN));
  for (const step of (times[0] ?? []).keys()) {
    const rows = times.flatMap((row, at) => (Number.isNaN(row[step]) ? [] : [at]));
    const sorted = rows.sort((a, b) => elementAt(elementAt(times, a), step) - elementAt(elementAt(times, b), step));
    const valueAt = (place: number): number => elementAt(elementAt(times, elementAt(sorted, place)), step);
    if (sorted.length < 2) continue;
    for (const [place, row] of sorted.entries()) {
      const other = (index: number): number => valueAt(index < place ? index : index + 1);
      const last = sorted.length - 2;
      const middle = (other(Math.floor(last / 2)) + other(Math.ceil(last / 2))) / 2;
      elementAt(excess, row)[step] = valueAt(place) - middle;
    }
  }
  return excess;
}
