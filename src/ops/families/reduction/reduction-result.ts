/** Extents and type of a reduction's result. */
import type { ArgValue } from '../../../record/record.js';
import type { Tensor } from '../../call.js';
import { resolveDimension, integers } from '../../operands.js';
import { category, floatingType } from '../../schema/promotion.js';
import type { Reduction } from './reduction-ops.js';

/** Extents without those of the given dimensions, of all for an empty list; null when there is none such. */
export function reducedShape({ shape }: Tensor, dim: ArgValue): number[] | null {
  const dims = integers(dim)?.map((at) => resolveDimension(at, shape.length));
  if (dims === undefined || dims.includes(null)) return null;
  const reduced = new Set(dims);
  return reduced.size === 0 ? [] : shape.filter((_, at) => !reduced.has(at));
}

/** @param dtype the argument `dtype`, or null */
export function reducedType({ result }: Reduction, input: Tensor, dtype: string | null): string | null {
  if (result === 'bool' || result === 'int64') return result;
  if (dtype !== null) return dtype;
  const kind = category(input.dtype);
  if (result === 'float') return floatingType(input.dtype);
  return result === 'sum' && (kind === 'bool' || kind === 'int') ? 'int64' : input.dtype;
}
