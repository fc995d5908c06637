/**
 * Ops of the dispatcher by their signature: one rule for each, from its bound arguments to the work of the whole op.
 */
import { entryOf, named, type ByName } from '../by-name.js';
import type { OpCall } from '../../record/record.js';
import { bind, type BoundArguments } from './binding.js';
import { elementCount, numel } from '../call.js';
import { isDispatched } from './dispatched.js';
import type { Family, KernelFacts, OpCost, Work } from '../family.js';
import { tensor, tensorListParams, workOf } from '../work.js';

/** The arguments of one call, by the names of its signature, and what launched it. */
export interface BoundCall extends BoundArguments {
  readonly call: OpCall;
  readonly kernel: KernelFacts;
}

export interface OpRule {
  /** As `bind` takes them; the first that fits counts. */
  readonly signatures: readonly string[];
  /** Null when the arguments do not fit. */
  readonly cost: (reading: BoundCall) => OpCost | null;
}

/** By op name, or by `mod.op` where only that module's op is meant. */
export type OpRules = ByName<OpRule>;

/** One rule for several ops, names apart by blanks. */
export const ruleFor = (ops: string, signatures: string | readonly string[], cost: OpRule['cost']): OpRules =>
  named(ops, { signatures: typeof signatures === 'string' ? [signatures] : signatures, cost });

/**
 * An elementwise op that its signature tells in full: so many operations for each element of the tensors named `per`.
 * @param makes arguments that each have a new result of their extents and type; an `out` variant is given these
 */
export const elementwise =
  (flops: number, per: string, ...makes: readonly string[]): OpRule['cost'] =>
  (reading) => {
    if (reading.tensor(per) === null) return null;
    const like = makes.flatMap((name) => reading.tensors(name));
    const results = like.map(({ shape, dtype }, i) => tensor(shape, reading.outs[i]?.dtype ?? dtype));
    const written = reading.writes.slice(0, reading.writes.length - reading.outs.length);
    return {
      flops: flops * elementCount(reading.tensors(per)),
      writes: [...written, ...results],
      params: tensorListParams(reading.reads),
      formula: `flops = ${flops}·E(${per}); bytes = operands read + results written`,
    };
  };

/**
 * The whole work of a call by its rule: what is read once, what is written once.
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

/** For a family whose ops only the dispatcher has, each with its rule. */
export const workByRules =
  (rules: OpRules, source: string): Family['work'] =>
  (call, kernel) =>
    isDispatched(call) ? ruleWork(rules, call, kernel, source) : null;

const isExtent = (extent: number): boolean => Number.isSafeInteger(extent) && extent >= 0;

function isExact({ flops, writes }: OpCost): boolean {
  if (flops !== null && !isExtent(flops)) return false;
  return (writes ?? []).every(({ shape }) => shape.every(isExtent) && isExtent(numel(shape)));
}
