/**
 * The work of each kernel of a matrix product or convolution: the product is attributed to the GEMM kernel, its addend to
 * the kernel that adds it, and nothing to helper kernels.
 */
import { dtypeShort } from '../record/element-types.js';
import { numel, type Tensor } from './call.js';
import type { KernelFacts, OpCost, Param, KernelRole, Work } from './family.js';
import type { KernelKind } from './kernels/kernel-families.js';
import { gradientWord, isHelperKernel, kernelKind, transposition } from './kernels/kernel-name.js';
import { helperWork, showShape, workOf } from './work.js';

/**
 * The cost of a product of two tensors, and the tensor that is added to its result. Each gradient of the product has
 * the same cost.
 */
export interface ProductCost extends OpCost {
  readonly source: string;
  readonly reads: readonly [a: Tensor, b: Tensor];
  readonly writes: readonly [result: Tensor];
  /** The params column, when it depends on what the kernel computes. */
  readonly paramsOf?: (role: KernelRole, kernel: KernelFacts) => readonly Param[];
  /** The tensor that is added to the result: a bias, or C of A·B + C. */
  readonly addend?: Addend;
  /** Whether it is a transposed convolution, whose forward pass is the input gradient of another convolution. */
  readonly transposed?: boolean;
}

interface Addend {
  /** The tensor that the call passes; null when it passes none. */
  readonly given: Tensor | null;
  /** Extents of a bias of this op. */
  readonly shape: readonly number[];
  /** Whether the product's kernel adds it in the forward pass. */
  readonly fused: boolean;
  /** Symbol of the operand in the formula. */
  readonly symbol: string;
  /** Whether it is multiplied by 0 and therefore not read. */
  readonly unread?: boolean;
  /** Replaces the op's name for the kernel that adds it. */
  readonly label?: string;
}

/** The distinct element types, for the params column. */
export const dtypeParams = (...tensors: readonly Tensor[]): Param[] =>
  [...new Set(tensors.map(({ dtype }) => dtypeShort(dtype)))].map((name) => ['', name]);

/** `X=(8,64),W=(32,64),fp16,`: extents of tensors by key, then their element types. */
export const shapeParams = (shapes: Readonly<Record<string, Tensor>>): Param[] => [
  ...Object.entries(shapes).map(([key, { shape }]): Param => [key, showShape(shape)]),
  ...dtypeParams(...Object.values(shapes)),
];

/** The whole work of an op, or no work for a helper kernel of a product. */
export const workUnlessHelper = (work: Work, kernel: KernelFacts): Work =>
  work.matmul && isHelperKernel(kernel) ? helperWork(work.params, 'kernel name') : work;

/**
 * What a main kernel computes: forward, input gradient or weight gradient. Decided by the words in its name, else by
 * the transposition in the name, else by its position among the kernels of the backward op (input first, then weight).
 * The position is not used from the third kernel on.
 */
function gradientRole({ name, dir, sub }: KernelFacts, transposed = false): KernelRole {
  const word = gradientWord(name);
  if (word === 'wgrad') return 'wgrad';
  if (word === 'dgrad' && !transposed) return 'dgrad';
  if (word === 'fprop' && dir === 'bprop' && transposed) return 'dgrad';
  if (dir !== 'bprop') return 'main';
  return transposition(name) ?? (['dgrad', 'wgrad'] as const)[sub] ?? 'main';
}

/** One add per element of the result; forward reads and writes it, backward sums it into the addend's gradient. */
function addendWork(product: ProductCost, addend: Addend, backward: boolean, params: readonly Param[]): Work {
  const [result] = product.writes;
  const bias: Tensor = addend.given ?? { shape: addend.shape, dtype: result.dtype };
  const work = workOf({
    role: 'bias',
    flops: numel(result.shape),
    reads: backward ? [result] : [result, bias],
    writes: backward ? [bias] : [result],
    params,
    matmul: true,
    formula: backward
      ? 'flops = |out|, bytes = |out| + |bias|: one add per element of the result'
      : 'flops = |out|, bytes = 2·|out| + |bias|: one add per element of the result',
    source: 'element counts; reads each operand and writes each result once',
  });
  return addend.label === undefined ? work : { ...work, label: addend.label };
}

/**
 * The addend that a kernel of this kind adds (forward), or whose gradient it sums (backward); null when it does neither.
 */
function addendOf({ addend, writes: [result] }: ProductCost, kind: KernelKind, backward: boolean): Addend | null {
  if (addend === undefined || kind === 'bias-gradient') return addend ?? null;
  if (addend.given === null) return null;
  const summed = numel(addend.given.shape) < numel(result.shape);
  return (backward ? summed : !addend.fused) ? addend : null;
}

/** The forward product with the addend, as the dispatcher's op reads it; PyProf does not count it. */
function withAddend(product: ProductCost, { convention }: KernelFacts): ProductCost | (OpCost & { source: string }) {
  const { reads, formula, addend } = product;
  if (addend === undefined || addend.given === null || addend.unread === true) return product;
  if (convention === 'pyprof') return { ...product, formula: `${formula} (${addend.symbol} not counted)` };
  return { ...product, reads: [...reads, addend.given], formula: `${formula} + |${addend.symbol}|` };
}

export function productWork(product: ProductCost, kernel: KernelFacts): Work {
  const kind = kernelKind(kernel);
  const params = (role: KernelRole): readonly Param[] => product.paramsOf?.(role, kernel) ?? product.params;
  if (kind === 'main') {
    const role = gradientRole(kernel, product.transposed);
    return workOf(
      role === 'main' && kernel.dir !== 'bprop' ? withAddend(product, kernel) : product,
      role,
      params(role),
    );
  }
  const backward = kernel.dir === 'bprop' || kind === 'bias-gradient';
  const addend = kind === 'helper' || kind === 'other' ? null : addendOf(product, kind, backward);
  if (addend === null) return helperWork(params('helper'), 'kernel name');
  return addendWork(product, addend, backward, params('bias'));
}
