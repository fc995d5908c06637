/** The windows of pooling: their extents, and those of the result. */
import { argument, numel, type Tensor } from '../../call.js';
import type { ArgValue, OpCall } from '../../../record/record.js';
import { opName, integers } from '../../operands.js';
import { tensor } from '../../work.js';
import { rankInName } from '../rank-in-name.js';
import { elementAt } from '../../../containers/element.js';

/** Max pooling writes the positions of the maxima too. */
export const isMax = (op: string): boolean => op.includes('max');

/** One number per dimension of the window; a single number applies to all. */
export function perDimension(
  value: ArgValue | undefined,
  rank: number,
  fallback: readonly number[],
): readonly number[] | null {
  if (value === undefined || value === null) return fallback;
  const list = integers(value);
  if (list?.length === 0) return fallback;
  if (list?.length === 1) return new Array<number>(rank).fill(elementAt(list, 0));
  return list?.length === rank ? list : null;
}

interface Window {
  readonly result: Tensor;
  readonly elements: number;
}

/** Positions of dilation and ceil_mode differ between max and average pooling. */
export function slidingWindow(call: OpCall, input: Tensor): Window | null {
  const op = opName(call);
  const rank = rankInName(op);
  const given = (name: string, position: number, fallback: readonly number[]): readonly number[] | null =>
    perDimension(argument(call, name, position)?.value, rank, fallback);
  const ones = new Array<number>(rank).fill(1);
  const size = given('kernel_size', 1, []);
  if (size?.length !== rank) return null;
  const stride = given('stride', 2, size);
  const padding = given('padding', 3, new Array<number>(rank).fill(0));
  const dilation = isMax(op) ? given('dilation', 4, ones) : ones;
  const up = argument(call, 'ceil_mode', isMax(op) ? 5 : 4)?.value === true;
  if (stride === null || padding === null || dilation === null || input.shape.length < rank) return null;
  const kept = input.shape.slice(0, -rank);
  const extents = input.shape.slice(-rank).map((extent, i) => {
    const [k, s] = [elementAt(size, i), elementAt(stride, i)];
    const [p, d] = [elementAt(padding, i), elementAt(dilation, i)];
    const steps = (extent + 2 * p - d * (k - 1) - 1) / s;
    const count = (up ? Math.ceil(steps) : Math.floor(steps)) + 1;
    // A window that starts in the padding after the input is left out.
    return up && (count - 1) * s >= extent + p ? count - 1 : count;
  });
  const valid = size.every((k) => k > 0) && extents.every((extent) => Number.isInteger(extent) && extent >= 0);
  return valid ? { result: tensor([...kept, ...extents], input.dtype), elements: numel(size) } : null;
}

/** Adaptive windows partition the input: elements in two overlapping windows are counted once. */
export function adaptiveWindow(call: OpCall, input: Tensor): Window | null {
  const rank = rankInName(opName(call));
  if (input.shape.length < rank) return null;
  const own = input.shape.slice(-rank);
  const value = argument(call, 'output_size', 1)?.value;
  // None keeps an extent.
  const filled = Array.isArray(value) ? (value as readonly ArgValue[]).map((size, i) => size ?? own[i] ?? null) : value;
  const extents = perDimension(filled, rank, []);
  if (extents?.length !== rank || extents.some((extent) => extent <= 0)) return null;
  const result = tensor([...input.shape.slice(0, -rank), ...extents], input.dtype);
  return { result, elements: numel(input.shape) / numel(result.shape) };
}
