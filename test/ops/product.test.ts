import { isProductKernel } from '../../src/ops/kernels/kernel-name.js';
import { expect } from 'chai';
import { kernel } from '../support/calls.js';

/** Names as libraries write them. */
const PRODUCTS = [
  'ampere_sgemm_32x128_tn',
  'nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT',
  'bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_sm100f',
  'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3_tn_align2>(Params)',
  'void gemv2T_kernel_val<int, int, float, float, float>(cublasGemvParams)',
  'void internal::gemvx::kernel<int, int, float, float>(cublasGemvParamsEx)',
  'void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>(cublasGemmSmallNParams)',
  'Cijk_Ailk_Bljk_BBS_BH_MT256x112x32_MI16x16x16x1_SN_1LDSB0',
  'Cijk_Ailk_Bljk_SB_MT64x64x8_SE_1LDSB0',
  'sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4',
  'void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, true>(int)',
  'fused_moe_kernel',
  'void ck_tile::kentry<256, 1, ck_tile::GemmKernel<ck_tile::GemmPipeline>>(Args)',
] as const;

const OTHERS = [
  'void epilogue::impl::globalKernel<float, float, float, true, true>(int, int, long, float*)',
  'void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::cublasSplitKParams<float>)',
  'void dot_reduce_1Block_kernel<float>(int)',
  'Im2d2Col_v2',
  'Cijk_SB_PostGSU2_VW4',
  'void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>(void*)',
  'cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)',
  'void compute_grouped_gemm_args_kernel<int>(int)',
  'void moe::dev::routing::routingIndicesOffsetsKernel<moe::dev::routing::KernelParams>(Params)',
  'void moe::dev::finalize::finalizeKernelVecLoad<cutlass::bfloat16_t>(Params)',
  '_finalize_matmul_scatter_bf16',
  'triton_poi_fused_mm_relu_0',
  'void fbgemm_gpu::(anonymous namespace)::_get_FP8_qparam_cuda_kernel<float>(float const*, int, int, unsigned char*)',
  'aiter::fmha_bwd_hd128_odo_bf16',
] as const;

describe('products by their names', () => {
  for (const name of PRODUCTS) it(`${name} is one`, () => expect(isProductKernel(kernel(name))).to.equal(true));
  for (const name of OTHERS) it(`${name} is none`, () => expect(isProductKernel(kernel(name))).to.equal(false));
});
