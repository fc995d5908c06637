/** Indexing by a list of tensors, one per dimension: what `x[i, j]` and `x[i, j] = y` become. */
import type { Arg } from '../../../record/record.js';
import { rules, withTensors, workByRules } from '../../schema/op-rules.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { tensorOf } from '../../operands.js';
import { tensor } from '../../work.js';

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
  const common = broadcast(indices.map(({ shape }) => shape));
  if (indices.length === 0 || common === null || !indices.every(isPositions)) return null;
  const elements = tensor([...common, ...kept], input.dtype);
  return Number.isSafeInteger(numel(elements.shape)) ? { elements, indices } : null;
}

const pick = withTensors('self', (input, bound) => {
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
  ${pick} index _unsafe_index: @self @indices[]?
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
  work: workByRules(RULES, SOURCE),
};
