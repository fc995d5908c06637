/**
 * The kernels that the samples launch. `mangled` is the Itanium form as a compiler makes it, which nvprof records;
 * `demangled` is Nsight Systems' spelling of the same name (casts in template arguments, T1 … for parameters).
 */

export interface Kernel {
  readonly mangled: string;
  readonly demangled: string;
  readonly short: string;
  readonly registers: number;
  /** Threads per block. */
  readonly threads: number;
  /** How the host asks for it. `both`: a runtime call that is recorded together with the driver call inside it. */
  readonly launch: 'runtime' | 'driver' | 'both';
}

const HALF = 'c10::Half';

/** A kernel of a template or namespace. */
const cpp = (mangled: string, demangled: string, registers: number, threads = 128): Kernel => ({
  mangled,
  demangled,
  short: /(?<!\w)([A-Za-z_]\w*)[<(]/.exec(demangled.replaceAll('<unnamed>::', ''))?.[1] ?? demangled,
  registers,
  threads,
  launch: 'runtime',
});

/** A kernel with a C name: the same in every form. */
const plain = (name: string, registers: number, threads: number, launch: Kernel['launch'] = 'runtime'): Kernel => ({
  mangled: name,
  demangled: name,
  short: name,
  registers,
  threads,
  launch,
});

/** `vectorized_elementwise_kernel` with a functor and a number of operands. */
const vectorized = (mangledFunctor: string, functor: string, operands: number): Kernel =>
  cpp(
    `_ZN2at6native29vectorized_elementwise_kernelILi4E${mangledFunctor}NS_6detail5ArrayIPcLi${operands}EEEEEviT0_T1_`,
    `void at::native::vectorized_elementwise_kernel<(int)4, ${functor}, at::detail::Array<char *, (int)${operands}>>(int, T2, T3)`,
    32,
  );

export const LENET_KERNELS = {
  convForward: cpp(
    '_ZN5cudnn6detail23implicit_convolve_sgemmIffLi1024ELi5ELi5ELi3ELi3ELi3ELi1ELb1ELb0ELb1EEEviiiPKT_iPT0_S4_18kernel_conv_paramsyiffiS4_S4_ii',
    'void cudnn::detail::implicit_convolve_sgemm<float, float, (int)1024, (int)5, (int)5, (int)3, (int)3, (int)3, (int)1, (bool)1, (bool)0, (bool)1>(int, int, int, const T1 *, int, T2 *, const T1 *, kernel_conv_params, unsigned long long, int, float, float, int, const T1 *, const T1 *, int, int)',
    96,
    256,
  ),
  convInputGrad: cpp(
    '_ZN5cudnn6detail12dgrad_engineIfLi128ELi6ELi7ELi3ELi3ELi5ELb0EEEviiiPKT_iS4_iPS2_18kernel_grad_paramsyifi',
    'void cudnn::detail::dgrad_engine<float, (int)128, (int)6, (int)7, (int)3, (int)3, (int)5, (bool)0>(int, int, int, const T1 *, int, const T1 *, int, T1 *, kernel_grad_params, unsigned long long, int, float, int)',
    126,
  ),
  convWeightGrad: cpp(
    '_ZN5cudnn6detail17wgrad_alg0_engineIfLi128ELi6ELi7ELi3ELi3ELi5ELb0ELi512EEEviiiPKT_iPS2_S4_18kernel_grad_paramsyifiiii',
    'void cudnn::detail::wgrad_alg0_engine<float, (int)128, (int)6, (int)7, (int)3, (int)3, (int)5, (bool)0, (int)512>(int, int, int, const T1 *, int, T1 *, const T1 *, kernel_grad_params, unsigned long long, int, float, int, int, int, int)',
    128,
    512,
  ),
  add: vectorized('NS0_10AddFunctorIfEE', 'at::native::AddFunctor<float>', 3),
  multiply: vectorized('NS0_10MulFunctorIfEE', 'at::native::MulFunctor<float>', 3),
  fill: vectorized('NS0_11FillFunctorIfEE', 'at::native::FillFunctor<float>', 1),
  threshold: vectorized(
    'ZNS0_21threshold_kernel_implIfEEvRNS_14TensorIteratorET_S5_EUlffE_',
    'at::native::threshold_kernel_impl<float>(at::TensorIterator &, T1, T1)::[lambda(float, float) (instance 1)]',
    3,
  ),
  sum: cpp(
    '_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_15sum_kernel_implIfffEEvRNS_14TensorIteratorEEUlffE_EEjfLi4EEEEEvT1_',
    'void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, void at::native::sum_kernel_impl<float, float, float>(at::TensorIterator &)::[lambda(float, float) (instance 1)]>, unsigned int, float, (int)4>>(T3)',
    32,
    512,
  ),
  poolForward: cpp(
    '_ZN2at6native12_GLOBAL__N_121max_pool_forward_nchwIffEEviPKT_iiiiiiiiiiiiiPS3_Pl',
    'void at::native::<unnamed>::max_pool_forward_nchw<float, float>(int, const T1 *, int, int, int, int, int, int, int, int, int, int, int, int, int, T1 *, long *)',
    40,
    256,
  ),
  poolBackward: cpp(
    '_ZN2at6native12_GLOBAL__N_122max_pool_backward_nchwIffEEviPKT_PKliiiiiiiiiiiiiiPS3_',
    'void at::native::<unnamed>::max_pool_backward_nchw<float, float>(int, const T1 *, const long *, int, int, int, int, int, int, int, int, int, int, int, int, int, int, T1 *)',
    32,
    256,
  ),
  softmaxForward: cpp(
    '_ZN12_GLOBAL__N_120softmax_warp_forwardIfffLi4ELb1EEEvPT0_PKT_iii',
    'void <unnamed>::softmax_warp_forward<float, float, float, (int)4, (bool)1>(T2 *, const T1 *, int, int, int)',
    24,
  ),
  softmaxBackward: cpp(
    '_ZN12_GLOBAL__N_121softmax_warp_backwardIfffLi4ELb1EEEvPT0_PKT_S5_iii',
    'void <unnamed>::softmax_warp_backward<float, float, float, (int)4, (bool)1>(T2 *, const T1 *, const T1 *, int, int, int)',
    24,
  ),
  nllForward: cpp(
    '_Z42cunn_ClassNLLCriterion_updateOutput_kernelIffEvPT_S1_S1_PlS1_iiiil',
    'void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(T1 *, T1 *, T1 *, long *, T1 *, int, int, int, int, long)',
    28,
    32,
  ),
  nllBackward: cpp(
    '_Z45cunn_ClassNLLCriterion_updateGradInput_kernelIfEvPT_S1_PlS1_S1_iiiil',
    'void cunn_ClassNLLCriterion_updateGradInput_kernel<float>(T1 *, T1 *, long *, T1 *, T1 *, int, int, int, int, long)',
    24,
    32,
  ),
  gemmTN: plain('volta_sgemm_32x128_tn', 57, 256),
  gemmNN: plain('volta_sgemm_32x128_nn', 55, 256),
  gemmNT: plain('volta_sgemm_32x32_sliced1x4_nt', 86, 128),
} as const;

/** GEMM kernels by layout: the library names them after the device and the tile. */
const VOLTA_GEMMS = {
  gemmTN: plain('volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn', 126, 128),
  gemmNN: plain('volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn', 122, 128),
  gemmNT: plain('volta_fp16_s884gemm_fp16_64x128_sliced1x2_ldg8_f2f_nt', 128, 128),
} as const;

const AMPERE_GEMMS = {
  gemmTN: plain('ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn', 96, 128),
  gemmNN: plain('ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_nn', 122, 128),
  gemmNT: plain('ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_nt', 98, 128),
} as const;

const COMMON_TRANSFORMER_KERNELS = {
  embedding: cpp(
    '_ZN2at6native12_GLOBAL__N_121indexSelectLargeIndexIN3c104HalfEljLi2ELi2ELin2ELb1EEEvNS_4cuda6detail10TensorInfoIT_T1_EENS7_IKS8_S9_EENS7_IKT0_S9_EEiiS9_S9_l',
    `void at::native::<unnamed>::indexSelectLargeIndex<${HALF}, long, unsigned int, (int)2, (int)2, (int)-2, (bool)1>(at::cuda::detail::TensorInfo<T1, T3>, at::cuda::detail::TensorInfo<const T1, T3>, at::cuda::detail::TensorInfo<const T2, T3>, int, int, T3, T3, long)`,
    32,
  ),
  embeddingBackward: cpp(
    '_ZN2at6native12_GLOBAL__N_133embedding_backward_feature_kernelIN3c104HalfEflEEvPKT1_PKT_PS8_ili',
    `void at::native::<unnamed>::embedding_backward_feature_kernel<${HALF}, float, long>(const T3 *, const T1 *, T1 *, int, long, int)`,
    32,
    1024,
  ),
  add: vectorized('NS0_15CUDAFunctor_addIN3c104HalfEEE', `at::native::CUDAFunctor_add<${HALF}>`, 3),
  fill: vectorized('NS0_11FillFunctorIN3c104HalfEEE', `at::native::FillFunctor<${HALF}>`, 1),
  scale: vectorized(
    'NS0_13AUnaryFunctorIN3c104HalfES4_S4_NS0_15binary_internal10MulFunctorIfEEEE',
    `at::native::AUnaryFunctor<${HALF}, ${HALF}, ${HALF}, at::native::binary_internal::MulFunctor<float>>`,
    2,
  ),
  gelu: vectorized('NS0_11GeluFunctorIN3c104HalfEEE', `at::native::GeluFunctor<${HALF}>`, 2),
  geluBackward: vectorized('NS0_19GeluBackwardFunctorIN3c104HalfEEE', `at::native::GeluBackwardFunctor<${HALF}>`, 3),
  layerNorm: cpp(
    '_ZN2at6native12_GLOBAL__N_128vectorized_layer_norm_kernelIN3c104HalfEfEEviT0_PKT_S8_S8_PS5_S9_PS6_',
    `void at::native::<unnamed>::vectorized_layer_norm_kernel<${HALF}, float>(int, T2, const T1 *, const T1 *, const T1 *, T2 *, T2 *, T1 *)`,
    40,
  ),
  layerNormInputGrad: cpp(
    '_ZN2at6native12_GLOBAL__N_128layer_norm_grad_input_kernelIN3c104HalfEfEEvPKT_S7_PKT0_SA_S7_PS5_i',
    `void at::native::<unnamed>::layer_norm_grad_input_kernel<${HALF}, float>(const T1 *, const T1 *, const T2 *, const T2 *, const T1 *, T1 *, int)`,
    32,
  ),
  layerNormWeightGrad: cpp(
    '_ZN2at6native12_GLOBAL__N_127GammaBetaBackwardCUDAKernelIN3c104HalfEfEEvllPKT_S7_PKT0_SA_PS5_SB_',
    `void at::native::<unnamed>::GammaBetaBackwardCUDAKernel<${HALF}, float>(long, long, const T1 *, const T1 *, const T2 *, const T2 *, T1 *, T1 *)`,
    48,
    512,
  ),
  softmaxForward: cpp(
    '_ZN12_GLOBAL__N_120softmax_warp_forwardIN3c104HalfES2_fLi6ELb0ELb0EEEvPT0_PKT_iiiPKbib',
    `void <unnamed>::softmax_warp_forward<${HALF}, ${HALF}, float, (int)6, (bool)0, (bool)0>(T2 *, const T1 *, int, int, int, const bool *, int, bool)`,
    32,
  ),
  softmaxBackward: cpp(
    '_ZN12_GLOBAL__N_121softmax_warp_backwardIN3c104HalfES2_fLi6ELb0ELb0EEEvPT0_PKT_S7_iiiPKb',
    `void <unnamed>::softmax_warp_backward<${HALF}, ${HALF}, float, (int)6, (bool)0, (bool)0>(T2 *, const T1 *, const T1 *, int, int, int, const bool *)`,
    32,
  ),
  logSoftmaxForward: cpp(
    '_ZN2at6native12_GLOBAL__N_119cunn_SoftMaxForwardILi8EN3c104HalfEfS4_NS1_25LogSoftMaxForwardEpilogueEEEvPT2_PKT0_i',
    `void at::native::<unnamed>::cunn_SoftMaxForward<(int)8, ${HALF}, float, ${HALF}, at::native::<unnamed>::LogSoftMaxForwardEpilogue>(T4 *, const T2 *, int)`,
    32,
    256,
  ),
  logSoftmaxBackward: cpp(
    '_ZN2at6native12_GLOBAL__N_120cunn_SoftMaxBackwardILi8EN3c104HalfEfS4_NS1_26LogSoftMaxBackwardEpilogueEEEvPT0_PKT2_SA_l',
    `void at::native::<unnamed>::cunn_SoftMaxBackward<(int)8, ${HALF}, float, ${HALF}, at::native::<unnamed>::LogSoftMaxBackwardEpilogue>(T2 *, const T4 *, const T4 *, long)`,
    32,
    256,
  ),
  nllForward: cpp(
    '_ZN2at6native12_GLOBAL__N_138nll_loss_forward_reduce_cuda_kernel_2dIN3c104HalfEflEEvPT_S6_PKS5_PKT1_S8_bllll',
    `void at::native::<unnamed>::nll_loss_forward_reduce_cuda_kernel_2d<${HALF}, float, long>(T1 *, T1 *, const T1 *, const T3 *, const T1 *, bool, long, long, long, long)`,
    32,
    32,
  ),
  nllBackward: cpp(
    '_ZN2at6native12_GLOBAL__N_139nll_loss_backward_reduce_cuda_kernel_2dIN3c104HalfElEEvPT_PKS5_PKT0_S8_S8_biill',
    `void at::native::<unnamed>::nll_loss_backward_reduce_cuda_kernel_2d<${HALF}, long>(T1 *, const T1 *, const T2 *, const T1 *, const T1 *, bool, int, int, long, long)`,
    24,
    32,
  ),
  sum: cpp(
    '_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIN3c104HalfENS0_14func_wrapper_tIS4_ZNS0_15sum_kernel_implIS4_fS4_EEvRNS_14TensorIteratorEEUlffE_EEjS4_Li4EEEEEvT1_',
    `void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<${HALF}, at::native::func_wrapper_t<${HALF}, void at::native::sum_kernel_impl<${HALF}, float, ${HALF}>(at::TensorIterator &)::[lambda(float, float) (instance 1)]>, unsigned int, ${HALF}, (int)4>>(T3)`,
    32,
    512,
  ),
  adamW: plain('triton_for_fused_adamw_foreach_0', 40, 256, 'driver'),
  allReduce: {
    mangled: '_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE',
    demangled: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)',
    short: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
    registers: 96,
    threads: 288,
    launch: 'both',
  },
} as const satisfies Record<string, Kernel>;

export type TransformerKernels = Readonly<
  Record<keyof typeof COMMON_TRANSFORMER_KERNELS | keyof typeof VOLTA_GEMMS, Kernel>
>;

export const transformerKernels = (chip: string): TransformerKernels => ({
  ...COMMON_TRANSFORMER_KERNELS,
  ...(chip === 'GV100' ? VOLTA_GEMMS : AMPERE_GEMMS),
});
