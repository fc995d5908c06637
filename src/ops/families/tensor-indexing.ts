/**
 * Indexing by a list of tensors, one per dimension: what `x[i, j]` and `x[i, j] = y` become.
 */
import { argument, broadcast, numel, type Tensor } from '../call.js';
import type { Arg, OpCall } from '../../record/record.js';
import { isDispatched, untoldWork } from '../dispatched.js';
import type { Family, Work } from '../family.js';
import { opName, subject, tensorAt, tensorOf } from '../operands.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'touched elements only, index tensors by their own size';

const NOT_TOLD = 'which elements the indices pick is not told';

interface Picked {
  readonly elements: Tensor;
  readonly indices: readonly Tensor[];
}

/** Positions are whole numbers; a mask does not tell how many elements it picks. */
const isPositions = ({ dtype }: Tensor): boolean => /^int|^long$/.test(dtype);

/** The picked elements: the indices' common extents, then the dimensions without an index; null when not told. */
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

/** index(self, indices) */
function pick(call: OpCall, input: Tensor): Work {
  const found = picked(input, argument(call, 'indices', 1)?.items);
  const about = { flops: 0, params: tensorParams(input), source: SOURCE };
  if (found === null) return untoldWork({ ...about, formula: 'flops = 0', unknown: NOT_TOLD });
  return trafficWork({
    ...about,
    reads: [found.elements, ...found.indices],
    writes: [found.elements],
    formula: 'flops = 0; bytes = 2·picked + indices',
  });
}

/** index_put_(self, indices, values, accumulate): values placed, or added to what is there. */
function place(call: OpCall, input: Tensor): Work | null {
  const values = tensorAt(call, 'values', 2);
  if (values === null) return null;
  const found = picked(input, argument(call, 'indices', 1)?.items);
  const adds = argument(call, 'accumulate', 3)?.value;
  const about = { params: tensorParams(input), source: SOURCE };
  if (found === null || typeof adds !== 'boolean') {
    const flops = adds === false ? 0 : null;
    return untoldWork({ ...about, flops, formula: 'flops = 0, E(placed) to add', unknown: NOT_TOLD });
  }
  return trafficWork({
    ...about,
    flops: adds ? numel(found.elements.shape) : 0,
    reads: [values, ...found.indices, ...(adds ? [found.elements] : [])],
    writes: [found.elements],
    formula: `flops = ${adds ? 'E(placed)' : '0'}; bytes = values + indices + placed${adds ? ' (read and written)' : ''}`,
  });
}

const PICKS = ['index', '_unsafe_index'];
const PLACES = ['index_put', 'index_put_', '_index_put_impl_', '_unsafe_index_put'];

export const tensorIndexing: Family = {
  id: 'tensor-indexing',
  title: 'Indexing by tensors of positions: index, index_put_',
  ops: [...PICKS, ...PLACES],
  formulas: [
    'index: flops = 0; bytes = 2·picked + indices',
    'index_put_: flops = 0, E(placed) to add; bytes = values + indices + placed (twice to add)',
    'unknown bytes where the indices are masks or not told',
  ],
  work: (call) => {
    const input = isDispatched(call) ? subject(call) : null;
    if (input === null) return null;
    return PICKS.includes(opName(call)) ? pick(call, input) : place(call, input);
  },
};
