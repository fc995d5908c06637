/**
 * Element types as traces spell them → the framework's names (`float32`).
 * Source: c10/core/ScalarType.h (names of collectives), the compiler's names of the C++ types (`Input type`).
 */

interface ScalarType {
  readonly dtype: string;
  /** Bytes per element. */
  readonly bytes: number;
}

/** By the C++ type and by the enumerator, both in lower case and without `c10::`. */
const TYPES: readonly (readonly [dtype: string, bytes: number, names: string])[] = [
  ['float32', 4, 'float'],
  ['float64', 8, 'double'],
  ['float16', 2, 'half'],
  ['bfloat16', 2, 'bfloat16'],
  ['int64', 8, 'long int, long, long long'],
  ['int32', 4, 'int'],
  ['int16', 2, 'short int, short'],
  ['int8', 1, 'signed char, char'],
  ['uint8', 1, 'unsigned char, byte'],
  ['uint16', 2, 'unsigned short, uint16'],
  ['uint32', 4, 'unsigned int, uint32'],
  ['uint64', 8, 'unsigned long, uint64'],
  ['bool', 1, 'bool'],
  ['complex32', 4, 'complex<half>'],
  ['complex64', 8, 'complex<float>, complexfloat'],
  ['complex128', 16, 'complex<double>, complexdouble'],
  ...['float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz', 'float8_e8m0fnu', 'float4_e2m1fn_x2'].map(
    (name) => [name, 1, name] as const,
  ),
  ['qint8', 1, 'qint8'],
  ['quint8', 1, 'quint8'],
  ['qint32', 4, 'qint32'],
];

const SCALAR_TYPES: ReadonlyMap<string, ScalarType> = new Map(
  TYPES.flatMap(([dtype, bytes, names]) => names.split(', ').map((name) => [name, { dtype, bytes }])),
);

/** The element type of a tensor or message; null for an unknown name. */
export function scalarType(text: string): ScalarType | null {
  const name = text.replaceAll('c10::', '').toLowerCase();
  return SCALAR_TYPES.get(name) ?? null;
}

/** Types of arguments that are neither tensors nor lists: `Int`, `Bool` and `Double` before 2022, `Scalar` since. */
const PLAIN_TYPES = new Set(['Scalar', 'Int', 'Bool', 'Double', 'String', 'Device', 'Generator', 'Layout', 'Stream']);
const LIST_TYPES = new Set(['ScalarList', 'GenericList', 'IntList', 'DoubleList', 'BoolList']);

/** Whether a type is that of a number, text, device or the like. */
export const isPlainType = (text: string): boolean => PLAIN_TYPES.has(text);
/** Whether a type is that of a list other than of tensors. */
export const isListType = (text: string): boolean => LIST_TYPES.has(text);
