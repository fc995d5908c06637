/** TensorLists as operands, whose element types, or whose tensors, a profile may leave unspecified. */
import type { Arg } from '../../record/record.js';
import { dtypeBytes } from '../../record/element-types.js';
import { elementCount, type Tensor } from '../call.js';
import type { Param, Work } from '../family.js';
import { tensor, workOf } from '../work.js';

/** The first known element type of a tensor with dimensions, else of any tensor. */
function knownType(lists: readonly (readonly Tensor[])[]): string | undefined {
  const typed = lists.flat().filter(({ dtype }) => dtypeBytes(dtype) !== null);
  return (typed.find(({ shape }) => shape.length > 0) ?? typed[0])?.dtype;
}

/** The lists with unspecified element types taken from the others, since an op's lists have one type. */
export function withTypes(...lists: readonly (readonly Tensor[])[]): Tensor[][] {
  const dtype = knownType(lists);
  const typed = (one: Tensor): Tensor =>
    dtype === undefined || dtypeBytes(one.dtype) !== null ? one : tensor(one.shape, dtype);
  return lists.map((list) => list.map(typed));
}

/** Whether the argument is, or may be, a list of unspecified items. */
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

export const unspecifiedLists = (source: string): Work =>
  workOf({
    flops: null,
    writes: null,
    params: [],
    formula: 'not known: the op works on every tensor of its lists',
    source,
    unknown: 'the tensors of the lists are unspecified',
  });
