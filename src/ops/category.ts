/**
 * What a kernel computes, in the words of the field. Each family of ops (`Family.category`), each row of kernel names
 * (`kernels/kernel-families.ts`) and each rule of an Ascend operator or a Neuron opcode states its own.
 */

/** Categories, each with what it includes. */
export const CATEGORY_TEXTS = {
  gemm: 'matrix products and linear layers',
  attention: 'attention, forward and backward, and its key-value cache',
  convolution: 'convolutions and their gradients, with the stages of FFT and Winograd',
  normalization: 'batch, layer, group and RMS norms',
  softmax: 'softmax outside attention',
  elementwise: 'arithmetic, activations and other functions of single elements',
  reduction: 'sums, extrema, norms, scans',
  loss: 'losses',
  embedding: 'rows of tables by index, and their gradients',
  indexing: 'gather, scatter, selection',
  sorting: 'sort, top-k, unique, histograms',
  random: 'random numbers, dropout',
  sampling: 'choice of the next token from logits',
  resampling: 'pooling, interpolation, patches',
  recurrent: 'recurrent layers and cells',
  'linear-algebra': 'factorisations, solutions, Fourier transforms',
  moe: 'routing to experts, and the experts where one kernel or op does both',
  quantization: 'quantisation and back',
  optimizer: 'optimizer steps, and ops on tensor lists, which optimizers and gradient clipping use',
  communication: 'transfers between devices',
  copy: 'copies by kernels: layout, type, concatenation, padding',
  set: 'kernels that fill memory',
  wait: 'instructions that only wait: for a semaphore (Neuron), for the end of a transfer (TPU)',
  other: 'known work of no category above: control flow, object detection',
} as const;

export type Category = keyof typeof CATEGORY_TEXTS;

/** All categories, in the order of the table. */
export const CATEGORIES = Object.keys(CATEGORY_TEXTS) as readonly Category[];
