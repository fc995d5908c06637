/** Extents of a padded tensor. */
import type { Tensor } from '../../call.js';

/** Extents after padding: pairs of (before, after), last dimension first; negative ones cut. */
export function paddedShape(input: Tensor, pad: readonly number[]): number[] | null {
  if (pad.length % 2 === 1 || pad.length > 2 * input.shape.length) return null;
  const shape = input.shape.map((extent, i) => {
    const at = 2 * (input.shape.length - 1 - i);
    const [before = 0, after = 0] = pad.slice(at, at + 2);
    return extent + before + after;
  });
  return shape.every((extent) => extent >= 0) ? shape : null;
}
