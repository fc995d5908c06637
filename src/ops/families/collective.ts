/**
 * Operations between the devices of a group: all-reduce, all-gather, all-to-all …
 */
import { entryOf, named, type ByName } from '../by-name.js';
import { bind, type BoundArguments } from '../schema/binding.js';
import { dtypeShort, numel, type Tensor } from '../call.js';
import { messageBytes } from '../collective-bytes.js';
import type { Collective, OpCall } from '../../record/record.js';
import { isDispatched } from '../schema/dispatched.js';
import type { Family, Param, Work } from '../family.js';
import { tensor, tensorListParams, workOf } from '../work.js';

const SOURCE = 'the message read, the result written; additions of a reduction are left to the network';

/** Arguments and result of a collective. */
interface Form {
  /** See `bind`: the `message`, perhaps its `result` and the number of `ranks`. */
  readonly signature: string;
  /**
   * How large the result is: `given` by an argument; the `same` as the message, or so many `times` larger or smaller by
   * the number of ranks; `split`: the rows of all `splits`; `none`: one way, a rank either reads or writes;
   * `unspecified`: it depends on the other ranks.
   */
  readonly result: 'given' | 'same' | 'larger' | 'smaller' | 'split' | 'none' | 'unspecified';
}

const MESSAGE = '@message ...';
const INTO = '!result? @message ...';
/** Overloads with a list of tensors per rank, which profilers do not record. */
const FROM_LISTS = '!result? @message? ...';

/** Names of c10d (…_), of its functional form, of vLLM and its like, of symmetric memory, and NCCL's annotations. */
const FORMS: ByName<Form> = {
  // Python's all_reduce is another op.
  ...named(
    'allreduce_ allreduce_coalesced_ all_reduce_ all_reduce_coalesced all_reduce_coalesced_ ' +
      '_c10d_functional.all_reduce c10d_functional.all_reduce vllm.all_reduce ' +
      'multimem_all_reduce_ multimem_one_shot_all_reduce one_shot_all_reduce two_shot_all_reduce_ ' +
      'multimem_one_shot_all_reduce_out one_shot_all_reduce_out two_shot_all_reduce_out ' +
      'nccl:all_reduce nccl:allreduce nccl:all_reduce_coalesced nccl:all_reduce_barrier c10d.barrier',
    { signature: MESSAGE, result: 'same' },
  ),
  // The first argument is where the others read the message from: a copy of it.
  ...named('one_shot_all_reduce_copy one_shot_all_reduce_copy_out', {
    signature: '@buffer @message ...',
    result: 'same',
  }),
  ...named('_C_custom_ar.all_reduce _C_custom_ar.qr_all_reduce sgl_kernel.all_reduce mscclpp_allreduce', {
    signature: 'context @message ...',
    result: 'same',
  }),
  ...named('_allgather_base_ allgather_into_tensor_coalesced_', { signature: INTO, result: 'given' }),
  ...named('_reduce_scatter_base_ reduce_scatter_tensor_coalesced_', { signature: INTO, result: 'given' }),
  ...named('alltoall_base_ alltoall_', { signature: INTO, result: 'given' }),
  ...named('allgather_ allgather_coalesced_ c10d.gather_', { signature: INTO, result: 'given' }),
  ...named('c10d.reduce_scatter_ c10d.scatter_', { signature: FROM_LISTS, result: 'given' }),
  ...named('nvshmem_all_to_all nccl_all_to_all_nd nccl_reduce_scatter_offset', {
    signature: '@message !result? ...',
    result: 'given',
  }),
  ...named('tile_reduce multi_root_tile_reduce', { signature: '@message !result? ...', result: 'given' }),
  // Of buffers with room for more, how much is moved are values of tensors.
  ...named('all_to_all_vdev all_to_all_vdev_2d all_to_all_vdev_2d_offset', {
    signature: '@message !result? @splits @offsets ...',
    result: 'unspecified',
  }),
  ...named('multimem_all_gather_out', { signature: '@message group !result? ...', result: 'given' }),
  ...named('reduce_scatter_out', { signature: '@message group last !result? ...', result: 'given' }),
  ...named(
    '_c10d_functional.all_gather_into_tensor _c10d_functional.all_gather_into_tensor_coalesced ' +
      '_c10d_functional.all_gather_into_tensor_out _c10d_functional_autograd.all_gather_into_tensor',
    { signature: '@message ranks ...', result: 'larger' },
  ),
  ...named('c10d_functional.all_gather_into_tensor', { signature: '@message tag set ranks ...', result: 'larger' }),
  ...named('vllm.all_gather', { signature: '@message dim ranks ...', result: 'larger' }),
  ...named(
    '_c10d_functional.reduce_scatter_tensor _c10d_functional.reduce_scatter_tensor_coalesced ' +
      '_c10d_functional.reduce_scatter_tensor_out _c10d_functional_autograd.reduce_scatter_tensor',
    { signature: '@message reduce ranks ...', result: 'smaller' },
  ),
  ...named('c10d_functional.reduce_scatter_tensor', {
    signature: '@message reduce tag set ranks ...',
    result: 'smaller',
  }),
  ...named('vllm.reduce_scatter', { signature: '@message dim ranks ...', result: 'smaller' }),
  ...named(
    '_c10d_functional.broadcast _c10d_functional.broadcast_ broadcast_ nvshmem_broadcast nccl:broadcast ' +
      'nccl:_broadcast_oop',
    { signature: MESSAGE, result: 'none' },
  ),
  ...named('reduce_ multimem_one_shot_reduce_out nccl:reduce nccl:_reduce_oop', { signature: MESSAGE, result: 'none' }),
  ...named(
    'send recv_ recv_any_source_ nvshmem_put nvshmem_get nvshmem_put_with_signal nccl_put nccl_get ' +
      'nccl_put_with_signal nccl_put_signal nccl:send nccl:recv',
    { signature: MESSAGE, result: 'none' },
  ),
  ...named('_c10d_functional.all_to_all_single _c10d_functional_autograd.all_to_all_single', {
    signature: '@message splits ...',
    result: 'split',
  }),
  ...named('all_to_all_single all_to_all_single_autograd nccl:all_to_all', {
    signature: MESSAGE,
    result: 'unspecified',
  }),
  ...named(
    'nccl:_all_gather_base nccl:all_gather nccl:all_gather_into_tensor_coalesced nccl:_reduce_scatter_base ' +
      'nccl:reduce_scatter nccl:reduce_scatter_tensor_coalesced nccl:gather nccl:scatter',
    { signature: MESSAGE, result: 'unspecified' },
  ),
};

/** The message with another number of elements; null when it cannot have it. */
function resized(message: readonly Tensor[], size: (elements: number) => number): Tensor[] | null {
  const result = message.map(({ shape, dtype }) => tensor([size(numel(shape))], dtype));
  return result.every(({ shape }) => Number.isSafeInteger(numel(shape))) ? result : null;
}

/** The message with as many rows as all splits together; null when they are unspecified. */
function joinedParts(message: readonly Tensor[], parts: readonly number[] | null): Tensor[] | null {
  if (parts === null) return null;
  const rows = parts.reduce((sum, part) => sum + part, 0);
  return message.map(({ shape, dtype }) => tensor([rows, ...shape.slice(1)], dtype));
}

/** The tensors that the operation writes on this device; null when they are unspecified. */
function resultOf(bound: BoundArguments, { result }: Form): readonly Tensor[] | null {
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

function work(call: OpCall): Work | null {
  const form = isDispatched(call) ? entryOf(FORMS, call) : undefined;
  const bound = form === undefined ? null : bind(call, form.signature);
  if (form === undefined || bound === null) return null;
  const message = bound.tensors('message');
  const known = message.length > 0 ? message : bound.tensors('result');
  if (known.length === 0) return null;
  const [result, params] = [resultOf(bound, form), tensorListParams(known)];
  const about = { flops: 0, params, source: SOURCE };
  if (result === null)
    return workOf({
      writes: null,
      ...about,
      formula: 'flops = 0',
      unknown: `the size of the ${message.length > 0 ? 'result' : 'message'} is unspecified`,
    });
  const formula = form.result === 'none' ? 'flops = 0; bytes = |message|' : 'flops = 0; bytes = |message| + |result|';
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
  ops: Object.keys(FORMS),
  formulas: [
    'flops = 0: the additions of a reduction are not counted, they may happen in the network',
    'bytes = |message| + |result|, by the arguments; broadcast, reduce, send, receive: |message| (a rank either reads or writes it)',
  ],
  work,
};
