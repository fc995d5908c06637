/**
 * Operations between the devices of a group: all-reduce, all-gather, all-to-all …
 */
import { entryOf, named, type ByName } from '../by-name.js';
import { bind, type Bound } from '../binding.js';
import { dtypeShort, numel, type Tensor } from '../call.js';
import { messageBytes } from '../collective.js';
import type { Collective, OpCall } from '../../record/record.js';
import { isDispatched, untoldWork } from '../dispatched.js';
import type { Family, Param, Work } from '../family.js';
import { tensor, tensorListParams, trafficWork } from '../work.js';

const SOURCE = 'the message read, the result written; additions of a reduction are left to the network';

/** What becomes of the message. */
interface Form {
  /** See `bind`: the `message`, perhaps its `result` and the number of `ranks`. */
  readonly signature: string;
  /**
   * How large the result is: `given` by an argument; the `same` as the message, or so many `times` larger or smaller by
   * the number of ranks; `none`: one way, a rank either reads or writes; `untold`: it depends on what the others send.
   */
  readonly result: 'given' | 'same' | 'larger' | 'smaller' | 'none' | 'untold';
}

const MESSAGE = '@message ...';
const INTO = '!result? @message ...';

/** Names of c10d (…_), of its functional form, of vLLM and its like, of symmetric memory, and NCCL's annotations. */
const FORMS: ByName<Form> = {
  // Python's all_reduce is another op.
  ...named(
    'allreduce_ allreduce_coalesced_ all_reduce_ all_reduce_coalesced all_reduce_coalesced_ ' +
      '_c10d_functional.all_reduce c10d_functional.all_reduce vllm.all_reduce ' +
      'multimem_all_reduce_ multimem_one_shot_all_reduce one_shot_all_reduce two_shot_all_reduce_ ' +
      'multimem_one_shot_all_reduce_out one_shot_all_reduce_out two_shot_all_reduce_out ' +
      'nccl:all_reduce nccl:allreduce nccl:all_reduce_coalesced',
    { signature: MESSAGE, result: 'same' },
  ),
  ...named('one_shot_all_reduce_copy', { signature: '@buffer @message ...', result: 'same' }),
  ...named('_C_custom_ar.all_reduce _C_custom_ar.qr_all_reduce sgl_kernel.all_reduce mscclpp_allreduce', {
    signature: 'context @message ...',
    result: 'same',
  }),
  ...named('_allgather_base_ allgather_into_tensor_coalesced_', { signature: INTO, result: 'given' }),
  ...named('_reduce_scatter_base_ reduce_scatter_tensor_coalesced_', { signature: INTO, result: 'given' }),
  ...named('alltoall_base_ alltoall_', { signature: INTO, result: 'given' }),
  ...named('multimem_all_gather_out', { signature: '@message group !result? ...', result: 'given' }),
  ...named('reduce_scatter_out', { signature: '@message group last !result? ...', result: 'given' }),
  ...named('_c10d_functional.all_gather_into_tensor', { signature: '@message ranks ...', result: 'larger' }),
  ...named('c10d_functional.all_gather_into_tensor', { signature: '@message tag set ranks ...', result: 'larger' }),
  ...named('vllm.all_gather', { signature: '@message dim ranks ...', result: 'larger' }),
  ...named('_c10d_functional.reduce_scatter_tensor', { signature: '@message reduce ranks ...', result: 'smaller' }),
  ...named('c10d_functional.reduce_scatter_tensor', {
    signature: '@message reduce tag set ranks ...',
    result: 'smaller',
  }),
  ...named('vllm.reduce_scatter', { signature: '@message dim ranks ...', result: 'smaller' }),
  ...named('_c10d_functional.broadcast _c10d_functional.broadcast_ broadcast_ nccl:broadcast', {
    signature: MESSAGE,
    result: 'none',
  }),
  ...named('reduce_ nccl:reduce send recv_ recv_any_source_ nccl:send nccl:recv', {
    signature: MESSAGE,
    result: 'none',
  }),
  ...named('all_to_all_single all_to_all_single_autograd nccl:all_to_all', { signature: MESSAGE, result: 'untold' }),
  ...named('nccl:_all_gather_base nccl:all_gather nccl:_reduce_scatter_base nccl:reduce_scatter', {
    signature: MESSAGE,
    result: 'untold',
  }),
};

/** The message with another number of elements; null when it cannot have it. */
function resized(message: readonly Tensor[], size: (elements: number) => number): Tensor[] | null {
  const result = message.map(({ shape, dtype }) => tensor([size(numel(shape))], dtype));
  return result.every(({ shape }) => Number.isSafeInteger(numel(shape))) ? result : null;
}

/** What the operation writes on this device; null when the call does not tell it. */
function resultOf(bound: Bound, { result }: Form): readonly Tensor[] | null {
  const message = bound.tensors('message');
  if (result === 'given') return bound.tensors('result').length === 0 ? null : bound.tensors('result');
  if (result === 'untold') return null;
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
  const [result, params] = [resultOf(bound, form), tensorListParams(message)];
  const about = { flops: 0, params, source: SOURCE };
  if (result === null)
    return untoldWork({ ...about, formula: 'flops = 0', unknown: 'the size of the result is not told' });
  const formula = form.result === 'none' ? 'flops = 0; bytes = |message|' : 'flops = 0; bytes = |message| + |result|';
  return trafficWork({ ...about, reads: message, writes: result, formula });
}

/** What a kernel does by its own account of the collective, which says more than the arguments of a call. */
export function collectiveWork(told: Collective): Work {
  const bytes = messageBytes(told);
  const params: Param[] = [
    ['op', told.op],
    ...(told.groupSize === null ? [] : [['ranks', told.groupSize] as const]),
    ...(told.dtype === null ? [] : [['', dtypeShort(told.dtype)] as const]),
  ];
  return {
    role: 'main',
    flops: 0,
    bytes,
    params,
    matmul: false,
    formula: 'flops = 0; bytes = |message| + |result|; one way (broadcast, reduce, send, receive): |message|',
    source: SOURCE,
    ...(bytes === null ? { unknown: 'the size of the message is not told' } : undefined),
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
