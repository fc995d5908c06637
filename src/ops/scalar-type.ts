/**
 * Element types as the dispatcher writes them in an argument: by number.
 */
import type { ArgValue } from '../record/record.js';

/** The order of PyTorch's ScalarType (c10/core/ScalarType.h), from 0; bit types, which have no whole size, are ''. */
const SCALAR_TYPES: readonly string[] = [
  ...['uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'float32', 'float64'],
  ...['complex32', 'complex64', 'complex128', 'bool', 'qint8', 'quint8', 'qint32', 'bfloat16'],
  ...['', '', '', '', '', '', ''],
  ...['float8_e5m2', 'float8_e4m3fn', 'float8_e5m2fnuz', 'float8_e4m3fnuz', 'uint16', 'uint32', 'uint64'],
];

/** Types far behind the others in the same order. */
const LATER: ReadonlyMap<number, string> = new Map([
  [44, 'float8_e8m0fnu'],
  [45, 'float4_e2m1fn_x2'],
]);

/** The element type a ScalarType number stands for: 15 → `bfloat16`; null when it is none with a known size. */
export function scalarType(code: ArgValue | undefined): string | null {
  if (typeof code !== 'number') return null;
  const name = SCALAR_TYPES[code] ?? LATER.get(code) ?? '';
  return name === '' ? null : name;
}
