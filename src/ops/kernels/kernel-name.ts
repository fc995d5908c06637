/** What a kernel's name says about the kernel, by the rows of `kernel-families.ts` and by numbers in the name. */
import { least } from '../../containers/element.js';
import { byName, factInName, familyWith, type KernelKind } from './kernel-families.js';
import { matrixUnitByName } from './tensor-core.js';

/** A kernel's full demangled name, and the one shortened for display (function name without arguments). */
export interface KernelNames {
  readonly name: string;
  readonly short: string;
}

const kindOf = factInName('kind');

/** Functors of elementwise kernels that only move or set data, in the template arguments. */
const MOVES_DATA = /FillFunctor|CopyFunctor|copy_kernel/;

/**
 * The kind of a kernel, so that an op's work is attributed once, to its main kernel. A name that no row knows is `main`, so
 * that new families of kernels need no row.
 */
export function kernelKind({ name, short }: KernelNames): KernelKind {
  const kind = kindOf(short) ?? 'main';
  return kind === 'elementwise' && MOVES_DATA.test(name) ? 'helper' : kind;
}

const helpsProduct = factInName('helpsProduct');

/** Whether the kernel is a helper of a product or convolution, by its name. */
export const isHelperKernel = (kernel: KernelNames): boolean =>
  kernelKind(kernel) !== 'main' || helpsProduct(kernel.short) === true;

/** Functions that only run the one in their template arguments. */
const WRAPPER = /(^|::)(Kernel2?|device_kernel|kentry|kernel)$/;

const isProduct = factInName('product');

/** Whether the kernel computes a product or convolution, by its name alone. A new name may be a product's and not say so. */
export const isProductKernel = (kernel: KernelNames): boolean =>
  !isHelperKernel(kernel) &&
  (matrixUnitByName(kernel.name) !== 'na' ||
    isProduct(WRAPPER.test(kernel.short) ? kernel.name : kernel.short) === true);

/** The gradient of a convolution, or the forward pass, by the words in a name; null when it has none of them. */
export const gradientWord = factInName('gradient');
/** The gradient by the transposition of a BLAS kernel's operands; null where the name does not have it. */
export const transposition = factInName('transposed');

const dispatchedGradient = factInName('dispatchedGradient');

/** The gradient by the name of a kernel of the dispatcher; undefined when the name has none. */
export function namedGradient(name: string): 'dgrad' | 'wgrad' | undefined {
  const word = gradientWord(name) ?? dispatchedGradient(name);
  return word === null || word === 'fprop' ? undefined : word;
}

/**
 * Type of the factors of a product by its short name, with `tf32`; null when the name has none. It distinguishes TF32 from
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

const communicates = factInName('communicates');
/** What only several devices can do, whoever's kernel it is. */
const COLLECTIVE = /all_?reduce|all_?gather|reduce_?scatter|all_?to_?all/i;

/** Whether a kernel moves data between devices, where a profile has no collective operation for it. */
export const isCommunication = ({ name, short }: KernelNames): boolean => communicates(name) ?? COLLECTIVE.test(short);

/** Longer names first: an all-reduce is more than a reduce. */
const COLLECTIVE_KIND =
  /all_?reduce|all_?gather|reduce_?scatter|all_?to_?allv?|send_?recv|broadcast|reduce|gather|scatter|dispatch|combine|send|recv/i;

/** What a kernel that communicates does, by its short name: 'allreduce', 'sendrecv' …; null when the name lacks it. */
export function communicationKind(short: string): string | null {
  // vLLM's all-reduce is called cross_device_reduce.
  const plain = short.replace(/nccl|rccl/gi, ' ').replace('cross_device_reduce', 'allreduce');
  const found = COLLECTIVE_KIND.exec(plain)?.[0];
  return found === undefined ? null : found.toLowerCase().replaceAll('_', '');
}

const halfSums = factInName('halfSums');
const shortcut = factInName('shortcut');

/** Whether the kernel accumulates in FP16: h884, h1688, h16816 and nvjet's hhh. */
export const addsInHalf = (name: string): boolean => halfSums(name) === true;

/**
 * Whether the kernel's algorithm needs fewer multiplications than the product's definition has, by which its FLOPs are
 * counted: Winograd and FFT convolutions. Its rate may then exceed the peak. A plain BLAS kernel within a convolution is
 * either a stage of such an algorithm or a product on im2col columns; its name does not distinguish them, and it counts
 * as the former.
 */
export const isShortcut = (name: string, ofConvolution = false): boolean =>
  shortcut(name) === true || (ofConvolution && /[sdh]gemm_|gemv/.test(name) && !/conv|fprop|dgrad|wgrad/.test(name));

const generation = familyWith('sm');

/** The NVIDIA architecture a kernel was built for, as 80 of sm80; null when its name has none. */
export const smInName = byName((name) => {
  const number = /(?:^|[^A-Za-z0-9])sm_?(\d{2,3})[a-z]?(?:_|\b)|[a-z]Sm(\d{2,3})|cutlass_(\d\d)_/.exec(name);
  const sm = number === null ? undefined : (number[1] ?? number[2] ?? number[3]);
  return sm === undefined ? (generation(name)?.sm ?? null) : Number(sm);
});

/** Alignment in elements that the kernel requires of its operands; null when its name has none. */
export const alignmentInName = byName((name) => {
  const found = [...name.matchAll(/_align[a-c]?(\d+)/g)].map(([, elements]) => Number(elements));
  return found.length === 0 ? null : least(found);
});
