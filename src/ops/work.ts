/**
 * Putting a kernel's work together: operations, the tensors it reads and those it writes.
 */
import { dtypeShort, tensorBytes, type Tensor } from './call.js';
import type { Param, Role, Work } from './family.js';

/** A kernel that no matrix unit can do, by its operands. */
export interface Traffic {
  /** Null when the operation count is not known; `unknown` says why. */
  readonly flops: number | null;
  /** Each operand once; twice when a kernel must read it twice. */
  readonly reads: readonly Tensor[];
  readonly writes: readonly Tensor[];
  readonly params: readonly Param[];
  readonly formula: string;
  readonly source: string;
  readonly role?: Role;
  readonly unknown?: string;
}

/** Bytes are the sizes of what is read and written; null when an element type has no known size. */
export function trafficWork(traffic: Traffic): Work {
  const { bytes, unknown } = sizeOf([...traffic.reads, ...traffic.writes]);
  const work: Work = {
    role: traffic.role ?? 'main',
    flops: traffic.flops,
    bytes,
    params: traffic.params,
    matmul: false,
    formula: traffic.formula,
    source: traffic.source,
  };
  if (traffic.unknown === undefined && unknown === undefined) return work;
  return { ...work, unknown: [traffic.unknown, unknown].filter((reason) => reason !== undefined).join('; ') };
}

/** Size of all tensors together; null with the first element type that has no known size. */
export function sizeOf(tensors: readonly Tensor[]): { readonly bytes: number | null; readonly unknown?: string } {
  let bytes = 0;
  for (const tensor of tensors) {
    const size = tensorBytes(tensor);
    if (size === null) return { bytes: null, unknown: `element size of ${tensor.dtype} is not known` };
    bytes += size;
  }
  return { bytes };
}

/** Amounts together; null when one of them is not known. */
export const total = (amounts: readonly (number | null)[]): number | null =>
  amounts.reduce((sum, amount) => (sum === null || amount === null ? null : sum + amount), 0);

/** A kernel beside the main one: the op's work is given to the main kernel. */
export const helperWork = (params: readonly Param[], source: string): Work => ({
  role: 'helper',
  flops: 0,
  bytes: 0,
  params,
  matmul: false,
  formula: '0: the work of the op is given to its main kernel',
  source,
});

/** `(64,6,28,28)`, `(64,)`, `()`: extents as Python writes a tuple, without blanks. */
export const showShape = (shape: readonly number[]): string =>
  shape.length === 1 ? `(${shape.join('')},)` : `(${shape.join(',')})`;

/** `T=(64,6,28,28),fp32,` */
export const tensorParams = (tensor: Tensor, key = 'T'): Param[] => [
  [key, showShape(tensor.shape)],
  ['', dtypeShort(tensor.dtype)],
];

/** `T=[(64,64),(64,1)],fp32,`: the extents of all operands, then each element type once. */
export const tensorListParams = (list: readonly Tensor[]): Param[] => [
  ['T', `[${list.map(({ shape }) => showShape(shape)).join(',')}]`],
  ...[...new Set(list.map(({ dtype }) => dtypeShort(dtype)))].map((name): Param => ['', name]),
];

/** A tensor of these extents and type; a type that cannot be told is 'na' and has no size. */
export const tensor = (shape: readonly number[], dtype: string | null): Tensor => ({ shape, dtype: dtype ?? 'na' });
