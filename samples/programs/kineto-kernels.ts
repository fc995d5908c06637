/** The kernels that the traces' networks launch, named as the framework, cuDNN, cuBLAS and NCCL name them. */
import type { Kernel } from './kernels.js';
import type { Generation } from './kineto-ops.js';

const named = (name: string, registers: number, threads: number): Kernel => ({
  mangled: name,
  demangled: name,
  short: name,
  registers,
  threads,
  launch: 'runtime',
});

/** `vectorized_elementwise_kernel` with a functor, as its demangled name repeats it. */
const vectorized = (functor: string, operands: number, threads: number): Kernel => {
  const rest = `${functor}, at::detail::Array<char*, ${operands}>`;
  return named(`void at::native::vectorized_elementwise_kernel<4, ${rest} >(int, ${rest})`, 24, threads);
};

const reduction = (op: string): Kernel => {
  const reduce = `at::native::ReduceOp<float, ${op}, unsigned int, float, 4>`;
  return named(`void at::native::reduce_kernel<128, 4, ${reduce} >(${reduce})`, 48, 128);
};

const SUM =
  'at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)' +
  '::{lambda(float, float)#1}>';

const ints = (n: number): string => Array.from({ length: n }, () => 'int').join(', ');

export type KernelRole =
  | 'directForward'
  | 'toChannelsLast'
  | 'matrixForward'
  | 'toChannelsFirst'
  | 'inputGrad'
  | 'weightGrad'
  | 'add'
  | 'relu'
  | 'reluGrad'
  | 'fill'
  | 'pool'
  | 'poolGrad'
  | 'gemmTN'
  | 'gemmNN'
  | 'gemmNT'
  | 'sum'
  | 'softmax'
  | 'softmaxGrad'
  | 'loss'
  | 'lossGrad'
  | 'update'
  | 'allReduce';

/** In 2021 no kernel changes layouts for the matrix units of an FP32 network, and there is one update a parameter. */
const OLD: Readonly<Record<KernelRole, Kernel>> = {
  directForward: named(
    'void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false, true, true>(int, int, int, float const*, int, float*, float const*, kernel_conv_params, unsigned long long, int, float, float, int, float const*, float const*, bool, int, int)',
    80,
    64,
  ),
  toChannelsLast: named('void nchwToNhwcKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>()', 32, 256),
  matrixForward: named('volta_scudnn_128x32_relu_interior_nn_v1', 128, 128),
  toChannelsFirst: named(
    'void nhwcToNchwKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>()',
    32,
    256,
  ),
  inputGrad: named(
    'void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int, int, float const*, int, float const*, int, float*, kernel_grad_params, unsigned long long, int, unsigned long long, int, float, int, int, int)',
    88,
    64,
  ),
  weightGrad: named(
    'void cudnn::cnn::wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int, int, int, float const*, int, float*, float const*, kernel_grad_params, unsigned long long, int, float, int, int, int, int)',
    80,
    64,
  ),
  add: vectorized('at::native::AddFunctor<float>', 3, 64),
  relu: vectorized(
    'at::native::(anonymous namespace)::clamp_min_scalar_kernel_impl(at::TensorIterator&, c10::Scalar)::{lambda()#1}::operator()() const::{lambda()#8}::operator()() const::{lambda(float)#1}',
    2,
    64,
  ),
  reluGrad: vectorized(
    'at::native::threshold_kernel_impl<float>(at::TensorIteratorBase&, float, float)::{lambda(float, float)#1}',
    3,
    64,
  ),
  fill: vectorized('at::native::FillFunctor<float>', 1, 64),
  pool: named(
    `void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int, float const*, ${ints(14)}, float*, long*)`,
    26,
    256,
  ),
  poolGrad: named(
    `void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(int, float const*, long const*, ${ints(14)}, float*)`,
    32,
    256,
  ),
  gemmTN: named('volta_sgemm_64x32_sliced1x4_tn', 82, 256),
  gemmNN: named('volta_sgemm_64x32_sliced1x4_nn', 82, 256),
  gemmNT: named('volta_sgemm_128x32_nt', 57, 256),
  sum: reduction(SUM),
  softmax: named(
    'void (anonymous namespace)::softmax_warp_forward<float, float, float, 4, true>(float*, float const*, int, int, int)',
    24,
    128,
  ),
  softmaxGrad: named(
    'void (anonymous namespace)::softmax_warp_backward<float, float, float, 4, true>(float*, float const*, float const*, int, int, int)',
    24,
    128,
  ),
  loss: named(
    'void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(float*, float*, float*, long*, float*, int, int, int, int, long)',
    28,
    32,
  ),
  lossGrad: named(
    'void cunn_ClassNLLCriterion_updateGradInput_kernel<float>(float*, float*, long*, float*, float*, int, int, int, int, long)',
    24,
    32,
  ),
  update: vectorized('at::native::AddFunctor<float>', 3, 64),
  allReduce: named('ncclAllReduceRingLLKernel_sum_f32(ncclColl)', 96, 512),
};

const NEW: Readonly<Record<KernelRole, Kernel>> = {
  ...OLD,
  directForward: named(
    'void cudnn::ops::implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false, true, true>(int, int, int, float const*, int, float*, float const*, kernel_conv_params, unsigned long long, int, float, float, int, float const*, float const*, bool, int, int)',
    80,
    64,
  ),
  toChannelsLast: named(
    'void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float const*, float*)',
    32,
    256,
  ),
  matrixForward: named(
    'sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x32x32_stage3_warpsize4x1x1_g1_tensor16x8x8_alignc4_execute_kernel_cudnn',
    192,
    128,
  ),
  toChannelsFirst: named(
    'void cudnn::ops::nhwcToNchwKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(cudnn::ops::nhwc2nchw_params_t<float>, float const*, float*)',
    32,
    256,
  ),
  inputGrad: named(
    'sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn',
    192,
    128,
  ),
  add: vectorized('at::native::CUDAFunctor_add<float>', 3, 128),
  relu: vectorized(
    'at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}',
    2,
    128,
  ),
  reluGrad: vectorized(
    'at::native::BinaryFunctor<float, float, float, at::native::(anonymous namespace)::threshold_kernel_impl<float>(at::TensorIteratorBase&, float, float)::{lambda(float, float)#1}>',
    3,
    128,
  ),
  fill: vectorized('at::native::FillFunctor<float>', 1, 128),
  pool: named(
    `void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int, float const*, long, long, long, ${ints(10)}, float*, long*)`,
    26,
    256,
  ),
  poolGrad: named(
    `void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(float const*, long const*, int, long, long, long, ${ints(10)}, float*)`,
    32,
    256,
  ),
  gemmTN: named('ampere_sgemm_32x32_sliced1x4_tn', 86, 128),
  gemmNN: named('ampere_sgemm_32x32_sliced1x4_nn', 86, 128),
  gemmNT: named('ampere_sgemm_32x32_sliced1x4_nt', 86, 128),
  softmax: named(
    'void (anonymous namespace)::softmax_warp_forward<float, float, float, 4, true, false>(float*, float const*, int, int, int, bool const*, int, bool)',
    24,
    128,
  ),
  softmaxGrad: named(
    'void (anonymous namespace)::softmax_warp_backward<float, float, float, 4, true, false>(float*, float const*, float const*, int, int, int, bool const*)',
    24,
    128,
  ),
  loss: named(
    'void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)',
    28,
    32,
  ),
  lossGrad: named(
    'void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*, float const*, long const*, float const*, float const*, bool, int, int, long, long)',
    24,
    32,
  ),
  update: named(
    'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float)',
    32,
    512,
  ),
  allReduce: named('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 96, 512),
};

export const KINETO_KERNELS: Readonly<Record<Generation, Readonly<Record<KernelRole, Kernel>>>> = {
  '2021': OLD,
  today: NEW,
};
