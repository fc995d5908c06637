/**
 * Ops of the dispatcher by their signature: one rule for each, from its bound arguments to the work of the whole op.
 */
import { entryOf, named, type ByName } from '../by-name.js';
import type { OpCall } from '../../record/record.js';
import { bind, type Bound } from './binding.js';
import { elements, numel, type Tensor } from '../call.js';
import { isDispatched } from './dispatched.js';
import type { Family, KernelFacts, Param, Work } from '../family.js';
import { sizeOf, tensor, tensorListParams, tensorParams } from '../work.js';

/** The arguments of one call, by the names of its signature, and what launched it. */
export interface Reading extends Bound {
  readonly call: OpCall;
  readonly kernel: KernelFacts;
}

/** What an op computes and moves. */
export interface Amounts {
  /** The tensor shown in the params column. */
  readonly subject: Tensor;
  /** Null when it is not known; `unknown` says why. */
  readonly flops: number | null;
  /** By default all tensors that the signature marks as read. */
  readonly reads?: readonly Tensor[];
  /** Null when their extents are not known; `unknown` says why. */
  readonly writes: readonly Tensor[] | null;
  readonly formula: string;
  readonly unknown?: string;
  /** By default the extents and type of the subject. */
  readonly params?: readonly Param[];
  /** Whether a matrix unit could do it; by default not. */
  readonly matmul?: boolean;
  /** Where the formula comes from, if not from where the family's others do. */
  readonly source?: string;
}

export interface Rule {
  /** As `bind` takes them; the first that fits counts. */
  readonly signatures: readonly string[];
  /** Null when the arguments do not fit. */
  readonly amounts: (reading: Reading) => Amounts | null;
}

/** By op name, or by `mod.op` where only that module's op is meant. */
export type Rules = ByName<Rule>;

/** One rule for several ops, names apart by blanks. */
export const ruleFor = (ops: string, signatures: string | readonly string[], amounts: Rule['amounts']): Rules =>
  named(ops, { signatures: typeof signatures === 'string' ? [signatures] : signatures, amounts });

/**
 * An elementwise op that its signature tells in full: so many operations for each element of the tensors named `per`.
 * @param makes arguments that each have a new result of their extents and type; an `out` variant is given these
 */
export const elementwise =
  (flops: number, per: string, ...makes: readonly string[]): Rule['amounts'] =>
  (reading) => {
    const subject = reading.tensor(per);
    if (subject === null) return null;
    const like = makes.flatMap((name) => reading.tensors(name));
    const results = like.map(({ shape, dtype }, i) => tensor(shape, reading.outs[i]?.dtype ?? dtype));
    const written = reading.writes.slice(0, reading.writes.length - reading.outs.length);
    return {
      subject,
      flops: flops * elements(reading.tensors(per)),
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
export function ruleWork(rules: Rules, call: OpCall, kernel: KernelFacts, source: string): Work | null {
  const rule = entryOf(rules, call);
  const bound = rule === undefined ? null : bind(call, ...rule.signatures);
  const amounts = rule === undefined || bound === null ? null : rule.amounts({ ...bound, call, kernel });
  return bound === null || amounts === null || !isExact(amounts) ? null : workOf(bound, { source, ...amounts });
}

/** For a family whose ops only the dispatcher has, each with its rule. */
export const byRules =
  (rules: Rules, source: string): Family['work'] =>
  (call, kernel) =>
    isDispatched(call) ? ruleWork(rules, call, kernel, source) : null;

function workOf(bound: Bound, amounts: Amounts & { readonly source: string }): Work {
  const { subject, flops, reads = bound.reads, writes, params = tensorParams(subject), matmul = false } = amounts;
  const size: ReturnType<typeof sizeOf> = writes === null ? { bytes: null } : sizeOf([...reads, ...writes]);
  const reasons = [amounts.unknown, size.unknown].filter((reason) => reason !== undefined);
  const { formula, source } = amounts;
  const work: Work = { role: 'main', flops, bytes: size.bytes, params, matmul, formula, source };
  return reasons.length === 0 ? work : { ...work, unknown: reasons.join('; ') };
}

const isExtent = (extent: number): boolean => Number.isSafeInteger(extent) && extent >= 0;

function isExact({ flops, writes }: Amounts): boolean {
  if (flops !== null && !isExtent(flops)) return false;
  return (writes ?? []).every(({ shape }) => shape.every(isExtent) && isExtent(numel(shape)));
}
