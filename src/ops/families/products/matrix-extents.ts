/** Extents of a matrix product by NumPy's rules, and how they are shown. */
import { broadcast } from '../../call.js';
import type { Param } from '../../family.js';

export interface GemmExtents {
  /** Broadcast batch extents, outermost first. */
  readonly batch: readonly number[];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Extents of the result; a vector factor has no extent in it. */
  readonly result: readonly number[];
}

/** a·b: a vector is a row on the left and a column on the right, batches broadcast; null when they do not fit. */
export function gemmExtents(a: readonly number[], b: readonly number[]): GemmExtents | null {
  const left: readonly number[] = a.length === 1 ? [1, ...a] : a;
  const right: readonly number[] = b.length === 1 ? [...b, 1] : b;
  const [m, k] = left.slice(-2);
  const [inner, n] = right.slice(-2);
  const batch = broadcast([left.slice(0, -2), right.slice(0, -2)]);
  if (m === undefined || k === undefined || n === undefined || inner !== k || batch === null) return null;
  return { batch, m, n, k, result: [...batch, ...(a.length > 1 ? [m] : []), ...(b.length > 1 ? [n] : [])] };
}

/** Column-major M, N, K as BLAS has them, after the batch extents. */
export const gemmParams = ({ batch, m, n, k }: GemmExtents): Param[] => [
  ...batch.map((extent): Param => ['B', extent]),
  ['M', n],
  ['N', m],
  ['K', k],
];

/** Whether a tensor broadcasts to the given extents. */
export const broadcastsTo = (shape: readonly number[], to: readonly number[]): boolean =>
  String(broadcast([shape, to])) === String(to);
