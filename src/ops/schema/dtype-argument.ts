/** An element type given as an argument: by name, or by number. PyProf's markers drop `torch.dtype` objects. */
import type { Arg, ArgValue, OpCall } from '../../record/record.js';
import { dtypeBytes } from '../call.js';

/** The order of PyTorch's ScalarType (c10/core/ScalarType.h), from 0; bit types, which have no whole size, are ''. */
const BY_NUMBER: readonly string[] = [
  ...['uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'float32', 'float64'],
  ...['complex32', 'complex64', 'complex128', 'bool', 'qint8', 'quint8', 'qint32', 'bfloat16'],
  ...['', '', '', '', '', '', ''],
  ...['float8_e5m2', 'float8_e4m3fn', 'float8_e5m2fnuz', 'float8_e4m3fnuz', 'uint16', 'uint32', 'uint64'],
];

/** Types added later in the same enumeration. */
const LATER_TYPES: ReadonlyMap<number, string> = new Map([
  [44, 'float8_e8m0fnu'],
  [45, 'float4_e2m1fn_x2'],
]);

/** 15 → `bfloat16`; null for a number without a type of known size. */
function dtypeNumbered(code: number): string | null {
  const name = BY_NUMBER[code] ?? LATER_TYPES.get(code);
  return name === undefined || name === '' ? null : name;
}

/** `torch.float16`, `float16`, `half` → `float16`, `half`; null for anything else. */
function dtypeNamed(text: ArgValue | undefined): string | null {
  if (typeof text !== 'string') return null;
  const name = text.replace(/^torch\./, '');
  return dtypeBytes(name) === null ? null : name;
}

/** The type that one argument gives, by name or number; null when it gives none. */
export const dtypeAt = (arg: Arg | undefined): string | null =>
  typeof arg?.value === 'number' ? dtypeNumbered(arg.value) : dtypeNamed(arg?.value);

/** The type that `dtype=` or a positional text of a Python call names; null when none does. */
export function dtypeGiven(call: OpCall): string | null {
  for (const arg of call.args) {
    const named = arg.name === 'dtype' || arg.name === '' ? dtypeNamed(arg.value) : null;
    if (named !== null) return named;
  }
  return null;
}
