/**
 * What the name of a product's kernel tells beside the unit and the type (`type-in-name.ts`): how it adds up, whether its
 * algorithm takes a shortcut, the architecture and the alignment it was built for.
 */

type Told<T> = readonly (readonly [RegExp, T])[];

const first = <T>(told: Told<T>, name: string): T | null => told.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** Whether the products are added up in FP16: h884, h1688, h16816 and nvjet's hhh. */
export const addsInHalf = (name: string): boolean =>
  /(^|[_<])h(884|1688|16816)(gemm|cudnn)/.test(name) || /^nvjet_(sm\d+_)?hhh_/.test(name);

/**
 * Whether the kernel's algorithm needs fewer multiplications than the product's definition has, by which its FLOPs are
 * counted: Winograd's and FFT convolutions. Its rate may then be above the peak. A plain BLAS kernel within a
 * convolution is a stage of such an algorithm, or works on unfolded input: its name does not tell which.
 */
export const isShortcut = (name: string, ofConvolution = false): boolean =>
  /winograd|fft|(^|_)g?cgemm_|_f\dx\d(_|$)/i.test(name) ||
  (ofConvolution && /[sdh]gemm_|gemv/.test(name) && !/conv|fprop|dgrad|wgrad/.test(name));

const GENERATIONS: Told<number> = [
  [/(^|_)maxwell_/, 50],
  [/(^|_)pascal_/, 60],
  [/(^|_)volta_/, 70],
  [/(^|_)turing_/, 75],
  [/(^|_)ampere_/, 80],
  [/(^|_)hopper_/, 90],
];

/** The NVIDIA architecture a kernel was built for, as 80 of sm80; null when its name does not tell it. */
export function smInName(name: string): number | null {
  const number = /(?:^|[^A-Za-z0-9])sm_?(\d{2,3})[a-z]?(?:_|\b)|[a-z]Sm(\d{2,3})|cutlass_(\d\d)_/.exec(name);
  const told = number === null ? undefined : (number[1] ?? number[2] ?? number[3]);
  if (told !== undefined) return Number(told);
  // FlashAttention 2 is one build for sm80 and later; version 3 names the architecture.
  if (/(^|::)flash_(fwd|bwd)_\w*kernel/.test(name)) return 80;
  return first(GENERATIONS, name);
}

/** Elements by which the factors are aligned, as far as the kernel relies on it; null when its name does not tell it. */
export function alignmentInName(name: string): number | null {
  const found = [...name.matchAll(/_align[a-c]?(\d+)/g)].map(([, elements]) => Number(elements));
  return found.length === 0 ? null : Math.min(...found);
}
