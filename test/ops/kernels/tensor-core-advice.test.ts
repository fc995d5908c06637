import { addsInHalf, alignmentInName, isShortcut, smInName, factorType } from '../../../src/ops/kernels/kernel-name.js';
import { expect } from 'chai';
import { arithmeticType } from '../../../src/ops/arithmetic.js';
import { mathType, matrixTypes, isEligible } from '../../../src/ops/kernels/matrix-unit.js';
import { HELD_BACK, slowedBy, SLOWED, whyOf, type ProductFacts } from '../../../src/ops/kernels/tensor-core-advice.js';
import { tensorCore } from '../../../src/ops/kernels/tensor-core.js';
import type { OpCall } from '../../../src/record/record.js';
import { aten, none, t, ts, v } from '../../support/calls.js';

const mm = (m: number, k: number, n: number, dtype: string): OpCall => aten('mm', t([m, k], dtype), t([k, n], dtype));

function facts(call: OpCall, name: string, arch: string): ProductFacts {
  const verdict = tensorCore(name, arch);
  const dtype = arithmeticType({ call, matmul: true, name, verdict: verdict.verdict });
  return { call, name, arch, verdict, type: mathType(dtype) };
}

describe('facts in a kernel name', () => {
  const names: readonly (readonly [name: string, type: string | null, sm: number | null, align: number | null])[] = [
    ['nvjet_tst_176x128_64x5_1x2_h_bz_NNT', 'bf16', null, null],
    ['nvjet_sm90_hss_64x8_64x16_1x1_h_bz_splitK_NNT', 'fp16', 90, null],
    ['nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_bias_TNT', 'fp8', 100, null],
    ['ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn', 'fp16', 80, null],
    ['ampere_bf16_s1688gemm_bf16_128x64_sliced1x2_ldg8_relu_f2f_tn', 'bf16', 80, null],
    ['volta_h884gemm_64x128_ldg8_nn', 'fp16', 70, null],
    ['volta_sgemm_128x64_nn', 'fp32', 70, null],
    ['maxwell_scudnn_128x32_relu_small_nn', 'fp32', 50, null],
    ['cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4', 'tf32', 80, 4],
    ['void cutlass::Kernel2<cutlass_80_wmma_tensorop_s161616gemm_f16_32x32_64x2_nn_align2>(...)', 'fp16', 80, 2],
    ['void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn_align1>(Params)', 'fp32', 80, 1],
    ['sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_kernel', 'tf32', 80, null],
    ['sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize32x32x64_tensor16x8x16_kernel', 'bf16', 80, null],
    ['sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_ffma_aligna4_alignc4_execute_kernel', 'fp32', 80, 4],
    ['turing_int8_i8816cudnn_int8_256x128_ldg16_relu_medium_nt_v1', 'int8', 75, null],
    ['dgemm d884gemm', 'fp64', null, null],
    ['Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN', 'bf16', null, null],
    ['Cijk_Ailk_Bljk_HHS_BH_MT128x64x32_MI32x32x8', 'fp16', null, null],
    ['Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x1', 'fp32', null, null],
    ['void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 64, 4, cutlass::bfloat16_t>>', 'bf16', 80, null],
    ['flash::FlashAttnFwdSm90<2>', null, 90, null],
    ['fmha_cutlassF_bf16_aligned_64x128_rf_sm80', 'bf16', 80, null],
    ['bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_sm100f', 'fp8', 100, null],
    ['bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_sm100f', 'fp8', 100, null],
    ['bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512u2_s5_et128x8_m128x8x64_sm100f', 'fp4', 100, null],
    // What is written does not say what is multiplied.
    ['bmm_E4m3_Bfloat16Bfloat16_Fp32_t128x8x128_s6_et128x8_m128x8x16_sm100f', 'bf16', 100, null],
    ['fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext', 'fp8', 100, null],
    ['fmhaSm100aKernel_QkvBfloat16OE4m3H128PagedKvCausalP32VarSeqQ128Kv128PersistentContext', 'bf16', 100, null],
    ['void cutlass::device_kernel<cutlass3x_sm100_bstensorop_s128x256x64gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16>', 'fp4', 100, null],
    ['void cutlass::device_kernel<cutlass3x_sm100_bstensorop_s128x256x64gemm_block_scaled_ue8m0xe4m3_ue8m0xe2m1_f32_bf16>', 'fp8', 100, null],
    ['void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 7168u, 2048u>', 'fp8', 90, null],
    ['fmoe_bf16_pertokenFp8_g1u1_vs_silu_1tg_32x256', 'fp8', null, null],
    ['f4gemm_bf16_per1x32Fp4_BpreShuffle_192x128', 'fp4', null, null],
    ['sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize256x128x64_stage3_tensor16x8x32_kernel', 'int8', 80, null],
    // Weights and caches in 8 bits are unpacked.
    ['void marlin::Marlin<__nv_bfloat16, __nv_fp8_e4m3, 256, 4, 16, 4>', 'bf16', null, null],
    ['void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<__nv_bfloat16, __nv_fp8_e4m3, __nv_bfloat16>>', 'bf16', null, null],
    ['my_kernel', null, null, null],
  ]; // prettier-ignore
  for (const [name, type, sm, align] of names) {
    it(name, () => {
      expect([factorType(name), smInName(name), alignmentInName(name)]).to.deep.equal([type, sm, align]);
    });
  }

  it('h stands for sums in FP16', () => {
    expect(addsInHalf('ampere_h16816gemm_256x128_ldg8_stages_32x3_nn')).to.equal(true);
    expect(addsInHalf('ampere_fp16_s16816gemm_fp16_128x64_ldg8')).to.equal(false);
    expect(addsInHalf('nvjet_hsh_256x128_64x4')).to.equal(false);
  });

  it("Winograd's and FFT convolutions do fewer multiplications", () => {
    for (const name of [
      'ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1',
      'volta_gcgemm_32x32_nt',
      'miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1',
    ]) {
      expect(isShortcut(name, true), name).to.equal(true);
    }
    // The products of Winograd's tiles are left to BLAS.
    expect(isShortcut('volta_sgemm_64x64_nt', true)).to.equal(true);
    expect(isShortcut('volta_sgemm_64x64_nt', false)).to.equal(false);
    expect(isShortcut('void implicit_convolve_sgemm<float, float, 128>', true)).to.equal(false);
    expect(isShortcut('volta_scudnn_128x64_relu_interior_nn_v1', true)).to.equal(false);
  });
});

describe('dtype', () => {
  const typeOf = (call: OpCall, name = 'k', matmul = false): string | null =>
    arithmeticType({ call, matmul, name, verdict: tensorCore(name).verdict });
  const of = (dtype: string, shape: readonly number[] = [64, 64]) => t(shape, dtype);

  it('is that of the floating-point operands, promoted', () => {
    expect(typeOf(aten('add', of('float16'), of('float32')))).to.equal('fp32');
    expect(typeOf(aten('embedding', of('bfloat16'), of('int64')))).to.equal('bf16');
    expect(typeOf(aten('add', of('int64'), of('int32')))).to.equal('int64');
    expect(typeOf(aten('cat', ts({ name: '', type: 'tensor', shape: [4] })))).to.equal(null);
    expect(typeOf(aten('mul', of('complex64'), of('float32')))).to.equal('c64');
    expect(typeOf(aten('zeros', v(4)))).to.equal(null);
  });

  it('is not that of a Python number, unless this makes whole numbers real', () => {
    expect(typeOf(aten('mul', of('bfloat16'), of('float64', [])))).to.equal('bf16');
    expect(typeOf(aten('mul', of('int32'), of('float64', [])))).to.equal('fp32');
  });

  it('of a quantised product is that of both factors', () => {
    const scale = of('float32', [64, 1]);
    expect(typeOf(aten('_scaled_mm', of('float8_e4m3fn'), of('float8_e4m3fn'), scale, scale), 'k', true)).to.equal(
      'fp8e4m3',
    );
    expect(typeOf(aten('_int_mm', of('int8'), of('int8')), 'k', true)).to.equal('int8');
    // Weights alone in 8 bits are unpacked.
    expect(typeOf(aten('_weight_int8pack_mm', of('bfloat16'), of('int8'), of('bfloat16', [64])), 'k', true)).to.equal(
      'bf16',
    );
  });

  it('of an fp32 product is what the kernel makes of it', () => {
    const call = mm(64, 64, 64, 'float32');
    expect(typeOf(call, 'volta_sgemm_128x64_nn', true)).to.equal('fp32');
    expect(typeOf(call, 'cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4', true)).to.equal('tf32');
    expect(typeOf(call, 'sm90_xmma_gemm_f32f32_f32_nn_n_warpgroupsize1x1x1_execute', true)).to.equal('tf32');
    expect(typeOf(call, 'volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn', true)).to.equal('fp16');
    expect(typeOf(call, 'Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x1', true)).to.equal('fp32');
    expect(typeOf(call, 'my_kernel', true)).to.equal('fp32');
  });

  it('of a product whose kernel names 8 bits or fewer is that type, whatever the op was given', () => {
    const hidden = aten('moe_forward', of('bfloat16', [888, 3072]), of('bfloat16', [888, 128]));
    expect(typeOf(hidden, 'bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_sm100f', true)).to.equal('fp8');
    expect(typeOf(hidden, 'bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512u2_s5_sm100f', true)).to.equal('fp4');
    expect(typeOf(mm(64, 64, 64, 'float16'), 'Cijk_Alik_Bljk_I8II_BH_MT128x128x64', true)).to.equal('int8');
    // The operands say which encoding, and a wide type in the name may be that of the result.
    const scaled = aten('_scaled_mm', of('float8_e5m2'), of('float8_e5m2'));
    expect(typeOf(scaled, 'nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_bias_TNT', true)).to.equal('fp8e5m2');
    expect(typeOf(mm(64, 64, 64, 'float16'), 'volta_sgemm_128x64_nn', true)).to.equal('fp16');
    // No product: what a conversion writes is not what it computes with.
    expect(typeOf(hidden, 'vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>')).to.equal('bf16');
  });

  it('of a product whose types are unspecified is that in the name', () => {
    const call = aten('mm', { name: '', type: 'tensor', shape: [8, 8] }, { name: '', type: 'tensor', shape: [8, 8] });
    expect(typeOf(call, 'ampere_bf16_s16816gemm_bf16_128x64', true)).to.equal('bf16');
    expect(typeOf(call, 'my_kernel', true)).to.equal(null);
  });
});

describe('tceligible', () => {
  const cases: readonly (readonly [
    title: string,
    call: OpCall,
    type: string,
    arch: string,
    eligible: boolean | null,
  ])[] = [
    ['16 bits, multiples of 8', mm(64, 128, 256, 'float16'), 'fp16', 'sm70', true],
    ['16 bits, an extent of 50', mm(64, 50, 256, 'float16'), 'fp16', 'sm80', false],
    ['bf16 before Ampere', mm(64, 64, 64, 'bfloat16'), 'bf16', 'sm75', false],
    ['fp32 where there is TF32, multiples of 4', mm(4, 12, 8, 'float32'), 'fp32', 'sm80', true],
    ['fp32 where there is TF32, an extent of 6', mm(4, 6, 8, 'float32'), 'fp32', 'sm90', false],
    ['fp32 before TF32', mm(64, 64, 64, 'float32'), 'fp32', 'sm70', false],
    ['fp64 on A100', mm(64, 64, 64, 'float64'), 'fp64', 'sm80', true],
    ['fp64 on a GeForce', mm(64, 64, 64, 'float64'), 'fp64', 'sm86', false],
    ['int8, multiples of 16', mm(32, 48, 64, 'int8'), 'int8', 'sm80', true],
    ['int8, an extent of 8', mm(32, 8, 64, 'int8'), 'int8', 'sm80', false],
    ['fp8 on Hopper', mm(32, 16, 64, 'float8_e4m3fn'), 'fp8e4m3', 'sm90', true],
    ['any extents on AMD', mm(3, 5, 7, 'float16'), 'fp16', 'gfx942', true],
    ['a device without the unit', mm(64, 64, 64, 'float16'), 'fp16', 'sm61', false],
    ['an unknown architecture', mm(64, 64, 64, 'float16'), 'fp16', 'xpu', null],
    ['an unknown type', mm(64, 64, 64, 'na'), 'na', 'sm80', null],
    [
      'the rows of a linear layer in several dimensions: 2·12 together',
      aten('linear', t([2, 12, 64], 'float16'), t([8, 64], 'float16'), none),
      'fp16',
      'sm80',
      true,
    ],
    [
      'a first convolution: 3 channels',
      aten('convolution', t([8, 3, 224, 224], 'float16'), t([64, 3, 7, 7], 'float16'), none),
      'fp16',
      'sm80',
      false,
    ],
    [
      'a convolution of 64 channels, whatever the window',
      aten('convolution', t([8, 64, 55, 55], 'float16'), t([64, 64, 3, 3], 'float16'), none),
      'fp16',
      'sm80',
      true,
    ],
    [
      'a convolution of 4 channels a group',
      aten('convolution', t([8, 64, 55, 55], 'float16'), t([64, 4, 3, 3], 'float16'), none),
      'fp16',
      'sm80',
      false,
    ],
    [
      'the gradient of a convolution: its weight is the third tensor',
      aten(
        'convolution_backward',
        t([8, 64, 9, 9], 'float16'),
        t([8, 32, 9, 9], 'float16'),
        t([64, 32, 3, 3], 'float16'),
      ),
      'fp16',
      'sm80',
      true,
    ],
    [
      'attention over 197 tokens with heads of 64',
      aten('_flash_attention_forward', ...[1, 2, 3].map(() => t([2, 197, 12, 64], 'float16'))),
      'fp16',
      'sm80',
      true,
    ],
  ];
  for (const [title, call, type, arch, eligible] of cases) {
    it(`${String(eligible)}: ${title}`, () => {
      expect(isEligible(call, mathType(type), arch)).to.equal(eligible);
    });
  }

  it('knows what units multiply', () => {
    expect(matrixTypes('sm_70')).to.deep.equal(['fp16']);
    expect(matrixTypes('gfx942:sramecc+:xnack-')).to.include('fp8');
    expect(matrixTypes(undefined)).to.equal(null);
  });
});

describe('tcwhy', () => {
  const FFMA = 'sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4';
  const SIMT = 'void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn_align1>(Params)';
  const cases: readonly (readonly [why: string, call: OpCall, name: string, arch: string])[] = [
    ['nvjet', mm(64, 64, 64, 'bfloat16'), 'nvjet_tst_176x128_64x5_1x2_h_bz_NNT', 'sm90'],
    ['triton-template', mm(64, 64, 64, 'bfloat16'), 'triton_tem_fused_mm_0', 'sm90'],
    ['no-unit', mm(64, 64, 64, 'float16'), 'maxwell_hgemm_128x64_nn', 'sm61'],
    ['vector', aten('mv', t([64, 64], 'float16'), t([64], 'float16')), 'void gemv2T_kernel_val<int, int>', 'sm80'],
    ['dtype', mm(64, 64, 64, 'float32'), 'volta_sgemm_128x64_nn', 'sm70'],
    ['dtype', mm(64, 64, 64, 'float64'), 'ampere_dgemm_128x64_nn', 'sm86'],
    ['dtype', mm(64, 64, 64, 'bfloat16'), 'volta_sgemm_128x64_nn', 'sm75'],
    ['ffma', mm(64, 64, 64, 'float32'), FFMA, 'sm90'],
    ['simt', mm(64, 64, 64, 'float32'), SIMT, 'sm80'],
    ['fp32-without-tf32', mm(64, 64, 64, 'float32'), 'ampere_sgemm_128x64_tn', 'sm80'],
    ['shape', mm(64, 50, 64, 'float16'), 'ampere_hgemm_128x64_tn', 'sm80'],
    ['built-for-older', mm(64, 64, 64, 'float16'), 'volta_hgemm_64x64_nt', 'sm80'],
    ['plain-gemm', mm(64, 64, 64, 'float16'), 'ampere_hgemm_64x64_nt', 'sm80'],
    [
      'depthwise',
      aten('convolution', t([8, 64, 55, 55], 'float16'), t([64, 1, 3, 3], 'float16'), none),
      'void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, true, false, true>',
      'sm80',
    ],
  ];
  for (const [why, call, name, arch] of cases) {
    it(`${why}: ${name} on ${arch}`, () => {
      const reason = whyOf(facts(call, name, arch));
      expect(reason.id).to.equal(why);
      expect(reason.text).to.match(/^\S.{10,}[^.]$/);
    });
  }

  it('is a word each', () => {
    for (const { id } of [...HELD_BACK, ...SLOWED]) expect(id).to.match(/^[a-z][\w-]*$/);
  });

  it('names the extent', () => {
    expect(whyOf(facts(mm(64, 50, 64, 'float16'), 'ampere_hgemm_128x64_tn', 'sm80')).text).to.match(
      /the dimension 50 is not a multiple of 8/,
    );
  });
});

describe('what slows a product on the unit', () => {
  const slowed = (name: string, arch: string): string | null =>
    slowedBy(facts(mm(64, 64, 64, 'float16'), name, arch))?.id ?? null;

  it('follows from alignment, architecture and split', () => {
    const ALIGN2 = 'void cutlass::Kernel2<cutlass_80_wmma_tensorop_s161616gemm_f16_32x32_64x2_nn_align2>(...)';
    expect(slowed(ALIGN2, 'sm80')).to.equal('align2');
    expect(slowed('void flash::flash_fwd_kernel<...>', 'sm90')).to.equal('built-for-older');
    expect(slowed('ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn', 'sm86')).to.equal(null);
    expect(slowed('nvjet_hsh_64x8_64x16_1x1_h_bz_splitK_NNT', 'sm90')).to.equal('split-k');
    expect(slowed('nvjet_hsh_64x8_64x16_1x1_h_bz_NNT', 'sm90')).to.equal(null);
  });
});
