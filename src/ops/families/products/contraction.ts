/**
 * Contractions: sums of products over named indices, of which a matrix product is the plainest.
 *
 * Two operands whose indices together run over E values take E multiply-adds where an index is summed, E
 * multiplications where none is. More operands are taken two by two, from left to right.
 */
import { numel, type Tensor } from '../../call.js';
import { tensor } from '../../work.js';

/** A tensor and the name of the index that each of its dimensions runs over. */
export interface Indexed {
  readonly indices: readonly string[];
  readonly tensor: Tensor;
}

export interface Contracted {
  readonly flops: number;
  readonly result: Tensor;
  /** Whether an index is summed over the product of two operands: what a matrix unit does. */
  readonly matmul: boolean;
}

/** Extent of every index; null when two operands disagree. Extents of 1 broadcast. */
function extentsOf(operands: readonly Indexed[]): Map<string, number> | null {
  const extents = new Map<string, number>();
  for (const { indices, tensor: operand } of operands) {
    for (const [at, index] of indices.entries()) {
      const extent = operand.shape[at] ?? 1;
      const known = extents.get(index) ?? 1;
      if (known !== 1 && extent !== 1 && known !== extent) return null;
      extents.set(index, known === 1 ? extent : known);
    }
  }
  return extents;
}

const size = (indices: Iterable<string>, extents: ReadonlyMap<string, number>): number =>
  numel([...indices].map((index) => extents.get(index) ?? 1));

/**
 * The contraction of all operands to the kept indices.
 * @param kept indices of the result, in order
 * @returns null when an operand's rank is not that of its indices, or extents disagree
 */
export function contract(operands: readonly Indexed[], kept: readonly string[]): Contracted | null {
  const [first, ...rest] = operands;
  if (first === undefined || operands.some(({ indices, tensor: t }) => indices.length !== t.shape.length)) return null;
  const extents = extentsOf(operands);
  if (extents === null) return null;
  let left = new Set(first.indices);
  let flops = rest.length === 0 && [...left].some((index) => !kept.includes(index)) ? size(left, extents) : 0;
  let matmul = false;
  for (const [at, { indices }] of rest.entries()) {
    const later = new Set([...kept, ...rest.slice(at + 1).flatMap((operand) => operand.indices)]);
    const met = new Set([...left, ...indices]);
    const summed = [...met].some((index) => !later.has(index));
    flops += (summed ? 2 : 1) * size(met, extents);
    matmul ||= summed;
    left = new Set([...met].filter((index) => later.has(index)));
  }
  const shape = kept.map((index) => extents.get(index) ?? 1);
  return { flops, matmul, result: tensor(shape, first.tensor.dtype) };
}
