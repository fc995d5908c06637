import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Work } from '../../../src/ops/family.js';
import {
  matrixUnitByName,
  matrixUnitCell,
  TENSOR_CORE_RULES,
  tensorCore,
} from '../../../src/ops/kernels/tensor-core.js';
import { itShared } from '../../support/shared.js';

describe('tensor-core verdict', () => {
  itShared('agrees with every pinned case', ['reference/tensor_core_cases.tsv'], ([path = '']) => {
    const cases = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => /^(yes|no|likely|unknown)\t/.test(line))
      .map((line) => line.split('\t'));
    expect(cases).to.have.lengthOf(60);
    const wrong = cases.filter(([verdict, name = '']) => tensorCore(name).verdict !== verdict);
    expect(wrong).to.deep.equal([]);
  });

  itShared(
    'takes the verdicts on real names to single rules, never throwing',
    ['reference/kernel_names.tsv'],
    ([path = '']) => {
      const names = readFileSync(path, 'utf8')
        .split('\n')
        .slice(1)
        .flatMap((line) => line.split('\t')[3] ?? []);
      expect(names.length).to.be.greaterThan(900);
      for (const name of names) {
        const { verdict } = tensorCore(name);
        if (/splitKreduce|^nccl|_ffma_/.test(name)) expect(verdict, name).to.equal('no');
        if (name.startsWith('nvjet_')) expect(verdict, name).to.equal('yes');
      }
    },
  );

  const pinned: readonly (readonly [name: string, verdict: string, rule: string])[] = [
    ['ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'no', 'communication'],
    ['void gemvx::kernel<int, int, float, float>(T13)', 'no', 'blas-helper'],
    ['void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>(cublasGemmSmallNParams)', 'no', 'blas-helper'],
    ['void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn_align1>(Params)', 'no', 'simt'],
    ['volta_gcgemm_32x32_nt', 'no', 'plain-gemm'],
    [
      'void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<cutlass::MatrixShape<4, 128>>>',
      'no',
      'blas-helper',
    ],
    ['ampere_fp16_sgemm_fp16_128x64_nn', 'no', 'plain-gemm'],
    ['ampere_fp16_scudnn_fp16_128x128_relu_interior_nn_v1', 'no', 'plain-gemm'],
    ['void sgemm_largek_lds64<true, true, 6, 3, 4, 5, 2, 66>(float*, float const*)', 'no', 'plain-gemm'],
    ['void pointwise_mult_and_sum_complex<float2, 8, 4>(float2*, float2*, float2*, int)', 'no', 'plain-convolution'],
    ['ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_nn', 'yes', 'mma-shape'],
    ['aiter::fmha_fwd_hd128_bf16_causal_group', 'yes', 'attention'],
    ['sage_fwd', 'yes', 'attention'],
    ['aiter::fmha_bwd_hd128_bf16_causal_br_a32_psskE', 'yes', 'attention'],
    ['aiter::fmha_bwd_hd128_odo_bf16', 'no', 'attention-helper'],
    ['aiter::fmha_bwd_hd128_dq_convert_bf16', 'no', 'attention-helper'],
    ['cutlass::device_kernel<flash::FlashAttnBwdSm90<flash::CollectiveMainloopBwdSm90<2> > >', 'yes', 'attention'],
    [
      'cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<SM90_64x64x16_F32BF16BF16_SS> >',
      'no',
      'attention-helper',
    ],
    ['_ZN7cutlass6KernelINS_4gemm4warp7MmaSimtINS_9GemmShapeILi64ELi64ELi8EEE', 'no', 'simt'],
    ['_ZN7cutlass6KernelINS_4gemm4warp11MmaTensorOpINS_9GemmShapeILi64ELi64ELi32EEE', 'yes', 'cutlass-tensorop'],
    ['SubTensorOpWithScalar1d', 'unknown', 'none'],
    ['void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, true>(int)', 'no', 'plain-convolution'],
    ['void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>', 'no', 'framework'],
    ['sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3', 'no', 'xmma-fp32'],
    ['sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc', 'yes', 'xmma'],
    ['volta_fp16_s884cudnn_fp16_128x128_ldg8_relu', 'yes', 'mma-shape'],
    ['cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1', 'yes', 'mma-shape'],
    ['void my_wgmma_kernel<128>(float*)', 'yes', 'mma-word'],
    ['triton_tem_fused_addmm_3', 'likely', 'triton-template'],
    ['triton_mm_kernel', 'unknown', 'none'],
    ['void cutlass::Kernel<...>', 'unknown', 'none'],
    ['sgemm', 'unknown', 'none'],
    ['', 'unknown', 'none'],
  ];
  for (const [name, verdict, rule] of pinned) {
    it(`${verdict} by ${rule}: ${name === '' ? '(no name)' : name}`, () => {
      expect(tensorCore(name)).to.include({ verdict, rule });
    });
  }

  it('answers no on a device without the unit', () => {
    expect(tensorCore('volta_h884gemm_64x128_ldg8_nn', 'sm60').verdict).to.equal('no');
    expect(tensorCore('volta_h884gemm_64x128_ldg8_nn', 'sm70').verdict).to.equal('yes');
    expect(tensorCore('volta_h884gemm_64x128_ldg8_nn', 'gfx942').verdict).to.equal('yes');
  });

  it('has each rule once', () => {
    const ids = TENSOR_CORE_RULES.map(({ rule }) => rule);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});

describe('tc column', () => {
  const work = (role: Work['role'], matmul = true): Work => ({
    ...{ role, matmul, flops: 1, bytes: 1, params: [], formula: '', source: '' },
  });
  const YES = 'volta_h884gemm_64x128_ldg8_nn';

  it('is na without a describing op', () => {
    expect(matrixUnitCell(null, YES)).to.equal('na');
  });
  it("without one follows from a product's name", () => {
    expect(matrixUnitByName(YES, 'sm70')).to.equal('1');
    expect(matrixUnitByName(YES, 'sm61')).to.equal('0');
    expect(matrixUnitByName('triton_tem_fused_mm_0')).to.equal('1');
    expect(matrixUnitByName('volta_sgemm_128x64_nn')).to.equal('0');
    expect(matrixUnitByName('sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_ffma_aligna4_alignc4')).to.equal('0');
    expect(matrixUnitByName('cublasLt::splitKreduce_kernel<32, 16, int>')).to.equal('na');
    expect(matrixUnitByName('void at::native::vectorized_elementwise_kernel<4>')).to.equal('na');
    expect(matrixUnitByName('my_kernel', 'sm61')).to.equal('na');
  });
  it('is - for what the unit cannot do', () => {
    expect(matrixUnitCell(work('main', false), YES)).to.equal('-');
    expect(matrixUnitCell(work('helper'), YES)).to.equal('-');
    expect(matrixUnitCell(work('bias'), YES)).to.equal('-');
  });
  it('is 1, 0 or ? for products', () => {
    expect(matrixUnitCell(work('main'), YES)).to.equal('1');
    expect(matrixUnitCell(work('wgrad'), 'triton_tem_fused_mm_0')).to.equal('1');
    expect(matrixUnitCell(work('dgrad'), 'volta_sgemm_128x64_nn')).to.equal('0');
    expect(matrixUnitCell(work('main'), 'cutlass::Kernel')).to.equal('?');
  });
});
