/**
 * Element types as traces spell them → the framework's names (`float32`).
 * Source: c10/core/ScalarType.h (names of collectives), the compiler's names of the C++ types (`Input type`).
 */

import { elementBytes } from '../../record/fields/element-types.js';

interface ScalarType {
  readonly dtype: string;
  /** Bytes per element. */
  readonly bytes: number;
}

/** By the C++ type and by the enumerator, both in lower case and without `c10::`. */
const TYPES: readonly (readonly [dtype: string, names: string])[] = [
  ['float32', 'float'],
  ['float64', 'double'],
  ['float16', 'half'],
  ['bfloat16', 'bfloat16'],
  ['int64', 'long int, long, long long'],
  ['int32', 'int'],
  ['int16', 'short int, short'],
  ['int8', 'signed char, char'],
  ['uint8', 'unsigned char, byte'],
  ['uint16', 'unsigned short, uint16'],
  ['uint32', 'unsigned int, uint32'],
  ['uint64', 'unsigned long, uint64'],
  ['bool', 'bool'],
  ['complex32', 'complex<half>'],
  ['complex64', 'complex<float>, complexfloat'],
  ['complex128', 'complex<double>, complexdouble'],
  ...['float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz', 'float8_e8m0fnu', 'float4_e2m1fn_x2'].map(
    (name) => [name, name] as const,
  ),
  ['qint8', 'qint8'],
  ['quint8', 'quint8'],
  ['qint32', 'qint32'],
];

const SCALAR_TYPES: ReadonlyMap<string, ScalarType> = new Map(
  TYPES.flatMap(([dtype, names]) =>
    names.split(', ').map((name) => [name, { dtype, bytes: elementBytes(dtype) ?? NaN }] as const),
  ),
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
