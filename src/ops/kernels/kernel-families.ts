/**
 * Families of kernel names, one row each, with the facts that a name states about its kernel.
 *
 * The rows follow the naming conventions of cuBLAS, cuDNN, CUTLASS, Triton, FlashAttention, TensorRT-LLM, AMD's
 * Tensile, composable kernels, MIOpen and AITER, vLLM, ggml, NCCL, RCCL, MSCCL++, NVSHMEM, PyTorch and Ascend's
 * operators in public profiles; they are not measurements.
 */
import type { Category } from '../category.js';
import { byName } from '../by-name.js';

export type KernelKind =
  /** Prepares or finishes the work of another kernel: layout change, split-K reduction, offsets, fill, copy. */
  | 'helper'
  /** Reduces a bias gradient. */
  | 'bias-gradient'
  | 'elementwise'
  | 'reduction'
  /** Part of another op (a softmax, a norm, a collective), whatever call encloses it. */
  | 'other'
  /** A matrix product or convolution, or a name that no row matches: the kernel that does the op's work. */
  | 'main';

/**
 * Facts that a row may state. A fact is taken from the first matching row that states it. `category`, `kind`,
 * `helpsProduct` and `product` are looked up by the short name, because template arguments could mislead; the others by the full name.
 */
interface FamilyFacts {
  /** What the kernel computes. */
  readonly category?: Category;
  readonly kind?: KernelKind;
  /** Whether it is an additional helper of products and convolutions, whatever its kind. */
  readonly helpsProduct?: true;
  /** Whether it computes a product or convolution; kernels that prepare or finish one contain words of products too. */
  readonly product?: boolean;
  /** Whether it runs on the matrix unit. `likely`: it depends on element type or shape, which the name does not contain. */
  readonly unit?: 'yes' | 'likely' | 'no';
  /** Whether its unit multiplies FP32 operands as FP32 (AMD's does), where NVIDIA's rounds them to TF32. */
  readonly keepsFp32?: true;
  /** Type of a product's multiplications, by short name: `fp16`, `tf32`. */
  readonly factors?: string;
  /**
   * Element type of the data in memory; `several` when the type in the name is one of several, or data are moved as bytes.
   */
  readonly memory?: string;
  /** What a convolution kernel computes. */
  readonly gradient?: 'dgrad' | 'wgrad' | 'fprop';
  /** The same, for kernels that the dispatcher's gradient ops launch. */
  readonly dispatchedGradient?: 'dgrad' | 'wgrad';
  /**
   * The gradient according to the transposition of a BLAS kernel's operands in the backward pass, column-major: the input
   * gradient of a linear layer is dY·W (nn), its weight gradient dYᵀ·X (nt); the second gradient of any product A·B is nt.
   */
  readonly transposed?: 'dgrad' | 'wgrad';
  /** What an elementwise kernel does with this functor, if it computes nothing. */
  readonly functor?: 'set' | 'copy';
  /** The NVIDIA architecture for which it was built: 80 for sm80. */
  readonly sm?: number;
  /** Whether it needs fewer multiplications than the product's definition: Winograd, FFT, three real products. */
  readonly shortcut?: true;
  /** Whether it accumulates in FP16. */
  readonly halfSums?: true;
}

interface KernelFamily extends FamilyFacts {
  readonly id: string;
  readonly pattern: RegExp;
}

type OtherFacts = Omit<FamilyFacts, 'category'>;

/** Names of kernels of one category. */
const row = (id: string, category: Category, pattern: RegExp, facts: OtherFacts = {}): KernelFamily => ({
  ...{ id, category, pattern },
  ...facts,
});

/** Words in the names of kernels of several categories. */
const word = (id: string, pattern: RegExp, facts: OtherFacts): KernelFamily => ({ id, pattern, ...facts });

/** Tensile's products whose factors have a type. */
const TENSILE = (type: string): RegExp => new RegExp(`^(Custom_)?Cijk_A[a-z]+_B[a-z]+_${type}`);

/** In order of precedence: names that exclude the matrix unit, then names that imply it, then those that make it likely. */
export const KERNEL_FAMILIES: readonly KernelFamily[] = [
  // Inductor names its kernels after all ops in the surrounding graph, including collectives.
  row('triton-pointwise', 'elementwise', /^triton_(poi|for|unk)_/),
  row('triton-reduction', 'reduction', /^triton_(red|per)_/),
  word('triton-fused', /^triton_(poi|red|per|for|unk)_/, { unit: 'no' }),
  row('triton-attention', 'attention', /^triton_tem_\w*attention/),
  row('triton-convolution', 'convolution', /^triton_tem_\w*conv/),
  row('triton-product', 'gemm', /^triton_tem_/),

  // Communication between devices.
  row('communication', 'communication', /^nccl|(nccl|rccl|mscclpp)(Dev)?Kernel|nvshmem|cross_device_reduce/, {
    unit: 'no',
  }),
  row(
    'communication-library',
    'communication',
    /nccl|rccl|mscclpp|nvshmem|symmetric_memory::|multimem_|cross_device_reduce|deep_ep::/i,
  ),
  row('collective-word', 'communication', /all_?reduce|all_?gather|reduce_?scatter|all_?to_?all/i),

  // Parts of language models.
  row(
    'experts',
    'moe',
    /moe|expert|matmul_ogs|finalize_matmul_scatter|bitmatrix|_routing_|topk_?(?:forward|gating)|grouped_topk/i,
  ),
  row(
    'attention-word',
    'attention',
    /att(?:e)?n|fmha|flash_?(?:fwd|bwd|decod|mla)|mla_|paged_|kv_?cache|reshape_and_cache|^reduce_segments$/i,
  ),
  row('resampling', 'resampling', /upsample|interpolat|pool_?(?:forward|backward|\dd)|average_pool|maxpool/i),
  row('sampling', 'sampling', /arg_?max|multinomial|(?<!up|down)sampling|top_?[kp]_(?:mask|renorm|top)/i),
  row('rotary', 'elementwise', /rotary|(?:^|_)rope(?:_|$)/i),

  // Kernels that prepare or finish attention, products and convolutions.
  row(
    'attention-helper',
    'attention',
    /splitkv_combine|FlashAttnFwdCombine|FlashAttnBwd(Pre|Post)process|fmha_bwd_\w*_(odo|dq_convert|dq_shuffle)|flash_bwd_(dot_do_o|convert_dq|convert_dkv|preprocess|postprocess)|fmhaReductionKernel|FmhaBwdOGradDotO|FmhaBwdConvertQGrad|FmhaFwd(SplitKVCombine|AppendKV)|ll4mi_reduce_kernel|aiter::(kn_)?mla_reduce/,
    { unit: 'no' },
  ),
  word(
    'product-helper',
    /reduc|prepar|pointers|arg(ument)?s_kernel|compute_args|offsets|starts|problem_sizes|quant|scale|swizzle|permut|transpos|scatter|gather|workspace|preprocess|xform|finali[sz]e|combine/i,
    { product: false },
  ),
  row('layout-helper', 'copy', /^batched_transpose_|^SubTensorOp|^transpose_[CNHW]{4}2|scalePackedTensor/, {
    helpsProduct: true,
  }),
  row('convolution-sum', 'convolution', /reduce_wgrad/, { helpsProduct: true }),
  row('product-sum', 'gemm', /ReduceSplitK/, { helpsProduct: true }),
  // Tensile names products by all their operands; kernels that scale, convert or add up results have those of C only.
  row('tensile-helper', 'gemm', /^Cijk_(?!A[a-z]+_B)/, { kind: 'helper', unit: 'no' }),
  row('split-k', 'gemm', /splitKreduce|reduce_1Block|compute_gemm_pointers/i, { kind: 'helper' }),
  row('layout', 'copy', /nchwToNhwc|nhwcToNchw|scaleTensor|tensorTransform/i, { kind: 'helper' }),
  row('convolution-helper', 'convolution', /compute\w*OffsetsKernel|flip_filter/i, { kind: 'helper' }),
  row(
    'winograd-stage',
    'convolution',
    /generateWinogradTiles|winogradForward(Data|Filter|Output)|winogradWgrad(Data|Output|Delta)/i,
    {
      kind: 'helper',
    },
  ),
  row('fft-stage', 'convolution', /fft[123]d_(r2c|c2r|c2c)|im(\dd)?2col|col2im|vol2col|col2vol/i, { kind: 'helper' }),
  row('fill', 'set', /memset|fill_kernel/i, { kind: 'helper' }),
  row('copy', 'copy', /memcpy|copy_kernel|transpose_readWrite|CatArray/i, { kind: 'helper' }),
  // Functors in template arguments of elementwise kernels that only move or set data.
  word('fill-functor', /FillFunctor/, { functor: 'set' }),
  word('copy-functor', /CopyFunctor|copy_kernel/, { functor: 'copy' }),
  // Copies and sets of HIP's runtime that kernels do. Their size is not recorded, so that they stay kernels.
  row('rocclr-fill', 'set', /^__amd_rocclr_fill/),
  row('rocclr-copy', 'copy', /^__amd_rocclr_(?:copy|fill)/, { kind: 'helper', unit: 'no' }),
  row(
    'ascend-copy',
    'copy',
    /^(TransData|Cast|MemSet|TensorMove|(Strided)?SliceD?|TransposeD?|ViewCopy|AsStrided|BroadcastToD?)$/,
    { kind: 'helper' },
  ),
  row('bias-gradient', 'reduction', /calc_bias_diff|^BiasAddGrad$/, { kind: 'bias-gradient' }),
  row(
    'blas-helper',
    'gemm',
    /splitKreduce|ReduceSplitK|reduce_1Block_kernel|(^|[\s:_])dot_kernel|gemv[A-Z0-9]|gemvx|gemvNSP|gemmk1_kernel|gemmSN_|computeOffsetsKernel|nchwToNhwc|nhwcToNchw|rocblas_(gemv|dot|ger|internal_gemv)|(^|[\s:])LLGemm1/,
    { unit: 'no' },
  ),

  // Kernels that belong to other ops.
  row('loss', 'loss', /nll_?loss|cross_?entropy|(?:mse|bce|ctc|smooth_l1)_loss/i),
  row('softmax', 'softmax', /softmax/i, { kind: 'other' }),
  row('dropout', 'random', /dropout/i, { kind: 'other' }),
  row('normalization', 'normalization', /layer_?norm|rms_?norm|group_?norm|batch_?norm|(^|::|_)bn_(fw|bw|fwd|bwd)/i, {
    kind: 'other',
  }),
  row('normalization-part', 'normalization', /RowwiseMoments|GammaBeta|FusedParamsCUDA|InternalGradientsCUDA/),
  row('random', 'random', /distribution_\w*kernel|philox|curand|bernoulli|populate_rng/i),
  row('collective-library', 'communication', /nccl|rccl/i, { kind: 'other' }),
  row('optimizer-list', 'optimizer', /multi_tensor_apply/i, { kind: 'other' }),
  row('embedding', 'embedding', /embedding/i, { kind: 'other' }),
  row('embedding-part', 'embedding', /compute_grad_weight|krn_partial|partial_segments|pooled_embs/),
  row('index-select', 'indexing', /index_?select/i, { kind: 'other' }),
  row('pooling', 'resampling', /pool_(forward|backward)/i, { kind: 'other' }),
  row('recurrent-cell', 'recurrent', /lstm_cell|gru_cell/i, { kind: 'other' }),
  row('recurrent', 'recurrent', /lstm|(?:^|_)rnn_|elemWiseRNN/i),
  row('optimizer', 'optimizer', /(?:^|_)adamw?_|amp_(?:update|non_finite|unscale)/i),
  row(
    'sorting',
    'sorting',
    /radix_?sort|bitonic|merge_?sort|(?:^|_|::)sort|topk|unique|histogram|searchsorted|block_merge/i,
  ),
  row(
    'scan',
    'reduction',
    /DeviceScan|lookback_scan|single_scan|kernel_scan|DeviceReduce|DeviceSegmentedReduce|block_reduce/,
  ),
  row(
    'indexing',
    'indexing',
    /(?:^|_)index_|indexFunc|scatter|(?<!all_?)gather|DeviceSelect|DeviceCompact|DevicePartition|partition_kernel|get_rows/i,
  ),
  row('reduction', 'reduction', /(^|::|_)reduce_kernel|kernelReduce|^triton_(red|per)_|^ReduceSumD?$/, {
    kind: 'reduction',
  }),
  row('elementwise', 'elementwise', /elementwise_kernel|kernelPointwiseApply|^triton_(poi|for|unk)_/, {
    kind: 'elementwise',
  }),
  row('epilogue', 'elementwise', /scal_kernel|epilogue::(impl::global)?kernel/i, { kind: 'elementwise' }),

  // Fusions of nvFuser and XLA.
  row('nvfuser-pointwise', 'elementwise', /^nvfuser_pointwise/),
  row('nvfuser-reduction', 'reduction', /^nvfuser_(?:reduction|inner|outer|persistent)/),
  row('xla-reduction', 'reduction', /^(?:input|loop)_\w*reduce\w*_fusion/),
  row(
    'xla-movement',
    'copy',
    /^(?:input|loop|wrapped)_(?:\w*_)?(?:transpose|concatenate|convert|copy|broadcast|slice|pad|bitcast)(?:_fusion|$|_\d)/,
  ),
  row('xla-loop', 'elementwise', /^loop_\w*fusion|^wrapped_/),

  // Products and convolutions without the matrix unit.
  word('ffma', /_ffma_/, { unit: 'no' }),
  word('simt', /(^|[_:<])simt(_|$)|MmaSimt/, { unit: 'no' }),
  word(
    'plain-gemm',
    /(maxwell|pascal|volta|turing|ampere|hopper)_(fp16_|fp32_)?((g?c|[sdzh])gemm|[sh]cudnn)_|magma_sgemm|(^|\s)[sdcz]gemm_largek_/,
    { unit: 'no' },
  ),
  row(
    'plain-convolution',
    'convolution',
    /(im|ex)plicit_convolve_sgemm|(dgrad|wgrad)(2d)?(_alg\d(_\d)?)?_engine|pointwise_mult_and_sum_complex/,
    { unit: 'no' },
  ),
  // AMD's products with plain multiply-adds or dot instructions: Tensile without MI, composable kernels for `dl`, MIOpen.
  row('tensile-vector', 'gemm', /^(Custom_)?Cijk_\w*_MT\d+x\d+x\d+_S[EN]_/, { unit: 'no' }),
  word('ck-vector', /(^|[\s:])kernel_\w*_dl(ops)?_|Gridwise\w*Dl[A-Z_<]|_dlops/, { unit: 'no' }),
  row(
    'miopen-vector',
    'convolution',
    /igemm_(fwd|bwd|wrw)_gtc[mn]?\d?_|igemm_v4r1|miopenSp3AsmConv_|miopenGcnAsm|^naive_conv_/,
    {
      unit: 'no',
    },
  ),
  row('skinny-gemm', 'gemm', /wvSpl(i?)tK(rc)?_(?=.*(__half|c10::Half|_Float16))/, { unit: 'no' }),
  word('ggml-vector', /(^|\s)(mul_mat_vec|dequantize_mul_mat|flash_attn_(vec|tile)_)/, { unit: 'no' }),
  word('framework', /(^|\s)at::native::|(^|\s|::)(cub|thrust|rocprim)::|^\[?(memcpy|memset)/i, { unit: 'no' }),
  row(
    'attention-before-tensor-cores',
    'attention',
    /fmha_cutlass[FB]\w*_sm(50|60)|fmha_cutlass[FB]_f32_\w*_sm(70|75)/,
    {
      unit: 'no',
    },
  ),

  // Types of factors in library-specific notation. A product of four and eight bits runs at the rate of eight (PTX ISA,
  // tcgen05.mma, kind::mxf8f6f4). Products in which only the weights or the cache are narrow unpack these to the wide type.
  // TensorRT-LLM: result, factors, sum (`bmm_Bfloat16_MxE2m1MxE4m3_Fp32`).
  word('generated-fp8', /^(bmm|gemm)_[^_]+_[^_]*E[45]m[32]|fmhaSm\d+[a-z]?Kernel_Q(kv)?E[45]m[32]/, { factors: 'fp8' }),
  word('generated-fp4', /^(bmm|gemm)_[^_]+_[^_]*E2m1/, { factors: 'fp4' }),
  word('generated-bf16', /^(bmm|gemm)_[^_]+_[^_]*Bfloat16|fmhaSm\d+[a-z]?Kernel_Q(kv)?Bfloat16/, { factors: 'bf16' }),
  word('generated-fp16', /^(bmm|gemm)_[^_]+_[^_]*Fp16|fmhaSm\d+[a-z]?Kernel_Q(kv)?Fp16/, { factors: 'fp16' }),
  word('narrow-weights-bf16', /(marlin|machete|WithPagedKVCache|WithRaggedKVCache).*bfloat16/i, { factors: 'bf16' }),
  word('narrow-weights-fp16', /(marlin|machete|WithPagedKVCache|WithRaggedKVCache).*half/i, { factors: 'fp16' }),

  // Products on the matrix unit. cuBLASLt's nvjet has its type as the first letter; CUTLASS's s1688 without a 16-bit type
  // multiplies TF32.
  word('nvjet-bf16', /^nvjet_(sm\d+_)?t/, { factors: 'bf16' }),
  word('nvjet-fp16', /^nvjet_(sm\d+_)?h/, { factors: 'fp16' }),
  word('nvjet-tf32', /^nvjet_(sm\d+_)?s(?!m\d)/, { factors: 'tf32' }),
  word('nvjet-fp8', /^nvjet_(sm\d+_)?q/, { factors: 'fp8' }),
  word('nvjet-half-sums', /^nvjet_(sm\d+_)?hhh_/, { halfSums: true }),
  row('nvjet', 'gemm', /^nvjet_/, { unit: 'yes' }),
  word('mma-half-sums', /(^|[_<])h(884|1688|16816)(gemm|cudnn)/, { halfSums: true }),
  word(
    'mma-shape',
    /(^|[\s_<])([a-z0-9]+_)?[hsicdz]?(884|1688|8816|16816|16832|16864|161616|83216|8832)(?=gemm|cudnn|fprop|dgrad|wgrad|igemm|_|$)/,
    { unit: 'yes' },
  ),
  word('cutlass-tensorop', /tensorop|MmaTensorOp|cutlass3x_sm(90|100|101|103|120)_/, { unit: 'yes' }),
  word(
    'xmma',
    /sm\d+_xmma_(?=.*(tensor\d+x\d+x\d+|warpgroupsize|(^|_)[hiqd]mma|tf32|f16f16|e4m3|e5m2|fp8|fp4|i8|f64f64))/,
    { unit: 'yes' },
  ),
  word('xmma-fp32', /sm\d+_xmma_/, { unit: 'no' }),
  row('cudnn-attention', 'attention', /cudnn_generated_fort_native_sdpa_sm\d+_flash_[fb]prop/, { unit: 'yes' }),
  // FlashAttention 2 has one build for sm80 and later; version 3 states the architecture.
  row('flash-attention-2', 'attention', /(^|::)flash_(fwd|bwd)_\w*kernel/, { sm: 80 }),
  row(
    'attention',
    'attention',
    /flash_(fwd|bwd)_\w*kernel|FlashAttn(Fwd|Bwd)Sm\d+|FlashAttentionForwardSm\d+|fmhaSm\d+|fmha_cutlass[FB]_(f16|bf16)_\w*_sm(70|75|80)|fmha_cutlass[FB]_f32_\w*_sm80|aiter::(fmha_(fwd|bwd|batch)|mla_|pa_)\w*|(^|[\s:])_?sage_(attn_)?fwd/,
    { unit: 'yes' },
  ),
  word('generated-gemm', /^(bmm_|gemm_|fusedMoe)(?=\w*(E\dm\d|Bfloat16|Fp16|Fp8))\w*_sm\d/, { unit: 'yes' }),
  row('deep-gemm', 'gemm', /deep_gemm::/, { unit: 'yes' }),
  word('mma-word', /(^|[^a-z0-9])(wgmma|tcgen05|utcmma|[hiqod]mma|mma_sync)([^a-z0-9]|$)/i, { unit: 'yes' }),
  word('cute-atom', /SM90_64x\d+x\d+|SM80_16x8x\d+|Mainloop(Sm90TmaGmma|Sm100TmaUmma)/, { unit: 'yes' }),
  // AMD names that state an instruction of the unit: Tensile's MI, composable kernels' xdl, MFMA and WMMA.
  word('amd-matrix-core', /Cijk_\w*_MI\d+x\d+|[xX]dl|mfma|MFMA|Wmma|rocwmma|kernel_\w*_wmma|matrix_core/, {
    unit: 'yes',
    keepsFp32: true,
  }),
  // In the names of MIOpen's assembly, `gtcx2` stands for XDLops of gfx90a.
  row('miopen-xdlops', 'convolution', /igemm_(fwd|bwd|wrw)_gtcx/, { unit: 'yes', keepsFp32: true }),
  // All attention, products and convolutions of CK Tile run on its warp-level matrix instructions.
  word('ck-tile', /ck_tile.*(Fmha|Gemm|Flatmm|GroupedConv)/, { unit: 'yes', keepsFp32: true }),
  word('aiter-assembly', /aiter::(fmoe_|flatmm_|\w*gemm_(fp32)?(bf16|fp16|per|i8|a\d))|(^|\s|::)f4gemm_/, {
    unit: 'yes',
    keepsFp32: true,
  }),
  word('vllm-rocm', /paged_attention_ll4mi_QKV|wvSplitKQ|wvSplitK_(?=.*bfloat16|.*BFloat16)/, { unit: 'yes' }),
  word('triton-template', /^triton_tem_/, { unit: 'likely' }),
  // XLA compiles its fusions around a product with Triton.
  row('xla-triton-product', 'gemm', /^gemm_fusion(?:_|$)/, { unit: 'likely' }),
  word('triton-hand-written', /_matmul_ogs_NNT_bf16xbf16xmxfp4|kernel_unified_attention_\dd/, { unit: 'likely' }),
  row('aotriton-backward', 'attention', /^bwd_kernel_fuse/),
  row('aotriton', 'attention', /^(attn_fwd|bwd_kernel_dk_dv|bwd_kernel_dq)/, { unit: 'likely' }),
  word('ggml', /(^|\s)(mul_mat_q|mul_mat_f|flash_attn_ext_f16)\b/, { unit: 'likely' }),

  // Words of products that do not show whether the matrix unit is used, and words of their gradients and algorithms.
  row('convolution', 'convolution', /convolve|fprop|dgrad|wgrad|depthwise\dd_|winograd|AsmConv|MIOpenConv/i, {
    product: true,
  }),
  row(
    'convolution-word',
    'convolution',
    /cudnn_|conv(?:olution)?[_\d]|DepthwiseConv|implicit_gemm|GroupedConv|igemm_(?:fwd|bwd|wrw)/i,
  ),
  row('product-word', 'gemm', /(?<!fb)gemm|gemv|matmul|_mm_|dot_kernel|Cijk_\w*_MT\d|fused_moe_kernel/i, {
    product: true,
  }),
  row('ggml-product', 'gemm', /mul_mat/),
  row('wave-product', 'gemm', /^wvSpl|LLGemm|^bmm_|matrix_multiplication/),
  row(
    'linear-algebra',
    'linear-algebra',
    /magma_|getr[fsi]_|potr[fsi]_|geqrf|syev|gesvd|trsm|_fft\b|(?:regular|vector|radix)_fft/i,
  ),
  row('quantization', 'quantization', /quanti[sz]e|_quant(?:_|$)/i),
  row('activation', 'elementwise', /act_and_mul|silu|gelu|relu|swiglu|unary_\w*op|bin_bcast/i),
  word('wgrad', /wgrad|BackpropD?Filter|bwd_?weight|backward_?weight|grad_weight|AccGradParameters|_wrw_/i, {
    gradient: 'wgrad',
  }),
  word('dgrad', /dgrad|BackpropD?Input|bwd_?data|backward_?data|depthwise\dd_backward_kernel|UpdateGradInput/i, {
    gradient: 'dgrad',
  }),
  word('fprop', /fprop/i, { gradient: 'fprop' }),
  word('cutlass-wgrad', /stridedB_splitK|OperatorE2E|conv::Operator\)2/, { dispatchedGradient: 'wgrad' }),
  word('cutlass-dgrad', /igemm_bwd_|conv_bwd_data|OperatorE1E|conv::Operator\)1/, { dispatchedGradient: 'dgrad' }),
  word('gemm-nt', /gemm\w*_nt(?:_|$)/i, { transposed: 'wgrad' }),
  word('gemm-nn', /gemm\w*_nn(?:_|$)/i, { transposed: 'dgrad' }),
  word('shortcut', /winograd|fft|(^|_)g?cgemm_|_f\dx\d(_|$)/i, { shortcut: true }),
  word('maxwell', /(^|_)maxwell_/, { sm: 50 }),
  word('pascal', /(^|_)pascal_/, { sm: 60 }),
  word('volta', /(^|_)volta_/, { sm: 70 }),
  word('turing', /(^|_)turing_/, { sm: 75 }),
  word('ampere', /(^|_)ampere_/, { sm: 80 }),
  word('hopper', /(^|_)hopper_/, { sm: 90 }),

  // Words for the types that products multiply. `ue4m3` and `ue8m0` are types of scales.
  word('factors-fp32', /_ffma_|(^|_)sgemm_|implicit_convolve_sgemm|simt_s(gemm|fprop|dgrad|wgrad)|[a-z]_scudnn_/, {
    factors: 'fp32',
  }),
  word('factors-tf32', /tf32|tfloat32_t|_tensorop_s1688(gemm|fprop|dgrad|wgrad)(?!\w*(f16|bf16|fp16))/, {
    factors: 'tf32',
  }),
  word('factors-fp64', /(^|[_\s])d884|(^|[^a-z])dmma([^a-z]|$)|f64f64|(^|_)dgemm_/, { factors: 'fp64' }),
  word('factors-fp8', /(?<!u)e4m3|e5m2|(^|_)fp8|:fp8gemm|deep_gemm::fp8|per\w+fp8|blockscale\w*fp8/i, {
    factors: 'fp8',
  }),
  word('factors-fp4', /e2m1|^f4gemm_|per\w+fp4/i, { factors: 'fp4' }),
  word('factors-int8', /per\w+(int8|Int8|I8)|(^|_)(i8|int8|s8)(_|$)/, { factors: 'int8' }),
  word('factors-bf16', /bf16|bfloat16|I(DF16b){2}/i, { factors: 'bf16' }),
  // Composable kernels store BF16 as `unsigned short`.
  word('ck-bf16', /\bck::.*[<,] ?unsigned short, unsigned short/, { factors: 'bf16' }),
  word('factors-fp16', /(^|_)(f|fp)16(_|$)|f16f16|(^|[_<])h(884|1688|16816|gemm)|half_t|__half|_Float16|(^|_)hcudnn_/, {
    factors: 'fp16',
  }),
  word('mma-int8', /(8816|8832|16832)(cudnn|gemm|igemm|fprop)?_?int8|int8_i8|i8i8|(^|[^a-z])imma([^a-z]|$)/, {
    factors: 'int8',
  }),
  // Tensile: the type of the factors follows the operands' indices: `HHS`, or `B_BS` in hipBLASLt. `S_MX` is TF32 (XF32).
  word('tensile-tf32', TENSILE('S_MX'), { factors: 'tf32' }),
  word('tensile-bf16', TENSILE('B(?![68])'), { factors: 'bf16' }),
  word('tensile-fp16', TENSILE('H'), { factors: 'fp16' }),
  word('tensile-fp32', TENSILE('S'), { factors: 'fp32' }),
  word('tensile-fp64', TENSILE('D'), { factors: 'fp64' }),
  word('tensile-int8', TENSILE('(4x)?[Ii]8'), { factors: 'int8' }),
  word('tensile-fp8', TENSILE('[FB]8'), { factors: 'fp8' }),
  word('tensile-fp4', TENSILE('F4'), { factors: 'fp4' }),

  // Types in memory, as C++ and Triton write them.
  word('several-types', /LoadWithCast|StoreWithCast|gpu_kernel_impl<|vectorized_gather_kernel/, { memory: 'several' }),
  word('bfloat16', /c10::BFloat16|nv_bfloat16|hip_bfloat16|(^|[_<, ])bf16|_bf16|bfloat16|::__bfloat\b/, {
    memory: 'bfloat16',
  }),
  word('float16', /c10::Half|__half\b|half_t|(^|[_<, ])f16_|_fp16/, { memory: 'float16' }),
  word('float8_e4m3fn', /Float8_e4m3fn\b|e4m3/, { memory: 'float8_e4m3fn' }),
  word('float8_e5m2', /Float8_e5m2\b|e5m2/, { memory: 'float8_e5m2' }),
  // Copies state only the size of an element: `OpaqueType<2u>` has two bytes.
  word('opaque8', /OpaqueType<(\(unsigned int\))?1u?>/, { memory: 'opaque8' }),
  word('opaque16', /OpaqueType<(\(unsigned int\))?2u?>/, { memory: 'opaque16' }),
  word('opaque32', /OpaqueType<(\(unsigned int\))?4u?>/, { memory: 'opaque32' }),
  word('opaque64', /OpaqueType<(\(unsigned int\))?8u?>/, { memory: 'opaque64' }),
  word('opaque128', /OpaqueType<(\(unsigned int\))?16u?>/, { memory: 'opaque128' }),
  word('float32', /[<, (]float[,> (*]|lambda\(float\b|_f32f32_/, { memory: 'float32' }),
  word('attention-fp32', /fmha_cutlass[FB]_f32_/, { memory: 'float32' }),
  // Rows after `float`, because scalar arguments of a kernel of any type are doubles.
  word('float64', /(?<!optional)[<, ]double[,> (]|lambda\(double\b/, { memory: 'float64' }),
  word('bool', /ReduceOp<bool,|FillFunctor<bool>|lambda\(bool\)/, { memory: 'bool' }),
  word('int64', /[<, ]long[,> (]|lambda\(long\b/, { memory: 'int64' }),
  // Does not match `lambda(int)`, which is the loop of every elementwise kernel.
  word('int32', /[<, ]int[,>]/, { memory: 'int32' }),
];

/** Finds the first row that states a fact and matches a name; null when there is none. */
export function familyWith<Fact extends keyof FamilyFacts>(
  fact: Fact,
): (name: string) => (KernelFamily & Required<Pick<FamilyFacts, Fact>>) | null {
  type Row = KernelFamily & Required<Pick<FamilyFacts, Fact>>;
  const rows = KERNEL_FAMILIES.filter((family): family is Row => family[fact] !== undefined);
  return byName((name) => rows.find(({ pattern }) => pattern.test(name)) ?? null);
}

/** Finds a fact for a name; null when no row states it. */
export function factInName<Fact extends keyof FamilyFacts>(
  fact: Fact,
): (name: string) => Exclude<FamilyFacts[Fact], undefined> | null {
  const find = familyWith(fact);
  return (name) => (find(name)?.[fact] ?? null) as Exclude<FamilyFacts[Fact], undefined> | null;
}
