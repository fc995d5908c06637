/**
 * Dispatcher calls, whose arguments are in the order of the op's schema and may be unspecified; and element types passed as
 * arguments, by name or by number. PyProf's markers drop `torch.dtype` objects.
 */
import type { Arg, OpCall, ArgValue } from '../../record/record.js';
import type { Tensor } from '../call.js';
import { tensor } from '../work.js';
import { elementType, elementTypeNumbered } from '../../record/element-types.js';

/** `torch.float16`, `float16`, `half` → `float16`; null for anything else. */
export const dtypeNamed = (text: ArgValue | undefined): string | null =>
  typeof text === 'string' ? (elementType(text.replace(/^torch\./, ''))?.dtype ?? null) : null;

/** The type that one argument states, by name or number; null when it states none. */
export const dtypeAt = (arg: Arg | undefined): string | null =>
  typeof arg?.value === 'number' ? (elementTypeNumbered(arg.value)?.dtype ?? null) : dtypeNamed(arg?.value);

/** Whether the call's arguments are in the order of the op's schema. */
export const isDispatched = (call: OpCall): boolean => call.from === 'dispatcher';

/** A tensor with this shape, and the type of the `dtype` argument, else of the `out` tensor, else the default. */
export function tensorOfType(shape: readonly number[], dtype: Arg | undefined, byDefault: string): Tensor {
  if (dtype?.shape !== undefined) return tensor(shape, dtype.dtype ?? null);
  if (dtype === undefined || dtype.type === 'NoneType' || dtype.value === null) return tensor(shape, byDefault);
  return tensor(shape, dtypeAt(dtype));
}

/** Replaces the formula of an op whose arguments do not determine its work. */
export const NO_FORMULA = "none: the arguments do not determine the op's work";
