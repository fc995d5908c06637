/**
 * Tables of ops with one rule for each op, which computes the cost from the arguments. A signature binds the arguments,
 * whether the dispatcher or Python wrote the call. A kernel of a Python call may be part of its gradient
 * (`kernel.dir`), or come after the first (`kernel.sub`). `ruleWork` is for rules that consider this, `workByRules` for
 * all others.
 */
import { entryOf, named, type ByName } from '../by-name.js';
import type { OpCall } from '../../record/record.js';
import { bind, type BoundArguments } from './binding.js';
import { elementCount, numel, type Tensor } from '../call.js';
import { isDispatched } from './dispatched.js';
import type { Family, KernelFacts, OpCost, Work } from '../family.js';
import { tensor, tensorListParams, tensorParams, workOf } from '../work.js';
import { elementAt } from '../../containers/element.js';

export interface OpRow<Fact> {
  readonly fact: Fact;
  /** One signature for each version or overload, as `bind` takes them. */
  readonly signatures: readonly string[];
}

/** The signatures of all tables by op. */
const KNOWN: Record<string, readonly string[]> = {};

/**
 * A table of ops. A row is a fact, the names of its ops, and their signatures; a line that starts with `//` is a comment.
 * @example
 * opTable`
 *   ${sorted} sort msort: @self dim descending | @self stable dim descending
 *   ${largest} topk: @self k dim largest sorted
 * `
 */
export function opTable<Fact extends object>(
  texts: readonly string[],
  ...values: readonly (Fact | string)[]
): ByName<OpRow<Fact>> {
  const rows: { readonly fact: Fact; text: string }[] = [];
  for (const [i, value] of values.entries()) {
    const [row, text] = [rows.at(-1), elementAt(texts, i + 1)];
    if (typeof value !== 'string') rows.push({ fact: value, text });
    else if (row !== undefined) row.text += value + text;
  }
  const table = Object.assign({}, ...rows.map(({ fact, text }) => rowOf(fact, text))) as ByName<OpRow<Fact>>;
  for (const [op, { signatures }] of Object.entries(table))
    KNOWN[op] = [...new Set([...(Object.hasOwn(KNOWN, op) ? (KNOWN[op] ?? []) : []), ...signatures])];
  return table;
}

/**
 * The signatures of a call's op in the tables, whatever its family computes from them; none for an op without a
 * signature. The families must have been loaded, as `table.ts` does.
 */
export const signaturesOf = (call: OpCall): readonly string[] => entryOf(KNOWN, call) ?? [];

/**
 * The fact for a call in a table, and the call's bound arguments; null when the table lacks the op, or the arguments do not
 * fit.
 */
export function boundRow<Fact>(table: ByName<OpRow<Fact>>, call: OpCall): { fact: Fact; bound: BoundArguments } | null {
  const row = entryOf(table, call);
  const bound = row === undefined ? null : bind(call, ...row.signatures);
  return row === undefined || bound === null ? null : { fact: row.fact, bound };
}

function rowOf<Fact>(fact: Fact, text: string): ByName<OpRow<Fact>> {
  const words = text.replace(/^ *\/\/.*/gm, '').trim();
  const [ops = '', signatures = ''] = words.replace(/\s+/g, ' ').split(': ');
  return named(ops, { fact, signatures: signatures.split(' | ') });
}

/** A call with its arguments bound to the names of its signature, and its kernel. */
export interface BoundCall extends BoundArguments {
  readonly call: OpCall;
  readonly kernel: KernelFacts;
}

/** The cost of an op from its arguments; null when they do not fit. */
export type RuleCost = (bound: BoundCall) => OpCost | null;

/** Rules by op name, or by `mod.op` for the op of only that module. */
export type OpRules = ByName<OpRow<RuleCost>>;

/** A table of rules, see `opTable`: the formula of each op. */
export const rules = opTable<RuleCost>;

/** One tensor for each of the space-separated names. */
type TensorsOf<Names extends string> = Names extends `${string} ${infer Rest}`
  ? readonly [Tensor, ...TensorsOf<Rest>]
  : readonly [Tensor];

type CostWithParams = Omit<OpCost, 'params'> & Partial<Pick<OpCost, 'params'>>;

/**
 * A formula that needs certain tensors of the call, for calls that have all of them. By default its params show the first.
 * @param names space-separated names of the tensors
 * @example
 * withTensors('input index', (input, index) => ({ flops: 0, writes: [input], formula: 'flops = 0; …' }))
 */
export function withTensors<Names extends string>(
  names: Names,
  cost: (...operands: readonly [...TensorsOf<Names>, BoundCall]) => CostWithParams | null,
): RuleCost {
  const wanted = names.split(' ');
  return (bound) => {
    const found = wanted.map((name) => bound.tensor(name)).filter((operand) => operand !== null);
    const [first] = found;
    if (first === undefined || found.length < wanted.length) return null;
    const result = cost(...(found as readonly Tensor[] as TensorsOf<Names>), bound);
    return result === null ? null : { params: tensorParams(first), ...result };
  };
}

/**
 * The cost of an elementwise op, which follows from its signature alone.
 * @param flops operations per element
 * @param per name of the tensors whose elements are counted
 * @param makes names of tensors; for each of them, the op creates a result with the same shape and type
 */
export const elementwise =
  (flops: number, per: string, ...makes: readonly string[]): RuleCost =>
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

/** @returns null when the op has no rule, its arguments do not fit, or an amount is not an exact number */
export function ruleWork(rules: OpRules, call: OpCall, kernel: KernelFacts, source: string): Work | null {
  const row = boundRow(rules, call);
  const cost = row === null ? null : row.fact(Object.assign(row.bound, { call, kernel }));
  return row === null || cost === null || !isExact(cost) ? null : workOf({ reads: row.bound.reads, source, ...cost });
}

/** The rule's input, for ops that only the dispatcher has; null for a call of Python. */
export const ofDispatcher =
  <Rest extends readonly unknown[], Found>(read: (call: OpCall, ...rest: Rest) => Found | null) =>
  (call: OpCall, ...rest: Rest): Found | null =>
    isDispatched(call) ? read(call, ...rest) : null;

/** `Family.work` for a family whose ops are all dispatcher ops with a rule each. */
export const workByRules = (rules: OpRules, source: string): Family['work'] =>
  ofDispatcher((call, kernel: KernelFacts) => ruleWork(rules, call, kernel, source));

const isExtent = (extent: number): boolean => Number.isSafeInteger(extent) && extent >= 0;

function isExact({ flops, writes }: OpCost): boolean {
  if (flops !== null && !isExtent(flops)) return false;
  return (writes ?? []).every(({ shape }) => shape.every(isExtent) && isExtent(numel(shape)));
}
