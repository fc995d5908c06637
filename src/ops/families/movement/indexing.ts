/**
 * Ops that pick or place elements: by position or mask, or by a tensor list, one for each dimension, to which `x[i, j]`
 * and `x[i, j] = y` are translated.
 */
import { broadcast, numel, positional, type Tensor } from '../../call.js';
import type { Arg } from '../../../record/record.js';
import type { Family, KernelFacts, Param } from '../../family.js';
import { resolveDimension, hasIntegerType, opName, tensorOf } from '../../operands.js';
import { helperCost, tensor, tensorParams } from '../../work.js';
import { ruleWork, rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';

const TENSOR_SOURCE = 'the elements that the call reads or writes, and the index tensors';

const UNSPECIFIED = 'the number of picked elements is unspecified';

interface Picked {
  readonly elements: Tensor;
  readonly indices: readonly Tensor[];
}

/** Whether an index holds positions; a mask's number of picked elements is a tensor value. */
const isPositions = ({ dtype }: Tensor): boolean => /^int|^long$/.test(dtype);

/** The picked elements: the indices' broadcast extents, then the dimensions without an index; null when unspecified. */
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

/** Values are placed, or added to existing elements. */
const place = withTensors('self values', (input, values, bound) => {
  const found = picked(input, bound.arg('indices')?.items);
  const adds = bound.flag('accumulate');
  if (found === null || adds === null) {
    const formula = 'flops = 0, or E(placed) with accumulate';
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

const TENSOR_RULES = rules`
  ${tensorPick} index _unsafe_index: @self @indices[]?
  ${place} index_put index_put_ _unsafe_index_put: ${PLACE}
  ${place} _index_put_impl_: ${PLACE} unsafe
`;

export const tensorIndexing: Family = {
  id: 'tensor-indexing',
  title: 'Indexing with index tensors: index, index_put_',
  category: 'indexing',
  ops: Object.keys(TENSOR_RULES),
  onlyMoves: /^(_unsafe_)?index$/,
  formulas: [
    'index: flops = 0; bytes = 2·picked + indices',
    'index_put_: flops = 0, E(placed) with accumulate; bytes = values + indices + placed (twice with accumulate)',
    'bytes are unknown if the indices are masks or unspecified',
  ],
  work: workByRules(TENSOR_RULES, TENSOR_SOURCE),
};

const SOURCE = 'the elements that the call reads or writes (as in PyProf), and the index tensors';

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

/** One element per index. */
const gathered = (index: string): RuleCost =>
  withTensors(`self ${index}`, (input, positions, { kernel }) =>
    pick(tensor(positions.shape, input.dtype), positions, kernel),
  );

const NO_DIMENSION = unspecified('the dimension is unspecified');

/** The dimension of the call; if it is unspecified, the only one of a 1-dimensional tensor. */
const chosenDimension = (bound: BoundCall, input: Tensor): number | null =>
  bound.number('dim') ?? (input.shape.length === 1 ? 0 : null);

/** The slices of the input that an index selects; null when the dimension is out of range. */
function slices(input: Tensor, dim: number, index: Tensor): Tensor | null {
  const at = resolveDimension(dim, input.shape.length);
  const shape = input.shape.map((extent, i) => (i === at ? numel(index.shape) : extent));
  return at === null ? null : tensor(shape, input.dtype);
}

/** Whole slices. */
const selected = withTensors('self index', (input, index, bound) => {
  const dim = chosenDimension(bound, input);
  if (dim === null) return NO_DIMENSION;
  const picked = slices(input, dim, index);
  if (picked === null) return null;
  const [shape, ...type] = tensorParams(input);
  const params: Param[] = [...(shape === undefined ? [] : [shape]), ['D', dim], ['I', numel(index.shape)], ...type];
  return { ...pick(picked, index, bound.kernel), params };
});

/** Elements are moved to other places: each is read and written once. */
const moved = withTensors('self', (input) => ({
  flops: 0,
  reads: [input],
  writes: [input],
  formula: 'flops = 0; bytes = input + result',
}));

const copied: RuleCost = (bound) => {
  const cost = moved(bound);
  return cost === null ? null : { ...cost, byName: true };
};

/** An op that is not in place copies its input first, in a separate call or kernel. */
const placing =
  (cost: RuleCost): RuleCost =>
  (bound) =>
    /direct_copy/i.test(bound.kernel.name) && !opName(bound.call).endsWith('_') ? copied(bound) : cost(bound);

/** Elements of the source that are placed or added: one for each index, or for slices the whole source. */
const scattered = placing(
  withTensors('self index', (input, index, bound) => {
    const op = opName(bound.call);
    const [source] = bound.tensorsOf('src source');
    const placed = tensor(/^_?index_/.test(op) ? (source?.shape ?? index.shape) : index.shape, input.dtype);
    const adds = /add|reduce/.test(op) || bound.arg('reduce') !== undefined;
    return {
      flops: adds ? numel(placed.shape) : 0,
      reads: [index, ...(source === undefined ? [] : [tensor(placed.shape, source.dtype)]), ...(adds ? [placed] : [])],
      writes: [placed],
      formula: `flops = ${adds ? 'E(placed)' : '0'}; bytes = indices + placed elements (source read, target ${adds ? 'read and ' : ''}written)`,
    };
  }),
);

/** Every element in the worst case, which PyProf counts. */
const masked = withTensors('self mask', (input, mask, { kernel }) => {
  const shape = broadcast([input.shape, mask.shape]);
  if (shape === null) return null;
  if (kernel.convention !== 'pyprof') return unspecified('the number of elements the mask selects is unspecified');
  const chosen = tensor(shape, input.dtype);
  const formula = 'flops = 0; bytes = 2·E (every element selected) + mask';
  return { flops: 0, reads: [chosen, mask], writes: [chosen], formula };
});

/** One int64 per dimension for every element in the worst case, which PyProf counts. */
const nonzero = withTensors('self', (input, { kernel }) => {
  if (kernel.sub > 0) return helperCost(tensorParams(input));
  if (kernel.convention !== 'pyprof') return unspecified('the number of non-zero elements is unspecified');
  const writes = [tensor([...input.shape, input.shape.length], 'int64')];
  return { flops: 0, writes, formula: 'flops = 0; bytes = input + 8·E·dimensions (every element non-zero)' };
});

/** `x[index]` with one tensor of positions: slices of the first dimension. The result of other forms is unspecified. */
const getItem = withTensors('self index', (input, index, { call, kernel }) => {
  if (positional(call).length !== 2 || !hasIntegerType(index) || input.shape.length === 0) return null;
  return pick(tensor([...index.shape, ...input.shape.slice(1)], input.dtype), index, kernel);
});

/** Zeros, with a one for each element. */
const oneHot = withTensors('self', (input, bound) => {
  const classes = bound.count('num_classes');
  if (classes === null || classes === 0) return null;
  const writes = [tensor([...input.shape, classes], 'int64')];
  return { flops: 0, writes, formula: 'flops = 0; bytes = input + 8·E·classes' };
});

/** Whole slices written. */
const indexFill = placing(
  withTensors('self index', (input, index, bound) => {
    const dim = chosenDimension(bound, input);
    if (dim === null) return NO_DIMENSION;
    const filled = slices(input, dim, index);
    if (filled === null) return null;
    return { flops: 0, reads: [index], writes: [filled], formula: 'flops = 0; bytes = indices + filled slices' };
  }),
);

/** Elements by their position in the whole tensor. */
const put = placing(
  withTensors('self index source', (input, index, source, bound) => {
    const adds = bound.arg('accumulate') === undefined ? false : bound.flag('accumulate');
    if (adds === null) return unspecified('whether the elements are added is unspecified', null);
    const places = tensor(index.shape, input.dtype);
    return {
      flops: adds ? numel(index.shape) : 0,
      reads: [index, source, ...(adds ? [places] : [])],
      writes: [places],
      formula: `flops = ${adds ? 'E(index)' : '0'}; bytes = indices + source + placed${adds ? ' (read and written)' : ''}`,
    };
  }),
);

const AT = '@self dim @index';

const RULES = rules`
  ${gathered('index')} gather: ${AT} sparse_grad
  ${selected} index_select: ${AT}
  ${gathered('index')} take: @self @index
  ${gathered('indices')} take_along_dim: @self @indices dim
  ${scattered} scatter scatter_: ${AT} @src reduce | ${AT} value reduce | ${AT} @src | ${AT} value
  ${scattered} scatter_add scatter_add_: ${AT} @src
  ${scattered} scatter_reduce scatter_reduce_: ${AT} @src reduce include_self
  ${scattered} index_add index_add_: ${AT} @source alpha
  ${scattered} index_copy index_copy_ _index_copy_: ${AT} @source
  ${scattered} index_reduce index_reduce_: ${AT} @source reduce include_self
  ${indexFill} index_fill index_fill_: ${AT} value | ${AT} @value
  ${put} put put_: @self @index @source accumulate
  ${masked} masked_select: @self @mask
  ${masked} masked_scatter masked_scatter_: @self @mask @source
  ${nonzero} nonzero: @self
  ${getItem} __getitem__: @self @index
  ${moved} flip roll rot90 tril tril_ triu triu_: @self ...
  ${oneHot} one_hot: @self num_classes
`;

export const indexing: Family = {
  id: 'indexing',
  title: 'Indexing: gather, scatter, select by index or mask',
  category: 'indexing',
  ops: Object.keys(RULES),
  onlyMoves: /^(?!scatter|index_add|index_reduce|put)/,
  formulas: [
    'flops = 0; scatter_add, index_add and the backward of a pick: one addition per element',
    'gather, take, index_select: 2·picked + indices; backward 3·picked + indices',
    'scatter, index_copy, put: indices + source + placed (the adding forms also read the target); an out-of-place call copies first in a separate kernel: 2·E; index_fill: indices + slices',
    'masked_select, masked_scatter, nonzero: unknown, because the call does not give the number of elements',
    '`--convention pyprof` counts every element as selected: masked_select, masked_scatter 2·E + mask, nonzero E + 8·E·dimensions',
  ],
  work: (call, kernel) => ruleWork(RULES, call, kernel, SOURCE),
};
