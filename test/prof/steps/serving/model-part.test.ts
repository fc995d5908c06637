import { expect } from 'chai';
import { modelPartOf, type ModelPart } from '../../../../src/prof/steps/serving/served-times.js';
import type { KernelRecord, OpCall } from '../../../../src/record/record.js';
import { kernel } from '../../../support/kernels.js';

const call = (name: string): OpCall => {
  const [mod = '', op = ''] = name.split('::');
  return { mod, op, args: [], from: 'dispatcher' };
};

const named = (short: string, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ name: short, short, ...fields });

describe('parts of a language model', () => {
  const byOps: readonly (readonly [calls: string, part: ModelPart])[] = [
    ['vllm::unified_attention_with_output', 'attention'],
    ['vllm::unified_attention_with_output aten::mm', 'attention'],
    ['sglang_profiler::attention_paged_attention_ragged_100', 'attention'],
    ['_C_cache_ops::reshape_and_cache_flash', 'attention'],
    ['aten::linear aten::addmm', 'projection'],
    ['vllm::rocm_unquantized_gemm aten::linear', 'projection'],
    ['vllm::moe_forward', 'experts'],
    ['vllm::moe_forward aten::mm', 'experts'],
    ['_moe_C::topk_softmax', 'experts'],
    ['aten::argmax', 'sampling'],
    ['sgl_kernel::top_k_top_p_sampling_from_probs', 'sampling'],
    ['aten::silu', 'other'],
    ['aten::embedding aten::index_select', 'other'],
  ];
  for (const [ops, part] of byOps) {
    it(ops, () => expect(modelPartOf(named('some_kernel', { calls: ops.split(' ').map(call) }))).to.equal(part));
  }

  const byName: readonly (readonly [name: string, part: ModelPart])[] = [
    ['kernel_unified_attention_3d', 'attention'],
    ['reduce_segments', 'attention'],
    ['paged_attention_ll4mi_reduce_kernel', 'attention'],
    ['vllm::reshape_and_cache_flash_kernel', 'attention'],
    ['store_kvcache', 'attention'],
    ['Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT32x32x256_MI16x16x1_SN', 'projection'],
    ['_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1', 'experts'],
    ['_finalize_matmul_scatter_bf16', 'experts'],
    ['_combined_routing_compute', 'experts'],
    ['_sum_bitmatrix_rows', 'experts'],
    ['_topk_forward', 'experts'],
    ['triton_poi_fused_constant_pad_nd_moe_forward_0', 'other'],
    ['vllm::rotary_embedding_kernel', 'other'],
    ['ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 'communication'],
    ['vllm::cross_device_reduce_1stage', 'communication'],
  ];
  for (const [name, part] of byName) it(name, () => expect(modelPartOf(named(name))).to.equal(part));

  it('what samplers launch', () => {
    expect(modelPartOf(named('elementwise_kernel', { layer: ['Sampler_0'] }))).to.equal('sampling');
    expect(modelPartOf(named('elementwise_kernel', { trace: ['vllm/v1/sample/ops/topk.py:8'] }))).to.equal('sampling');
    expect(modelPartOf(named('elementwise_kernel', { trace: ['/x/sglang/srt/layers/sampler.py:8'] }))).to.equal(
      'sampling',
    );
    expect(modelPartOf(named('elementwise_kernel', { trace: ['/sample/serve.py:8'] }))).to.equal('other');
    const reduce =
      'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>>>(int)';
    expect(modelPartOf(named('reduce_kernel', { name: reduce }))).to.equal('sampling');
  });
});
