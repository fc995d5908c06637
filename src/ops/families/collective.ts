/** Operations between the devices of a group: all-reduce, all-gather, all-to-all … */
import type { BoundArguments } from '../schema/binding.js';
import { dtypeShort } from '../../record/element-types.js';
import { numel, tensorBytes, type Tensor } from '../call.js';
import { messageBytes } from '../collective-bytes.js';
import type { OpCall, KernelRecord } from '../../record/record.js';
import type { Collective } from '../../record/fields/collective.js';
import { ofDispatcher, boundRow, opTable } from '../schema/op-rules.js';
import type { Family, Param, Work } from '../family.js';
import { tensor, tensorListParams, workOf, total } from '../work.js';
import { isCommunication } from '../kernels/kernel-name.js';

const SOURCE = 'reads the message and writes the result; additions in a reduction are not counted';

/**
 * Size of the result. `given`: an argument states it. `same`: the size of the message. `larger`, `smaller`: by the
 * number of ranks. `split`: the rows of all `splits`. `none`: one way, so that a rank either reads or writes.
 * `unspecified`: it depends on the other ranks.
 */
interface CollectiveForm {
  readonly result: 'given' | 'same' | 'larger' | 'smaller' | 'split' | 'none' | 'unspecified';
}

const form = (result: CollectiveForm['result']): CollectiveForm => ({ result });
const [given, same, larger, smaller] = [form('given'), form('same'), form('larger'), form('smaller')];
const [split, none, unspecified] = [form('split'), form('none'), form('unspecified')];

/**
 * Arguments: the `message`, and in some ops its `result` and the number of `ranks`. The names are those of c10d (…_), of
 * its functional form, of vLLM and similar engines, of symmetric memory, and NCCL's annotations.
 */
const FORMS = opTable<CollectiveForm>`
  // Python's all_reduce is a different op.
  ${same} allreduce_ allreduce_coalesced_ all_reduce_ all_reduce_coalesced all_reduce_coalesced_
    _c10d_functional.all_reduce c10d_functional.all_reduce vllm.all_reduce
    multimem_all_reduce_ multimem_one_shot_all_reduce one_shot_all_reduce two_shot_all_reduce_
    multimem_one_shot_all_reduce_out one_shot_all_reduce_out two_shot_all_reduce_out
    nccl:all_reduce nccl:allreduce nccl:all_reduce_coalesced nccl:all_reduce_barrier c10d.barrier: @message ...
  // The first argument is a copy of the message, from which the other ranks read it.
  ${same} one_shot_all_reduce_copy one_shot_all_reduce_copy_out: @buffer @message ...
  ${same} _C_custom_ar.all_reduce _C_custom_ar.qr_all_reduce sgl_kernel.all_reduce mscclpp_allreduce:
    context @message ...
  ${given} _allgather_base_ allgather_into_tensor_coalesced_ _reduce_scatter_base_ reduce_scatter_tensor_coalesced_
    alltoall_base_ alltoall_ allgather_ allgather_coalesced_ c10d.gather_: !result? @message ...
  // Overloads with a tensor list for each rank, which profilers do not record.
  ${given} c10d.reduce_scatter_ c10d.scatter_: !result? @message? ...
  ${given} nvshmem_all_to_all nccl_all_to_all_nd nccl_reduce_scatter_offset tile_reduce multi_root_tile_reduce:
    @message !result? ...
  // The buffers have spare room; tensor values say how much is moved.
  ${unspecified} all_to_all_vdev all_to_all_vdev_2d all_to_all_vdev_2d_offset: @message !result? @splits @offsets ...
  ${given} multimem_all_gather_out: @message group !result? ...
  ${given} reduce_scatter_out: @message group last !result? ...
  ${larger} _c10d_functional.all_gather_into_tensor _c10d_functional.all_gather_into_tensor_coalesced
    _c10d_functional.all_gather_into_tensor_out _c10d_functional_autograd.all_gather_into_tensor: @message ranks ...
  ${larger} c10d_functional.all_gather_into_tensor: @message tag set ranks ...
  ${larger} vllm.all_gather: @message dim ranks ...
  ${smaller} _c10d_functional.reduce_scatter_tensor _c10d_functional.reduce_scatter_tensor_coalesced
    _c10d_functional.reduce_scatter_tensor_out _c10d_functional_autograd.reduce_scatter_tensor:
    @message reduce ranks ...
  ${smaller} c10d_functional.reduce_scatter_tensor: @message reduce tag set ranks ...
  ${smaller} vllm.reduce_scatter: @message dim ranks ...
  ${none} _c10d_functional.broadcast _c10d_functional.broadcast_ broadcast_ nvshmem_broadcast nccl:broadcast
    nccl:_broadcast_oop reduce_ multimem_one_shot_reduce_out nccl:reduce nccl:_reduce_oop
    send recv_ recv_any_source_ nvshmem_put nvshmem_get nvshmem_put_with_signal nccl_put nccl_get
    nccl_put_with_signal nccl_put_signal nccl:send nccl:recv: @message ...
  ${split} _c10d_functional.all_to_all_single _c10d_functional_autograd.all_to_all_single: @message splits ...
  ${unspecified} all_to_all_single all_to_all_single_autograd nccl:all_to_all
    nccl:_all_gather_base nccl:all_gather nccl:all_gather_into_tensor_coalesced nccl:_reduce_scatter_base
    nccl:reduce_scatter nccl:reduce_scatter_tensor_coalesced nccl:gather nccl:scatter: @message ...
`;

/** The message with another number of elements; null when it cannot have that number. */
function resized(message: readonly Tensor[], size: (elements: number) => number): Tensor[] | null {
  const result = message.map(({ shape, dtype }) => tensor([size(numel(shape))], dtype));
  return result.every(({ shape }) => Number.isSafeInteger(numel(shape))) ? result : null;
}

/** The message with the rows of all splits together; null when they are unspecified. */
function joinedParts(message: readonly Tensor[], parts: readonly number[] | null): Tensor[] | null {
  if (parts === null) return null;
  const rows = parts.reduce((sum, part) => sum + part, 0);
  return message.map(({ shape, dtype }) => tensor([rows, ...shape.slice(1)], dtype));
}

/** The tensors that the operation writes on this device; null when they are unspecified. */
function resultOf(bound: BoundArguments, { result }: CollectiveForm): readonly Tensor[] | null {
  const message = bound.tensors('message');
  if (message.length === 0) return null;
  if (result === 'split') return joinedParts(message, bound.integers('splits'));
  if (result === 'given') return bound.tensors('result').length === 0 ? null : bound.tensors('result');
  if (result === 'unspecified') return null;
  if (result === 'none') return [];
  if (result === 'same') return message;
  const ranks = bound.count('ranks');
  if (ranks === null || ranks === 0) return null;
  return resized(message, (elements) => (result === 'smaller' ? elements / ranks : elements * ranks));
}

/** The tensors of a collective operation on this device. */
interface Message {
  /** Empty when it is unspecified. */
  readonly message: readonly Tensor[];
  /** Null when it is unspecified; empty for a one-way operation. */
  readonly result: readonly Tensor[] | null;
}

const rowOf = ofDispatcher((call) => boundRow(FORMS, call));

/** The data that a call sends and receives; null when it is not a collective operation, or its arguments do not fit. */
function messageOf(call: OpCall): Message | null {
  const row = rowOf(call);
  return row === null ? null : { message: row.bound.tensors('message'), result: resultOf(row.bound, row.fact) };
}

function work(call: OpCall): Work | null {
  const row = rowOf(call);
  if (row === null) return null;
  const { bound } = row;
  const message = bound.tensors('message');
  const known = message.length > 0 ? message : bound.tensors('result');
  if (known.length === 0) return null;
  const [result, params] = [resultOf(bound, row.fact), tensorListParams(known)];
  const about = { flops: 0, params, source: SOURCE };
  if (result === null)
    return workOf({
      writes: null,
      ...about,
      formula: 'flops = 0',
      unknown: `the size of the ${message.length > 0 ? 'result' : 'message'} is unspecified`,
    });
  const formula = row.fact === none ? 'flops = 0; bytes = |message|' : 'flops = 0; bytes = |message| + |result|';
  return workOf({ ...about, reads: message, writes: result, formula });
}

/** The work of a kernel with a recorded collective, which is more exact than the arguments of a call. */
export function collectiveWork(recorded: Collective): Work {
  const bytes = messageBytes(recorded);
  const params: Param[] = [
    ['op', recorded.op],
    ...(recorded.groupSize === null ? [] : [['ranks', recorded.groupSize] as const]),
    ...(recorded.dtype === null ? [] : [['', dtypeShort(recorded.dtype)] as const]),
  ];
  return {
    role: 'main',
    flops: 0,
    bytes,
    params,
    matmul: false,
    formula: 'flops = 0; bytes = |message| + |result|; one way (broadcast, reduce, send, receive): |message|',
    source: SOURCE,
    ...(bytes === null ? { unknown: 'the size of the message is unspecified' } : undefined),
  };
}

export const collective: Family = {
  id: 'collective',
  title: 'Collectives: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast',
  category: 'communication',
  ops: Object.keys(FORMS),
  formulas: [
    'flops = 0: additions of a reduction may happen in the network and are not counted',
    'bytes = |message| + |result| of the arguments; broadcast, reduce, send, receive: |message| (a rank either reads or writes it)',
  ],
  work,
};

type Launched = Pick<KernelRecord, 'name' | 'short' | 'calls' | 'callKernels'>;

const bytesOf = (tensors: readonly Tensor[]): number | null => total(tensors.map(tensorBytes));

/**
 * Operation and sizes from the innermost call that states the message. If that call does not state the size of the
 * result, it is taken from an enclosing call with the same message. The group is unknown, because no argument names it.
 * @returns null for a kernel that moves nothing between devices, for one whose calls do not state the message, and for
 *   one of several kernels of a call, because each moves an unknown part
 */
export function collectiveOfCalls(kernel: Launched): Collective | null {
  if (kernel.calls.length === 0 || !isCommunication(kernel)) return null;
  const described = kernel.calls.flatMap((call, i) => describe(call, kernel.callKernels?.[i] ?? 1)).reverse();
  const [inner] = described;
  if (inner === undefined || inner.kernels !== 1) return null;
  const { op, bytesIn, dtype } = inner;
  const bytesOut = described.find((other) => other.bytesIn === bytesIn && other.bytesOut !== null)?.bytesOut ?? null;
  return { op, bytesIn, bytesOut, dtype, group: null, groupSize: null, ranks: null };
}

interface Described extends Pick<Collective, 'op' | 'bytesOut' | 'dtype'> {
  readonly bytesIn: number;
  /** Number of kernels that the call launched. */
  readonly kernels: number;
}

/** Facts that a call states about its operation; empty when it does not state the message. */
function describe(call: OpCall, kernels: number): Described[] {
  const { message = [], result = null } = messageOf(call) ?? {};
  const [bytesIn, dtype] = [bytesOf(message), message[0]?.dtype ?? null];
  if (message.length === 0 || bytesIn === null) return [];
  // A one-way message has one size.
  const bytesOut = result?.length === 0 ? bytesIn : result === null ? null : bytesOf(result);
  return [{ op: call.op.replace(/^nccl:/, ''), bytesIn, bytesOut, dtype, kernels }];
}
