/**
 * An element type given as an argument. PyProf's markers drop `torch.dtype` objects; other sources write their names.
 */
import type { Arg, OpCall } from '../record/record.js';
import { dtypeBytes } from './call.js';
import { scalarType } from './scalar-type.js';

/** `torch.float16`, `float16`, `half` → `float16`, `half`; null for anything else. */
export function dtypeNamed(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const name = text.replace(/^torch\./, '');
  return dtypeBytes(name) === null ? null : name;
}

/** The type that `dtype=` or a positional text names; null when none does. */
export function dtypeGiven(call: OpCall): string | null {
  for (const arg of call.args) {
    const named = arg.name === 'dtype' || arg.name === '' ? dtypeNamed(arg.value) : null;
    if (named !== null) return named;
  }
  return null;
}

/** The type that one argument names, as a text or by the dispatcher's number; null when it is not told or none. */
export const dtypeAt = (arg: Arg | undefined): string | null => dtypeNamed(arg?.value) ?? scalarType(arg?.value);
