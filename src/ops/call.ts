/**
 * Access to an op call's arguments: tensors, positional and keyword arguments, element counts and sizes.
 */
import type { Arg, ArgValue, OpCall } from '../record/record.js';

/** An argument that is a tensor with known extents and element type. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly dtype: string;
}

interface DtypeFacts {
  /** Bytes per element. */
  readonly bytes: number;
  /** Short name for display. */
  readonly short: string;
}

const dtype = (bytes: number, short: string): DtypeFacts => ({ bytes, short });

/**
 * Element types by the framework's name. Sizes: PyTorch's torch.dtype table; float4 packs two to a byte.
 * Short names are PyProf's (fp16, int64 …), extended in its spirit.
 */
export const DTYPES: Readonly<Record<string, DtypeFacts>> = {
  bool: dtype(1, 'bool'),
  uint8: dtype(1, 'uint8'),
  byte: dtype(1, 'uint8'),
  int8: dtype(1, 'int8'),
  char: dtype(1, 'int8'),
  int16: dtype(2, 'int16'),
  short: dtype(2, 'int16'),
  uint16: dtype(2, 'uint16'),
  int32: dtype(4, 'int32'),
  int: dtype(4, 'int32'),
  uint32: dtype(4, 'uint32'),
  int64: dtype(8, 'int64'),
  long: dtype(8, 'int64'),
  uint64: dtype(8, 'uint64'),
  float16: dtype(2, 'fp16'),
  half: dtype(2, 'fp16'),
  bfloat16: dtype(2, 'bf16'),
  float32: dtype(4, 'fp32'),
  float: dtype(4, 'fp32'),
  float64: dtype(8, 'fp64'),
  double: dtype(8, 'fp64'),
  complex32: dtype(4, 'c32'),
  complex64: dtype(8, 'c64'),
  complex128: dtype(16, 'c128'),
  float8_e4m3fn: dtype(1, 'fp8e4m3'),
  float8_e4m3fnuz: dtype(1, 'fp8e4m3'),
  float8_e5m2: dtype(1, 'fp8e5m2'),
  float8_e5m2fnuz: dtype(1, 'fp8e5m2'),
  float8_e8m0fnu: dtype(1, 'fp8e8m0'),
  float4_e2m1fn_x2: dtype(0.5, 'fp4'),
  // Elements of copy kernels, of which only the size is known.
  opaque8: dtype(1, '8bit'),
  opaque16: dtype(2, '16bit'),
  opaque32: dtype(4, '32bit'),
  opaque64: dtype(8, '64bit'),
  opaque128: dtype(16, '128bit'),
  qint8: dtype(1, 'qint8'),
  quint8: dtype(1, 'quint8'),
  qint32: dtype(4, 'qint32'),
};

const facts = (name: string): DtypeFacts | undefined => (Object.hasOwn(DTYPES, name) ? DTYPES[name] : undefined);

/** Bytes per element, or null when the type is not known. */
export const dtypeBytes = (name: string): number | null => facts(name)?.bytes ?? null;

/** Short name for display; the given name when the type is not known. */
export const dtypeShort = (name: string): string => facts(name)?.short ?? name;

/** Number of elements: the product of the extents; 1 for []. */
export function numel(shape: readonly number[]): number {
  let product = 1;
  for (const extent of shape) product *= extent;
  return product;
}

/** Extent of a dimension, a negative one counted from the end; 0 for a tensor with fewer dimensions. */
export const extentAt = ({ shape }: Pick<Tensor, 'shape'>, dim: number): number => shape.at(dim) ?? 0;

/** Number of elements of all tensors. */
export const elementCount = (tensorArguments: readonly Tensor[]): number =>
  tensorArguments.reduce((sum, { shape }) => sum + numel(shape), 0);

/** Size of a tensor in bytes, or null when its element type is not known. */
export function tensorBytes(tensor: Tensor): number | null {
  const bytes = dtypeBytes(tensor.dtype);
  return bytes === null ? null : numel(tensor.shape) * bytes;
}

/** The argument as a tensor, or null when it is none. */
export function asTensor(arg: Arg | undefined): Tensor | null {
  if (arg?.shape === undefined || arg.dtype === undefined) return null;
  return { shape: arg.shape, dtype: arg.dtype };
}

/** Positional arguments in order. */
export const positional = (call: OpCall): readonly Arg[] => call.args.filter((arg) => arg.name === '');

/** All tensors of the call in order, positional and named. */
export const tensors = (call: OpCall): Tensor[] =>
  call.args.map(asTensor).filter((tensor): tensor is Tensor => tensor !== null);

/**
 * The argument given by keyword, else the one at the position; undefined when the call has neither. For calls of Python
 * functions, and for dispatcher's ops with the same order of arguments; for others see `bind`.
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

/** The value of a scalar or list argument by keyword or position; undefined when it is not given. */
export const argumentValue = (call: OpCall, name: string, position: number): ArgValue | undefined =>
  argument(call, name, position)?.value;

/** Result extents of an elementwise op on the given extents (NumPy's broadcasting rules); null when they do not fit. */
export function broadcast(...shapes: readonly (readonly number[])[]): number[] | null {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
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

/** `[64,6,28,28]fp32`: a tensor for display. */
export const showTensor = ({ shape, dtype: name }: Tensor): string => `[${shape.join(',')}]${dtypeShort(name)}`;
