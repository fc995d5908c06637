/**
 * Lists of tensors as operands: element types that a profile does not tell, and lists whose tensors it does not tell.
 */
import type { Arg } from '../../record/record.js';
import { dtypeBytes, elementCount, type Tensor } from '../call.js';
import type { Param, Work } from '../family.js';
import { tensor, workOf } from '../work.js';

/** The first element type that any tensor of several elements tells, else any at all. */
function knownType(lists: readonly (readonly Tensor[])[]): string | undefined {
  const told = lists.flat().filter(({ dtype }) => dtypeBytes(dtype) !== null);
  return (told.find(({ shape }) => shape.length > 0) ?? told[0])?.dtype;
}

/** The lists with unspecified element types taken from those that are told: an op's lists are of one type. */
export function withTypes(...lists: readonly (readonly Tensor[])[]): Tensor[][] {
  const told = knownType(lists);
  const typed = (one: Tensor): Tensor =>
    told === undefined || dtypeBytes(one.dtype) !== null ? one : tensor(one.shape, told);
  return lists.map((list) => list.map(typed));
}

/** Whether the argument is, or may be, a list of which neither tensors nor numbers are told. */
export const isUnspecifiedList = (arg: Arg | undefined): boolean =>
  arg !== undefined &&
  (arg.type === 'list' || arg.type === 'unknown') &&
  arg.shape === undefined &&
  arg.value === undefined &&
  (arg.items === undefined || arg.items.length === 0);

/** `tensors=4,E=1024,`: how many tensors, and their elements together. */
export const listParams = (list: readonly Tensor[]): Param[] => [
  ['tensors', list.length],
  ['E', elementCount(list)],
];

/** The work of an op on lists whose tensors are unspecified. */
export const unspecifiedLists = (source: string): Work =>
  workOf({
    flops: null,
    writes: null,
    params: [],
    formula: 'not known: the op works on every tensor of its lists',
    source,
    unknown: 'the tensors of the lists are unspecified',
  });
