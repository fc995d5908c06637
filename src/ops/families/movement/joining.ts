/** Joining tensors: cat and stack. */
import { bind, type BoundArguments } from '../../schema/binding.js';
import { elementCount, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensors, opName } from '../../operands.js';
import { promote } from '../../schema/promotion.js';
import { helperWork, tensor, tensorListParams, workOf } from '../../work.js';

const SOURCE = 'every element read and written once; PyTorch type promotion';

/** All parts read, the whole of this type written. */
function joined(parts: readonly Tensor[], dtype: string | null): Work | null {
  const count = elementCount(parts);
  if (!Number.isSafeInteger(count)) return null;
  return workOf({
    flops: 0,
    reads: parts,
    writes: [tensor([count], dtype)],
    params: tensorListParams(parts),
    formula: 'flops = 0; bytes = operands + result',
    source: SOURCE,
  });
}

/** Every part is filled up to whole chunks; null when their extents are unspecified. */
function chunked(bound: BoundArguments, parts: readonly Tensor[]): Tensor | null {
  const [out] = bound.outs;
  if (out !== undefined) return out;
  const [dim, chunks] = [bound.number('dim'), bound.count('chunks')];
  if (dim === null || chunks === null || chunks < 1) return null;
  const sizes = parts.map(({ shape }) => {
    const extent = shape[dim] ?? 1;
    return extent === 0 ? 0 : (numel(shape) / extent) * Math.ceil(extent / chunks) * chunks;
  });
  const count = sizes.reduce((sum, size) => sum + size, 0);
  return Number.isSafeInteger(count) ? tensor([count], promote(parts)) : null;
}

const unspecified = (unknown: string): Work =>
  workOf({ writes: null, flops: 0, params: [], formula: 'flops = 0', source: SOURCE, unknown });

const CHUNKED = '_chunk_cat';

/** Arguments as in PyTorch's native_functions.yaml: with a dimension, without one, in chunks. */
const SIGNATURES = ['@tensors[] dim', '@tensors[]'];
const IN_CHUNKS = '@tensors[] dim chunks';

function dispatchedWork(call: OpCall): Work | null {
  const inChunks = opName(call) === CHUNKED;
  const bound = bind(call, ...(inChunks ? [IN_CHUNKS] : SIGNATURES));
  if (bound === null) return unspecified('which tensors are joined is unspecified');
  const parts = bound.tensors('tensors');
  if (!inChunks) return joined(parts, bound.outs[0]?.dtype ?? promote(parts));
  const result = chunked(bound, parts);
  if (result === null) return unspecified('the number of chunks is unspecified');
  const params = tensorListParams(parts);
  const formula = 'flops = 0; bytes = operands + result, filled up to whole chunks';
  return workOf({ flops: 0, reads: parts, writes: [result], params, formula, source: SOURCE });
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (isDispatched(call)) return dispatchedWork(call);
  const parts = inputTensors(call);
  if (parts === null || parts.length === 0) return null;
  if (kernel.sub > 0) return helperWork(tensorListParams(parts), SOURCE);
  return joined(parts, promote(parts));
}

export const joining: Family = {
  id: 'joining',
  title: 'Joining: cat, stack',
  ops: ['cat', 'concat', 'concatenate', 'stack', 'hstack', 'vstack', 'dstack', '_cat', '_stack', `aten.${CHUNKED}`],
  formulas: ['flops = 0; bytes = operands + result (backward the same, the other way round)'],
  work,
};
