/**
 * Matched operations on the job's clock: when each rank joined, which was last, how long the others waited, and how long
 * the transfer took from then on.
 */
import { elementAt, largest, least } from '../../containers/element.js';
import { endsTogether } from './clocks/observations.js';
import { jobTime, type RankClock } from './clocks/job-clocks.js';
import { countUpTo } from '../../containers/row-order.js';
import type { MatchedGroup, MatchedOperation } from './matching/match-group.js';
import type { RankPart } from './part/rank-part.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Delay } from './stragglers/delays.js';

export interface OperationWaits {
  readonly operation: MatchedOperation;
  /** Parts that took part, how long each waited for others, in ns, and the part for which it waited. */
  readonly parts: readonly number[];
  readonly waits: readonly number[];
  readonly causes: readonly number[];
  /** The waits in ns that do not exceed the possible error of the clocks, which could explain them; 0 for all others. */
  readonly unsure: readonly number[];
  /** The part that joined last. */
  readonly last: number;
  /** When the first and the last rank joined, and when the transfer ended, in ns on the job's clock. */
  readonly first: number;
  readonly joined: number;
  readonly end: number;
  /** When each part joined and ended the operation, in ns on the job's clock. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Time from the first rank to join to the last, and from the one before the last, in ns. */
  readonly skew: number;
  readonly behind: number;
  /**
   * Time from the last rank to join to the end, in ns; null when ends precede it, because the clocks are off by more than
   * that.
   */
  readonly transfer: number | null;
}

/** Yields the waits of each matched operation of a group, in order. Ranks whose clocks are unknown are left out. */
export function* waitsOf(
  { group, operations }: MatchedGroup,
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): Generator<OperationWaits> {
  for (const operation of operations) {
    const present: number[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    for (const [column, at] of operation.at.entries()) {
      const member = elementAt(group.members, column).part;
      const clock = elementAt(clocks, member);
      if (at < 0 || clock.offset === null) continue;
      const { start, dur } = elementAt(parts, member).operations;
      present.push(member);
      starts.push(jobTime(clock, elementAt(start, at)));
      ends.push(jobTime(clock, elementAt(start, at) + elementAt(dur, at)));
    }
    if (present.length < 2) continue;
    const isTogether = endsTogether(operation.signature, group);
    const errorOf = (a: number, b: number): number | null =>
      clockError([elementAt(present, a), elementAt(present, b)], parts, clocks);
    const awaited = isTogether ? starts.map(() => lastOf(starts)) : awaitedBefore(starts, ends, errorOf);
    const waits = starts.map((start, i) => elementAt(starts, elementAt(awaited, i)) - start);
    const unsure = waits.map((wait, i) => {
      const error = errorOf(i, elementAt(awaited, i));
      return error === null || wait <= error ? wait : 0;
    });
    const causes = awaited.map((i) => elementAt(present, i));
    yield { operation, parts: present, waits, causes, unsure, ...timesOf(present, starts, ends, isTogether) };
  }
}

/** Index of the rank that joined last. */
const lastOf = (starts: readonly number[]): number =>
  starts.reduce((last, start, i) => (start > elementAt(starts, last) ? i : last), 0);

/**
 * For each rank, the index of the rank for which it waited: the last one to join before its own part ended. The root of a
 * broadcast, for example, ends without waiting for ranks that join later. Takes n log n for n ranks.
 * @param errorOf possible error between the clocks of two ranks, in ns; null when unknown
 */
function awaitedBefore(
  starts: readonly number[],
  ends: readonly number[],
  errorOf: (a: number, b: number) => number | null,
): number[] {
  const last = lastOf(starts);
  const startOf = (rank: number): number => elementAt(starts, rank);
  const order = [...starts.keys()].sort((a, b) => startOf(a) - startOf(b) || b - a);
  return ends.map((end, rank) => {
    const limit = end + (errorOf(rank, last) ?? Infinity);
    const found = elementAt(order, countUpTo(order.length, (at) => startOf(elementAt(order, at)), limit) - 1);
    return startOf(found) > startOf(rank) ? found : rank;
  });
}

/**
 * How far times of two parts may be apart in ns because of their clocks, if one of the two is right; null when unknown.
 * Devices of one profile have one clock.
 */
function clockError(
  [a, b]: readonly [number, number],
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): number | null {
  const [first, second] = [elementAt(parts, a), elementAt(parts, b)];
  if (first.file === second.file && first.startUnixNs === second.startUnixNs) return 0;
  const [firstBound, secondBound] = [elementAt(clocks, a).bound, elementAt(clocks, b).bound];
  return firstBound === null || secondBound === null ? null : Math.max(firstBound, secondBound);
}

function timesOf(
  present: readonly number[],
  starts: readonly number[],
  ends: readonly number[],
  isTogether: boolean,
): Omit<OperationWaits, 'operation' | 'parts' | 'waits' | 'causes' | 'unsure'> {
  const lastAt = lastOf(starts);
  const joined = elementAt(starts, lastAt);
  const first = least(starts);
  // When all ranks need data from each other, the transfer is complete as soon as the first ends; otherwise it is complete
  // when the last ends.
  const end = isTogether ? least(ends) : largest(ends);
  return {
    last: elementAt(present, lastAt),
    ...{ first, joined, end, starts, ends, skew: joined - first },
    behind: joined - largest(starts.filter((_, i) => i !== lastAt)),
    transfer: end > joined ? end - joined : null,
  };
}

/**
 * The ranks that waited for a delayed rank, and how long. They waited for it in operations that it joined last, or for
 * ranks that were late because they had waited for it. Waits that are short compared with the delay have other causes.
 */
export interface StepWaits {
  /** Number of ranks that waited. */
  readonly waiters: number;
  /** Sum over ranks of the longest wait in ns, each limited to the delay. */
  readonly waited: number;
  /** Part of the waiting that could be clock error. */
  readonly unsure: number;
}

/** Over all delayed steps: ranks that waited in any of them, and the sum. */
export interface DelayWaits extends StepWaits {
  /** Waits in each step; null if none of its operations is matched. */
  readonly steps: readonly (StepWaits | null)[];
}

/** Minimum length of a wait relative to the delay; shorter waits have other causes. */
const LEAST_OF_DELAY = 0.5;

/** @returns the waits for each delay; null when no operation of its steps is matched */
export function delayWaits(
  delays: readonly Delay[],
  matched: readonly MatchedGroup[],
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): (DelayWaits | null)[] {
  const wanted = new Set(delays.flatMap(({ delayed }) => delayed.map(({ step }) => step)));
  if (wanted.size === 0) return [];
  const operations = new Map<number | null, OperationWaits[]>();
  for (const group of matched)
    for (const waits of waitsOf(group, parts, clocks)) {
      const step = stepOfOperation(group, waits, parts);
      if (wanted.has(step)) entryOf(operations, step, (): OperationWaits[] => []).push(waits);
    }
  for (const list of operations.values()) list.sort((a, b) => a.joined - b.joined);
  return delays.map((delay) => waitsFor(delay, operations));
}

function stepOfOperation({ group }: MatchedGroup, { operation, last }: OperationWaits, parts: readonly RankPart[]) {
  const column = group.members.findIndex(({ part }) => part === last);
  return elementAt(parts, last).operations.step[elementAt(operation.at, column)] ?? null;
}

function waitsFor(
  { part, delayed }: Delay,
  operations: ReadonlyMap<number | null, readonly OperationWaits[]>,
): DelayWaits | null {
  const bySteps = delayed.map(({ step, late }) => waitsInStep(part, late, operations.get(step) ?? []));
  if (bySteps.every((waits) => waits === null)) return null;
  const steps = bySteps.map((waits) =>
    waits === null
      ? null
      : {
          waiters: waits.size,
          waited: sumOf(waits, ({ wait }) => wait),
          unsure: sumOf(waits, ({ wait, isUnsure }) => (isUnsure ? wait : 0)),
        },
  );
  return {
    waiters: new Set(bySteps.flatMap((waits) => [...(waits?.keys() ?? [])])).size,
    waited: steps.reduce((sum, step) => sum + (step?.waited ?? 0), 0),
    unsure: steps.reduce((sum, step) => sum + (step?.unsure ?? 0), 0),
    steps,
  };
}

interface LongestWait {
  readonly wait: number;
  readonly isUnsure: boolean;
}

const sumOf = (waits: ReadonlyMap<number, LongestWait>, lengthOf: (wait: LongestWait) => number): number =>
  [...waits.values()].reduce((sum, wait) => sum + lengthOf(wait), 0);

/**
 * Longest wait of each part that waited.
 * @param operations the operations of the step, in order
 */
function waitsInStep(
  part: number,
  late: number,
  operations: readonly OperationWaits[],
): Map<number, LongestWait> | null {
  const longest = new Map<number, LongestWait>();
  let isKnown = false;
  for (const { parts, waits, causes, unsure, last } of operations) {
    if (last === part || longest.has(last)) isKnown = true;
    for (const [index, waiter] of parts.entries()) {
      const cause = elementAt(causes, index);
      if (cause !== part && !longest.has(cause)) continue;
      isKnown = true;
      const wait = Math.min(elementAt(waits, index), late);
      if (waiter === part || wait < LEAST_OF_DELAY * late) continue;
      if (wait > (longest.get(waiter)?.wait ?? 0))
        longest.set(waiter, { wait, isUnsure: elementAt(unsure, index) > 0 });
    }
  }
  return isKnown ? longest : null;
}
