/**
 * What each rank spent on work of its own in each step: the time from the end of the step before to the end of this one,
 * without communication that nothing else ran under. Ranks that wait for each other take equally long for a step; who is
 * slower shows here.
 */
import { elementAt } from '../../../containers/element.js';
import type { RankPart } from '../part/rank-part.js';

/** Steps that ranks are compared by. */
const MOST_STEPS = 64;

export interface OwnWork {
  /** Parts that are compared. */
  readonly parts: readonly number[];
  /** Numbers of the steps that all of them have. */
  readonly steps: readonly (number | null)[];
  /** Of each part, where in its columns each of these steps is. */
  readonly at: readonly (readonly number[])[];
  /** ns, a row a part, a column a step. */
  readonly times: readonly (readonly number[])[];
  /** Whole time of each step, likewise. */
  readonly lengths: readonly (readonly number[])[];
}

/** @param peers parts that do the same work */
export function ownWorkOf(parts: readonly RankPart[], peers: readonly number[]): OwnWork {
  const worked = comparable(
    parts,
    peers.filter((peer) => elementAt(parts, peer).steps.step.length > 0),
  );
  const places = worked.map(
    (peer) => new Map(elementAt(parts, peer).steps.step.map((step, index) => [step, index] as const)),
  );
  const common = [...(places[0]?.keys() ?? [])].filter((step) => places.every((of) => of.has(step)));
  const steps = common.slice(0, MOST_STEPS);
  const at = places.map((of) => steps.map((step) => of.get(step) ?? 0));
  const of = (value: (part: RankPart, index: number) => number): number[][] =>
    worked.map((peer, row) => elementAt(at, row).map((index) => value(elementAt(parts, peer), index)));
  return {
    ...{ parts: worked, steps, at },
    times: of(ownWork),
    lengths: of(stepLength),
  };
}

/**
 * Peers that are worth comparing: one that was cut off would leave few steps in common to all others. Those with the most
 * steps, as many as make the most pairs of a rank and a common step.
 */
function comparable(parts: readonly RankPart[], peers: readonly number[]): number[] {
  const stepsOf = (peer: number): readonly (number | null)[] => elementAt(parts, peer).steps.step;
  const order = [...peers].sort((a, b) => stepsOf(b).length - stepsOf(a).length || a - b);
  let common = new Set(order[0] === undefined ? [] : stepsOf(order[0]));
  let [kept, most] = [0, 0];
  // One rank alone is compared with none.
  for (const [index, peer] of order.slice(1).entries()) {
    const own = new Set(stepsOf(peer));
    common = new Set([...common].filter((step) => own.has(step)));
    const pairs = (index + 2) * Math.min(common.size, MOST_STEPS);
    if (pairs > 0 && pairs >= most) [kept, most] = [index + 2, pairs];
  }
  return (kept === 0 ? [...peers] : order.slice(0, kept)).sort((a, b) => a - b);
}

/** The step without communication that nothing else ran under, ns. */
export const ownWork = (part: RankPart, index: number): number =>
  stepLength(part, index) - elementAt(part.steps.exposed, index);

/** From the end of the step before, where that is captured, else from the begin on the host or the first work. */
export function stepLength({ steps }: RankPart, index: number): number {
  const { start, end, preparing } = steps;
  const before = index > 0 ? elementAt(end, index - 1) : elementAt(start, index) - Math.max(0, preparing[index] ?? 0);
  return elementAt(end, index) - Math.min(before, elementAt(end, index));
}
