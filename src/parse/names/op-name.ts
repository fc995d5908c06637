/** Names of the PyTorch dispatcher's ops → module and op, and names of the autograd engine's nodes. */
import type { OpCall } from '../../record/record.js';

/** A name with a namespace: `aten::mm`, `_C_cache_ops::reshape_and_cache_flash`. */
const QUALIFIED = /^([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)::([A-Za-z_][\w.]*)$/;

/** Ops whose names have no namespace, and the module they belong to. */
const UNQUALIFIED: readonly (readonly [pattern: RegExp, mod: string])[] = [
  [/^record_param_comms$/, 'c10d'],
  [/^triton_\w+$/, 'triton'],
  [/^nccl:\w+$/, 'nccl'],
];

export function readOpName(name: string): Pick<OpCall, 'mod' | 'op'> | null {
  const [, mod, op] = QUALIFIED.exec(name) ?? [];
  if (mod !== undefined && op !== undefined) return { mod, op };
  const known = UNQUALIFIED.find(([pattern]) => pattern.test(name));
  return known === undefined ? null : { mod: known[1], op: name };
}

/** Prefix of the engine's range around a node: `autograd::engine::evaluate_function: AddmmBackward0`. */
export const ENGINE_PREFIX = 'autograd::engine::evaluate_function: ';

/** Names of nodes: `MulBackward0`, `torch::autograd::CopyBackwards`, `torch::autograd::CppNode<…>` … */
const NODE = /(?:Backward\d*|Backwards|AccumulateGrad|GraphRoot|CppNode<.*>)$/;

export const isNode = (name: string): boolean => NODE.test(name);

const BACKWARD_OP = /(?:^|[_:])(?:backward|bwd|[wd]grad)(?:_|$)/;

/** Whether an op computes gradients by its own name: `convolution_backward`, also where no node of autograd is around it. */
export const isBackwardOp = (op: string): boolean => BACKWARD_OP.test(op);

/** The range that NCCL itself puts around a call of it (`ncclAllReduce`). */
export const isNcclCall = (text: string): boolean => /^nccl[A-Z]\w*$/.test(text);
