import { typeInMemory } from '../../../src/ops/kernels/kernel-name.js';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { inferDtypes } from '../../../src/ops/schema/dtype-inference.js';
import type { Arg, OpCall } from '../../../src/record/record.js';
import { itShared } from '../../support/shared.js';

const BF16_ADD =
  'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, X>(int)';

describe('element types in kernel names', () => {
  /** Shortened names of real profiles. */
  const NAMES: Readonly<Record<string, string | null>> = {
    ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn: 'bfloat16',
    nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN: 'bfloat16',
    nvjet_sm90_hss_128x64_64x8_2x1_v_bz_TNN: 'float16',
    sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4: 'float32',
    sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x128x32_stage4: 'float16',
    sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize64x32x64: 'float32',
    volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn: 'float16',
    ampere_sgemm_128x32_nn: 'float32',
    Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT16x16x256_MI16x16x1: 'bfloat16',
    'void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)128, (int)64, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, X>>(flash::Flash_fwd_params)':
      'bfloat16',
    'fmha_cutlassF_f16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::Params)': 'float16',
    'fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)': 'float32',
    [BF16_ADD]: 'bfloat16',
    'void at::native::vectorized_elementwise_kernel<(int)4, at::native::neg_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 2)]::operator ()() const::[lambda(float) (instance 1)], X>(int, T2, T3)':
      'float32',
    'void at::native::vectorized_elementwise_kernel<4, at::native::nan_to_num_kernel_cuda(at::TensorIteratorBase&, c10::optional<double>, c10::optional<double>)::{lambda()#1}::operator()() const::{lambda(float)#1}, X>(int)':
      'float32',
    'void at::native::<unnamed>::CatArrayBatchedCopy_vectorized<at::native::<unnamed>::OpaqueType<(unsigned int)2>, unsigned int, (int)1>(char *)':
      'opaque16',
    // Loads convert: the type computed with is not that of all operands.
    'void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, X, at::native::memory::LoadWithCast<(int)2>, at::native::memory::StoreWithCast<(int)1>>(int)':
      null,
    // The type is the index's.
    'void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)': null,
    attn_fwd: null,
    'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)': null,
  };
  for (const [name, dtype] of Object.entries(NAMES)) {
    it(`${name.slice(0, 100)}: ${dtype ?? 'none'}`, () => expect(typeInMemory(name)).to.equal(dtype));
  }

  const FILE = 'reference/kernel_names.tsv';
  itShared(
    'are inferred for nearly all of the products and pointwise kernels of real profiles',
    [FILE],
    ([path = '']) => {
      const rows = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t'));
      const share = (pattern: RegExp): number => {
        const time = (typed: boolean): number =>
          rows
            .filter(([, , , name = '']) => pattern.test(name) && (!typed || typeInMemory(name) !== null))
            .reduce((sum, [, , us]) => sum + Number(us), 0);
        return time(true) / time(false);
      };
      // Without a type: AMD's composable kernels under mangled names, and products of several types.
      expect(share(/gemm|nvjet|Cijk/)).to.be.above(0.99);
      // Without a type: those that convert.
      expect(share(/elementwise_kernel/)).to.be.above(0.8);
      expect(share(/flash_fwd_kernel|fmha_cutlass/)).to.be.above(0.99);
    },
  );
});

describe('types for tensors that have none', () => {
  const tensor = (...shape: number[]): Arg => ({ name: '', type: 'tensor', shape });
  const unspecified: Arg = { name: '', type: 'unknown' };
  const typesOf = (op: string, args: readonly Arg[], name: string, mod = 'aten'): (string | undefined)[] => {
    const call: OpCall = { mod, op, args, from: 'dispatcher' };
    return inferDtypes(call, name).call.args.map(({ dtype }) => dtype);
  };

  it('are the kernel’s for all operands of one data type', () => {
    expect(typesOf('add', [tensor(4), tensor(4), unspecified], BF16_ADD)).to.deep.equal([
      'bfloat16',
      'bfloat16',
      undefined,
    ]);
  });

  it('are those of indices, masks and statistics where these stand', () => {
    const rows =
      'void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::Half, long, unsigned int, 2, 2, -2, true>(X)';
    expect(typesOf('embedding', [tensor(9, 4), tensor(3)], rows)).to.deep.equal(['float16', 'int64']);
    const short = rows.replace('long', 'int');
    expect(typesOf('index_select', [tensor(9, 4), unspecified, tensor(3)], short)).to.deep.equal([
      'float16',
      undefined,
      'int32',
    ]);
    expect(typesOf('where', [tensor(4), tensor(4), tensor(4)], BF16_ADD)).to.deep.equal([
      'bool',
      'bfloat16',
      'bfloat16',
    ]);
    const norm = [tensor(8, 4), tensor(8, 4), unspecified, tensor(8, 1), tensor(8, 1), tensor(4), tensor(4)];
    expect(typesOf('native_layer_norm_backward', norm, BF16_ADD).slice(3, 6)).to.deep.equal([
      'float32',
      'float32',
      'bfloat16',
    ]);
  });

  it('are not the whole numbers in a name where these may be the indices’, or are what a sum makes of others', () => {
    const gather = 'void at::native::kernel<long, 4>(char*)';
    expect(typesOf('embedding', [tensor(9, 4), tensor(3)], gather)).to.deep.equal([undefined, 'int64']);
    expect(typesOf('sum', [tensor(9)], gather)).to.deep.equal([undefined]);
    expect(typesOf('neg', [tensor(9)], gather)).to.deep.equal(['int64']);
  });

  it('are inferred for a copy that converts', () => {
    const name =
      'void at::native::vectorized_elementwise_kernel<(int)8, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda(float) (instance 1)], X>(int)';
    expect(typesOf('copy_', [tensor(4), tensor(4), unspecified], name).slice(0, 2)).to.deep.equal([
      'bfloat16',
      'float32',
    ]);
  });

  it('are not inferred for products with scales, and for ops of other libraries', () => {
    expect(typesOf('_scaled_mm', [tensor(4, 4), tensor(4, 4)], 'nvjet_tst_64x64')).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(typesOf('rotary_embedding', [tensor(4)], BF16_ADD, '_C')).to.deep.equal([undefined]);
  });
});
