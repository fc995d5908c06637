/**
 * GEMMs of libraries other than ATen: quantised, scaled and packed GEMMs of serving and training frameworks.
 *
 * With unpacked operands they are ordinary products (`UNPACKED`). When a weight is packed into words of another type, its
 * number of columns comes from another argument (`PACKED_WEIGHTS`).
 */
import { numel, type Tensor } from '../../call.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { integer } from '../../operands.js';
import { dtypeParams } from '../../product.js';
import { tensor } from '../../work.js';
import { product, resultType, writesOr } from './products.js';
import type { Param } from '../../family.js';

const SCALED = '@a @b @scale_a @scale_b out_dtype';
const AITER_BIASED = '@a @b @scale_a @scale_b @bias? out_dtype';

const [matrices, byRows] = [product({ ranks: [2, 2] }), product({ rows: true })];
const toBfloat16 = product({ rows: true, type: 'bfloat16' });

/** Signatures: csrc/torch_bindings.cpp of vLLM, common_extension.cc of sgl-kernel, FBGEMM GenAI, aiter, TensorRT-LLM. */
const UNPACKED = rules`
  ${matrices} _C.cutlass_scaled_mm: !out @a @b @a_scales @b_scales @bias?
  ${matrices} _C.cutlass_scaled_mm_azp: !out @a @b @a_scales @b_scales @azp_adj @azp? @bias?
  ${product({ ranks: [2, 2], rows: true, packed: 2 })} _C.cutlass_scaled_fp4_mm sgl_kernel.cutlass_scaled_fp4_mm:
    !out @a @b @block_scale_a @block_scale_b @alpha
  ${matrices} _C.dsv3_fused_a_gemm sgl_kernel.dsv3_fused_a_gemm: !out @a @b
  ${byRows} _C.fp32_router_gemm _moe_C.dsv3_router_gemm sgl_kernel.dsv3_router_gemm: !out @a @b
  // The workspace is the argument after the scales.
  ${product({ ranks: [3, 3] })} sgl_kernel.bmm_fp8: @a @b !out @scale_a @scale_b ...
  ${matrices} symm_mem._async_input_mm: @a @b @chunk_signals pivot
  ${byRows} _rocm_C.LLMM1: @b @a rows_per_block
  ${byRows} _rocm_C.wvSplitK: @b @a @bias? cu_count | @b @a cu_count
  ${byRows} vllm.rocm_unquantized_gemm vllm.rocm_unquantized_gemm_impl: @a @b @bias?
  ${byRows} vllm.fp8_gemm_nt_op: @a @scale_a @b @scale_b !out use_ue8m0
  ${byRows} vllm.w8a8_triton_block_scaled_mm_func: @a @b @scale_a @scale_b block out_dtype
  ${matrices} sgl_kernel.fp8_scaled_mm sgl_kernel.int8_scaled_mm: @a @b @scale_a @scale_b out_dtype @bias?
  ${matrices} sgl_kernel.fp8_blockwise_scaled_mm: ${SCALED}
  ${matrices} trtllm.cublas_scaled_mm: @a @b @scale_a @scale_b @bias? out_dtype
  ${product({ rows: true, type: 'int32' })} bitsandbytes.int8_linear_matmul: @a @b
  ${toBfloat16} fbgemm.f8f8bf16_rowwise: @a @b @scale_a @scale_b @bias? use_fast_accum @!out? | @a @b @scale_a @scale_b
  ${toBfloat16} fbgemm.f8f8bf16_blockwise: @a @b @scale_a @scale_b m n k
  ${toBfloat16} fbgemm.f8f8bf16: @a @b @scale use_fast_accum | @a @b scale use_fast_accum
  ${toBfloat16} aiter.gemm_a8w8 aiter.gemm_a8w8_CK aiter.gemm_a8w8_bpreshuffle: ${AITER_BIASED}
  ${toBfloat16} aiter.gemm_a8w8_blockscale aiter.gemm_a8w8_blockscale_bpreshuffle: ${SCALED}
  // AITER's ops below the one that creates the result; the weight may be shuffled, which keeps its extents.
  ${byRows} aiter.gemm_a8w8_ck: @a @b @scale_a @scale_b !out @bias? split_k
  ${byRows} aiter.gemm_a8w8_bpreshuffle_ck aiter.gemm_a8w8_bpreshuffle_cktile aiter.gemm_a8w8_blockscale_ck
    aiter.gemm_a8w8_blockscale_cktile aiter.gemm_a8w8_blockscale_bpreshuffle_ck
    aiter.gemm_a8w8_blockscale_bpreshuffle_cktile aiter.flatmm_a8w8_blockscale_asm: @a @b @scale_a @scale_b !out ...
  ${byRows} aiter.gemm_a8w8_asm: @a @b @scale_a @scale_b !out kernel @bias? ...
  ${byRows} aiter.gemm_a8w8_blockscale_bpreshuffle_asm: @a @b !out @scale_a @scale_b @bias? ...
  ${product()} quantized.matmul: @a @b scale zero_point
  ${byRows} mkldnn._linear_pointwise: @a @b @bias? attr scalars algorithm
  ${byRows} mkl._mkl_linear: @a @packed @b @bias? batch
`;

const UNSPECIFIED = 'the columns of the packed weight are unspecified';

/**
 * x·W with x [..., k] and a packed W.
 * @param columns space-separated arguments whose last extent or value is n; the first specified one is used
 */
const packed = (columns: string): RuleCost =>
  withTensors('a', (x, bound) => {
    const k = x.shape.at(-1);
    if (k === undefined) return null;
    const n = columns
      .split(' ')
      .map((name) => bound.tensor(name)?.shape.at(-1) ?? integer(bound.value(name)))
      .find((extent) => extent !== undefined);
    return packedProduct(x, k, n, (y) => writesOr(bound, tensor(y, resultType(bound, x))));
  });

/** Scales and zeros of a 4-bit weight have the extents [groups, n, 2]. */
const packedByGroups = withTensors('a scales_and_zeros', (x, { shape }, bound) => {
  const k = x.shape.at(-1);
  if (k === undefined) return null;
  return packedProduct(x, k, shape.at(-2), (y) => writesOr(bound, tensor(y, resultType(bound, x))));
});

/** The cost of x·W with k rows and n columns of the unpacked W. */
function packedProduct(
  x: Tensor,
  k: number,
  n: number | undefined,
  writes: (shape: readonly number[]) => readonly Tensor[],
) {
  const outer = x.shape.slice(0, -1);
  const m = numel(outer);
  const params: Param[] = [['M', n ?? 'na'], ['N', m], ['K', k], ...dtypeParams(x)];
  const formula = 'flops = 2·m·n·k with n of the unpacked weight, bytes = operands as packed + |y|';
  const shared = { params, matmul: true, formula };
  if (n === undefined || n < 0) return { ...shared, flops: null, writes: null, unknown: UNSPECIFIED };
  return { ...shared, flops: 2 * m * n * k, writes: writes([...outer, n]) };
}

const MARLIN_END = '@zeros? @g_idx? @perm? @workspace type m n k full atomic fp32 float';

/** Versions from the latest to the first, with 19, 18, 17, 16, 15 (14) and 11 arguments. */
const MARLIN = `@a !out? @w @bias? @scales @a_scales? @global_scale? ${MARLIN_END}
  | @a !out? @w @bias? @scales @global_scale? ${MARLIN_END}
  | @a !out? @w @scales @global_scale? ${MARLIN_END}
  | @a !out? @w @scales ${MARLIN_END}
  | @a @w @scales @zeros? @g_idx? @perm? @workspace type m n k full has_zp fp32 float
  | @a @w @scales @zeros? @g_idx? @perm? @workspace type m n k full has_zp fp32
  | @a @w @scales @g_idx? @perm? @workspace bits m n k full`;

/** The number of columns of the weight comes from another argument. */
const PACKED_WEIGHTS = rules`
  ${packedByGroups} _weight_int4pack_mm _weight_int4pack_mm_for_cpu: @a @w group @scales_and_zeros
  ${packed('scales')} _mixed_dtypes_linear: @a @w @scales @bias? activation
  ${packed('scales')} _C.awq_gemm: @a @w @scales @zeros split_k
  ${packed('scales')} _C.gptq_gemm: @a @w @zeros @scales @g_idx exllama v2 bits
  ${packed('n scales')} _C.marlin_gemm: ${MARLIN} | @a @w @scales @workspace m n k
  ${packed('n scales')} _C.gptq_marlin_gemm sgl_kernel.gptq_marlin_gemm: ${MARLIN}
  ${packed('scales')} sgl_kernel.gptq_gemm: @a @w @zeros @scales @g_idx shuffle bits
  ${packed('out')} sgl_kernel.qserve_w4a8_per_chn_gemm: @a @w @w_scales @a_scales @w_zeros @a_sums !out
  ${packed('out')} sgl_kernel.qserve_w4a8_per_group_gemm: @a @w @zeros @group_scales @w_scales @a_scales !out
  ${packed('n')} _C.fp8_marlin_gemm: @a @w @scales @workspace bits m n k
  ${packed('w')} _C.machete_mm:
    @a @w type out_dtype @group_scales? @group_zeros? group @channel_scales? @token_scales? schedule
  ${packed('n')} _C.allspark_w8a16_gemm: @a @w @scales @zeros? n group sms sm threshold zp reorder
  ${packed('n')} _C.ggml_mul_mat_a8 _C.ggml_mul_mat_vec_a8: @w @a type n
`;

/** If D is given, the extents can be computed without the transposition flags: |A| = n·k, |B| = m·k, |D| = m·n. */
const transformerEngineGemm = withTensors('a b out', (a, b, d, bound) => {
  const multiplied = Math.sqrt(numel(a.shape) * numel(b.shape)) * Math.sqrt(numel(d.shape));
  const flops = 2 * Math.round(multiplied);
  if (Math.abs(multiplied - flops / 2) > 1e-6 * (1 + multiplied)) return null;
  return {
    flops,
    matmul: true,
    reads: [a, b, ...bound.tensors('bias')],
    writes: [d],
    params: dtypeParams(a, b),
    formula: 'flops = 2·√(|A|·|B|·|D|) = 2·m·n·k, bytes = |A| + |B| + |bias| + |D|',
  };
});

export const CUSTOM_PRODUCTS = {
  ...UNPACKED,
  ...PACKED_WEIGHTS,
  // Operands in BLAS order, with flags for their transposition.
  ...rules`
    ${transformerEngineGemm} tex_ts.te_gemm_ts: @a @a_scale a_index a_type transa @b @b_scale b_index b_type transb !out
      @out_scale? out_type @amax? @bias? bias_type @gelu? grad @workspace workspace_size accumulate split
  `,
};
