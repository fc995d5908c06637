/**
 * Who waited for a delayed rank, and how long: for it in operations that it joined last, and for ranks that were late
 * because they had waited for it themselves. Waits that are short against the delay have other reasons.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { RankClock } from './clocks/job-clocks.js';
import type { MatchedGroup } from './matching/match-group.js';
import type { RankPart } from './part/rank-part.js';
import type { Delay } from './stragglers/delays.js';
import { waitsOf, type OperationWaits } from './waits.js';

export interface StepWaits {
  /** Ranks that waited. */
  readonly waiters: number;
  /** Sum over ranks of the longest wait, ns; at most the delay for each of them. */
  readonly waited: number;
}

/** Of all delayed steps: ranks that waited in any of them, and the sum. */
export interface DelayWaits extends StepWaits {
  /** Of each of the steps; null where no operation of it is matched. */
  readonly steps: readonly (StepWaits | null)[];
}

/** A shorter wait has other causes. */
const LEAST_OF_DELAY = 0.5;

/** @returns of each delay; null where no operation of its steps is matched */
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
  if (bySteps.every((one) => one === null)) return null;
  const steps = bySteps.map((one) => (one === null ? null : { waiters: one.size, waited: sumOf(one) }));
  return {
    waiters: new Set(bySteps.flatMap((one) => [...(one?.keys() ?? [])])).size,
    waited: steps.reduce((sum, one) => sum + (one?.waited ?? 0), 0),
    steps,
  };
}

const sumOf = (waits: ReadonlyMap<number, number>): number => [...waits.values()].reduce((sum, wait) => sum + wait, 0);

/** Longest wait of each part that waited. @param operations of the step, in order */
function waitsInStep(part: number, late: number, operations: readonly OperationWaits[]): Map<number, number> | null {
  const longest = new Map<number, number>();
  let isKnown = false;
  for (const { parts, waits, last } of operations) {
    if (last !== part && !longest.has(last)) continue;
    isKnown = true;
    for (const [index, waiter] of parts.entries()) {
      const wait = Math.min(elementAt(waits, index), late);
      if (waiter === part || wait < LEAST_OF_DELAY * late) continue;
      longest.set(waiter, Math.max(wait, longest.get(waiter) ?? 0));
    }
  }
  return isKnown ? longest : null;
}
