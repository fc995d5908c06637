/** What changed the time of a node from BASE to NEW: the causes, their rules, and the part of the change of each. Pure. */
import type { Pair } from '../input-facts.js';
import type { OpSums } from './op-sums.js';

/** Causes of a change, with their rules. */
export const CAUSES = {
  count: 'more or fewer calls per step: change of their number x time of a call in BASE',
  shape:
    "different work per call: change of a call's FLOPs (bytes if an op has none) x calls in NEW x time per FLOP in BASE",
  rate: 'the same work in less or more time: the rest of the change, if the work of all kernels or the parameters are known',
  new: 'only NEW has the op in this layer',
  gone: 'only BASE has the op in this layer',
  fused: 'an op or kernel of NEW does what several ops of BASE did in this layer',
  unfused: 'several ops of NEW do what an op or kernel of BASE did in this layer',
  unknown: 'different time per call, while the work of the calls is unknown in one of the inputs',
} as const;

export type Cause = keyof typeof CAUSES;

/** Parts of a change by cause, in ns per step; their sum is the change. */
export type Effects = Partial<Record<Cause, number>>;

/** @param steps number of steps of each input */
export function effectsOf({ base, new: next }: Pair<OpSums>, steps: Pair<number>): Effects {
  const change = next.time / steps.new - base.time / steps.base;
  if (base.kernels === 0) return { new: change };
  if (next.kernels === 0) return { gone: change };
  const calls = callsOf({ base, new: next });
  const perStep = { base: calls.base / steps.base, new: calls.new / steps.new };
  const perCall = base.time / calls.base;
  const count = (perStep.new - perStep.base) * perCall;
  const growth = growthOf({ base, new: next }, calls);
  if (growth === null) return { count, unknown: change - count };
  const shape = perStep.new * perCall * (growth - 1);
  return { count, shape, rate: change - count - shape };
}

/** Calls if both inputs have single calls, else kernels. */
const callsOf = ({ base, new: next }: Pair<OpSums>): Pair<number> =>
  base.calls !== null && next.calls !== null
    ? { base: base.calls, new: next.calls }
    : { base: base.kernels, new: next.kernels };

/** Work of a call in NEW over that in BASE; null when unknown. */
function growthOf({ base, new: next }: Pair<OpSums>, calls: Pair<number>): number | null {
  for (const kind of ['flops', 'bytes'] as const) {
    const [before, after] = [base.whole(kind), next.whole(kind)];
    if (before !== null && after !== null && before > 0 && after > 0) return after / calls.new / (before / calls.base);
  }
  return hasSame(base.params, next.params) ? 1 : null;
}

const hasSame = (a: OpSums['params'], b: OpSums['params']): boolean =>
  !a.isCut && !b.isCut && a.all.size > 0 && a.all.size === b.all.size && [...a.all].every((text) => b.all.has(text));

export function addEffects(sum: Effects, added: Effects): void {
  for (const [cause, ns] of Object.entries(added) as [Cause, number][]) sum[cause] = (sum[cause] ?? 0) + ns;
}

/** The cause with the largest part of the change; null without any. */
export function mainCause(effects: Effects): Cause | null {
  const [first] = (Object.entries(effects) as [Cause, number][]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  return first === undefined || first[1] === 0 ? null : first[0];
}
