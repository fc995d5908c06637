/**
 * Ops of the dispatcher by their signature: one rule for each, from its bound arguments to the work of the whole op.
 */
import type { ArgValue, OpCall } from '../record/record.js';
import { bind, type Bound } from './binding.js';
import { numel, type Tensor } from './call.js';
import type { KernelFacts, Param, Work } from './family.js';
import { opName, whole, wholes } from './operands.js';
import { sizeOf, tensorParams } from './work.js';

/** The arguments of one call, by the names of its signature. */
export interface Reading extends Bound {
  readonly call: OpCall;
  readonly kernel: KernelFacts;
  /** The first tensor under that name, or null. */
  tensor(name: string): Tensor | null;
  /** All tensors under these names, apart by blanks. */
  given(names: string): Tensor[];
  /** Undefined when it is not told. */
  value(name: string): ArgValue | undefined;
  /** A truth value; null when it is not told. */
  flag(name: string): boolean | null;
  /** A whole number that is not negative; null when it is not told. */
  count(name: string): number | null;
  /** Whole numbers, a single one as a list of one; null when they are not told or there are none. */
  wholes(name: string): readonly number[] | null;
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
  readonly params?: readonly Param[];
}

export interface Rule {
  /** As `bind` takes them; the first that fits counts. */
  readonly signatures: readonly string[];
  /** Null when the arguments do not fit. */
  readonly amounts: (reading: Reading) => Amounts | null;
}

/** By op name, or by `mod.op` where only that module's op is meant. */
export type Rules = Readonly<Record<string, Rule>>;

/** One rule for several ops, names apart by blanks. */
export const ruleFor = (ops: string, signatures: string | readonly string[], amounts: Rule['amounts']): Rules => {
  const rule: Rule = { signatures: typeof signatures === 'string' ? [signatures] : signatures, amounts };
  return Object.fromEntries(ops.split(' ').map((op) => [op, rule]));
};

function reading(bound: Bound, call: OpCall, kernel: KernelFacts): Reading {
  const value = (name: string): ArgValue | undefined => bound.arg(name)?.value;
  return {
    ...bound,
    call,
    kernel,
    value,
    tensor: (name) => bound.tensors(name)[0] ?? null,
    given: (names) => names.split(' ').flatMap((name) => [...bound.tensors(name)]),
    flag: (name) => (typeof value(name) === 'boolean' ? value(name) === true : null),
    count: (name) => {
      const given = whole(value(name));
      return given !== undefined && given >= 0 ? given : null;
    },
    wholes: (name) => {
      const list = wholes(value(name));
      return list?.length === 0 ? null : list;
    },
  };
}

/** The rule for a call, or undefined. */
function ruleOf(rules: Rules, call: OpCall): Rule | undefined {
  const op = opName(call);
  const key = Object.hasOwn(rules, `${call.mod}.${op}`) ? `${call.mod}.${op}` : op;
  return Object.hasOwn(rules, key) ? rules[key] : undefined;
}

/**
 * The whole work of a call by its rule: what is read once, what is written once.
 * @returns null when the op has no rule, its arguments do not fit, or an amount has no exact number
 */
export function ruleWork(rules: Rules, call: OpCall, kernel: KernelFacts, source: string): Work | null {
  const rule = ruleOf(rules, call);
  const bound = rule === undefined ? null : bind(call, ...rule.signatures);
  const amounts = rule === undefined || bound === null ? null : rule.amounts(reading(bound, call, kernel));
  if (bound === null || amounts === null || !isExact(amounts)) return null;
  const { subject, flops, reads = bound.reads, writes, formula, params = tensorParams(subject) } = amounts;
  const size: ReturnType<typeof sizeOf> = writes === null ? { bytes: null } : sizeOf([...reads, ...writes]);
  const reasons = [amounts.unknown, size.unknown].filter((reason) => reason !== undefined);
  const work: Work = { role: 'main', flops, bytes: size.bytes, params, matmul: false, formula, source };
  return reasons.length === 0 ? work : { ...work, unknown: reasons.join('; ') };
}

const isExtent = (extent: number): boolean => Number.isSafeInteger(extent) && extent >= 0;

function isExact({ flops, writes }: Amounts): boolean {
  if (flops !== null && !isExtent(flops)) return false;
  return (writes ?? []).every(({ shape }) => shape.every(isExtent) && isExtent(numel(shape)));
}
