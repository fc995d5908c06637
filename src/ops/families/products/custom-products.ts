/**
 * GEMMs of libraries other than ATen: quantized, scaled and packed ones of serving and training frameworks.
 *
 * With unpacked operands they are products like any other (`UNPACKED`). The columns of a weight packed into words of
 * another type follow from another argument (`PACKED_WEIGHTS`).
 */
import { mapEntries, named, type ByName } from '../../by-name.js';
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import { integer } from '../../operands.js';
import { dtypeParams } from '../../product.js';
import { tensor, workOf } from '../../work.js';
import { PRODUCT_SOURCE, productForm, resultType, type ProductForm, type ProductFormula } from './products.js';
import type { Param, Work } from '../../family.js';

const SCALED_INTO = '!out @a @b @a_scales @b_scales @bias?';
const SCALED = '@a @b @scale_a @scale_b out_dtype';
const WITH_BIAS = '@a @b @scale_a @scale_b out_dtype @bias?';
const INTO = '!out @a @b';
/** AITER's ops below the one that makes the result; the weight may be shuffled, which keeps its extents. */
const AITER_INTO = '@a @b @scale_a @scale_b !out @bias? split_k';
const AITER_BIASED = '@a @b @scale_a @scale_b @bias? out_dtype';
const ROWWISE = ['@a @b @scale_a @scale_b @bias? use_fast_accum @!out?', '@a @b @scale_a @scale_b'];

/** Signatures: csrc/torch_bindings.cpp of vLLM, common_extension.cc of sgl-kernel, FBGEMM GenAI, aiter, TensorRT-LLM. */
const UNPACKED: ByName<ProductForm> = {
  '_C.cutlass_scaled_mm': { signatures: [SCALED_INTO], ranks: [2, 2] },
  '_C.cutlass_scaled_mm_azp': { signatures: ['!out @a @b @a_scales @b_scales @azp_adj @azp? @bias?'], ranks: [2, 2] },
  ...named('_C.cutlass_scaled_fp4_mm sgl_kernel.cutlass_scaled_fp4_mm', {
    signatures: ['!out @a @b @block_scale_a @block_scale_b @alpha'],
    ranks: [2, 2],
    rows: true,
    packed: 2,
  }),
  ...named('_C.dsv3_fused_a_gemm sgl_kernel.dsv3_fused_a_gemm', { signatures: [INTO], ranks: [2, 2] }),
  ...named('_C.fp32_router_gemm _moe_C.dsv3_router_gemm sgl_kernel.dsv3_router_gemm', {
    signatures: [INTO],
    rows: true,
  }),
  // Its workspace follows the scales.
  'sgl_kernel.bmm_fp8': { signatures: ['@a @b !out @scale_a @scale_b ...'], ranks: [3, 3] },
  'symm_mem._async_input_mm': { signatures: ['@a @b @chunk_signals pivot'], ranks: [2, 2] },
  '_rocm_C.LLMM1': { signatures: ['@b @a rows_per_block'], rows: true },
  '_rocm_C.wvSplitK': { signatures: ['@b @a @bias? cu_count', '@b @a cu_count'], rows: true },
  'vllm.rocm_unquantized_gemm': { signatures: ['@a @b @bias?'], rows: true },
  'vllm.rocm_unquantized_gemm_impl': { signatures: ['@a @b @bias?'], rows: true },
  'vllm.fp8_gemm_nt_op': { signatures: ['@a @scale_a @b @scale_b !out use_ue8m0'], rows: true },
  'vllm.w8a8_triton_block_scaled_mm_func': { signatures: ['@a @b @scale_a @scale_b block out_dtype'], rows: true },
  'sgl_kernel.fp8_scaled_mm': { signatures: [WITH_BIAS], ranks: [2, 2] },
  'sgl_kernel.int8_scaled_mm': { signatures: [WITH_BIAS], ranks: [2, 2] },
  'sgl_kernel.fp8_blockwise_scaled_mm': { signatures: [SCALED], ranks: [2, 2] },
  'trtllm.cublas_scaled_mm': { signatures: ['@a @b @scale_a @scale_b @bias? out_dtype'], ranks: [2, 2] },
  'bitsandbytes.int8_linear_matmul': { signatures: ['@a @b'], rows: true, type: 'int32' },
  'fbgemm.f8f8bf16_rowwise': { signatures: ROWWISE, rows: true, type: 'bfloat16' },
  'fbgemm.f8f8bf16_blockwise': { signatures: ['@a @b @scale_a @scale_b m n k'], rows: true, type: 'bfloat16' },
  'fbgemm.f8f8bf16': {
    signatures: ['@a @b @scale use_fast_accum', '@a @b scale use_fast_accum'],
    rows: true,
    type: 'bfloat16',
  },
  ...named('aiter.gemm_a8w8 aiter.gemm_a8w8_CK', {
    signatures: [AITER_BIASED],
    rows: true,
    type: 'bfloat16',
  }),
  'aiter.gemm_a8w8_bpreshuffle': { signatures: [AITER_BIASED], rows: true, type: 'bfloat16' },
  ...named('aiter.gemm_a8w8_blockscale aiter.gemm_a8w8_blockscale_bpreshuffle', {
    signatures: [SCALED],
    rows: true,
    type: 'bfloat16',
  }),
  'aiter.gemm_a8w8_ck': { signatures: [AITER_INTO], rows: true },
  ...named(
    'aiter.gemm_a8w8_bpreshuffle_ck aiter.gemm_a8w8_bpreshuffle_cktile aiter.gemm_a8w8_blockscale_ck ' +
      'aiter.gemm_a8w8_blockscale_cktile aiter.gemm_a8w8_blockscale_bpreshuffle_ck ' +
      'aiter.gemm_a8w8_blockscale_bpreshuffle_cktile aiter.flatmm_a8w8_blockscale_asm',
    { signatures: ['@a @b @scale_a @scale_b !out ...'], rows: true },
  ),
  'aiter.gemm_a8w8_asm': { signatures: ['@a @b @scale_a @scale_b !out kernel @bias? ...'], rows: true },
  'aiter.gemm_a8w8_blockscale_bpreshuffle_asm': {
    signatures: ['@a @b !out @scale_a @scale_b @bias? ...'],
    rows: true,
  },
  'quantized.matmul': { signatures: ['@a @b scale zero_point'] },
  'mkldnn._linear_pointwise': { signatures: ['@a @b @bias? attr scalars algorithm'], rows: true },
  'mkl._mkl_linear': { signatures: ['@a @packed @b @bias? batch'], rows: true },
};

/** A product with a packed weight, whose columns are the last extent of another argument, or a number. */
interface PackedWeight {
  /** See `bind`; one of each version of the op. */
  readonly signatures: readonly string[];
  /** Arguments, separated by blanks, whose last extent or value is n; the first specified one counts. */
  readonly columns: string;
}

const MARLIN_END = '@zeros? @g_idx? @perm? @workspace type m n k full atomic fp32 float';

/** From the latest version to the first: 19, 18, 17, 16, 15 (14) and 11 arguments. */
const MARLIN = [
  `@a !out? @w @bias? @scales @a_scales? @global_scale? ${MARLIN_END}`,
  `@a !out? @w @bias? @scales @global_scale? ${MARLIN_END}`,
  `@a !out? @w @scales @global_scale? ${MARLIN_END}`,
  `@a !out? @w @scales ${MARLIN_END}`,
  '@a @w @scales @zeros? @g_idx? @perm? @workspace type m n k full has_zp fp32 float',
  '@a @w @scales @zeros? @g_idx? @perm? @workspace type m n k full has_zp fp32',
  '@a @w @scales @g_idx? @perm? @workspace bits m n k full',
];

const PACKED_WEIGHTS: ByName<PackedWeight> = {
  _weight_int4pack_mm: { signatures: ['@a @w group @scales_and_zeros'], columns: 'rows_of_scales' },
  _weight_int4pack_mm_for_cpu: { signatures: ['@a @w group @scales_and_zeros'], columns: 'rows_of_scales' },
  _mixed_dtypes_linear: { signatures: ['@a @w @scales @bias? activation'], columns: 'scales' },
  '_C.awq_gemm': { signatures: ['@a @w @scales @zeros split_k'], columns: 'scales' },
  '_C.gptq_gemm': { signatures: ['@a @w @zeros @scales @g_idx exllama v2 bits'], columns: 'scales' },
  '_C.marlin_gemm': { signatures: [...MARLIN, '@a @w @scales @workspace m n k'], columns: 'n scales' },
  ...named('_C.gptq_marlin_gemm sgl_kernel.gptq_marlin_gemm', { signatures: MARLIN, columns: 'n scales' }),
  'sgl_kernel.gptq_gemm': { signatures: ['@a @w @zeros @scales @g_idx shuffle bits'], columns: 'scales' },
  'sgl_kernel.qserve_w4a8_per_chn_gemm': {
    signatures: ['@a @w @w_scales @a_scales @w_zeros @a_sums !out'],
    columns: 'out',
  },
  'sgl_kernel.qserve_w4a8_per_group_gemm': {
    signatures: ['@a @w @zeros @group_scales @w_scales @a_scales !out'],
    columns: 'out',
  },
  '_C.fp8_marlin_gemm': { signatures: ['@a @w @scales @workspace bits m n k'], columns: 'n' },
  '_C.machete_mm': {
    signatures: ['@a @w type out_dtype @group_scales? @group_zeros? group @channel_scales? @token_scales? schedule'],
    columns: 'w',
  },
  '_C.allspark_w8a16_gemm': { signatures: ['@a @w @scales @zeros? n group sms sm threshold zp reorder'], columns: 'n' },
  '_C.ggml_mul_mat_a8': { signatures: ['@w @a type n'], columns: 'n' },
  '_C.ggml_mul_mat_vec_a8': { signatures: ['@w @a type n'], columns: 'n' },
};

/** Scales and zeros of a 4-bit weight have the extents [groups, n, 2]. */
function columnsOf(bound: BoundArguments, names: string): number | undefined {
  if (names === 'rows_of_scales') return bound.tensor('scales_and_zeros')?.shape.at(-2);
  const candidates = names.split(' ').map((name) => bound.tensor(name)?.shape.at(-1) ?? integer(bound.value(name)));
  return candidates.find((columns) => columns !== undefined);
}

const PACKED_FORMULA = 'flops = 2·m·n·k with n of the unpacked weight, bytes = operands read, as packed + |y|';

/** x·W with x [..., k] and a packed W. */
function packedProduct(call: OpCall, { signatures, columns }: PackedWeight): Work | null {
  const bound = bind(call, ...signatures);
  const x = bound?.tensor('a') ?? null;
  const k = x?.shape.at(-1);
  if (bound === null || x === null || k === undefined) return null;
  const n = columnsOf(bound, columns);
  const m = numel(x.shape.slice(0, -1));
  const params: Param[] = [['M', n ?? 'na'], ['N', m], ['K', k], ...dtypeParams(x)];
  const shared = { params, matmul: true, formula: PACKED_FORMULA, source: PRODUCT_SOURCE };
  if (n === undefined || n < 0) {
    return workOf({
      ...shared,
      flops: null,
      writes: null,
      unknown: 'the columns of the packed weight are unspecified',
    });
  }
  const y: Tensor = tensor([...x.shape.slice(0, -1), n], resultType(bound, x));
  const writes = bound.writes.length > 0 ? bound.writes : [y];
  return workOf({ ...shared, flops: 2 * m * n * k, reads: bound.reads, writes });
}

/**
 * TransformerEngine's GEMM has its operands in BLAS order with flags for their transposition; with D the extents follow
 * whatever the flags: |A| = n·k, |B| = m·k, |D| = m·n.
 */
const TE_GEMM =
  '@a @a_scale a_index a_type transa @b @b_scale b_index b_type transb !out @out_scale? out_type @amax? @bias? bias_type ' +
  '@gelu? grad @workspace workspace_size accumulate split';

function transformerEngineGemm(call: OpCall): Work | null {
  const bound = bind(call, TE_GEMM);
  const [a, b, d] = [bound?.tensor('a') ?? null, bound?.tensor('b') ?? null, bound?.tensor('out') ?? null];
  if (bound === null || a === null || b === null || d === null) return null;
  const multiplied = Math.sqrt(numel(a.shape) * numel(b.shape)) * Math.sqrt(numel(d.shape));
  const flops = 2 * Math.round(multiplied);
  if (!Number.isSafeInteger(flops) || Math.abs(multiplied - flops / 2) > 1e-6 * (1 + multiplied)) return null;
  return workOf({
    flops,
    matmul: true,
    reads: [a, b, ...bound.tensors('bias')],
    writes: [d],
    params: dtypeParams(a, b),
    formula: 'flops = 2·√(|A|·|B|·|D|) = 2·m·n·k, bytes = |A| + |B| + |bias| + |D|',
    source: PRODUCT_SOURCE,
  });
}

export const CUSTOM_PRODUCTS: ByName<ProductFormula> = {
  ...mapEntries(UNPACKED, (form) => (call) => productForm(call, form)),
  ...mapEntries(PACKED_WEIGHTS, (form) => (call) => packedProduct(call, form)),
  'tex_ts.te_gemm_ts': transformerEngineGemm,
};
