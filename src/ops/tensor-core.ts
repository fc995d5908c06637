/**
 * Whether a kernel ran on the matrix unit (tensor cores, matrix cores), judged by its demangled name.
 *
 * The rules follow the naming conventions of cuBLAS, cuDNN, CUTLASS, Triton, FlashAttention, TensorRT-LLM and AMD's
 * Tensile in public profiles from Volta to Blackwell; they are no measurement.
 */
import type { KernelRole, Work } from './family.js';
import { smOf } from './kernels/matrix-unit.js';
import { byName } from './kernels/name-patterns.js';

/** `likely`: element type or shape decide, and the name does not have them. `unknown`: no rule matches the name. */
export type MatrixUnitVerdict = 'yes' | 'likely' | 'no' | 'unknown';

/** Whether a kernel ran on the matrix unit, and the rule that decided it. */
export interface TensorCore {
  readonly verdict: MatrixUnitVerdict;
  /** Id of the rule that decided. */
  readonly rule: string;
}

interface TensorCoreRule extends TensorCore {
  readonly verdict: Exclude<MatrixUnitVerdict, 'unknown'>;
  readonly pattern: RegExp;
}

const rule = (verdict: TensorCoreRule['verdict'], id: string, pattern: RegExp): TensorCoreRule => ({
  verdict,
  rule: id,
  pattern,
});

/** First match wins: names that exclude the unit, then names that imply it, then names that make it likely. */
export const TENSOR_CORE_RULES: readonly TensorCoreRule[] = [
  rule('no', 'communication', /^nccl|(nccl|rccl|mscclpp)(Dev)?Kernel|nvshmem|cross_device_reduce/),
  rule(
    'no',
    'attention-helper',
    /splitkv_combine|FlashAttnFwdCombine|FlashAttnBwd(Pre|Post)process|fmha_bwd_\w*_(odo|dq_convert|dq_shuffle)|flash_bwd_(dot_do_o|convert_dq|convert_dkv|preprocess|postprocess)|fmhaReductionKernel|FmhaBwdOGradDotO/,
  ),
  rule(
    'no',
    'blas-helper',
    /splitKreduce|ReduceSplitK|reduce_1Block_kernel|(^|[\s:_])dot_kernel|gemv[A-Z0-9]|gemvx|gemvNSP|gemmk1_kernel|gemmSN_|computeOffsetsKernel|nchwToNhwc|nhwcToNchw/,
  ),
  rule('no', 'ffma', /_ffma_/),
  rule('no', 'simt', /(^|[_:<])simt(_|$)|MmaSimt/),
  rule(
    'no',
    'plain-gemm',
    /(maxwell|pascal|volta|turing|ampere|hopper)_(fp16_|fp32_)?((g?c|[sdzh])gemm|[sh]cudnn)_|magma_sgemm|(^|\s)[sdcz]gemm_largek_/,
  ),
  rule(
    'no',
    'plain-convolution',
    /(im|ex)plicit_convolve_sgemm|(dgrad|wgrad)(2d)?(_alg\d(_\d)?)?_engine|pointwise_mult_and_sum_complex/,
  ),
  rule('no', 'triton-fused', /^triton_(poi|red|per|for|unk)_/),
  rule('no', 'framework', /(^|\s)at::native::|(^|\s|::)(cub|thrust|rocprim)::|^\[?(memcpy|memset)/i),
  rule('no', 'attention-before-tensor-cores', /fmha_cutlass[FB]\w*_sm(50|60)|fmha_cutlass[FB]_f32_\w*_sm(70|75)/),

  rule('yes', 'nvjet', /^nvjet_/),
  rule(
    'yes',
    'mma-shape',
    /(^|[\s_<])([a-z0-9]+_)?[hsicdz]?(884|1688|8816|16816|16832|16864|161616|83216|8832)(?=gemm|cudnn|fprop|dgrad|wgrad|igemm|_|$)/,
  ),
  rule('yes', 'cutlass-tensorop', /tensorop|MmaTensorOp|cutlass3x_sm(90|100|101|103|120)_/),
  rule(
    'yes',
    'xmma',
    /sm\d+_xmma_(?=.*(tensor\d+x\d+x\d+|warpgroupsize|(^|_)[hiqd]mma|tf32|f16f16|e4m3|e5m2|fp8|fp4|i8|f64f64))/,
  ),
  rule('no', 'xmma-fp32', /sm\d+_xmma_/),
  rule('yes', 'cudnn-attention', /cudnn_generated_fort_native_sdpa_sm\d+_flash_[fb]prop/),
  rule(
    'yes',
    'attention',
    /flash_(fwd|bwd)_\w*kernel|FlashAttn(Fwd|Bwd)Sm\d+|FlashAttentionForwardSm\d+|fmhaSm\d+|fmha_cutlass[FB]_(f16|bf16)_\w*_sm(70|75|80)|fmha_cutlass[FB]_f32_\w*_sm80|aiter::fmha_(fwd|bwd)_|(^|[\s:])_?sage_(attn_)?fwd/,
  ),
  rule('yes', 'generated-gemm', /^(bmm_|gemm_|fusedMoe)(?=\w*(E\dm\d|Bfloat16|Fp16|Fp8))\w*_sm\d/),
  rule('yes', 'deep-gemm', /deep_gemm::/),
  rule('yes', 'mma-word', /(^|[^a-z0-9])(wgmma|tcgen05|utcmma|[hiqod]mma|mma_sync)([^a-z0-9]|$)/i),
  rule('yes', 'cute-atom', /SM90_64x\d+x\d+|SM80_16x8x\d+|Mainloop(Sm90TmaGmma|Sm100TmaUmma)/),
  rule('yes', 'amd-matrix-core', /Cijk_\w*_MI\d+x\d+|xdl|Xdl|mfma|Wmma/),

  rule('likely', 'triton-template', /^triton_tem_/),
  rule('likely', 'triton-hand-written', /_matmul_ogs_NNT_bf16xbf16xmxfp4|kernel_unified_attention_\dd/),
  rule('likely', 'aotriton', /^(attn_fwd|bwd_kernel_dk_dv|bwd_kernel_dq)/),
  rule('likely', 'amd-implicit-gemm', /igemm_(fwd|bwd|wrw)_gtc|ck_tile.*Fmha/),
];

const NONE: TensorCore = { verdict: 'unknown', rule: 'none' };
const OLD: TensorCore = { verdict: 'no', rule: 'device-without-tensor-cores' };

/** NVIDIA devices have tensor cores from sm70 on. */
const withoutUnit = (arch: string | undefined): boolean => {
  const sm = smOf(arch);
  return sm !== null && sm < 70;
};

/**
 * The verdict on a kernel.
 * @param name full demangled name
 * @param arch of the device, as 'sm80'; for a device without the unit the verdict is always `no`
 */
export function tensorCore(name: string, arch?: string): TensorCore {
  return withoutUnit(arch) ? OLD : ruleOf(name);
}

const ruleOf = byName<TensorCore>((name) => TENSOR_CORE_RULES.find(({ pattern }) => pattern.test(name)) ?? NONE);

/** Rules for names of products that do not use the unit. */
const PLAIN_PRODUCTS = new Set([
  'ffma',
  'simt',
  'plain-gemm',
  'plain-convolution',
  'xmma-fp32',
  'attention-before-tensor-cores',
]);

/** The tc column of a kernel without a known op: by its name if that is the name of a product, else 'na'. */
export function matrixUnitByName(name: string, arch?: string): 'na' | '1' | '0' {
  const { verdict, rule } = tensorCore(name);
  if (verdict === 'yes' || verdict === 'likely') return withoutUnit(arch) ? '0' : '1';
  return PLAIN_PRODUCTS.has(rule) ? '0' : 'na';
}

const NOT_PRODUCTS: ReadonlySet<KernelRole> = new Set(['helper', 'trial', 'bias']);

/**
 * The tc column of a kernel: 'na' no op is known to describe it; '-' the unit could not do its work (not a product, or
 * a helper, trial or bias kernel); '1' used or likely used; '0' could be used and is not; '?' undetermined.
 */
export function matrixUnitCell(work: Work | null, name: string, arch?: string): 'na' | '-' | '1' | '0' | '?' {
  if (work === null) return 'na';
  if (!work.matmul || NOT_PRODUCTS.has(work.role)) return '-';
  return ({ yes: '1', likely: '1', no: '0', unknown: '?' } as const)[tensorCore(name, arch).verdict];
}
