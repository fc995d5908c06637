/**
 * Ops that pick or place elements by position or mask.
 */
import { entryOf, named, type ByName } from '../../by-name.js';
import { argument, broadcast, numel, positional, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Param, Work, WorkFormula } from '../../family.js';
import {
  resolveDimension,
  inputTensors,
  hasIntegerType,
  opName,
  inputTensor,
  tensorAt,
  integer,
} from '../../operands.js';
import { helperWork, tensor, tensorParams, workOf } from '../../work.js';

const SOURCE = 'touched elements only (PyProf), index tensors by their own size';

/** The work of a pick: forward a copy, backward an addition into the gradient of the source. */
function pickWork(picked: Tensor, index: Tensor, params: readonly Param[], kernel: KernelFacts): Work {
  const backward = kernel.dir === 'bprop';
  return workOf({
    flops: backward ? numel(picked.shape) : 0,
    reads: backward ? [picked, picked, index] : [picked, index],
    writes: [picked],
    params,
    formula: backward
      ? 'flops = E(picked); bytes = 3·picked (gradient, old sum, new sum) + indices'
      : 'flops = 0; bytes = 2·picked (read, written) + indices',
    source: SOURCE,
  });
}

/** The work of a call whose number of moved elements is unspecified. */
const unspecified = (input: Tensor, unknown: string, flops: 0 | null = 0): Work =>
  workOf({ flops, writes: null, params: tensorParams(input), formula: 'flops = 0', source: SOURCE, unknown });

/** gather(input, dim, index): one element per index. */
const gather: WorkFormula = (call, kernel) => {
  const [input, index] = [inputTensor(call), tensorAt(call, 'index', 2)];
  if (input === null || index === null) return null;
  return pickWork(tensor(index.shape, input.dtype), index, tensorParams(input), kernel);
};

/** The dimension of the call; the only one of a 1-dim tensor where it is unspecified. */
function chosenDimension(call: OpCall, input: Tensor | null): number | undefined {
  const dim = integer(argument(call, 'dim', 1)?.value);
  return dim ?? (isDispatched(call) && input?.shape.length === 1 ? 0 : undefined);
}

/** index_select(input, dim, index): whole slices. */
const indexSelect: WorkFormula = (call, kernel) => {
  const [input, index] = [inputTensor(call), tensorAt(call, 'index', 2)];
  const dim = chosenDimension(call, input);
  if (isDispatched(call) && dim === undefined && input !== null)
    return unspecified(input, 'the dimension is unspecified');
  const at = dim === undefined || input === null ? null : resolveDimension(dim, input.shape.length);
  if (input === null || index === null || dim === undefined || at === null) return null;
  const chosen = numel(index.shape);
  const picked = input.shape.map((extent, i) => (i === at ? chosen : extent));
  const [shape, ...type] = tensorParams(input);
  const params: Param[] = [...(shape === undefined ? [] : [shape]), ['D', dim], ['I', chosen], ...type];
  return pickWork(tensor(picked, input.dtype), index, params, kernel);
};

/** take(input, index), take_along_dim(input, indices, dim). */
const take: WorkFormula = (call, kernel) => {
  const [input, index] = [inputTensor(call), tensorAt(call, opName(call) === 'take' ? 'index' : 'indices', 1)];
  if (input === null || index === null) return null;
  return pickWork(tensor(index.shape, input.dtype), index, tensorParams(input), kernel);
};

/** scatter(self, dim, index, src, reduce): the dispatcher's overload with a reduction. */
const reduces = (call: OpCall): boolean => {
  const last = call.args[4];
  return isDispatched(call) && /^scatter_?$/.test(opName(call)) && last !== undefined && last.shape === undefined;
};

/** scatter(self, dim, index, src), index_add(self, dim, index, source): elements of the source placed or added. */
const scatter: WorkFormula = (call) => {
  const input = inputTensor(call);
  const index = tensorAt(call, 'index', 2);
  if (input === null || index === null) return null;
  const op = opName(call);
  const source = tensorAt(call, 'src', 3) ?? tensorAt(call, 'source', 3);
  const placed = tensor(/^_?index_/.test(op) ? (source?.shape ?? index.shape) : index.shape, input.dtype);
  const adds = op.includes('add') || op.includes('reduce') || reduces(call);
  // In the dispatcher the copy of the input is a call of its own.
  const copied = op.endsWith('_') || isDispatched(call) ? [] : [input];
  return workOf({
    flops: adds ? numel(placed.shape) : 0,
    reads: [
      ...copied,
      index,
      ...(source === null ? [] : [tensor(placed.shape, source.dtype)]),
      ...(adds ? [placed] : []),
    ],
    writes: [...copied, placed],
    params: tensorParams(input),
    formula: `flops = ${adds ? 'E(placed)' : '0'}; bytes = indices + placed elements (source read, target ${adds ? 'read and ' : ''}written)`,
    source: SOURCE,
  });
};

/** masked_select(input, mask), masked_scatter_(self, mask, source): every element in the worst case. */
const masked: WorkFormula = (call) => {
  const [input, mask] = [inputTensor(call), tensorAt(call, 'mask', 1)];
  const shape = input === null || mask === null ? null : broadcast(input.shape, mask.shape);
  if (input === null || mask === null || shape === null || !Number.isSafeInteger(numel(shape))) return null;
  if (isDispatched(call)) return unspecified(input, 'the number of elements the mask selects is unspecified');
  return workOf({
    flops: 0,
    reads: [tensor(shape, input.dtype), mask],
    writes: [tensor(shape, input.dtype)],
    params: tensorParams(input),
    formula: 'flops = 0; bytes = 2·E (every element chosen) + mask',
    source: SOURCE,
  });
};

/** nonzero(input): every element in the worst case, one int64 per dimension. */
const nonzero: WorkFormula = (call, kernel) => {
  const input = inputTensor(call);
  if (input === null) return null;
  if (isDispatched(call)) return unspecified(input, 'the number of non-zero elements is unspecified');
  const params = tensorParams(input);
  if (kernel.sub > 0) return helperWork(params, SOURCE);
  return workOf({
    flops: 0,
    reads: [input],
    writes: [tensor([...input.shape, input.shape.length], 'int64')],
    params,
    formula: 'flops = 0; bytes = input + 8·E·dimensions (every element non-zero)',
    source: SOURCE,
  });
};

/** `x[index]` with one tensor of positions: slices of the first dimension. Of other forms the result is unspecified. */
const getItem: WorkFormula = (call, kernel) => {
  const [input, index, ...others] = inputTensors(call) ?? [];
  const plain = positional(call).length === 2 && others.length === 0;
  if (!plain || input === undefined || index === undefined || !hasIntegerType(index) || input.shape.length === 0)
    return null;
  const picked = tensor([...index.shape, ...input.shape.slice(1)], input.dtype);
  return pickWork(picked, index, tensorParams(input), kernel);
};

/** Elements moved to other places: every one read and written. */
const moved: WorkFormula = (call) => {
  const input = inputTensor(call);
  if (input === null) return null;
  const params = tensorParams(input);
  const formula = 'flops = 0; bytes = input + result';
  return workOf({ flops: 0, reads: [input], writes: [input], params, formula, source: SOURCE });
};

/** one_hot(input, num_classes): zeros, and a one per element. */
const oneHot: WorkFormula = (call) => {
  const input = inputTensor(call);
  const classes = integer(argument(call, 'num_classes', 1)?.value);
  if (input === null || classes === undefined || classes <= 0) return null;
  const params = tensorParams(input);
  const writes = [tensor([...input.shape, classes], 'int64')];
  const formula = 'flops = 0; bytes = input + 8·E·classes';
  return workOf({ flops: 0, reads: [input], writes, params, formula, source: SOURCE });
};

/** index_reduce_(self, dim, index, source, reduce). */
const reduced: WorkFormula = (call, kernel) => (isDispatched(call) ? scatter(call, kernel) : null);

/** index_fill_(self, dim, index, value): whole slices written. */
const indexFill: WorkFormula = (call) => {
  const [input, index] = [inputTensor(call), tensorAt(call, 'index', 2)];
  if (input === null || index === null || !isDispatched(call)) return null;
  const dim = chosenDimension(call, input);
  if (dim === undefined) return unspecified(input, 'the dimension is unspecified');
  const at = resolveDimension(dim, input.shape.length);
  if (at === null) return null;
  const filled = tensor(
    input.shape.map((extent, i) => (i === at ? numel(index.shape) : extent)),
    input.dtype,
  );
  if (!Number.isSafeInteger(numel(filled.shape))) return null;
  const params = tensorParams(input);
  const formula = 'flops = 0; bytes = indices + filled slices';
  return workOf({ flops: 0, reads: [index], writes: [filled], params, formula, source: SOURCE });
};

/** put_(self, index, source, accumulate): elements by their place in the whole tensor. */
const put: WorkFormula = (call) => {
  const [input, index, source] = [inputTensor(call), tensorAt(call, 'index', 1), tensorAt(call, 'source', 2)];
  const adds = argument(call, 'accumulate', 3)?.value;
  if (input === null || index === null || source === null || !isDispatched(call)) return null;
  if (typeof adds !== 'boolean') return unspecified(input, 'whether the elements are added is unspecified', null);
  const places = tensor(index.shape, input.dtype);
  return workOf({
    flops: adds ? numel(index.shape) : 0,
    reads: [index, source, ...(adds ? [places] : [])],
    writes: [places],
    params: tensorParams(input),
    formula: `flops = ${adds ? 'E(index)' : '0'}; bytes = indices + source + placed${adds ? ' (read and written)' : ''}`,
    source: SOURCE,
  });
};

const FORMULAS: ByName<WorkFormula> = {
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
  work: (call, kernel) => entryOf(FORMULAS, call)?.(call, kernel) ?? null,
};
