/**
 * What the name of a product's kernel tells beside the unit: the element type it multiplies, the architecture it was
 * built for, the alignment it was built for.
 */

type Told<T> = readonly (readonly [RegExp, T])[];

const first = <T>(told: Told<T>, name: string): T | null => told.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/**
 * Element types of the factors, by short name; first match wins. cuBLASLt's nvjet: first letter t, h, s or q; Tensile:
 * the letter after the operands' indices; CUTLASS's s1688 without a 16-bit type beside it multiplies TF32.
 */
const TYPES: Told<string> = [
  [/^nvjet_(sm\d+_)?t/, 'bf16'],
  [/^nvjet_(sm\d+_)?h/, 'fp16'],
  [/^nvjet_(sm\d+_)?s(?!m\d)/, 'tf32'],
  [/^nvjet_(sm\d+_)?q/, 'fp8'],
  [/_ffma_|(^|_)sgemm_|implicit_convolve_sgemm|simt_s(gemm|fprop|dgrad|wgrad)|[a-z]_scudnn_/, 'fp32'],
  [/tf32|tfloat32_t|_tensorop_s1688(gemm|fprop|dgrad|wgrad)(?!\w*(f16|bf16|fp16))/, 'tf32'],
  [/(^|[_\s])d884|(^|[^a-z])dmma([^a-z]|$)|f64f64|(^|_)dgemm_/, 'fp64'],
  [/e4m3|e5m2|(^|_)fp8|deep_gemm::fp8/i, 'fp8'],
  [/bf16|bfloat16/i, 'bf16'],
  [/(^|_)(f|fp)16(_|$)|f16f16|(^|[_<])h(884|1688|16816|gemm)|half_t|__half|(^|_)hcudnn_/, 'fp16'],
  [/(8816|8832|16832)(cudnn|gemm|igemm|fprop)?_?int8|int8_i8|i8i8|(^|[^a-z])imma([^a-z]|$)/, 'int8'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_(B(?!8)|BBS)/, 'bf16'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_H/, 'fp16'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_S/, 'fp32'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_D/, 'fp64'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_I8/, 'int8'],
  [/^Cijk_[A-Za-z]+_[A-Za-z]+_[FB]8/, 'fp8'],
];

/** Element type of the factors by its short name, with `tf32`; null when the name does not tell it. */
export const typeInName = (name: string): string | null => first(TYPES, name);

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
