/**
 * Calls of the dispatcher: arguments in the order of the op's schema, some of them not told.
 */
import type { Arg, OpCall } from '../../record/record.js';
import type { Tensor } from '../call.js';
import { dtypeAt } from './dtype-argument.js';
import { tensor } from '../work.js';

/** Whether the call's arguments stand in the order of the op's schema. */
export const isDispatched = (call: OpCall): boolean => call.from === 'dispatcher';

/** A tensor of these extents and of the type that the `dtype` argument names, or an out tensor has, else of the default. */
export function tensorOfType(shape: readonly number[], dtype: Arg | undefined, byDefault: string): Tensor {
  if (dtype?.shape !== undefined) return tensor(shape, dtype.dtype ?? null);
  if (dtype === undefined || dtype.type === 'NoneType' || dtype.value === null) return tensor(shape, byDefault);
  return tensor(shape, dtypeAt(dtype));
}

/** In place of a formula, for an op whose arguments tell next to nothing. */
export const NO_FORMULA = 'none: the arguments do not tell what the op needs';
