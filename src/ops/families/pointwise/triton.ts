/** Triton kernels that torch.compile fuses from several ops. Their name has the kind of kernel and the ops. */
import type { OpCall } from '../../../record/record.js';
import { isDispatched, NO_FORMULA } from '../../schema/dispatched.js';
import type { Family, Work } from '../../family.js';
import { inputTensors } from '../../operands.js';
import { tensorListParams, workOf } from '../../work.js';
import { fusedTraffic } from './triton-traffic.js';

const SOURCE = 'PyTorch Inductor: a fused kernel loads each of its inputs and stores each of its results';

const FLOPS_UNKNOWN = 'the operations of a fused kernel are unspecified';

function work(call: OpCall): Work | null {
  if (!isDispatched(call)) return null;
  const tensors = inputTensors(call);
  const traffic = fusedTraffic(call, tensors);
  const about = { flops: null, params: tensorListParams(tensors ?? []), source: SOURCE };
  if (typeof traffic === 'string')
    return workOf({ ...about, writes: null, formula: NO_FORMULA, unknown: `${FLOPS_UNKNOWN}; ${traffic}` });
  return workOf({ ...about, ...traffic, unknown: FLOPS_UNKNOWN });
}

export const triton: Family = {
  id: 'triton',
  title: 'Fused kernels of torch.compile (Triton)',
  ops: ['triton_poi_*', 'triton_red_*', 'triton_per_*', 'triton_for_*', 'triton_tem_*', 'triton_unk_*'],
  formulas: [
    'flops unknown: the name lists the ops, not how often',
    'pointwise (poi) and reduction (red, per) kernels: bytes = all tensors, each once; the first one read and written where the last one is smaller than what the kernel computes, which is then the first one in place; where both have that size it is counted once',
    'with cat: all tensors where the inputs have together as many elements as the result; a slice moved: 2·E(result)',
    'unknown for a kernel whose name lists no op, where its tensors differ in size, for other kernels with an op that touches parts (index, gather, slice, cat …), and for templates (tem)',
  ],
  work,
};
