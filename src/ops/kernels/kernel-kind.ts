/** The kind of a kernel by its name, so that an op's work is attributed once, to its main kernel. */
import { matchByName } from './name-patterns.js';

export type KernelKind =
  /** Prepares or finishes the work of another kernel: layout change, split-K reduction, offsets, fill, copy. */
  | 'helper'
  /** Reduces a bias gradient. */
  | 'bias-gradient'
  | 'elementwise'
  | 'reduction'
  /** Part of another op (a softmax, a norm, a collective), whatever the call around it. */
  | 'other'
  /** A matrix product or convolution, or a name that no rule matches: the kernel that does the op's work. */
  | 'main';

/** On the shortened name (function name without arguments); first match wins. */
const kindOf = matchByName<KernelKind>([
  [/splitKreduce|reduce_1Block|compute_gemm_pointers/i, 'helper'],
  [/nchwToNhwc|nhwcToNchw|compute\w*OffsetsKernel|flip_filter|scaleTensor|tensorTransform/i, 'helper'],
  [/generateWinogradTiles|winogradForward(Data|Filter|Output)|winogradWgrad(Data|Output|Delta)/i, 'helper'],
  [/fft[123]d_(r2c|c2r|c2c)|im(\dd)?2col|col2im|vol2col|col2vol/i, 'helper'],
  [/memset|memcpy|fill_kernel|copy_kernel|transpose_readWrite|CatArray/i, 'helper'],
  // Types of Ascend operators.
  [/^(TransData|Cast|MemSet|TensorMove|(Strided)?SliceD?|TransposeD?|ViewCopy|AsStrided|BroadcastToD?)$/, 'helper'],
  [/calc_bias_diff|^BiasAddGrad$/, 'bias-gradient'],
  [/softmax|dropout|layer_?norm|rms_?norm|group_?norm|batch_?norm|(^|::|_)bn_(fw|bw|fwd|bwd)/i, 'other'],
  [/nccl|rccl|multi_tensor_apply|embedding|index_?select|pool_(forward|backward)|lstm_cell|gru_cell/i, 'other'],
  [/(^|::|_)reduce_kernel|kernelReduce|^triton_(red|per)_|^ReduceSumD?$/, 'reduction'],
  [/elementwise_kernel|kernelPointwiseApply|^triton_(poi|for|unk)_/, 'elementwise'],
  [/scal_kernel|epilogue::(impl::global)?kernel/i, 'elementwise'],
]);

/** Functors of elementwise kernels that only move or set data, in the template arguments. */
const MOVES_DATA = /FillFunctor|CopyFunctor|copy_kernel/;

/** The kind of a kernel; a name no rule knows is `main`, so that new kernel families need no new rule. */
export function kernelKind({ name, short }: { readonly name: string; readonly short: string }): KernelKind {
  const kind = kindOf(short) ?? 'main';
  return kind === 'elementwise' && MOVES_DATA.test(name) ? 'helper' : kind;
}
