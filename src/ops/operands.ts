/** The validated operands of an op call, and facts in the op's name. */
import type { Arg, ArgValue, OpCall } from '../record/record.js';
import { argument, numel, positional, storedElements, type Tensor } from './call.js';

/** `max_pool3d` → 3, `upsample_bilinear2d` → 2; 2 when the name has none. */
export const rankInName = (op: string): number => Number(/([123])d/.exec(op)?.[1] ?? 2);

/** Element type of a tensor without a recorded type, whose size in bytes is unknown. */
const UNSPECIFIED = 'na';

/** The argument as a tensor with non-negative integer extents and an exact element count; null for anything else. */
export function tensorOf(arg: Arg | undefined): Tensor | null {
  const shape: unknown = arg?.shape;
  if (arg === undefined || !Array.isArray(shape)) return null;
  for (const extent of shape as unknown[]) if (!Number.isInteger(extent) || (extent as number) < 0) return null;
  const extents = shape as number[];
  const elements = numel(extents);
  if (!Number.isSafeInteger(elements)) return null;
  const tensor = { shape: extents, dtype: typeof arg.dtype === 'string' ? arg.dtype : UNSPECIFIED };
  const stored = arg.strides === undefined ? null : storedElements(extents, arg.strides);
  return stored === null || stored === elements ? tensor : { ...tensor, stored };
}

/** The arguments that are tensors. */
export const tensorsAmong = (args: readonly Arg[]): Tensor[] => args.map(tensorOf).filter((found) => found !== null);

/** The arguments as tensors; null when one has invalid extents. */
export function allTensors(args: readonly Arg[]): Tensor[] | null {
  const found = tensorsAmong(args);
  return found.length === args.length ? found : null;
}

/** The tensors that an op reads, in order, including those in lists, without `out=`. Null when one has invalid extents. */
export function inputTensors(call: OpCall): Tensor[] | null {
  const read: Tensor[] = [];
  for (const arg of call.args) {
    if (arg.name === 'out') continue;
    for (const item of arg.items ?? [arg]) {
      if (item.shape === undefined) continue;
      const tensor = tensorOf(item);
      if (tensor === null) return null;
      read.push(tensor);
    }
  }
  return read;
}

/** Type of a 0-dim tensor, which PyProf's markers write as a Python number with its value. */
const SCALAR_DTYPES: Readonly<Record<string, string>> = { float: 'float32', int: 'int32', bool: 'bool' };

/** The number as that tensor; null for any other argument. */
export function scalarTensor(arg: Arg | undefined): (Arg & Tensor) | null {
  if (arg === undefined || arg.shape !== undefined || !Object.hasOwn(SCALAR_DTYPES, arg.type)) return null;
  return { name: '', type: 'tensor', shape: [1], dtype: SCALAR_DTYPES[arg.type] ?? UNSPECIFIED };
}

/** The input of an op: its first argument, or the one named `input` or `self`. */
export function inputTensor(call: OpCall): Tensor | null {
  const arg = positional(call)[0] ?? call.args.find(({ name }) => name === 'input' || name === 'self');
  return tensorOf(arg) ?? scalarTensor(arg);
}

/** The tensor passed by keyword, else by position. */
export const tensorAt = (call: OpCall, name: string, position: number): Tensor | null =>
  tensorOf(argument(call, name, position));

/** Whether its elements are integers, as indices are. */
export const hasIntegerType = ({ dtype }: Tensor): boolean => /^u?int|^long$/.test(dtype);

export const integer = (value: ArgValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) ? value : undefined;

/** A list of integers, or a single integer as a list of one; null for anything else. */
export function integers(value: ArgValue | undefined): number[] | null {
  const list = Array.isArray(value) ? (value as readonly ArgValue[]) : [value];
  const found = list.map((item) => integer(item as ArgValue)).filter((item) => item !== undefined);
  return found.length === list.length ? found : null;
}

/** The dimension `dim` (from the end if negative) for a rank, or null when it is out of range. */
export function resolveDimension(dim: number, rank: number): number | null {
  const at = dim < 0 ? dim + rank : dim;
  return at >= 0 && at < rank ? at : null;
}

/** The op's name without `aten::`. */
export const opName = ({ op }: OpCall): string => (op.startsWith('aten::') ? op.slice('aten::'.length) : op);
