/** Time that a kernel would take at other rates: the roofline of `roofline.ts`, with rates of our choice. */

import type { Load } from '../roofline/roofline.js';

const NS_PER_S = 1e9;

/**
 * ns that a kernel takes longer than the device needs at least; 0 where it is no slower.
 * @param flopsPerS and `bytesPerS`: peaks
 * @returns null where an amount or a rate is not known
 */
export function excess(
  dur: number,
  { flops, bytes }: Pick<Load, 'flops' | 'bytes'>,
  flopsPerS: number | null,
  bytesPerS: number | null,
): number | null {
  if (flops === null || bytes === null || flopsPerS === null || bytesPerS === null) return null;
  return Math.max(0, dur - Math.max(flops / flopsPerS, bytes / bytesPerS) * NS_PER_S);
}
