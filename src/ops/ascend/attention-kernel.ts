/** Fused attention of Ascend. The operands' layout follows from the softmax statistics, which are [B, N, Sq, 8]. */
import type { KernelRule } from './kernel-rule.js';
import { present, type KernelTensors, type StoredTensor } from './kernel-tensors.js';

const FORMULA = '2·B·N·Sq·Skv·(Dq + Dv)';

/** FLOPs of the two products, and lengths of queries and keys. */
interface KernelExtents {
  readonly products: number;
  readonly sq: number;
  readonly skv: number;
}

/** Maximum and sum of each row of the softmax, each stored eight times. */
const isStatistic = ({ shape, dtype }: StoredTensor): boolean =>
  shape.length === 4 && shape[3] === 8 && dtype === 'float32';

/** Sequence length and elements per token of q, k or v of three or four dimensions; null where the layout does not fit. */
function layoutOf(shape: readonly number[], batch: number, tokens?: number): readonly [number, number] | null {
  const [a = 0, b = 0, c = 0, d = 0] = shape;
  const fits = (count: number): boolean => tokens === undefined || tokens === count;
  if (shape.length === 3) {
    if (b === batch && fits(a)) return [a, c];
    return a === batch && fits(b) ? [b, c] : null;
  }
  if (shape.length !== 4 || a !== batch) return null;
  return fits(c) && tokens !== b ? [c, b * d] : fits(b) ? [b, c * d] : null;
}

function extentsOf(tensors: readonly StoredTensor[], statistic: StoredTensor | undefined): KernelExtents | null {
  const [q, k, v] = tensors;
  if (q === undefined || k === undefined || v === undefined || statistic === undefined) return null;
  const [batch = 0, heads = 0, sq = 0] = statistic.shape;
  const query = layoutOf(q.shape, batch, sq);
  const swapped = q.shape.length === 3 && q.shape[0] === batch && q.shape[1] === sq && q.shape[1] !== batch;
  const key = keyLayout(k.shape, q.shape, sq, swapped);
  const value = keyLayout(v.shape, q.shape, sq, swapped);
  if (query === null || key === null || value === null || heads === 0 || key[0] !== value[0]) return null;
  const dq = query[1] / heads;
  // Keys may have fewer heads; values have as many as keys.
  const dv = (value[1] / key[1]) * dq;
  return { products: 2 * batch * heads * sq * key[0] * (dq + dv), sq, skv: key[0] };
}

/** Sequence length and elements per token of k or v, which have the layout of q. */
function keyLayout(
  shape: readonly number[],
  query: readonly number[],
  sq: number,
  swapped: boolean,
): readonly [number, number] | null {
  const [a = 0, b = 0, c = 0, d = 0] = shape;
  if (shape.length !== query.length) return null;
  if (shape.length === 3) return swapped ? [b, c] : [a, c];
  return query[2] === sq ? [c, b * d] : [b, c * d];
}

/** A mask of this size means causal attention of any length. */
const isTriangle = ({ shape, dtype }: StoredTensor): boolean =>
  shape.length === 2 && shape[0] === 2048 && shape[1] === 2048 && (dtype === 'bool' || dtype === 'uint8');

function attentionCost(
  tensors: KernelTensors,
  statistic: StoredTensor | undefined,
  times: number,
): ReturnType<KernelRule> {
  const extents = extentsOf(present(tensors.inputs.slice(0, 3)), statistic);
  const causal = extents !== null && extents.sq === extents.skv && present(tensors.inputs).some(isTriangle);
  const factor = `${times === 1 ? '' : `${times}·`}${FORMULA}`;
  return {
    flops: extents === null ? null : Math.round((extents.products * times) / (causal ? 2 : 1)),
    formula: `flops = ${factor}${causal ? ' / 2: the mask stands for a triangle' : ''}`,
    matmul: true,
  };
}

/** Softmax(QKᵀ)·V. */
export const attention: KernelRule = (tensors) => attentionCost(tensors, present(tensors.outputs).find(isStatistic), 1);

/** The gradient: five products where the forward pass has two. */
export const attentionGradient: KernelRule = (tensors) =>
  attentionCost(tensors, present(tensors.inputs).find(isStatistic), 2.5);
