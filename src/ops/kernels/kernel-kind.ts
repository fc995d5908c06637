/**
 * The kind of a kernel by its name, so that an op's work is attributed once, to its main kernel.
 */
import { LruCache } from '../../containers/lru-cache.js';

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

interface KindRule {
  readonly kind: KernelKind;
  readonly pattern: RegExp;
}

/** On the shortened name (function name without arguments); first match wins. */
const KINDS: readonly KindRule[] = [
  { kind: 'helper', pattern: /splitKreduce|reduce_1Block|compute_gemm_pointers/i },
  { kind: 'helper', pattern: /nchwToNhwc|nhwcToNchw|OffsetsKernel|flip_filter|scaleTensor|tensorTransform/i },
  {
    kind: 'helper',
    pattern: /generateWinogradTiles|winogradForward(Data|Filter|Output)|winogradWgrad(Data|Output|Delta)/i,
  },
  { kind: 'helper', pattern: /fft[123]d_(r2c|c2r|c2c)|im2col|col2im|vol2col|col2vol/i },
  { kind: 'helper', pattern: /memset|memcpy|fill_kernel|copy_kernel|transpose_readWrite|CatArray/i },
  // Types of Ascend operators.
  {
    kind: 'helper',
    pattern: /^(TransData|Cast|MemSet|TensorMove|(Strided)?SliceD?|TransposeD?|ViewCopy|AsStrided|BroadcastToD?)$/,
  },
  { kind: 'bias-gradient', pattern: /calc_bias_diff|^BiasAddGrad$/ },
  {
    kind: 'other',
    pattern: /softmax|dropout|layer_?norm|rms_?norm|group_?norm|batch_?norm|(^|::|_)bn_(fw|bw|fwd|bwd)/i,
  },
  {
    kind: 'other',
    pattern: /nccl|rccl|multi_tensor_apply|embedding|index_?select|pool_(forward|backward)|lstm_cell|gru_cell/i,
  },
  { kind: 'reduction', pattern: /(^|::|_)reduce_kernel|kernelReduce|^triton_(red|per)_|^ReduceSumD?$/ },
  { kind: 'elementwise', pattern: /elementwise_kernel|kernelPointwiseApply|^triton_(poi|for|unk)_/ },
  { kind: 'elementwise', pattern: /scal_kernel|epilogue::kernel/ },
];

/** Functors of elementwise kernels that only move or set data, in the template arguments. */
const MOVES_DATA = /FillFunctor|CopyFunctor|copy_kernel/;

/** Kernel names repeat: a program has hundreds, a profile millions of kernels. */
const kinds = new LruCache<string, KernelKind>(1024);

const kindOf = (short: string): KernelKind => KINDS.find(({ pattern }) => pattern.test(short))?.kind ?? 'main';

/** The kind of a kernel; a name no rule knows is `main`, so that new kernel families need no new rule. */
export function kernelKind({ name, short }: { readonly name: string; readonly short: string }): KernelKind {
  const kind = kinds.of(short, kindOf);
  return kind === 'elementwise' && MOVES_DATA.test(name) ? 'helper' : kind;
}
