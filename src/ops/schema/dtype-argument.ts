/** An element type given as an argument: by name, or by number. PyProf's markers drop `torch.dtype` objects. */
import type { Arg, ArgValue, OpCall } from '../../record/record.js';
import { elementType, elementTypeNumbered } from '../../record/element-types.js';

/** `torch.float16`, `float16`, `half` → `float16`; null for anything else. */
const dtypeNamed = (text: ArgValue | undefined): string | null =>
  typeof text === 'string' ? (elementType(text.replace(/^torch\./, ''))?.dtype ?? null) : null;

/** The type that one argument gives, by name or number; null when it gives none. */
export const dtypeAt = (arg: Arg | undefined): string | null =>
  typeof arg?.value === 'number' ? (elementTypeNumbered(arg.value)?.dtype ?? null) : dtypeNamed(arg?.value);

/** The type that `dtype=` or a positional text of a Python call names; null when none does. */
export function dtypeGiven(call: OpCall): string | null {
  for (const arg of call.args) {
    const named = arg.name === 'dtype' || arg.name === '' ? dtypeNamed(arg.value) : null;
    if (named !== null) return named;
  }
  return null;
}
