/**
 * Indexing by a list of tensors, one per dimension: what `x[i, j]` and `x[i, j] = y` become.
 */
import type { Arg } from '../../../record/record.js';
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { tensorOf } from '../../operands.js';
import { tensor, tensorParams } from '../../work.js';

const SOURCE = 'touched elements only, index tensors by their own size';

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
  const common = broadcast(...indices.map(({ shape }) => shape));
  if (indices.length === 0 || common === null || !indices.every(isPositions)) return null;
  const elements = tensor([...common, ...kept], input.dtype);
  return Number.isSafeInteger(numel(elements.shape)) ? { elements, indices } : null;
}

const pick = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('self');
  if (input === null) return null;
  const found = picked(input, bound.arg('indices')?.items);
  if (found === null)
    return { params: tensorParams(input), flops: 0, writes: null, formula: 'flops = 0', unknown: UNSPECIFIED };
  return {
    params: tensorParams(input),
    flops: 0,
    reads: [found.elements, ...found.indices],
    writes: [found.elements],
    formula: 'flops = 0; bytes = 2·picked + indices',
  };
};

/** Values placed, or added to what is there. */
const place = (bound: BoundCall): OpCost | null => {
  const [input, values] = [bound.tensor('self'), bound.tensor('values')];
  if (input === null || values === null) return null;
  const found = picked(input, bound.arg('indices')?.items);
  const adds = bound.flag('accumulate');
  if (found === null || adds === null) {
    const flops = adds === false ? 0 : null;
    return {
      params: tensorParams(input),
      flops,
      writes: null,
      formula: 'flops = 0, E(placed) to add',
      unknown: UNSPECIFIED,
    };
  }
  return {
    params: tensorParams(input),
    flops: adds ? numel(found.elements.shape) : 0,
    reads: [values, ...found.indices, ...(adds ? [found.elements] : [])],
    writes: [found.elements],
    formula: `flops = ${adds ? 'E(placed)' : '0'}; bytes = values + indices + placed${adds ? ' (read and written)' : ''}`,
  };
};

const PLACE = '@self @indices[]? @values accumulate';

/** Arguments as in PyTorch's native_functions.yaml. */
const RULES: OpRules = {
  ...ruleFor('index _unsafe_index', '@self @indices[]?', pick),
  ...ruleFor('index_put index_put_ _unsafe_index_put', PLACE, place),
  ...ruleFor('_index_put_impl_', `${PLACE} unsafe`, place),
};

export const tensorIndexing: Family = {
  id: 'tensor-indexing',
  title: 'Indexing by tensors of positions: index, index_put_',
  ops: Object.keys(RULES),
  formulas: [
    'index: flops = 0; bytes = 2·picked + indices',
    'index_put_: flops = 0, E(placed) to add; bytes = values + indices + placed (twice to add)',
    'unknown bytes where the indices are masks or unspecified',
  ],
  work: workByRules(RULES, SOURCE),
};
