/**
 * Bytes of an element by the framework's name of its type. Source: PyTorch's table of torch.dtype; the communication
 * library of Ascend for `int128` and `hif8`. An element of `float4_e2m1fn_x2` is a byte with two values.
 */
const TYPES_OF_SIZE: readonly (readonly [bytes: number, names: string])[] = [
  [1, 'bool uint8 int8 qint8 quint8 hif8'],
  [1, 'float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2'],
  [2, 'int16 uint16 float16 bfloat16'],
  [4, 'int32 uint32 qint32 float32 complex32'],
  [8, 'int64 uint64 float64 complex64'],
  [16, 'complex128 int128'],
];

const ELEMENT_BYTES: ReadonlyMap<string, number> = new Map(
  TYPES_OF_SIZE.flatMap(([bytes, names]) => names.split(' ').map((name) => [name, bytes] as const)),
);

/** Bytes of an element; null for an unknown type. */
export const elementBytes = (dtype: string): number | null => ELEMENT_BYTES.get(dtype) ?? null;
