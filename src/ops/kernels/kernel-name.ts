/** Facts about a kernel from its name: from the rows of `kernel-families.ts` and from numbers in the name. */
import { least } from '../../containers/element.js';
import type { Category } from '../category.js';
import { byName } from '../by-name.js';
import { factInName, familyWith, type KernelKind } from './kernel-families.js';
import { matrixUnitByName } from './tensor-core.js';

/** A kernel's full demangled name, and its name shortened for display (function name without arguments). */
export interface KernelNames {
  readonly name: string;
  readonly short: string;
}

const kindOf = factInName('kind');

const functorOf = factInName('functor');

/**
 * The kind of a kernel, used to attribute an op's work once, to its main kernel. A name that no row matches is `main`, so
 * that new kernel families need no row.
 */
export function kernelKind({ name, short }: KernelNames): KernelKind {
  const kind = kindOf(short) ?? 'main';
  return kind === 'elementwise' && functorOf(name) !== null ? 'helper' : kind;
}

const helpsProduct = factInName('helpsProduct');

/** Whether the kernel is a helper of a product or convolution, according to its name. */
export const isHelperKernel = (kernel: KernelNames): boolean =>
  kernelKind(kernel) !== 'main' || helpsProduct(kernel.short) === true;

/** Whether the function only runs the function in its template arguments. */
const isWrapper = byName((short) => /(^|::)(Kernel2?|device_kernel|kentry|kernel)$/.test(short));

const isProduct = factInName('product');

/**
 * Whether the kernel computes a product or convolution, according to its name only. A new name may belong to a product
 * without showing it.
 */
export const isProductKernel = (kernel: KernelNames): boolean =>
  !isHelperKernel(kernel) &&
  (matrixUnitByName(kernel.name) !== 'na' || isProduct(isWrapper(kernel.short) ? kernel.name : kernel.short) === true);

/** The gradient of a convolution, or the forward pass, according to words in a name; null when it has none of them. */
export const gradientWord = factInName('gradient');
/** The gradient according to the transposition of a BLAS kernel's operands; null when the name does not contain it. */
export const transposition = factInName('transposed');

const dispatchedGradient = factInName('dispatchedGradient');

/** The gradient in the name of a dispatcher kernel; undefined when the name has none. */
export function namedGradient(name: string): 'dgrad' | 'wgrad' | undefined {
  const word = gradientWord(name) ?? dispatchedGradient(name);
  return word === null || word === 'fprop' ? undefined : word;
}

/**
 * Short name of the type of a product's factors, including `tf32`; null when the name has none. It distinguishes TF32 from
 * FP32 but not the encodings of FP8; `typeInMemory` does the reverse.
 */
export const factorType = factInName('factors');

/** Types in memory by the type of the factors; FP8 needs its encoding, which `memory` has. */
const IN_MEMORY: Readonly<Record<string, string>> = {
  bf16: 'bfloat16',
  fp16: 'float16',
  tf32: 'float32',
  fp32: 'float32',
  fp64: 'float64',
};

const memoryType = factInName('memory');

/** The framework's name of the element type of the data in memory; null when the kernel's name does not determine it. */
export const typeInMemory = byName((name) => {
  const memory = memoryType(name);
  if (memory === 'several') return null;
  const factors = factorType(name);
  return (factors === null ? undefined : IN_MEMORY[factors]) ?? memory;
});

const categoryIn = factInName('category');

/**
 * What the kernel computes, according to its name only; null for a name that no row matches. Namespaces and template
 * arguments count only for a short name that says nothing.
 */
export function categoryByName({ name, short }: KernelNames): Category | null {
  const category = (isWrapper(short) ? null : categoryIn(short)) ?? categoryIn(name);
  return category === 'elementwise' ? (functorOf(name) ?? category) : category;
}

/** Whether a kernel moves data between devices, for profiles without a collective operation for it. */
export const isCommunication = (kernel: KernelNames): boolean => categoryByName(kernel) === 'communication';

const keepsFp32 = factInName('keepsFp32');
const halfSums = factInName('halfSums');
const shortcut = factInName('shortcut');

/** Whether the kernel's matrix unit multiplies FP32 operands as FP32: AMD's does, NVIDIA's rounds them to TF32. */
export const multipliesFp32 = (name: string): boolean => keepsFp32(name) === true;

/** Whether the kernel accumulates in FP16: h884, h1688, h16816 and nvjet's hhh. */
export const addsInHalf = (name: string): boolean => halfSums(name) === true;

/**
 * Whether the kernel's algorithm needs fewer multiplications than the definition of the product, by which its FLOPs are
 * counted: Winograd and FFT convolutions. Its rate may then exceed the peak. A plain BLAS kernel in a convolution is either
 * a stage of such an algorithm or a product on im2col columns; its name does not distinguish them, and it counts as the
 * former.
 */
export const isShortcut = (name: string, ofConvolution = false): boolean =>
  shortcut(name) === true || (ofConvolution && /[sdh]gemm_|gemv/.test(name) && !/conv|fprop|dgrad|wgrad/.test(name));

const generation = familyWith('sm');

/** The NVIDIA architecture for which a kernel was built: 80 for sm80; null when its name does not contain it. */
export const smInName = byName((name) => {
  const number = /(?:^|[^A-Za-z0-9])sm_?(\d{2,3})[a-z]?(?:_|\b)|[a-z]Sm(\d{2,3})|cutlass_(\d\d)_/.exec(name);
  const sm = number === null ? undefined : (number[1] ?? number[2] ?? number[3]);
  return sm === undefined ? (generation(name)?.sm ?? null) : Number(sm);
});

/** Alignment that the kernel requires of its operands, in elements; null when its name does not contain it. */
export const alignmentInName = byName((name) => {
  const found = [...name.matchAll(/_align[a-c]?(\d+)/g)].map(([, elements]) => Number(elements));
  return found.length === 0 ? null : least(found);
});
