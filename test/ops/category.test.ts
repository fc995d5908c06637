import { expect } from 'chai';
import type { KernelRecord } from '../../src/record/record.js';
import { requireColumn } from '../../src/prof/columns/columns.js';
import { CATEGORIES, type Category } from '../../src/ops/category.js';
import { categoryByName } from '../../src/ops/kernels/kernel-name.js';
import { shortName } from '../../src/parse/names/kernel-name.js';
import { FAMILIES } from '../../src/ops/table.js';
import { aten, call, v } from '../support/calls.js';
import { kernel } from '../support/kernels.js';
import { annotate } from '../support/rows.js';

const categoryOf = (fields: Partial<KernelRecord>): unknown =>
  annotate([kernel(fields)]).map((row) => requireColumn('category').value(row))[0];

const named = (name: string): Category | null => categoryByName({ name, short: shortName(name) });

describe('category of a kernel', () => {
  /** Names as profilers write them, by what their library documents. */
  const names: readonly (readonly [Category | null, string])[] = [
    ['gemm', 'ampere_sgemm_128x64_tn'],
    ['gemm', 'nvjet_tst_192x192_64x3_1x2_h_bz_coopB_NTN'],
    ['gemm', 'Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256_MI16x16x1_SN_LDSB1'],
    ['gemm', 'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_nn>(int)'],
    ['gemm', 'triton_tem_fused_mm_3'],
    ['attention', 'void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64> >(Flash_fwd_params)'],
    ['attention', 'vllm::reshape_and_cache_kernel'],
    ['attention', 'triton_tem_fused_flex_attention_1'],
    ['convolution', 'sm80_xmma_fprop_implicit_gemm_bf16f32_bf16bf16_f32_nhwckcrs'],
    ['convolution', 'volta_scudnn_128x64_relu_interior_nn_v1'],
    ['normalization', 'void vllm::rms_norm_kernel<float>(float*)'],
    ['softmax', 'void (anonymous namespace)::softmax_warp_forward<float, float, float, 7>(float*)'],
    ['elementwise', 'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)'],
    ['elementwise', 'triton_poi_fused_add_native_layer_norm_3'],
    ['set', 'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)'],
    ['copy', 'void at::native::elementwise_kernel<128, at::native::direct_copy_kernel_cuda(int)>(int)'],
    ['reduction', 'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(int)'],
    ['indexing', 'void at::native::index_elementwise_kernel<128, 4>(int)'],
    ['sorting', 'void cub::DeviceRadixSortOnesweepKernel<int>(int)'],
    ['random', 'void at::native::fused_dropout_kernel_vec<float>(int)'],
    ['resampling', 'void at::native::max_pool_forward_nchw<float>(int)'],
    ['optimizer', 'void at::native::multi_tensor_apply_kernel<int>(int)'],
    ['moe', 'moe::dev::routing::routingIndicesHistogramKernel'],
    ['communication', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)'],
    // A name of a user's program, whatever its template arguments.
    [null, 'solve_1bc_kernel(int, const int *)'],
  ];
  for (const [category, name] of names)
    it(`${String(category)}: ${name}`, () => expect(named(name)).to.equal(category));

  it('is that of the innermost op that states one, whatever the name', () => {
    const short = 'vectorized_elementwise_kernel';
    const [norm, copy] = [aten('native_layer_norm'), aten('copy_')];
    expect(categoryOf({ short, calls: [norm] })).to.equal('normalization');
    expect(categoryOf({ short, calls: [norm, copy] })).to.equal('copy');
    // An op without a family says nothing.
    expect(categoryOf({ short, calls: [norm, call('my.op')] })).to.equal('normalization');
    expect(categoryOf({ short, calls: [call('my.op')] })).to.equal('elementwise');
    expect(categoryOf({ calls: [call('my.op')] })).to.equal(null);
  });

  it('is communication for each kernel that communicates, also in an op of another category', () => {
    const short = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL';
    expect(categoryOf({ name: short, short, calls: [aten('copy_')] })).to.equal('communication');
  });

  it('is wait for an instruction that only waits for a transfer, whatever it is called', () => {
    expect(categoryOf({ name: 'copy-done.2', short: 'copy-done.2', labels: { category: 'copy-done' } })).to.equal(
      'wait',
    );
    expect(categoryOf({ name: 'copy-start.2', short: 'copy-start.2', labels: { category: 'copy-start' } })).to.not.equal('wait'); // prettier-ignore
  });

  it('of an op that is one of several: by the call', () => {
    const quantized = call('_C.static_scaled_fp8_quant');
    expect(categoryOf({ calls: [quantized] })).to.equal('quantization');
    expect(categoryOf({ calls: [call('_C.silu_and_mul')] })).to.equal('elementwise');
    const body = [['add', 8], ['dot', 8, 4, 'float32']] as never; // prettier-ignore
    expect(categoryOf({ calls: [call('hlo.fusion', v(body, 'body'))] })).to.equal('gemm');
    expect(categoryOf({ calls: [call('hlo.reduce')] })).to.equal('reduction');
  });

  it('every family of ops states one of the table, or that the name decides', () => {
    const stated = FAMILIES.map(({ category }) => category).filter((one) => typeof one === 'string');
    expect(stated.filter((one) => !CATEGORIES.includes(one))).to.deep.equal([]);
    expect(FAMILIES.filter(({ category }) => category === null).map(({ id }) => id)).to.deep.equal(['triton']);
  });
});
