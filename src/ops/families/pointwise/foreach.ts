/**
 * Pointwise ops on every tensor of a list: `_foreach_add_` and similar ops; and tensor lists as operands, whose element
 * types or tensors may be unspecified in a profile.
 */
import type { Arg, OpCall } from '../../../record/record.js';
import { elementCount, positional, type Tensor } from '../../call.js';
import { dtypeAt } from '../../schema/dispatched.js';
import { ofDispatcher } from '../../schema/op-rules.js';
import type { Family, Work, Param } from '../../family.js';
import { allTensors, opName } from '../../operands.js';
import { tensor, workOf } from '../../work.js';
import { POINTWISE_OPS } from './pointwise-ops.js';
import { dtypeBytes } from '../../../record/element-types.js';

/** The first known element type of a tensor with dimensions, else of any tensor. */
function knownType(lists: readonly (readonly Tensor[])[]): string | undefined {
  const typed = lists.flat().filter(({ dtype }) => dtypeBytes(dtype) !== null);
  return (typed.find(({ shape }) => shape.length > 0) ?? typed[0])?.dtype;
}

/** Fills in unspecified element types from the other lists, because an op's lists have one type. */
export function withTypes(...lists: readonly (readonly Tensor[])[]): Tensor[][] {
  const dtype = knownType(lists);
  const typed = (operand: Tensor): Tensor =>
    dtype === undefined || dtypeBytes(operand.dtype) !== null ? operand : tensor(operand.shape, dtype);
  return lists.map((list) => list.map(typed));
}

/** Whether the argument is, or may be, a list of unspecified items. */
export const isUnspecifiedList = (arg: Arg | undefined): boolean =>
  arg !== undefined &&
  (arg.type === 'list' || arg.type === 'unknown') &&
  arg.shape === undefined &&
  arg.value === undefined &&
  (arg.items === undefined || arg.items.length === 0);

/** `tensors=4,E=1024,`: number of tensors, and of all their elements. */
export const listParams = (list: readonly Tensor[]): Param[] => [
  ['tensors', list.length],
  ['E', elementCount(list)],
];

export const unspecifiedLists = (source: string): Work =>
  workOf({
    flops: null,
    writes: null,
    params: [],
    formula: 'unknown: the op works on every tensor of its lists',
    source,
    unknown: 'the tensors of the lists are unspecified',
  });

const SOURCE = 'applies the named pointwise op to every tensor; reads each tensor and writes each result once';

interface Foreach {
  /** Operations per element; twice that for a sum with a factor. */
  readonly flops: number;
  /** Whether it reads the list that it changes, instead of only overwriting it. */
  readonly reads: boolean;
  /** Number of arguments after the first list that may also be tensor lists. */
  readonly operands: number;
  /** Whether the result is one number for each tensor, instead of a tensor. */
  readonly reduces?: boolean;
  readonly sum?: boolean;
}

const POINTWISE =
  'abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1 floor frac lerp ' +
  'lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan ' +
  'tanh trunc';

/** Ops by name, without `_foreach_` and the `_` of an in-place form. */
const FOREACH: ReadonlyMap<string, Foreach> = new Map([
  ...POINTWISE.split(' ').map((op): [string, Foreach] => {
    const rule = POINTWISE_OPS.get(op);
    const operands = (rule?.operands ?? 1) - 1;
    return [op, { flops: rule?.flops ?? 1, reads: true, operands, sum: rule?.sum === true }];
  }),
  ['copy', { flops: 0, reads: false, operands: 1 }],
  ['clone', { flops: 0, reads: true, operands: 0 }],
  ['zero', { flops: 0, reads: false, operands: 0 }],
  // A product and a sum per element; there is only one root for each tensor.
  ['norm', { flops: 2, reads: true, operands: 0, reduces: true }],
  ['powsum', { flops: 2, reads: true, operands: 0, reduces: true }],
  ['max', { flops: 1, reads: true, operands: 0, reduces: true }],
]);

/** Ops without an in-place form `_`. */
const NO_IN_PLACE = new Set<string>(['clone', 'norm', 'powsum', 'max']);

const names = [...FOREACH.keys()].flatMap((base) => [
  `_foreach_${base}`,
  ...(NO_IN_PLACE.has(base) ? [] : [`_foreach_${base}_`]),
]);

/** The tensors of an argument, empty for a number; null when a tensor has invalid extents. */
const tensorsOf = (args: readonly Arg[]): Tensor[] | null =>
  allTensors(args.flatMap((arg) => arg.items ?? (arg.shape === undefined ? [] : [arg])));

/** Factor 2 for `a + alpha·b` on two lists. */
function factor(rule: Foreach, rest: readonly Arg[]): number {
  const [other, alpha] = rest;
  const scaled = rule.sum === true && other?.items !== undefined && typeof alpha?.value === 'number';
  return scaled && alpha.value !== 1 ? 2 : 1;
}

/** One result for each tensor: a tensor with the same extents, or a single number. */
function results(rule: Foreach, list: readonly Tensor[], rest: readonly Arg[]): Tensor[] {
  if (rule.reduces !== true) return [...list];
  const dtype = dtypeAt(rest[1]);
  return list.map((operand) => tensor([], dtype ?? operand.dtype));
}

/** A power of one number has the list of its exponents as the second argument. */
const isNumber = (arg: Arg | undefined): boolean => arg?.type === 'float' || arg?.type === 'int';

function work(call: OpCall): Work | null {
  const args = positional(call);
  const [self, ...rest] = isNumber(args[0]) ? args.slice(1) : args;
  const op = opName(call);
  const rule = FOREACH.get(op.replace(/^_foreach_/, '').replace(/_$/, ''));
  if (rule === undefined || self === undefined) return null;
  if (isUnspecifiedList(self)) return unspecifiedLists(SOURCE);
  const [first, further] = [tensorsOf([self]), tensorsOf(rest)];
  if (first === null || further === null || first.length === 0) return null;
  const [list = [], others = []] = withTypes(first, further);
  const perElement = rule.flops * factor(rule, rest);
  const isPartial = rest.slice(0, rule.operands).some(isUnspecifiedList);
  return workOf({
    flops: perElement * elementCount(list) + (rule.reduces === true ? list.length : 0),
    reads: [...(rule.reads ? list : []), ...others],
    writes: isPartial ? null : results(rule, list, rest),
    params: listParams(list),
    formula: `flops = ${perElement}·E of the first list${rule.reduces === true ? ' + one per tensor' : ''}; bytes = lists read + list written`,
    source: SOURCE,
    ...(isPartial ? { unknown: 'a list of operands is unspecified' } : {}),
  });
}

export const foreach: Family = {
  id: 'foreach',
  title: 'Pointwise ops on tensor lists: _foreach_add_ …',
  category: 'optimizer',
  ops: names,
  formulas: [
    'flops = w·E of the first list, w as for the pointwise op; norm 2·E + one per tensor',
    'bytes = all lists read + the list written (copy and zero: only written); unspecified element types are taken from the other lists',
  ],
  work: ofDispatcher(work),
};
