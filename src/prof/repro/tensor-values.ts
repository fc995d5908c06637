/**
 * The values that a tensor needs so that its op runs as it did in the profile. The values of most tensors do not matter:
 * they are random. Indices must be in range, and the time of some ops depends on values, which no profile records.
 */
import { argument, numel, type Tensor } from '../../ops/call.js';
import { integer, opName, tensorOf } from '../../ops/operands.js';
import { familyOf } from '../../ops/table.js';
import { category } from '../../ops/schema/promotion.js';
import type { OpCall } from '../../record/record.js';

/** Values of a tensor, and a remark for a comment. */
export interface TensorValues {
  /** `normal` is the default of the script. */
  readonly kind: 'normal' | 'uniform' | 'mask' | 'zeros' | 'index';
  /** For `index`: all values are at least 0 and below it. */
  readonly below?: number;
  readonly remark?: string;
}

/** The place of an argument in a call: keyword, or position; and, in a tensor list, the position of the tensor. */
export interface Place {
  readonly keyword: string;
  readonly position: number;
  readonly item: number | null;
}

type Bound = (call: OpCall, item: number) => number | null;

interface IndexRule {
  readonly keyword: string;
  readonly position: number;
  readonly below: Bound;
}

const shapeAt = (call: OpCall, keyword: string, position: number): readonly number[] =>
  tensorOf(argument(call, keyword, position))?.shape ?? [];

const valueAt = (call: OpCall, keyword: string, position: number): number | null =>
  integer(argument(call, keyword, position)?.value) ?? null;

/** The extent of an operand's dimension, which another argument names. */
const alongDim: Bound = (call) => {
  const dim = valueAt(call, 'dim', 1);
  return dim === null ? null : (shapeAt(call, 'input', 0).at(dim) ?? null);
};
/** The number of classes: the second extent, or the only one. */
const classes =
  (position: number): Bound =>
  (call) => {
    const shape = shapeAt(call, 'input', position);
    return shape[shape.length > 1 ? 1 : 0] ?? null;
  };
/** The extent of the dimension that has this place among the index tensors. */
const eachDim: Bound = (call, item) => shapeAt(call, 'self', 0)[item] ?? null;
/** The number of elements in the last `dims` dimensions of an operand. */
const plane =
  (position: number, dims: number): Bound =>
  (call) =>
    numel(shapeAt(call, 'self', position).slice(-dims));

const rules = (ops: string, keyword: string, position: number, below: Bound): [string, IndexRule][] =>
  ops.split(' ').map((op) => [op, { keyword, position, below }]);

/** Index tensors by op, in the order of the dispatcher's arguments, which Python's functions mostly share. */
const INDICES: ReadonlyMap<string, IndexRule> = new Map([
  ...rules('embedding', 'indices', 1, (call) => shapeAt(call, 'weight', 0)[0] ?? null),
  ...rules('embedding_dense_backward embedding_backward', 'indices', 1, (call) => valueAt(call, 'num_weights', 2)),
  ...rules(
    'gather index_select index_add index_add_ index_copy index_copy_ index_fill index_fill_ scatter scatter_ ' +
      'scatter_add scatter_add_ scatter_reduce scatter_reduce_ index_reduce index_reduce_',
    'index',
    2,
    alongDim,
  ),
  ...rules('take', 'index', 1, (call) => numel(shapeAt(call, 'input', 0))),
  ...rules('index _unsafe_index index_put index_put_ _unsafe_index_put _index_put_impl_', 'indices', 1, eachDim),
  ...rules('nll_loss nll_loss_nd nll_loss_forward nll_loss2d nll_loss2d_forward', 'target', 1, classes(0)),
  ...rules('cross_entropy cross_entropy_loss', 'target', 1, classes(0)),
  ...rules('nll_loss_backward nll_loss2d_backward', 'target', 2, classes(1)),
  ...rules('max_pool2d_with_indices_backward', 'indices', 7, plane(1, 2)),
  ...rules('max_pool3d_with_indices_backward', 'indices', 7, plane(1, 3)),
  ...rules('rotary_embedding', 'positions', 0, (call) => shapeAt(call, 'cos_sin_cache', 4)[0] ?? null),
  ...rules('one_hot', 'self', 0, (call) => valueAt(call, 'num_classes', 1)),
]);

/** Functions of Python whose arguments have another order. */
const IN_PYTHON: ReadonlyMap<string, IndexRule> = new Map(
  rules('torch.nn.functional.embedding', 'input', 0, (call) => shapeAt(call, 'weight', 1)[0] ?? null),
);

/** Ops whose time or result's size depends on values: the number of true elements, of repetitions, of distinct values. */
const DEPENDS_ON_VALUES =
  /^(?:nonzero|masked_select|masked_scatter_?|_?unique\w*|bincount|histc|repeat_interleave|_?embedding_bag\w*|where_self|(?:linalg_)?cholesky\w*)$/;

/** Ops that refuse values outside of 0 to 1. */
const PROBABILITIES = /^(?:binary_cross_entropy(?:_backward)?|bernoulli_?|multinomial)$/;

/** Families whose ops take integers as data, so that their values do not matter. */
const TAKES_ANY_INTEGER: ReadonlySet<string> = new Set([
  ...['pointwise', 'equality', 'activation', 'activation-gradients', 'reduction', 'scan', 'copying', 'conversion'],
  ...['slicing', 'joining', 'filling', 'ordering', 'foreach', 'random', 'quantization', 'fused-optimizer', 'dropout'],
]);

/** Elements of a random generator's state: seed, offset. */
const MOST_STATE = 2;

const ruleOf = (call: OpCall): IndexRule | undefined =>
  IN_PYTHON.get(`${call.mod}.${call.op}`) ?? INDICES.get(opName(call));

const isAt = ({ keyword, position }: Place, rule: IndexRule): boolean =>
  keyword === '' ? position === rule.position : keyword === rule.keyword;

/** Whether the op's time depends on values that no profile records. */
export const dependsOnValues = (call: OpCall): boolean => DEPENDS_ON_VALUES.test(opName(call));

/** Integers of 8 bits are data in all ops but these. */
const isIndexType = ({ dtype }: Tensor): boolean => category(dtype) === 'int' && !/^u?int8$/.test(dtype);

/** Null when the op depends on the values of the tensor, and their range does not follow from the arguments. */
export function valuesOf(call: OpCall, place: Place, tensor: Tensor): TensorValues | null {
  const rule = ruleOf(call);
  const kind = category(tensor.dtype);
  if (rule !== undefined && isAt(place, rule) && kind !== 'float') {
    const below = kind === 'int' ? rule.below(call, place.item ?? 0) : null;
    if (below === null || below < 1) return null;
    return { kind: 'index', below, remark: `indices: uniform from 0 to ${below - 1}, the range that shapes allow` };
  }
  if (kind === 'bool') return { kind: 'mask', remark: 'a mask: half of its elements are true' };
  if (PROBABILITIES.test(opName(call))) return { kind: 'uniform' };
  if (!isIndexType(tensor) || rule !== undefined) return { kind: 'normal' };
  const family = familyOf(call)?.id ?? '';
  if (TAKES_ANY_INTEGER.has(family)) return { kind: 'normal' };
  const isState = family === 'attention' && numel(tensor.shape) <= MOST_STATE;
  return isState
    ? { kind: 'zeros', remark: "the state of a random generator, which does not change the op's time" }
    : null;
}
