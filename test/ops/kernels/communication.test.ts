import { communicationKind } from '../../../src/ops/collective-bytes.js';
import { isCommunication } from '../../../src/ops/kernels/kernel-name.js';
import { expect } from 'chai';

const of = (short: string, name = `void ${short}<float>(float*)`): string | null =>
  isCommunication({ name, short }) ? (communicationKind(short) ?? '?') : null;

describe('kernels that communicate, by their names', () => {
  const communicating: readonly (readonly [short: string, kind: string, name?: string])[] = [
    ['ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 'allreduce'],
    ['ncclDevKernel_Generic', '?'],
    ['multimem_all_reduce_kernel', 'allreduce'],
    ['multimem_one_shot_reduce_kernel', 'reduce'],
    ['one_shot_all_reduce_kernel', 'allreduce'],
    ['two_shot_all_reduce_kernel_inplace', 'allreduce'],
    ['multimem_all_gather_kernel', 'allgather'],
    ['cross_device_reduce_2stage', 'allreduce'],
    ['allreduce_fusion_kernel_oneshot_lamport', 'allreduce'],
    ['allreduce_prototype_twoshot', 'allreduce'],
    ['dispatch', 'dispatch', 'void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)'],
    ['barrier_kernel', '?', 'c10d::symmetric_memory::(anonymous namespace)::barrier_kernel(unsigned int**)'],
  ];
  for (const [short, kind, name] of communicating) {
    it(`${short}: ${kind}`, () => expect(of(short, name)).to.equal(kind));
  }

  const computing = [
    'vectorized_elementwise_kernel',
    'reduce_kernel',
    // Named after the ops around it in the graph.
    'triton_poi_fused_add_all_reduce_wait_tensor_3',
    'vectorized_gather_kernel',
    'dispatch',
  ];
  for (const short of computing) it(`not ${short}`, () => expect(of(short, short)).to.equal(null));
});
