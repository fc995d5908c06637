/** The kernels of the job and how long each takes on its device, from what it computes. */
import type { Device } from '../../../src/record/record.js';
import type { JobOptions } from './options.js';

/** The device of every rank but for its id. Source: NVIDIA's H100 data sheet (SXM). */
export const DEVICE: Omit<Device, 'id'> = {
  vendor: 'nvidia',
  name: 'NVIDIA H100 80GB HBM3',
  arch: 'sm90',
  units: 132,
  clockHz: null,
  memBytesPerS: null,
  memBytes: 85_029_158_912,
};

/** What kernels attain of the device: matrix units, attention on them, memory. */
const MATRIX_FLOPS_PER_S = 600e12;
const ATTENTION_FLOPS_PER_S = 400e12;
const BYTES_PER_S = 2.4e12;
const SHORTEST_NS = 3000;

/** Bytes of an element of activations, weights and gradients (bfloat16). */
export const ELEMENT_BYTES = 2;

/** One kernel and the op that launches it. */
export interface KernelWork {
  readonly name: string;
  /** `aten::mm`. */
  readonly op: string;
  /** Extents of the tensors that the op is called with. */
  readonly dims: readonly (readonly number[])[];
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly api: string;
  /** Duration without noise. */
  readonly ns: number;
}

/** A forward kernel of a layer with those of its gradient. */
export interface LayerKernel {
  /** Module within the layer. */
  readonly module: 'SelfAttention' | 'MLP';
  readonly forward: KernelWork;
  /** Name of the autograd node. */
  readonly node: string;
  readonly backward: readonly KernelWork[];
  /** Messages of the tensor-parallel group: behind the forward kernel, and behind the backward ones. */
  readonly endsBlock: boolean;
  readonly beginsBlock: boolean;
}

const GEMM = 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas'; // prettier-ignore
const GEMM_GRAD = GEMM.replace('_tn_n_', '_nt_n_');
const FLASH = 'void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t>, false, true>(Flash_fwd_params)'; // prettier-ignore
const FLASH_GRAD = 'void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t>, false, true>(Flash_bwd_params)'; // prettier-ignore
const NORM = 'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)'; // prettier-ignore
const NORM_GRAD = 'void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)'; // prettier-ignore
const GELU = 'void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}, std::array<char*, 2ul>)'; // prettier-ignore
const GELU_GRAD = GELU.replaceAll('GeluCUDA', 'GeluBackwardCUDA').replaceAll('2ul', '3ul');
const ADAM = 'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4> >(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4>)'; // prettier-ignore

const lasting = (seconds: number): number => Math.max(SHORTEST_NS, Math.round(seconds * 1e9));

const gemm = (m: number, n: number, k: number, name: string): KernelWork => ({
  name,
  op: 'aten::mm',
  dims: [
    [m, k],
    [k, n],
  ],
  grid: [132, 1, 1],
  block: [384, 1, 1],
  api: 'cudaLaunchKernelExC',
  ns: lasting((2 * m * n * k) / MATRIX_FLOPS_PER_S),
});

/** A kernel that is as fast as the memory: `passes` over tensors of these extents. */
const streaming = (name: string, op: string, dims: readonly (readonly number[])[], passes: number): KernelWork => ({
  name,
  op,
  dims,
  grid: [dims[0]?.[0] ?? 1, 1, 1],
  block: [256, 1, 1],
  api: 'cudaLaunchKernel',
  ns: lasting((passes * ELEMENT_BYTES * (dims[0] ?? []).reduce((product, extent) => product * extent, 1)) / BYTES_PER_S), // prettier-ignore
});

const attention = (
  name: string,
  op: string,
  extents: readonly number[],
  inputs: number,
  passes: number,
): KernelWork => {
  const [batch = 1, heads = 1, sequence = 1, width = 1] = extents;
  // Two products, half of each masked.
  const flops = 2 * batch * heads * sequence * sequence * width;
  const dims = Array.from({ length: inputs }, () => extents);
  const [grid, block] = [[Math.ceil(sequence / 128), batch, heads] as const, [128, 1, 1] as const];
  return {
    name,
    op,
    dims,
    grid,
    block,
    api: 'cudaLaunchKernel',
    ns: lasting((passes * flops) / ATTENTION_FLOPS_PER_S),
  };
};

interface Shapes {
  readonly tokens: number;
  readonly hidden: number;
  readonly tp: number;
}

/** A linear layer: its gradients are two products. */
function linear(
  { tokens }: Shapes,
  inputs: number,
  outputs: number,
): Pick<LayerKernel, 'forward' | 'node' | 'backward'> {
  const backward = [gemm(tokens, inputs, outputs, GEMM_GRAD), gemm(inputs, outputs, tokens, GEMM_GRAD)];
  return { forward: gemm(tokens, outputs, inputs, GEMM), node: 'MmBackward0', backward };
}

function norm({ tokens, hidden }: Shapes): Pick<LayerKernel, 'forward' | 'node' | 'backward'> {
  const [x, weight] = [[tokens, hidden], [hidden]];
  const forward = streaming(NORM, 'aten::native_layer_norm', [x, weight, weight], 2);
  const grad = streaming(NORM_GRAD, 'aten::native_layer_norm_backward', [x, x, weight, weight], 4);
  return { forward, node: 'NativeLayerNormBackward0', backward: [grad] };
}

/** Forward kernels of a layer in order; each is there when a layer has at least `from` of them. */
function candidates(shapes: Shapes, { sizes }: JobOptions): (LayerKernel & { readonly from: number })[] {
  const { hidden, tp, tokens } = shapes;
  const [heads, inner] = [Math.ceil(sizes.heads / tp), (4 * hidden) / tp];
  const head = [sizes.batch, heads, sizes.sequence, hidden / sizes.heads];
  const plain = { endsBlock: false, beginsBlock: false };
  const flash = 'aten::_scaled_dot_product_flash_attention';
  const attended = {
    forward: attention(FLASH, flash, head, 3, 1),
    node: 'ScaledDotProductFlashAttentionBackward0',
    backward: [attention(FLASH_GRAD, `${flash}_backward`, head, 6, 2.5)],
  };
  const gelu = {
    forward: streaming(GELU, 'aten::gelu', [[tokens, inner]], 2),
    node: 'GeluBackward0',
    backward: [streaming(GELU_GRAD, 'aten::gelu_backward', [[tokens, inner], [tokens, inner]], 3)], // prettier-ignore
  };
  return [
    { ...plain, ...norm(shapes), module: 'SelfAttention', from: 6 },
    { ...plain, ...linear(shapes, hidden, (3 * hidden) / tp), module: 'SelfAttention', beginsBlock: true, from: 1 },
    { ...plain, ...attended, module: 'SelfAttention', from: 4 },
    { ...plain, ...linear(shapes, hidden / tp, hidden), module: 'SelfAttention', endsBlock: true, from: 2 },
    { ...plain, ...norm(shapes), module: 'MLP', from: 7 },
    { ...plain, ...linear(shapes, hidden, inner), module: 'MLP', beginsBlock: true, from: 3 },
    { ...plain, ...gelu, module: 'MLP', from: 8 },
    { ...plain, ...linear(shapes, inner, hidden), module: 'MLP', endsBlock: true, from: 5 },
  ];
}

/** Kernels of a layer on one rank. */
export function layerKernels(options: JobOptions): LayerKernel[] {
  const { sizes, tp, kernelsPerLayer } = options;
  const shapes = { tokens: sizes.sequence * sizes.batch, hidden: sizes.hidden, tp };
  return candidates(shapes, options).filter(({ from }) => from <= kernelsPerLayer);
}

/** Parameters of a layer on one rank: 12 h² over the tensor-parallel ranks. */
export const layerParameters = ({ sizes, tp }: JobOptions): number => (12 * sizes.hidden ** 2) / tp;

/** Updates this rank's share of the parameters: reads gradients, reads and writes parameters and two moments in float32. */
export function adam(parameters: number): KernelWork {
  return { ...streaming(ADAM, 'aten::_fused_adamw_', [[Math.ceil(parameters)]], 14), grid: [132, 1, 1], block: [512, 1, 1] }; // prettier-ignore
}
