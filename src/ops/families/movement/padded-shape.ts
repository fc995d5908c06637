/**
 * Extents of a tensor with margins.
 */
import type { Tensor } from '../../call.js';

/** Extents after padding: pairs of (before, after), last dimension first; negative ones cut. */
export function paddedShape(input: Tensor, pad: readonly number[]): number[] | null {
  if (pad.length % 2 === 1 || pad.length > 2 * input.shape.length) return null;
  const shape = input.shape.map((extent, i) => {
    const at = 2 * (input.shape.length - 1 - i);
    return extent + (pad[at] ?? 0) + (pad[at + 1] ?? 0);
  });
  return shape.every((extent) => extent >= 0) ? shape : null;
}
