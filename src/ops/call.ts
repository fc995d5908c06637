/** Access to an op call's arguments: tensors, positional and keyword arguments, element counts and sizes. */
import { dtypeBytes, dtypeShort } from '../record/element-types.js';
import { largest } from '../containers/element.js';
import type { Arg, ArgValue, OpCall } from '../record/record.js';

/** An argument that is a tensor with known extents and element type. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly dtype: string;
  /**
   * Number of elements in memory, if fewer than the product of the extents, because elements of a broadcast view are
   * read only once.
   */
  readonly stored?: number;
}

/** Number of elements: the product of the extents; 1 for []. */
export function numel(shape: readonly number[]): number {
  let product = 1;
  for (const extent of shape) product *= extent;
  return product;
}

/** Extent of a dimension, a negative one counted from the end; 0 for a tensor with fewer dimensions. */
export const extentAt = ({ shape }: Pick<Tensor, 'shape'>, dim: number): number => shape.at(dim) ?? 0;

export const elementCount = (tensorArguments: readonly Tensor[]): number =>
  tensorArguments.reduce((sum, { shape }) => sum + numel(shape), 0);

/**
 * Number of elements in memory of a tensor with these strides, at most its number of elements: an expanded dimension has
 * stride 0 and is stored once, and windows over a dimension overlap. Null when the strides are not a valid list.
 */
export function storedElements(shape: readonly number[], strides: unknown): number | null {
  if (!Array.isArray(strides) || strides.length !== shape.length) return null;
  let [elements, last] = [1, 0];
  for (const [i, extent] of shape.entries()) {
    const stride: unknown = strides[i];
    if (typeof stride !== 'number' || !Number.isSafeInteger(stride) || stride < 0) return null;
    if (extent === 0) return 0;
    if (stride !== 0) elements *= extent;
    last += (extent - 1) * stride;
  }
  return Math.min(elements, last + 1);
}

/** Bytes needed to read a tensor once, or null when its element type is unknown. */
export function bytesToRead(tensor: Tensor): number | null {
  const bytes = dtypeBytes(tensor.dtype);
  return bytes === null ? null : (tensor.stored ?? numel(tensor.shape)) * bytes;
}

/** Size of a tensor in bytes, or null when its element type is unknown. */
export function tensorBytes(tensor: Tensor): number | null {
  const bytes = dtypeBytes(tensor.dtype);
  return bytes === null ? null : numel(tensor.shape) * bytes;
}

/** The argument as a tensor, or null when it is not a tensor. */
export function asTensor(arg: Arg | undefined): Tensor | null {
  if (arg?.shape === undefined || arg.dtype === undefined) return null;
  return { shape: arg.shape, dtype: arg.dtype };
}

export const positional = (call: OpCall): readonly Arg[] => call.args.filter((arg) => arg.name === '');

/**
 * The argument passed by keyword, else the one at the position; undefined when the call has neither. For Python
 * function calls, and for dispatcher ops with the same order of arguments; use `bind` for others.
 */
export function argument(call: OpCall, name: string, position: number): Arg | undefined {
  let placed: Arg | undefined;
  let before = 0;
  for (const arg of call.args) {
    if (arg.name === name) return arg;
    if (arg.name === '' && before++ === position) placed = arg;
  }
  return placed;
}

/** The value of a scalar or list argument by keyword or position; undefined when it is not passed. */
export const argumentValue = (call: OpCall, name: string, position: number): ArgValue | undefined =>
  argument(call, name, position)?.value;

/** Result extents of an elementwise op on these extents (NumPy's broadcasting rules); null when they do not fit. */
export function broadcast(shapes: readonly (readonly number[])[]): number[] | null {
  const rank = largest(
    shapes.map((shape) => shape.length),
    0,
  );
  const result = new Array<number>(rank).fill(1);
  for (const shape of shapes) {
    for (let i = 0; i < shape.length; i++) {
      const at = rank - shape.length + i;
      const extent = shape[i] ?? 1;
      if (extent === 1) continue;
      if (result[at] !== 1 && result[at] !== extent) return null;
      result[at] = extent;
    }
  }
  return result;
}

/** A tensor for display: `[64,6,28,28]fp32`. */
export const showTensor = ({ shape, dtype: name }: Tensor): string => `[${shape.join(',')}]${dtypeShort(name)}`;
