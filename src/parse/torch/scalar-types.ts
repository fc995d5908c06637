/**
 * Element types as traces spell them → the framework's names (`float32`).
 * Source: c10/core/ScalarType.h (names of collectives), the compiler's names of the C++ types (`Input type`).
 */

interface ScalarType {
  readonly dtype: string;
  /** Bytes per element. */
  readonly bytes: number;
}

const type = (dtype: string, bytes: number): ScalarType => ({ dtype, bytes });

/** By the C++ type, then by the enumerator, both in lower case and without `c10::`. */
const SCALAR_TYPES: ReadonlyMap<string, ScalarType> = new Map(
  Object.entries({
    float: type('float32', 4),
    double: type('float64', 8),
    half: type('float16', 2),
    bfloat16: type('bfloat16', 2),
    'long int': type('int64', 8),
    long: type('int64', 8),
    'long long': type('int64', 8),
    int: type('int32', 4),
    'short int': type('int16', 2),
    short: type('int16', 2),
    'signed char': type('int8', 1),
    char: type('int8', 1),
    'unsigned char': type('uint8', 1),
    byte: type('uint8', 1),
    'unsigned short': type('uint16', 2),
    uint16: type('uint16', 2),
    'unsigned int': type('uint32', 4),
    uint32: type('uint32', 4),
    'unsigned long': type('uint64', 8),
    uint64: type('uint64', 8),
    bool: type('bool', 1),
    'complex<half>': type('complex32', 4),
    'complex<float>': type('complex64', 8),
    complexfloat: type('complex64', 8),
    'complex<double>': type('complex128', 16),
    complexdouble: type('complex128', 16),
    float8_e4m3fn: type('float8_e4m3fn', 1),
    float8_e4m3fnuz: type('float8_e4m3fnuz', 1),
    float8_e5m2: type('float8_e5m2', 1),
    float8_e5m2fnuz: type('float8_e5m2fnuz', 1),
    float8_e8m0fnu: type('float8_e8m0fnu', 1),
    float4_e2m1fn_x2: type('float4_e2m1fn_x2', 1),
    qint8: type('qint8', 1),
    quint8: type('quint8', 1),
    qint32: type('qint32', 4),
  }),
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
