/** Triton kernels that torch.compile fuses from several ops. Their name has the kind of kernel and the ops. */
import type { Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched, NO_FORMULA } from '../../schema/dispatched.js';
import type { Family, Work } from '../../family.js';
import { inputTensors, opName } from '../../operands.js';
import { tensorListParams, workOf } from '../../work.js';

const SOURCE = 'PyTorch Inductor: a fused kernel loads each of its inputs and stores each of its results';

const FLOPS_UNKNOWN = 'the operations of a fused kernel are unspecified';

/** Ops that touch only parts of a tensor. */
const PARTIAL =
  /(^|_)(index|gather|scatter|embedding|select|slice|split|chunk|unbind|narrow|cat|pad|pool|unfold|take|masked|upsample|roll)/;

/** Why the kernel's traffic is not that of its tensors; null when it is. */
function trafficUnknown(op: string, tensors: readonly Tensor[] | null): string | null {
  if (tensors === null || tensors.length === 0) return 'the tensors are unspecified';
  if (!/^triton_(poi|red|per)_/.test(op)) return 'how often the kernel reads its tensors is unspecified';
  return PARTIAL.test(op) ? 'the kernel may touch only parts of its tensors' : null;
}

function work(call: OpCall): Work | null {
  if (!isDispatched(call)) return null;
  const [op, tensors] = [opName(call), inputTensors(call)];
  const reason = trafficUnknown(op, tensors);
  const about = { flops: null, params: tensorListParams(tensors ?? []), source: SOURCE };
  if (tensors === null || reason !== null) {
    return workOf({ ...about, writes: null, formula: NO_FORMULA, unknown: `${FLOPS_UNKNOWN}; ${String(reason)}` });
  }
  const formula = 'bytes = all tensors, each read or written once';
  return workOf({ ...about, reads: tensors, writes: [], formula, unknown: FLOPS_UNKNOWN });
}

export const triton: Family = {
  id: 'triton',
  title: 'Fused kernels of torch.compile (Triton)',
  ops: ['triton_poi_*', 'triton_red_*', 'triton_per_*', 'triton_for_*', 'triton_tem_*', 'triton_unk_*'],
  formulas: [
    'flops unknown: the name lists the ops, not how often',
    'pointwise (poi) and reduction (red, per) kernels: bytes = all tensors, each once (one that is updated in place is counted once); unknown where the name has an op that touches parts (index, gather, slice, cat …), and for templates (tem)',
  ],
  work,
};
