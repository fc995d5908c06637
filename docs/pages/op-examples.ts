/** One call for every family of ops, with the kernel that it launches: the worked examples of docs/ops.md. */
import { renderParams, type Family, type KernelFacts } from '../../src/ops/family.js';
import { asTensor, showTensor } from '../../src/ops/call.js';
import { resolveWork } from '../../src/ops/resolve-work.js';
import type { Arg, ArgValue, OpCall } from '../../src/record/record.js';
import { code, grouped } from './markdown.js';

interface Example {
  readonly call: OpCall;
  /** Name of the kernel. */
  readonly kernel: string;
}

const t = (dtype: string, ...shape: readonly number[]): Arg => ({ name: '', type: 'tensor', shape, dtype });
const v = (value: ArgValue, name = ''): Arg => ({ name, type: typeof value, value });

function example(name: string, kernel: string, ...args: readonly Arg[]): Example {
  const dot = name.lastIndexOf('.');
  return { call: { mod: name.slice(0, dot), op: name.slice(dot + 1), args }, kernel };
}

/** A call as the dispatcher ran it. */
function dispatched(name: string, kernel: string, ...args: readonly Arg[]): Example {
  const { call } = example(name, kernel, ...args);
  return { call: { ...call, from: 'dispatcher' }, kernel };
}

const list = (...items: readonly Arg[]): Arg => ({ name: '', type: 'list', items });

const F = 'torch.nn.functional';
const MULTI_TENSOR = 'at::native::multi_tensor_apply_kernel';
const ELEMENTWISE = 'at::native::vectorized_elementwise_kernel';

/** By the family's id. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  blas: example(
    `${F}.linear`,
    'ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn',
    t('float16', 8, 64, 256),
    t('float16', 1024, 256),
    t('float16', 1024),
  ),
  'linear-functions': dispatched(
    'na._LayerNormLinear',
    'nvjet_hsh_128x256_64x4_2x1_v_bz_TNT',
    t('bfloat16', 2048, 4, 1024),
    t('bfloat16', 1024),
    t('bfloat16', 1024),
    t('bfloat16', 3072, 1024),
    t('bfloat16', 3072),
  ),
  convolution: example(
    `${F}.conv2d`,
    'cudnn::detail::implicit_convolve_sgemm',
    t('float32', 64, 6, 14, 14),
    t('float32', 16, 6, 5, 5),
    t('float32', 16),
  ),
  distance: dispatched(
    'aten._cdist_forward',
    'at::native::cdist_kernel_cuda_impl',
    t('float32', 128, 64),
    t('float32', 256, 64),
    v(2),
    v(null),
  ),
  'linear-algebra': dispatched('aten.linalg_cholesky_ex', 'potrf_kernel', t('float32', 8, 64, 64), v(false), v(false)),
  fourier: dispatched('aten._fft_r2c', 'regular_fft_factor', t('float32', 16, 1024), v([1]), v(0), v(true)),
  attention: dispatched(
    'aten._scaled_dot_product_flash_attention',
    'pytorch_flash::flash_fwd_kernel',
    t('bfloat16', 16, 16, 559, 64),
    t('bfloat16', 16, 16, 559, 64),
    t('bfloat16', 16, 16, 559, 64),
    v(0),
    v(true),
  ),
  'fused-attention-functions': dispatched(
    'na.FusedAttnFunc',
    'cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128',
    v(true),
    v(2048),
    v(2048),
    t('int32', 5),
    t('int32', 5),
    t('bfloat16', 2048, 4, 16, 64),
    t('bfloat16', 2048, 4, 16, 64),
    t('bfloat16', 2048, 4, 16, 64),
  ),
  transformer: dispatched(
    'aten._transform_bias_rescale_qkv',
    'at::native::transform_bias_rescale_qkv_kernel',
    t('float16', 8, 64, 768),
    t('float16', 768),
    v(4),
  ),
  recurrent: example(
    'LSTMCell.forward',
    'volta_sgemm_32x32_sliced1x4_tn',
    t('float32', 64, 128),
    t('float32', 64, 256),
    t('float32', 64, 256),
  ),
  'fused-recurrent': dispatched(
    'aten.lstm',
    'elemWiseRNNcell',
    t('float32', 7, 3, 10),
    list(t('float32', 1, 3, 20), t('float32', 1, 3, 20)),
    list(t('float32', 80, 10), t('float32', 80, 20), t('float32', 80), t('float32', 80)),
    v(true),
    v(1),
  ),
  'recurrent-gates': dispatched(
    'aten._thnn_fused_lstm_cell',
    'at::native::lstm_cell_forward',
    t('float32', 64, 1024),
    t('float32', 64, 1024),
    t('float32', 64, 256),
  ),
  pointwise: example('Tensor.__mul__', ELEMENTWISE, t('float32', 64, 1024), t('float32', 64, 1)),
  activation: example(`${F}.relu`, ELEMENTWISE, t('float32', 64, 6, 28, 28)),
  'activation-gradients': dispatched(
    'aten.threshold_backward',
    ELEMENTWISE,
    t('bfloat16', 10, 64, 56, 56),
    t('bfloat16', 10, 64, 56, 56),
    v(0),
  ),
  'fused-pointwise': dispatched(
    '_C.silu_and_mul',
    'vllm::act_and_mul_kernel',
    t('bfloat16', 888, 2880),
    t('bfloat16', 888, 5760),
  ),
  normalization: example(
    `${F}.layer_norm`,
    'at::native::vectorized_layer_norm_kernel',
    t('float16', 8, 64, 256),
    v([256]),
    t('float16', 256),
    t('float16', 256),
  ),
  softmax: example(`${F}.softmax`, 'softmax_warp_forward', t('float32', 64, 1000), v(1, 'dim')),
  reduction: example('torch.mean', 'at::native::reduce_kernel', t('float32', 64, 1000)),
  scan: dispatched('aten.cumsum', 'at::native::tensor_kernel_scan_innermost_dim', t('int32', 32), v(0)),
  equality: example('torch.equal', ELEMENTWISE, t('float32', 64, 1000), t('float32', 64, 1000)),
  pooling: example(
    `${F}.max_pool2d`,
    'at::native::max_pool_forward_nchw',
    t('float32', 64, 6, 28, 28),
    v(2, 'kernel_size'),
  ),
  interpolation: dispatched(
    'aten.upsample_bilinear2d',
    'at::native::upsample_bilinear2d_out_frame',
    t('float32', 8, 64, 28, 28),
    v([56, 56]),
    v(false),
  ),
  detection: dispatched(
    'torchvision.roi_align',
    'roi_align_forward_kernel_impl',
    t('float32', 2, 256, 64, 64),
    t('float32', 100, 5),
    v(0.25),
    v(7),
    v(7),
    v(2),
    v(true),
  ),
  loss: example(`${F}.mse_loss`, 'at::native::reduce_kernel', t('float32', 64, 1000), t('float32', 64, 1000)),
  embedding: example(`${F}.embedding`, 'at::native::indexSelectLargeIndex', t('int64', 8, 64), t('float16', 1000, 256)),
  ragged: dispatched(
    'fbgemm.jagged_to_padded_dense',
    'fbgemm_gpu::jagged_dense_elementwise_dense_output_kernel_',
    t('float32', 1000, 64),
    list(t('int64', 33)),
    v([50]),
    v(0),
  ),
  'table-batched-embedding': dispatched(
    'fbgemm.split_embedding_codegen_lookup_sgd_function',
    'split_embedding_codegen_forward_unweighted_kernel',
    t('float32', 0),
    t('float32', 96_000),
    t('float32', 0),
    t('float32', 0, 0),
    t('int32', 1),
    t('int64', 1),
    t('int32', 2),
    v(96),
    v(96),
    t('int64', 2),
    v(10),
    t('int64', 4096),
    t('int64', 513),
    v(0),
    v(null),
    v(null),
    t('int32', 0),
  ),
  'quantized-rows': dispatched(
    'fbgemm.FloatToFP8RowwiseQuantized',
    'fbgemm_gpu::_compute_FP8_quantize_cuda_kernel',
    t('float32', 1000, 256),
    v(true),
  ),
  indexing: example(
    'torch.gather',
    'at::native::vectorized_gather_kernel',
    t('float32', 64, 1000),
    v(1),
    t('int64', 64, 10),
  ),
  'tensor-indexing': dispatched(
    'aten.index',
    'at::native::index_elementwise_kernel',
    t('bfloat16', 888, 2880),
    list(t('int64', 32)),
  ),
  joining: example(
    'torch.cat',
    'at::native::CatArrayBatchedCopy',
    t('float32', 64, 1000),
    t('float32', 64, 24),
    v(1, 'dim'),
  ),
  ordering: dispatched('aten.sort', 'cub::DeviceRadixSortOnesweepKernel', t('float32', 64, 1000), v(-1), v(false)),
  copying: example('Tensor.contiguous', ELEMENTWISE, t('float32', 64, 1000)),
  slicing: dispatched(
    'aten.reflection_pad1d',
    'at::native::reflection_pad1d_out_kernel',
    t('float32', 8, 100),
    v([2, 2]),
  ),
  conversion: example('Tensor.half', ELEMENTWISE, t('float32', 64, 1000)),
  quantization: dispatched(
    'aten.fake_quantize_per_tensor_affine_cachemask',
    'at::native::unrolled_elementwise_kernel_for_multi_outputs',
    t('float32', 64, 1000),
    v(0.1),
    v(0),
    v(-128),
    v(127),
  ),
  filling: example('torch.zeros', ELEMENTWISE, v(64), v(1000)),
  random: example(`${F}.dropout`, 'at::native::fused_dropout_kernel_vec', t('float16', 8, 64, 256)),
  dropout: dispatched(
    'aten.native_dropout_backward',
    'at::native::masked_scale_kernel',
    t('float16', 8, 64, 256),
    t('bool', 8, 64, 256),
    v(1.25),
  ),
  'rotary-functions': dispatched(
    'na.FusedRoPEFunc',
    'fused_rope_forward_kernel',
    t('bfloat16', 2048, 4, 16, 64),
    t('float32', 2048, 1, 1, 64),
    v(false),
  ),
  'training-functions': dispatched(
    'na.BiasSwiGLUFunction',
    'triton_poi_fused_add_mul_silu_split_0',
    t('bfloat16', 8192, 5632),
    t('bfloat16', 5632),
  ),
  'eight-bit-kernels': dispatched(
    'tex_ts.cast_to_fp8_ts',
    'transformer_engine::unary_kernel',
    t('bfloat16', 8192, 1024),
    t('float32', 3),
    t('float32', 1, 3),
    t('float32', 3),
    v(0),
    v(6),
  ),
  'apex-normalization': dispatched(
    'apex.fused_rms_norm_affine_fwd',
    'cuApplyRMSNorm',
    t('bfloat16', 8192, 1024),
    t('bfloat16', 1024),
    v([1024]),
    v(0.00001),
    v(false),
  ),
  'token-permutation': dispatched(
    'te_moe.permute_index_map',
    'moe_permute_kernel',
    t('bfloat16', 8192, 1024),
    t('int32', 8192, 2),
    v(0),
    v(-1),
  ),
  'key-value-cache': dispatched(
    '_C_cache_ops.reshape_and_cache_flash',
    'vllm::reshape_and_cache_flash_kernel',
    t('bfloat16', 888, 1, 64),
    t('bfloat16', 888, 1, 64),
    t('uint8', 4096, 16, 1, 64),
    t('uint8', 4096, 16, 1, 64),
    t('int64', 888),
  ),
  'mixture-of-experts': dispatched(
    '_moe_C.topk_softmax',
    'vllm::moe::topkGatingSoftmax',
    t('float32', 888, 4),
    t('int32', 888, 4),
    t('int32', 888, 4),
    t('float32', 888, 128),
  ),
  collective: dispatched(
    'c10d._allgather_base_',
    'ncclDevKernel_AllGather_RING_LL',
    t('bfloat16', 8, 25136),
    t('bfloat16', 1, 25136),
  ),
  triton: dispatched(
    'torch.triton_poi_fused_add_mul_0',
    'triton_poi_fused_add_mul_0',
    t('bfloat16', 888, 2880),
    t('bfloat16', 888, 2880),
  ),
  optimizer: example(
    'fused_adam_cuda.adam',
    'adam_cuda_kernel',
    t('float32', 1_000_000),
    t('float16', 1_000_000),
    t('float32', 1_000_000),
    t('float32', 1_000_000),
    t('float16', 1_000_000),
  ),
  foreach: dispatched(
    'aten._foreach_add_',
    MULTI_TENSOR,
    list(t('float32', 512, 256), t('float32', 512)),
    list(t('float32', 512, 256), t('float32', 512)),
    v(-0.001),
  ),
  'fused-optimizer': dispatched(
    'aten._fused_sgd_',
    MULTI_TENSOR,
    list(t('float32', 512, 256)),
    list(t('float32', 512, 256)),
    list(t('float32', 512, 256)),
    ...[0, 0.9, 0.001, 0].map((value) => v(value)),
    ...[false, false, false].map((value) => v(value)),
  ),
  hlo: example(
    'hlo.fusion',
    'gemm_fusion_dot_1',
    t('bfloat16', 64, 256),
    t('bfloat16', 256, 32),
    { ...t('float32', 64, 32), name: 'out' },
    v([['dot', 2048, 256]], 'body'),
  ),
};

const amount = (n: number | null, unit: string): string => (n === null ? `unknown ${unit}` : `${grouped(n)} ${unit}`);

function showArg(arg: Arg): string {
  const tensor = asTensor(arg);
  const items = arg.items === undefined ? JSON.stringify(arg.value) : `[${arg.items.map(showArg).join(', ')}]`;
  const text = tensor === null ? items : showTensor(tensor);
  return arg.name === '' ? text : `${arg.name}=${text}`;
}

/**
 * The family's example, worked out by the family itself.
 * @throws Error when the family has no example, or another family answers it
 */
export function exampleOf(family: Family): { readonly text: string; readonly source: string } {
  const given = EXAMPLES[family.id];
  if (given === undefined) throw new Error(`docs/pages/op-examples.ts has no example for the family ${family.id}`);
  const { call, kernel } = given;
  const facts: KernelFacts = { name: kernel, short: kernel, dir: 'fprop', sub: 0, grid: null, block: null };
  const found = resolveWork([call], facts);
  if (found?.family !== family) throw new Error(`the example of the family ${family.id} is not answered by it`);
  const { flops, bytes, formula, source, params } = found.work;
  const shown = code(`${call.op}(${call.args.map(showArg).join(', ')})`);
  const numbers = `${amount(flops, 'FLOPs')}, ${amount(bytes, 'bytes')}`;
  return { text: `${shown}: ${numbers}, params ${code(renderParams(params))}; ${formula}.`, source };
}
