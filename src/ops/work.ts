/** Computes a kernel's work from an op's cost, and formats values of the params column. */
import { dtypeBytes, dtypeShort } from '../record/element-types.js';
import { bytesToRead, tensorBytes, type Tensor } from './call.js';
import type { OpCost, Param, Work } from './family.js';

/**
 * The work for an op's cost. Bytes are the sizes of the tensors read and written; null when the writes are unknown, or
 * the size of an element type is unknown.
 * @param role role of the kernel, and `params` of its column, which replace those of the cost
 */
export function workOf(
  cost: OpCost & { readonly source: string },
  role = cost.role ?? 'main',
  params = cost.params,
): Work {
  const { flops, reads = [], writes, matmul = false, formula, source } = cost;
  const size: Traffic = writes === null ? { bytes: null } : sizeOf(reads, writes);
  const plain: Work = { role, flops, bytes: size.bytes, params, matmul, formula, source };
  const named: Work = cost.byName === true ? { ...plain, byName: true } : plain;
  const work: Work = cost.severalProducts === true ? { ...named, severalProducts: true } : named;
  if (cost.unknown === undefined && size.unknown === undefined) return work;
  return { ...work, unknown: [cost.unknown, size.unknown].filter((reason) => reason !== undefined).join('; ') };
}

/**
 * Bytes read and written, or the first element type of unknown size. A result always has all its elements, even if a
 * formula describes it by an operand that is a broadcast view.
 */
function sizeOf(reads: readonly Tensor[], writes: readonly Tensor[]): Traffic {
  const untyped = reads.find(isUntyped) ?? writes.find(isUntyped);
  if (untyped !== undefined) return { bytes: null, unknown: `the element size of ${untyped.dtype} is unknown` };
  return { bytes: sum(reads, bytesToRead) + sum(writes, tensorBytes) };
}

const isUntyped = ({ dtype }: Tensor): boolean => dtypeBytes(dtype) === null;

const sum = (tensors: readonly Tensor[], bytesOf: (tensor: Tensor) => number | null): number =>
  tensors.reduce((bytes, tensor) => bytes + (bytesOf(tensor) ?? 0), 0);

interface Traffic {
  readonly bytes: number | null;
  readonly unknown?: string;
}

/** The result that an op writes, or why its extents are unknown. */
export const writing = (result: Tensor | null | undefined, unknown: string): Pick<OpCost, 'writes' | 'unknown'> =>
  result === null || result === undefined ? { writes: null, unknown } : { writes: [result] };

/** The sum of the amounts; null when one of them is unknown. */
export const total = (amounts: readonly (number | null)[]): number | null =>
  amounts.reduce((sum, amount) => (sum === null || amount === null ? null : sum + amount), 0);

/** The cost of a helper kernel: none, because the op's work is attributed to its main kernel. */
export const helperCost = (params: readonly Param[]): OpCost => ({
  role: 'helper',
  flops: 0,
  reads: [],
  writes: [],
  params,
  formula: "0: the op's work is assigned to its main kernel",
});

export const helperWork = (params: readonly Param[], source: string): Work => workOf({ ...helperCost(params), source });

/** Extents written like a Python tuple, without blanks: `(64,6,28,28)`, `(64,)`, `()`. */
export const showShape = (shape: readonly number[]): string =>
  shape.length === 1 ? `(${shape.join('')},)` : `(${shape.join(',')})`;

/** `T=(64,6,28,28),fp32,` */
export const tensorParams = (tensor: Tensor, key = 'T'): Param[] => [
  [key, showShape(tensor.shape)],
  ['', dtypeShort(tensor.dtype)],
];

/** `T=[(64,64),(64,1)],fp32,`: the extents of all operands, then each distinct element type. */
export const tensorListParams = (list: readonly Tensor[]): Param[] => [
  ['T', `[${list.map(({ shape }) => showShape(shape)).join(',')}]`],
  ...[...new Set(list.map(({ dtype }) => dtypeShort(dtype)))].map((name): Param => ['', name]),
];

/** `B=8,E=64,fp16,`: values by key, then the element type of a tensor. */
export const namedParams = (values: Readonly<Record<string, string | number>>, { dtype }: Tensor): Param[] => [
  ...Object.entries(values),
  ['', dtypeShort(dtype)],
];

/** A tensor with these extents and this type; an unknown type is 'na' and has no size. */
export const tensor = (shape: readonly number[], dtype: string | null): Tensor => ({ shape, dtype: dtype ?? 'na' });
