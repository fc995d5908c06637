/** What advice calls things in the framework of the program: the one table of such words, by what wrote the profile. */
import type { ProfileRecord } from '../../record/record.js';

export interface FrameworkWords {
  /** How to launch work together that is launched piece by piece. @param graph `a CUDA graph`; null where unknown */
  readonly launchTogether: (graph: string | null) => string;
  /** The remedy as a noun, for a verdict. */
  readonly together: string;
  /** How to fuse small kernels, an op with its neighbours, the calls of an op, and chains of pointwise ops. */
  readonly fuseSmall: string;
  readonly fuseNext: string;
  readonly fuseCalls: string;
  readonly fuseChains: string;
  readonly batchProducts: string;
  readonly loadAhead: string;
  /** The profiler option to leave out so that it records no Python stacks. */
  readonly withoutStacks: string;
  readonly pin: string;
  readonly copyAsync: string;
  readonly readLess: string;
  readonly readAsync: string;
  readonly attention: string;
  readonly afterFirstSteps: string;
  readonly tf32: { readonly product: string; readonly convolution: string };
  /** How to compute in a smaller type, before its name. */
  readonly cast: string;
}

const TORCH: FrameworkWords = {
  launchTogether: (graph) =>
    graph === null
      ? 'launch fewer, larger kernels, or capture the step in a graph'
      : `capture the work in ${graph} (in PyTorch torch.cuda.graph, or torch.compile with mode="reduce-overhead"), or launch fewer, larger kernels`,
  together: 'a graph',
  fuseSmall: 'fuse small ones (in PyTorch with torch.compile), or use a larger batch',
  fuseNext: 'fuse it with its neighbours (torch.compile), or call a fused kernel',
  fuseCalls: 'merge or batch the calls, or let torch.compile fuse them',
  batchProducts: 'merge or batch the products (one bmm or grouped GEMM for many mm)',
  fuseChains: 'fuse each chain into one kernel with torch.compile or a fused op of the library',
  loadAhead:
    'load batches ahead of time: more DataLoader workers, a higher prefetch_factor, persistent_workers=True, pin_memory=True, and copies with non_blocking=True',
  withoutStacks: 'with_stack=True',
  pin: "pin the host's memory (PyTorch: pin_memory=True) and ",
  copyAsync: ' (non_blocking=True)',
  readLess: 'read results back less often (.item(), .cpu(), print, if on a tensor)',
  readAsync: 'with non_blocking=True',
  attention: 'use torch.nn.functional.scaled_dot_product_attention (attn_implementation="sdpa" in Hugging Face models)',
  afterFirstSteps: ' (torch.profiler.schedule with wait and warmup)',
  tf32: {
    product: "torch.set_float32_matmul_precision('high')",
    convolution: 'torch.backends.cudnn.allow_tf32 = True',
  },
  cast: 'autocast to',
};

/** JAX's, and TensorFlow's where XLA compiles it. */
const ONE_PROGRAM =
  'compile more of the step as one program (in JAX jax.jit, in TensorFlow tf.function with jit_compile=True)';
const JAX_TF32 = "jax.default_matmul_precision('tensorfloat32')";

const XLA: FrameworkWords = {
  launchTogether: () =>
    `${ONE_PROGRAM}, or repeat it on the device (jax.lax.scan), so that the CPU launches less often`,
  together: 'one program for more of the work',
  fuseSmall: `${ONE_PROGRAM}, in which XLA fuses kernels, or use a larger batch`,
  fuseNext: 'compile it with its neighbours as one program (jax.jit), in which XLA fuses them, or call a fused kernel',
  fuseCalls: 'merge or batch the calls (jax.vmap), or compile them as one program (jax.jit), in which XLA fuses them',
  batchProducts: 'merge or batch the products (one dot_general with a batch for many, jax.vmap)',
  fuseChains: 'compile each chain as one program (jax.jit), in which XLA fuses it, or write a fused kernel (Pallas)',
  loadAhead:
    'load batches ahead of time: put the next batch on the device (jax.device_put) while the step runs, or prefetch in the input pipeline (in TensorFlow tf.data prefetch)',
  withoutStacks: 'the Python tracer (python_tracer_level=0)',
  pin: "pin the host's memory and ",
  copyAsync: '',
  readLess: 'read results back less often (float(), print, numpy.asarray or if on an array)',
  readAsync: 'ahead of use (in JAX copy_to_host_async())',
  attention: 'use jax.nn.dot_product_attention or another fused kernel of the library',
  afterFirstSteps: '',
  tf32: { product: JAX_TF32, convolution: JAX_TF32 },
  cast: 'cast to',
};

/** The words for a profile; those of PyTorch, as examples, where the framework is unknown. */
export const frameworkWords = (profile: ProfileRecord | null): FrameworkWords =>
  profile?.format.startsWith('xplane') === true ? XLA : TORCH;

/** One line of advice, which may depend on the framework. */
export type Action = string | ((words: FrameworkWords) => string);

export const actionIn = (action: Action, words: FrameworkWords): string =>
  typeof action === 'string' ? action : action(words);
