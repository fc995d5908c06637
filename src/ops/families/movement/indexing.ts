/**
 * Ops that pick or place elements: by position or mask, or by a list of tensors, one per dimension, which `x[i, j]` and
 * `x[i, j] = y` become.
 */
import { named, type ByName } from '../../by-name.js';
import { argument, broadcast, numel, positional, type Tensor } from '../../call.js';
import type { OpCall, Arg } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Param } from '../../family.js';
import { resolveDimension, inputTensors, hasIntegerType, opName, tensorAt, integer, tensorOf } from '../../operands.js';
import { helperCost, tensor, tensorParams } from '../../work.js';
import { withInput, workByFormulas, rules, withTensors, workByRules, type CallFormula } from '../../schema/op-rules.js';

const TENSOR_SOURCE = 'touched elements only, index tensors by their own size';

const UNSPECIFIED = 'which elements the indices pick is unspecified';

interface Picked {
  readonly elements: Tensor;
  readonly indices: readonly Tensor[];
}

/** Whether an index has positions; how many elements a mask picks is a value. */
const isPositions = ({ dtype }: Tensor): boolean => /^int|^long$/.test(dtype);

/** The picked elements: the indices' common extents, then the dimensions without an index; null when unspecified. */
function picked(input: Tensor, list: readonly Arg[] | undefined): Picked | null {
  if (list === undefined || list.length > input.shape.length) return null;
  const indices: Tensor[] = [];
  const kept: number[] = [];
  input.shape.forEach((extent, at) => {
    const index = tensorOf(list[at]);
    if (index === null) kept.push(extent);
    else indices.push(index);
  });
  const common = broadcast(indices.map(({ shape }) => shape));
  if (indices.length === 0 || common === null || !indices.every(isPositions)) return null;
  const elements = tensor([...common, ...kept], input.dtype);
  return Number.isSafeInteger(numel(elements.shape)) ? { elements, indices } : null;
}

const tensorPick = withTensors('self', (input, bound) => {
  const found = picked(input, bound.arg('indices')?.items);
  if (found === null) return { flops: 0, writes: null, formula: 'flops = 0', unknown: UNSPECIFIED };
  const { elements, indices } = found;
  const formula = 'flops = 0; bytes = 2·picked + indices';
  return { flops: 0, reads: [elements, ...indices], writes: [elements], formula };
});

/** Values placed, or added to what is there. */
const place = withTensors('self values', (input, values, bound) => {
  const found = picked(input, bound.arg('indices')?.items);
  const adds = bound.flag('accumulate');
  if (found === null || adds === null) {
    const formula = 'flops = 0, E(placed) to add';
    return { flops: adds === false ? 0 : null, writes: null, formula, unknown: UNSPECIFIED };
  }
  const { elements, indices } = found;
  return {
    flops: adds ? numel(elements.shape) : 0,
    reads: [values, ...indices, ...(adds ? [elements] : [])],
    writes: [elements],
    formula: `flops = ${adds ? 'E(placed)' : '0'}; bytes = values + indices + placed${adds ? ' (read and written)' : ''}`,
  };
});

const PLACE = '@self @indices[]? @values accumulate';

const RULES = rules`
  ${tensorPick} index _unsafe_index: @self @indices[]?
  ${place} index_put index_put_ _unsafe_index_put: ${PLACE}
  ${place} _index_put_impl_: ${PLACE} unsafe
`;

export const tensorIndexing: Family = {
  id: 'tensor-indexing',
  title: 'Indexing by tensors of positions: index, index_put_',
  ops: Object.keys(RULES),
  formulas: [
    'index: flops = 0; bytes = 2·picked + indices',
    'index_put_: flops = 0, E(placed) to add; bytes = values + indices + placed (twice to add)',
    'unknown bytes where the indices are masks or unspecified',
  ],
  work: workByRules(RULES, TENSOR_SOURCE),
};

const SOURCE = 'touched elements only (PyProf), index tensors by their own size';

/** A pick: forward a copy, backward an addition into the gradient of the source. */
function pick(picked: Tensor, index: Tensor, { dir }: KernelFacts) {
  const backward = dir === 'bprop';
  return {
    flops: backward ? numel(picked.shape) : 0,
    reads: backward ? [picked, picked, index] : [picked, index],
    writes: [picked],
    formula: backward
      ? 'flops = E(picked); bytes = 3·picked (gradient, old sum, new sum) + indices'
      : 'flops = 0; bytes = 2·picked (read, written) + indices',
  };
}

/** The cost of a call whose number of moved elements is unspecified. */
const unspecified = (unknown: string, flops: 0 | null = 0) => ({ flops, writes: null, formula: 'flops = 0', unknown });

/** gather(input, dim, index): one element per index. */
const gather = withInput((input, call, kernel) => {
  const index = tensorAt(call, 'index', 2);
  return index === null ? null : pick(tensor(index.shape, input.dtype), index, kernel);
});

/** The dimension of the call; the only one of a 1-dim tensor where it is unspecified. */
function chosenDimension(call: OpCall, input: Tensor): number | undefined {
  const dim = integer(argument(call, 'dim', 1)?.value);
  return dim ?? (isDispatched(call) && input.shape.length === 1 ? 0 : undefined);
}

/** The slices of the input that an index selects; null when the dimension is out of range. */
function slices(input: Tensor, dim: number, index: Tensor): Tensor | null {
  const at = resolveDimension(dim, input.shape.length);
  const shape = input.shape.map((extent, i) => (i === at ? numel(index.shape) : extent));
  return at === null ? null : tensor(shape, input.dtype);
}

/** index_select(input, dim, index): whole slices. */
const indexSelect = withInput((input, call, kernel) => {
  const [dim, index] = [chosenDimension(call, input), tensorAt(call, 'index', 2)];
  if (isDispatched(call) && dim === undefined) return unspecified('the dimension is unspecified');
  const picked = dim === undefined || index === null ? null : slices(input, dim, index);
  if (dim === undefined || index === null || picked === null) return null;
  const [shape, ...type] = tensorParams(input);
  const params: Param[] = [...(shape === undefined ? [] : [shape]), ['D', dim], ['I', numel(index.shape)], ...type];
  return { ...pick(picked, index, kernel), params };
});

/** take(input, index), take_along_dim(input, indices, dim). */
const take = withInput((input, call, kernel) => {
  const index = tensorAt(call, opName(call) === 'take' ? 'index' : 'indices', 1);
  return index === null ? null : pick(tensor(index.shape, input.dtype), index, kernel);
});

/** scatter(self, dim, index, src, reduce): the dispatcher's overload with a reduction. */
const reduces = (call: OpCall): boolean => {
  const last = call.args[4];
  return isDispatched(call) && /^scatter_?$/.test(opName(call)) && last !== undefined && last.shape === undefined;
};

/** scatter(self, dim, index, src), index_add(self, dim, index, source): elements of the source placed or added. */
const scatter = withInput((input, call) => {
  const index = tensorAt(call, 'index', 2);
  if (index === null) return null;
  const op = opName(call);
  const source = tensorAt(call, 'src', 3) ?? tensorAt(call, 'source', 3);
  const placed = tensor(/^_?index_/.test(op) ? (source?.shape ?? index.shape) : index.shape, input.dtype);
  const adds = op.includes('add') || op.includes('reduce') || reduces(call);
  // In the dispatcher the copy of the input is a call of its own.
  const copied = op.endsWith('_') || isDispatched(call) ? [] : [input];
  const sources = source === null ? [] : [tensor(placed.shape, source.dtype)];
  return {
    flops: adds ? numel(placed.shape) : 0,
    reads: [...copied, index, ...sources, ...(adds ? [placed] : [])],
    writes: [...copied, placed],
    formula: `flops = ${adds ? 'E(placed)' : '0'}; bytes = indices + placed elements (source read, target ${adds ? 'read and ' : ''}written)`,
  };
});

/** masked_select(input, mask), masked_scatter_(self, mask, source): every element in the worst case. */
const masked = withInput((input, call) => {
  const mask = tensorAt(call, 'mask', 1);
  const shape = mask === null ? null : broadcast([input.shape, mask.shape]);
  if (mask === null || shape === null || !Number.isSafeInteger(numel(shape))) return null;
  if (isDispatched(call)) return unspecified('the number of elements the mask selects is unspecified');
  const chosen = tensor(shape, input.dtype);
  const formula = 'flops = 0; bytes = 2·E (every element chosen) + mask';
  return { flops: 0, reads: [chosen, mask], writes: [chosen], formula };
});

/** nonzero(input): every element in the worst case, one int64 per dimension. */
const nonzero = withInput((input, call, kernel) => {
  if (isDispatched(call)) return unspecified('the number of non-zero elements is unspecified');
  if (kernel.sub > 0) return helperCost(tensorParams(input));
  return {
    flops: 0,
    reads: [input],
    writes: [tensor([...input.shape, input.shape.length], 'int64')],
    formula: 'flops = 0; bytes = input + 8·E·dimensions (every element non-zero)',
  };
});

/** `x[index]` with one tensor of positions: slices of the first dimension. Of other forms the result is unspecified. */
const getItem: CallFormula = (call, kernel) => {
  const [input, index, ...others] = inputTensors(call) ?? [];
  const plain = positional(call).length === 2 && others.length === 0;
  if (!plain || input === undefined || index === undefined || !hasIntegerType(index) || input.shape.length === 0)
    return null;
  const picked = tensor([...index.shape, ...input.shape.slice(1)], input.dtype);
  return { ...pick(picked, index, kernel), params: tensorParams(input) };
};

/** Elements moved to other places: every one read and written. */
const moved = withInput((input) => ({
  flops: 0,
  reads: [input],
  writes: [input],
  formula: 'flops = 0; bytes = input + result',
}));

/** one_hot(input, num_classes): zeros, and a one per element. */
const oneHot = withInput((input, call) => {
  const classes = integer(argument(call, 'num_classes', 1)?.value);
  if (classes === undefined || classes <= 0) return null;
  const writes = [tensor([...input.shape, classes], 'int64')];
  return { flops: 0, reads: [input], writes, formula: 'flops = 0; bytes = input + 8·E·classes' };
});

/** index_reduce_(self, dim, index, source, reduce). */
const reduced: CallFormula = (call, kernel) => (isDispatched(call) ? scatter(call, kernel) : null);

/** index_fill_(self, dim, index, value): whole slices written. */
const indexFill = withInput((input, call) => {
  const index = tensorAt(call, 'index', 2);
  if (index === null || !isDispatched(call)) return null;
  const dim = chosenDimension(call, input);
  if (dim === undefined) return unspecified('the dimension is unspecified');
  const filled = slices(input, dim, index);
  if (filled === null || !Number.isSafeInteger(numel(filled.shape))) return null;
  return { flops: 0, reads: [index], writes: [filled], formula: 'flops = 0; bytes = indices + filled slices' };
});

/** put_(self, index, source, accumulate): elements by their place in the whole tensor. */
const put = withInput((input, call) => {
  const [index, source] = [tensorAt(call, 'index', 1), tensorAt(call, 'source', 2)];
  const adds = argument(call, 'accumulate', 3)?.value;
  if (index === null || source === null || !isDispatched(call)) return null;
  if (typeof adds !== 'boolean') return unspecified('whether the elements are added is unspecified', null);
  const places = tensor(index.shape, input.dtype);
  return {
    flops: adds ? numel(index.shape) : 0,
    reads: [index, source, ...(adds ? [places] : [])],
    writes: [places],
    formula: `flops = ${adds ? 'E(index)' : '0'}; bytes = indices + source + placed${adds ? ' (read and written)' : ''}`,
  };
});

const FORMULAS: ByName<CallFormula> = {
  gather,
  index_select: indexSelect,
  ...named('take take_along_dim', take),
  ...named('scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_', scatter),
  ...named('index_add index_add_ index_copy index_copy_ _index_copy_', scatter),
  ...named('index_fill index_fill_', indexFill),
  ...named('index_reduce index_reduce_', reduced),
  ...named('put put_', put),
  ...named('masked_select masked_scatter masked_scatter_', masked),
  nonzero,
  __getitem__: getItem,
  ...named('flip roll rot90 tril tril_ triu triu_', moved),
  one_hot: oneHot,
};

export const indexing: Family = {
  id: 'indexing',
  title: 'Indexing: gather, scatter, select by index or mask',
  ops: Object.keys(FORMULAS),
  formulas: [
    'flops = 0; scatter_add, index_add and the backward of a pick: one addition per element',
    'gather, take, index_select: 2·picked + indices; backward 3·picked + indices',
    'scatter, index_copy, put: indices + source + placed (adding forms read the target too); out of place: the input copied, unless that is a call of its own; index_fill: indices + slices',
    'masked_select, masked_scatter: 2·E + mask, nonzero: E + 8·E·dimensions (worst case, the count is not in the call; unknown for a call of the dispatcher)',
  ],
  work: workByFormulas(FORMULAS, SOURCE),
};
