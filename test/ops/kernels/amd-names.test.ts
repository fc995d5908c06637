import { expect } from 'chai';
import { factorType, isHelperKernel, multipliesFp32 } from '../../../src/ops/kernels/kernel-name.js';
import { tensorCore } from '../../../src/ops/kernels/tensor-core.js';

/**
 * Names of AMD's kernels, most from public profiles and shortened where the rest says nothing, judged by hand by what their
 * library compiles: the verdict, and the type of the factors (`-` where the name has none).
 */
const NAMES = `
yes bf16 Cijk_Ailk_Bjlk_BBS_BH_Bias_HAS_SAV_UserArgs_MT128x64x32_MI32x32x1_SN_LDSB0
yes bf16 Cijk_Ailk_Bjlk_BBS_BH_MT32x32x64_MI16x16x16x1_SN_LDSB0
yes bf16 Cijk_Ailk_Bljk_BBS_BH_MT256x256x32_MI32x32x8x1_SN_LDSB0
yes bf16 Cijk_Alik_Bjlk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x512x32_MI16x16x1_SN_LDSB1
yes bf16 Cijk_Alik_Bljk_BBS_BH_UserArgs_MT128x64x64_MI16x16x1_SN_LDSB1
yes bf16 Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT128x144x64_MI16x16x1_SN_LDSB1
yes fp16 Cijk_Ailk_Bljk_HHS_BH_Bias_AS_SAV_UserArgs_MT64x96x64_MI16x16x1_SN_LDSB1
yes fp16 Cijk_Alik_Bljk_HB_MT128x128x32_MI32x32x8x1_SN_1LDSB0
yes fp32 Cijk_Ailk_Bljk_SB_MT128x64x16_MI32x32x2x1_SN_1LDSB1
yes fp32 Cijk_Ailk_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT16x16x128_MI16x16x1_SN_LDSB1
yes tf32 Cijk_Alik_Bljk_S_MX_B_UserArgs_MT128x160x64_MI16x16x1_SN_LDSB0
yes tf32 Custom_Cijk_Ailk_Bjlk_S_MX_B_BIAS_HA_S_SAV_NTD_SK3_UserArgs_MT256x256x32_MI16x16x1_shortname0_gfx950
yes fp64 Cijk_Ailk_Bljk_DB_MT64x64x16_MI16x16x4x1_SN_1LDSB0
yes fp8 Cijk_Alik_Bljk_F8HS_BH_BiasSH_AS_SAB_SAV_UserArgs_MT256x224x128_MI16x16x1_SN_LDSB1
yes fp8 Cijk_Alik_Bljk_B8F8HS_BH_UserArgs_MT64x16x512_MI16x16x1_SN_LDSB1
yes fp4 Cijk_Alik_Bljk_F4BS_BH_UserArgs_MT256x256x256_MI16x16x1_SN_LDSB1
yes int8 Cijk_Alik_Bljk_I8II_BH_UserArgs_MT32x64x256_MI16x16x1_SN_LDSB1
no fp32 Cijk_Alik_Bljk_SB_MT64x64x8_SN_1LDSB0_APM1_ABV0_ACED0_AF0EM1
no fp16 Cijk_Alik_Bljk_HB_MT64x64x8_SN_1LDSB0_FMA_ISA1030_TT4_4_WS64_WG16_16_1_WGM8
no fp32 Cijk_Ailk_Bljk_SB_MT128x128x8_SE_K1_TT8_8_WG16_16_1
no - Cijk_SS_BiasS_HAS_ScaleAlphaVec_PostGSU16_VW1
no - Cijk_B_PostGSU2
no - Cijk_S_GA
yes bf16 void ck::tensor_operation::device::(anonymous namespace)::kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffle<ck::GridwiseGemmMultipleD_xdl_cshuffle<unsigned short, unsigned short, unsigned short, float>>
yes bf16 void ck::tensor_operation::device::kernel_batched_gemm_xdlops_bwd_weight<ck::GridwiseGemm_bk0mk1_bk0nk1_mn_xdlops_bwd_weight<64, unsigned short, unsigned short, float>>
yes fp16 void ck::kernel_gemm_xdl_cshuffle_v1<ck::GridwiseGemm_k0mk1_k0nk1_mn_xdl_cshuffle_v1<_Float16, float>>
yes fp16 void ck::kernel_gemm_wmma<ck::GridwiseGemm_Wmma<256, _Float16, _Float16, float>>
yes - _ZN2ck16tensor_operation6device12_GLOBAL__N_149kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffleINS_34GridwiseGemmMultipleD_xdl_cshuffleItttftNS_5TupleIJEEEtNS0_12element_wise11PassThroughES8_S8_LNS_25InMemory
yes - kernel_grouped_conv_fwd_xdl_cshuffle_v3
no fp16 void ck::kernel_gemm_dl_v1r3<ck::GridwiseGemmDl_km_kn_mn_v1r3<256, _Float16, float>>
no - void ck::tensor_operation::device::kernel_grouped_conv_fwd_dl_multiple_d<ck::GridwiseGemmDlMultipleD_km_kn_mn<256, float>>
yes fp16 void ck_tile::kentry<256, 2, ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipelineQRKSVSAsync<_Float16, float>>>
yes bf16 void ck_tile::kentry<256, 1, ck_tile::FmhaBwdDQDKDVKernel<ck_tile::BlockFmhaBwdPipelineProblem<std::bfloat16_t, float>>>
yes bf16 _ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40BlockFmhaBatchPrefillPipelineQRKSVSAsyncINS_36BlockFmhaBatchPrefillPipelineProblemIDF16bDF16bDF16bffDF16bhf
yes bf16 void ck_tile::kentry<1, ck_tile::GemmKernel<ck_tile::GemmPipelineAgBgCrCompV3<std::bfloat16_t, float>>>
no fp16 void ck_tile::kentry<64, 2, ck_tile::FmhaBwdOGradDotOKernel<_Float16, float>>
no fp16 void ck_tile::kentry<256, 2, ck_tile::FmhaFwdSplitKVCombineKernel<_Float16, float>>
no fp16 void ck_tile::kentry<256, 2, ck_tile::FmhaBwdConvertQGradKernel<float, _Float16>>
unknown bf16 void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipelineOnePass<std::bfloat16_t, std::bfloat16_t>>>
yes bf16 igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32_wt32x32x8_ws1x2_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x4x1_1x4x1x64
yes bf16 igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt64x64x64_wt32x32x8_ws1x1_wr1x1_ta1x4x1x4_1x16x1x16_tb1x4x1x4_1x16x1x16_gkgs
yes bf16 igemm_bwd_gtcx2_nhwc_bf16_bx0_ex1_bt32x64x32_wt16x64x4_ws1x1_wr1x1_ta1x8x1x1_1x4x1x32_tb1x8x1x2_1x4x1x32_mh_gkgs
yes fp16 igemm_fwd_gtcx_nchw_fp16_bx0_ex0_bt128x128x32_wt32x32x8_ws1x1_wr2x2
yes - gridwise_convolution_implicit_gemm_v4r4_xdlops_nchw_kcyx_nkhw
no fp16 igemm_fwd_gtcn2_nchwc_fp16_bx0_ex1_bt128x128x32_lt8x8_lw2x4_lr2x4_ta1x1x1x16_1x4x1x64_tb1x1x2x8_1x4x1x64
no - igemm_v4r1_dynamic_128x128x8_8x8_4x4x4x4x4x4_8x2x16x1_4x64
no fp16 miopenSp3AsmConv_v30_2_3_gfx9_fp16_dot2_edc_stride1
no - miopenGcnAsmConv1x1U
no - naive_conv_ab_nonpacked_fwd_nchw_float_double_float
unknown fp16 miopenSp3AsmConvFury_v2_4_1_gfx11_1536vgprs_fp16_fp16acc_f2x3_c16_stride1
unknown - Im2d2Col_v2
unknown - SubTensorOpWithCastTensor1d
unknown - batched_transpose_32x64_pack_2x4_ediv_1x2_half
unknown - MIOpenBatchNormFwdTrainSpatialNorm
yes bf16 aiter::fmha_fwd_hd128_bf16_causal_group
yes bf16 aiter::mla_dec_stage1_bf16_a16w16_subQ16_mqa16
yes bf16 aiter::pa_bf16_noquant_gqa8_1tg_4w
yes fp8 aiter::fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_32x256
yes fp8 aiter::fp8gemm_bf16_blockscale_BpreShuffle_32x128
yes fp4 aiter::f4gemm_bf16_per1x32Fp4_tn_256x256
yes int8 aiter::i8gemm_bf16_perTokenI8_BpreShuffle_128x128
no bf16 aiter::fmha_bwd_hd128_odo_bf16
unknown bf16 void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 256, 16, false, false, true, 1>(std::bfloat16_t*)
likely - attn_fwd
likely bf16 _matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu
likely - kernel_unified_attention_2d
unknown - _gemm_a16_w16_kernel
unknown bf16 _finalize_matmul_scatter_bf16
no - triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10
yes bf16 void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, __hip_bfloat16, (vllm::Fp8KVCacheDataType)0, 1, 128, 256>(__hip_bfloat16 const*)
yes fp16 void paged_attention_ll4mi_QKV_kernel<_Float16, unsigned char, (vllm::Fp8KVCacheDataType)1, 16, 128, 512, 4>(_Float16 const*)
no fp16 void paged_attention_ll4mi_reduce_kernel<_Float16, 128, 128, 512>(_Float16*, float const*)
no fp16 void wvSpltK_hf_sml_<64, 2, 16, 8, 2, 2>(int, int, __half const*, __half const*, __half*, int)
yes bf16 void wvSplitK_hf_sml_<__hip_bfloat16, 64, 4, 16, 8, 1, 4>(int, int, __hip_bfloat16 const*)
yes fp8 void wvSplitKQ_hf_sml_<__half, c10::Float8_e4m3fnuz, 64, 2, 16, 16, 2, 2>(int)
no fp16 void LLGemm1_kernel<__half, 4>(__half const*)
no - void mul_mat_vec_q<(ggml_type)12, 1, false, false>(void const*, void const*, int const*)
likely - void mul_mat_q<(ggml_type)12, 64, false>(char const*, int const*)
unknown - quantize_q8_1(float const*, void*, long, long)
yes bf16 void batched_matrix_multiplication_matrix_core_64x64x4<64u, 64u, 8u>(unsigned int, std::bfloat16_t const*)
no - void rocblas_gemvn_kernel<64, 16, long, float, float const*, float*>(int, int)
no - ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)
no - void rocprim::detail::single_scan_kernel<false, rocprim::detail::wrapped_scan_config<rocprim::default_config, int>>
no - __amd_rocclr_copyBuffer
no - __amd_rocclr_fillBufferAligned
`
  .trim()
  .split('\n')
  .map((line) => {
    const [verdict = '', type = '', ...name] = line.split(' ');
    return [verdict, type, name.join(' ')] as const;
  });

describe("names of AMD's kernels", () => {
  it('have the verdict and the type that their library gives them', () => {
    const wrong = NAMES.filter(
      ([verdict, type, name]) => tensorCore(name).verdict !== verdict || (factorType(name) ?? '-') !== type,
    ).map(([verdict, type, name]) => [verdict, type, tensorCore(name), factorType(name), name]);
    expect(wrong).to.deep.equal([]);
    expect(NAMES.length).to.be.greaterThan(75);
  });

  it('state that the unit multiplies FP32 as FP32, and not as TF32', () => {
    const names = NAMES.filter(
      ([verdict, , name]) => verdict === 'yes' && !/aiter::(fmha|mla|pa)|ll4mi_QKV_k|wvS/.test(name),
    );
    expect(names.filter(([, , name]) => !multipliesFp32(name))).to.deep.equal([]);
    expect(
      multipliesFp32('void cutlass::Kernel2<cutlass_80_wmma_tensorop_s161616gemm_f16_32x32_64x2_nn_align2>()'),
    ).to.equal(false);
    expect(multipliesFp32('sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_tensor16x8x8')).to.equal(false);
  });

  it("count copies of the runtime, and Tensile's kernels with the result's type only, as helpers", () => {
    const isHelper = (name: string): boolean => isHelperKernel({ name, short: name });
    expect(['__amd_rocclr_copyBuffer', '__amd_rocclr_fillBufferAligned'].map(isHelper)).to.deep.equal([true, true]);
    expect(['Cijk_SS_BiasS_HAS_ScaleAlphaVec_PostGSU16_VW1', 'Cijk_S_GA'].map(isHelper)).to.deep.equal([true, true]);
    expect(isHelper('Cijk_Ailk_Bljk_SB_MT64x64x8_SN_1LDSB0')).to.equal(false);
  });
});
