/**
 * Triton kernels that torch.compile fuses from several ops. Their name contains the kind of kernel and the ops.
 *
 * Their arguments are the tensors that they update in place, those that they read, those that they write, then the sizes of
 * their loops, outermost first; which tensor has which role is not recorded. Source: PyTorch,
 * torch/_inductor/codegen/common.py (KernelArgs.python_argdefs), codegen/triton.py (size arguments).
 */
import type { OpCall } from '../../../record/record.js';
import { NO_FORMULA } from '../../schema/dispatched.js';
import { ofDispatcher } from '../../schema/op-rules.js';
import type { Family, Work } from '../../family.js';
import { inputTensors, integer, opName } from '../../operands.js';
import { tensorListParams, workOf, tensor } from '../../work.js';
import { numel, type Tensor } from '../../call.js';

interface FusedTraffic {
  readonly reads: readonly Tensor[];
  readonly writes: readonly Tensor[];
  readonly formula: string;
}

/** Traffic, or the reason why it is unspecified. */
type TrafficOrReason = FusedTraffic | string;

const [LOOPS, REDUCTIONS] = [/^triton_poi_/, /^triton_(red|per)_/];

/** Ops that touch only some elements of a tensor, or some elements more than once. */
const SCATTERED = /(^|_)(index|gather|scatter|embedding|pad|pool|unfold|take|masked|upsample|roll)/;

/** Ops that take parts of a tensor, or join tensors into one. */
const PARTS = /(^|_)(select|slice|split|chunk|unbind|narrow|cat)/;

/** Kernels that only move data: each element of the result is an element of the input. */
const MOVES =
  /^triton_poi_fused(_(_unsafe_view|_to_copy|_reshape_alias|view|clone|copy|transpose|permute|slice|split_with_sizes|split|select|unbind|narrow|chunk|squeeze|unsqueeze|t))+_\d+$/;

/** Kernels that also run ops that their names lack, such as an embedding lookup next to copies. */
const NAMELESS = /^triton_[a-z]{3}_fused_\d+$/;

/** Maximum dimensions of a kernel's loops: x, y, z. */
const MOST_LOOPS = 3;

/**
 * Number of result elements that the loops cover: one for each iteration; in a reduction, one for each outer iteration.
 * Numbers before those of the loops are sizes that vary between calls. The largest product of numbers that equals the
 * size of a tensor is used, or else the innermost number. Null when no number is recorded.
 */
function iterations(call: OpCall, operands: readonly Tensor[]): number | null {
  const numbers = call.args.flatMap(({ shape, value }) => (shape === undefined ? [integer(value)] : [])).reverse();
  const reduced = REDUCTIONS.test(opName(call)) ? numbers.shift() : 1;
  const sizes = new Set(operands.map(({ shape }) => numel(shape)));
  let [found, product]: [number | null, number] = [null, 1];
  for (const number of numbers.slice(0, MOST_LOOPS)) {
    if (number === undefined || number < 1 || reduced === undefined) break;
    product *= number;
    if (found === null || sizes.has(product) || sizes.has(product * reduced)) found = product;
  }
  return found;
}

const elements = (operands: readonly Tensor[]): number => operands.reduce((sum, { shape }) => sum + numel(shape), 0);

/**
 * A kernel that moves parts of tensors. It reads as many elements from a single input as the result has, and all
 * elements of several inputs.
 */
function moved(op: string, operands: readonly Tensor[], count: number | null): TrafficOrReason {
  const [inputs, result] = [operands.slice(0, -1), operands.at(-1)];
  const [input] = inputs;
  if (LOOPS.test(op) && input !== undefined && result !== undefined && count === numel(result.shape)) {
    if (elements(inputs) === count)
      return { reads: inputs, writes: [result], formula: 'bytes = all tensors, each read or written once' };
    if (inputs.length === 1 && MOVES.test(op) && numel(input.shape) > count)
      return {
        reads: [tensor([count], input.dtype)],
        writes: [result],
        formula: 'bytes = elements of the result, each read and written once',
      };
  }
  return 'the kernel may touch only parts of its tensors';
}

/**
 * Whether a tensor of this size can be the result; in a reduction, every outer iteration writes the same number of
 * elements.
 */
const isResult = (op: string, { shape }: Tensor, count: number): boolean =>
  numel(shape) >= count && (LOOPS.test(op) || numel(shape) % count === 0);

/** A kernel without a separate output tensor updates its first tensor. */
function fused(op: string, operands: readonly Tensor[], count: number | null): TrafficOrReason {
  const [first, last] = [operands[0], operands.at(-1)];
  const once = { reads: operands, writes: [], formula: 'bytes = all tensors, each read or written once' };
  if (first === undefined || last === undefined || count === null || isResult(op, last, count)) return once;
  if (!isResult(op, first, count)) return 'it is unknown which tensor the kernel writes';
  return { reads: operands, writes: [first], formula: 'bytes = all tensors, the first one read and written in place' };
}

/** @param operands operands of the call; null when they are unspecified */
function fusedTraffic(call: OpCall, operands: readonly Tensor[] | null): TrafficOrReason {
  const op = opName(call);
  if (operands === null || operands.length === 0) return 'the tensors are unspecified';
  if (!LOOPS.test(op) && !REDUCTIONS.test(op)) return 'it is unknown how often the kernel reads its tensors';
  const isUneven = operands.some(({ shape }) => numel(shape) !== numel(operands[0]?.shape ?? []));
  if (SCATTERED.test(op) || (NAMELESS.test(op) && isUneven)) return 'the kernel may touch only parts of its tensors';
  const count = iterations(call, operands);
  return PARTS.test(op) ? moved(op, operands, count) : fused(op, operands, count);
}

const SOURCE = 'PyTorch Inductor: a fused kernel loads each input and stores each result';

const FLOPS_UNKNOWN = 'the operations of a fused kernel are unspecified';

function work(call: OpCall): Work | null {
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
  category: null,
  ops: ['triton_poi_*', 'triton_red_*', 'triton_per_*', 'triton_for_*', 'triton_tem_*', 'triton_unk_*'],
  formulas: [
    'flops unknown: the name lists the ops, not how often each runs',
    'pointwise (poi) and reduction (red, per) kernels: bytes = all tensors, each once; the first tensor counts twice if the last one is smaller than the result, because the kernel then works in place',
    'pointwise kernels with cat, slice, split or similar: bytes = all tensors, if the inputs together have as many elements as the result; kernels that only copy a part of one tensor: bytes = E(result)·(size of an input element + size of a result element)',
    'bytes unknown for kernels whose name lists no op and whose tensors differ in size, for other kernels with an op that may touch only parts of a tensor (index, gather, slice, cat …), and for templates (tem)',
  ],
  work: ofDispatcher(work),
};
