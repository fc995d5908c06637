/** Facts in the names of products' kernels: accumulator, algorithm, architecture, alignment; types: type-in-name.ts. */
import { least } from '../../containers/lists.js';
import { byName, matchByName } from './name-patterns.js';

/** Whether the kernel accumulates in FP16: h884, h1688, h16816 and nvjet's hhh. */
export const addsInHalf = (name: string): boolean =>
  /(^|[_<])h(884|1688|16816)(gemm|cudnn)/.test(name) || /^nvjet_(sm\d+_)?hhh_/.test(name);

/**
 * Whether the kernel's algorithm needs fewer multiplications than the product's definition has, by which its FLOPs are
 * counted: Winograd and FFT convolutions. Its rate may then exceed the peak. A plain BLAS kernel within a convolution is
 * either a stage of such an algorithm or a product on im2col columns; its name does not distinguish them, and it counts
 * as the former.
 */
export const isShortcut = (name: string, ofConvolution = false): boolean =>
  /winograd|fft|(^|_)g?cgemm_|_f\dx\d(_|$)/i.test(name) ||
  (ofConvolution && /[sdh]gemm_|gemv/.test(name) && !/conv|fprop|dgrad|wgrad/.test(name));

const generation = matchByName<number>([
  [/(^|_)maxwell_/, 50],
  [/(^|_)pascal_/, 60],
  [/(^|_)volta_/, 70],
  [/(^|_)turing_/, 75],
  [/(^|_)ampere_/, 80],
  [/(^|_)hopper_/, 90],
]);

/** The NVIDIA architecture a kernel was built for, as 80 of sm80; null when its name has none. */
export const smInName = byName((name) => {
  const number = /(?:^|[^A-Za-z0-9])sm_?(\d{2,3})[a-z]?(?:_|\b)|[a-z]Sm(\d{2,3})|cutlass_(\d\d)_/.exec(name);
  const sm = number === null ? undefined : (number[1] ?? number[2] ?? number[3]);
  if (sm !== undefined) return Number(sm);
  // FlashAttention 2 is one build for sm80 and later; version 3 names the architecture.
  if (/(^|::)flash_(fwd|bwd)_\w*kernel/.test(name)) return 80;
  return generation(name);
});

/** Alignment in elements that the kernel requires of its operands; null when its name has none. */
export const alignmentInName = byName((name) => {
  const found = [...name.matchAll(/_align[a-c]?(\d+)/g)].map(([, elements]) => Number(elements));
  return found.length === 0 ? null : least(found);
});
