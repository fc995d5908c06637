/**
 * Rules for ops of the dispatcher: from the arguments bound by the op's signature to the cost of the whole op.
 */
import { entryOf, named, type ByName } from '../by-name.js';
import type { OpCall } from '../../record/record.js';
import { bind, type BoundArguments } from './binding.js';
import { elementCount, numel } from '../call.js';
import { isDispatched } from './dispatched.js';
import type { Family, KernelFacts, OpCost, Work } from '../family.js';
import { tensor, tensorListParams, workOf } from '../work.js';

/** A call with its arguments bound to the names of its signature, and its kernel. */
export interface BoundCall extends BoundArguments {
  readonly call: OpCall;
  readonly kernel: KernelFacts;
}

export interface OpRule {
  /** As `bind` takes them; the first that fits counts. */
  readonly signatures: readonly string[];
  /** Null when the arguments do not fit. */
  readonly cost: (bound: BoundCall) => OpCost | null;
}

/** By op name, or by `mod.op` where only that module's op is meant. */
export type OpRules = ByName<OpRule>;

/**
 * One rule for several ops.
 * @param ops names separated by blanks
 * @param signatures of the op, one per version or overload; the first that fits counts
 */
export const ruleFor = (ops: string, signatures: string | readonly string[], cost: OpRule['cost']): OpRules =>
  named(ops, { signatures: typeof signatures === 'string' ? [signatures] : signatures, cost });

/**
 * The cost of an elementwise op that follows from its signature alone.
 * @param flops operations per element
 * @param per name of the tensors whose elements are counted
 * @param makes names of tensors, for each of which the op makes a result of the same shape and type
 */
export const elementwise =
  (flops: number, per: string, ...makes: readonly string[]): OpRule['cost'] =>
  (bound) => {
    if (bound.tensor(per) === null) return null;
    const like = makes.flatMap((name) => bound.tensors(name));
    const results = like.map(({ shape, dtype }, i) => tensor(shape, bound.outs[i]?.dtype ?? dtype));
    const written = bound.writes.slice(0, bound.writes.length - bound.outs.length);
    return {
      flops: flops * elementCount(bound.tensors(per)),
      writes: [...written, ...results],
      params: tensorListParams(bound.reads),
      formula: `flops = ${flops}·E(${per}); bytes = operands read + results written`,
    };
  };

/**
 * The work of a whole call by its rule.
 * @param source where the formulas come from
 * @returns null when the op has no rule, its arguments do not fit, or an amount has no exact number
 */
export function ruleWork(rules: OpRules, call: OpCall, kernel: KernelFacts, source: string): Work | null {
  const rule = entryOf(rules, call);
  const bound = rule === undefined ? null : bind(call, ...rule.signatures);
  if (rule === undefined || bound === null) return null;
  const cost = rule.cost({ ...bound, call, kernel });
  return cost === null || !isExact(cost) ? null : workOf({ reads: bound.reads, source, ...cost });
}

/** `Family.work` for a family whose ops are all ops of the dispatcher with a rule each. */
export const workByRules =
  (rules: OpRules, source: string): Family['work'] =>
  (call, kernel) =>
    isDispatched(call) ? ruleWork(rules, call, kernel, source) : null;

const isExtent = (extent: number): boolean => Number.isSafeInteger(extent) && extent >= 0;

function isExact({ flops, writes }: OpCost): boolean {
  if (flops !== null && !isExtent(flops)) return false;
  return (writes ?? []).every(({ shape }) => shape.every(isExtent) && isExtent(numel(shape)));
}
