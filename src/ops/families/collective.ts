/**
 * Operations between the devices of a group: all-reduce, all-gather, all-to-all …
 */
import { argument, dtypeShort, numel, type Tensor } from '../call.js';
import { messageBytes } from '../collective.js';
import type { Collective, OpCall } from '../../record/record.js';
import { isDispatched, untoldWork } from '../dispatched.js';
import type { Family, Param, Work } from '../family.js';
import { listAt, opName, tensorAt, whole } from '../operands.js';
import { tensor, tensorListParams, trafficWork } from '../work.js';

const SOURCE = 'the message read, the result written; additions of a reduction are left to the network';

/** Where the message stands in the arguments and what becomes of it. */
interface Form {
  /** Position of the message: a tensor or a list of tensors. */
  readonly message: number;
  /**
   * Position of the result; `same`: as large as the message; `none`: one way, a rank either reads or writes it;
   * `untold`: depends on what the others send.
   */
  readonly result: number | 'none' | 'same' | 'untold';
  /** Position of the number of ranks: the result is so many times larger, or smaller. */
  readonly times?: number;
  readonly over?: number;
}

const named = (names: string, form: Form): [string, Form][] => names.split(' ').map((op) => [op, form]);

/** Names of c10d (…_), of its functional form, of vLLM and its like, of symmetric memory, and NCCL's annotations. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ...named('allreduce_ allreduce_coalesced_ all_reduce_ all_reduce_coalesced all_reduce_coalesced_', {
    message: 0,
    result: 'same',
  }),
  // Python's all_reduce is another op.
  ...named('_c10d_functional.all_reduce c10d_functional.all_reduce vllm.all_reduce', { message: 0, result: 'same' }),
  ...named('multimem_all_reduce_ multimem_one_shot_all_reduce one_shot_all_reduce two_shot_all_reduce_', {
    message: 0,
    result: 'same',
  }),
  ...named('multimem_one_shot_all_reduce_out one_shot_all_reduce_out two_shot_all_reduce_out', {
    message: 0,
    result: 'same',
  }),
  ...named(
    'one_shot_all_reduce_copy _C_custom_ar.all_reduce _C_custom_ar.qr_all_reduce sgl_kernel.all_reduce mscclpp_allreduce',
    { message: 1, result: 'same' },
  ),
  ...named('nccl:all_reduce nccl:allreduce nccl:all_reduce_coalesced', { message: 0, result: 'same' }),
  ...named('_allgather_base_ allgather_into_tensor_coalesced_', { message: 1, result: 0 }),
  ...named('_reduce_scatter_base_ reduce_scatter_tensor_coalesced_', { message: 1, result: 0 }),
  ...named('alltoall_base_ alltoall_', { message: 1, result: 0 }),
  ...named('multimem_all_gather_out', { message: 0, result: 2 }),
  ...named('reduce_scatter_out', { message: 0, result: 3 }),
  ...named('_c10d_functional.all_gather_into_tensor', { message: 0, result: 'same', times: 1 }),
  ...named('c10d_functional.all_gather_into_tensor', { message: 0, result: 'same', times: 3 }),
  ...named('vllm.all_gather', { message: 0, result: 'same', times: 2 }),
  ...named('_c10d_functional.reduce_scatter_tensor', { message: 0, result: 'same', over: 2 }),
  ...named('c10d_functional.reduce_scatter_tensor', { message: 0, result: 'same', over: 4 }),
  ...named('vllm.reduce_scatter', { message: 0, result: 'same', over: 2 }),
  ...named('_c10d_functional.broadcast _c10d_functional.broadcast_ broadcast_ nccl:broadcast', {
    message: 0,
    result: 'none',
  }),
  ...named('reduce_ nccl:reduce send recv_ recv_any_source_ nccl:send nccl:recv', { message: 0, result: 'none' }),
  ...named('all_to_all_single all_to_all_single_autograd nccl:all_to_all', { message: 0, result: 'untold' }),
  ...named('nccl:_all_gather_base nccl:all_gather nccl:_reduce_scatter_base nccl:reduce_scatter', {
    message: 0,
    result: 'untold',
  }),
]);

/** The tensor or the list of tensors at a position. */
function messageAt(call: OpCall, position: number): Tensor[] | null {
  const list = listAt(call, 'tensors', position);
  if (list !== null) return list.length === 0 ? null : list;
  const one = tensorAt(call, 'tensor', position);
  return one === null ? null : [one];
}

/** The number of ranks at a position; undefined when it is not told. */
function ranksAt(call: OpCall, position: number): number | undefined {
  const ranks = whole(argument(call, 'group_size', position)?.value);
  return ranks === undefined || ranks < 1 ? undefined : ranks;
}

/** The message with another number of elements; null when it cannot have it. */
function resized(message: readonly Tensor[], size: (elements: number) => number): Tensor[] | null {
  const result = message.map(({ shape, dtype }) => tensor([size(numel(shape))], dtype));
  return result.every(({ shape }) => Number.isSafeInteger(numel(shape))) ? result : null;
}

/** What the operation writes on this device; null when the call does not tell it. */
function resultOf(call: OpCall, form: Form, message: readonly Tensor[]): readonly Tensor[] | null {
  if (typeof form.result === 'number') return messageAt(call, form.result);
  if (form.result === 'untold') return null;
  if (form.result === 'none') return [];
  if (form.times === undefined && form.over === undefined) return message;
  const ranks = ranksAt(call, form.times ?? form.over ?? 0);
  if (ranks === undefined) return null;
  return resized(message, (elements) => (form.times === undefined ? elements / ranks : elements * ranks));
}

const formOf = (call: OpCall): Form | undefined => FORMS.get(`${call.mod}.${opName(call)}`) ?? FORMS.get(opName(call));

function work(call: OpCall): Work | null {
  const form = isDispatched(call) ? formOf(call) : undefined;
  const message = form === undefined ? null : messageAt(call, form.message);
  if (form === undefined || message === null) return null;
  const [result, params] = [resultOf(call, form, message), tensorListParams(message)];
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
  ops: [...FORMS.keys()],
  formulas: [
    'flops = 0: the additions of a reduction are not counted, they may happen in the network',
    'bytes = |message| + |result|, by the arguments; broadcast, reduce, send, receive: |message| (a rank either reads or writes it)',
  ],
  work,
};
