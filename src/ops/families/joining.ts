/**
 * Joining tensors: cat and stack.
 */
import { numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { isDispatched, untoldWork } from '../dispatched.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { inputs, listAt, opName, tensorOf, whole } from '../operands.js';
import { promote } from '../promotion.js';
import { helperWork, tensor, tensorListParams, trafficWork } from '../work.js';

const SOURCE = 'every element read and written once; PyTorch type promotion';

/** All parts read, the whole of this type written. */
function joined(parts: readonly Tensor[], dtype: string | null): Work | null {
  const elements = parts.reduce((sum, { shape }) => sum + numel(shape), 0);
  if (!Number.isSafeInteger(elements)) return null;
  return trafficWork({
    flops: 0,
    reads: parts,
    writes: [tensor([elements], dtype)],
    params: tensorListParams(parts),
    formula: 'flops = 0; bytes = operands + result',
    source: SOURCE,
  });
}

/** _chunk_cat(tensors, dim, num_chunks): every part is filled up to whole chunks; null when the extents are not told. */
function chunked(call: OpCall, parts: readonly Tensor[], out: Tensor | undefined): Tensor | null {
  if (out !== undefined) return out;
  const [dim, chunks] = [whole(call.args[1]?.value), whole(call.args[2]?.value)];
  if (dim === undefined || chunks === undefined || chunks < 1) return null;
  const sizes = parts.map(({ shape }) => {
    const extent = shape[dim] ?? 1;
    return extent === 0 ? 0 : (numel(shape) / extent) * Math.ceil(extent / chunks) * chunks;
  });
  const elements = sizes.reduce((sum, size) => sum + size, 0);
  return Number.isSafeInteger(elements) ? tensor([elements], promote(parts)) : null;
}

const untold = (unknown: string): Work =>
  untoldWork({ flops: 0, params: [], formula: 'flops = 0', source: SOURCE, unknown });

/** The parts stand in one list; a tensor behind it is the out tensor. */
function dispatchedWork(call: OpCall): Work | null {
  const parts = listAt(call, 'tensors', 0);
  if (parts === null || parts.length === 0) {
    return untold('which tensors are joined is not told');
  }
  const out = call.args
    .slice(1)
    .map(tensorOf)
    .find((found) => found !== null);
  if (opName(call) !== '_chunk_cat') return joined(parts, out?.dtype ?? promote(parts));
  const result = chunked(call, parts, out ?? undefined);
  if (result === null) return untold('the number of chunks is not told');
  const [params, formula] = [
    tensorListParams(parts),
    'flops = 0; bytes = operands + result, filled up to whole chunks',
  ];
  return trafficWork({ flops: 0, reads: parts, writes: [result], params, formula, source: SOURCE });
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (isDispatched(call)) return dispatchedWork(call);
  const parts = inputs(call);
  if (parts === null || parts.length === 0) return null;
  if (kernel.sub > 0) return helperWork(tensorListParams(parts), SOURCE);
  return joined(parts, promote(parts));
}

export const joining: Family = {
  id: 'joining',
  title: 'Joining: cat, stack',
  ops: ['cat', 'concat', 'concatenate', 'stack', 'hstack', 'vstack', 'dstack', '_cat', '_stack', 'aten._chunk_cat'],
  formulas: ['flops = 0; bytes = operands + result (backward the same, the other way round)'],
  work,
};
