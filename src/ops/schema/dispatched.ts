/** Calls of the dispatcher: arguments in the order of the op's schema, some of them unspecified. */
import type { Arg, OpCall } from '../../record/record.js';
import type { Tensor } from '../call.js';
import { dtypeAt } from './dtype-argument.js';
import { tensor } from '../work.js';

/** Whether the call's arguments are in the order of the op's schema. */
export const isDispatched = (call: OpCall): boolean => call.from === 'dispatcher';

/** A tensor of the shape, with the type of the `dtype` argument or of the `out` tensor, else of the default. */
export function tensorOfType(shape: readonly number[], dtype: Arg | undefined, byDefault: string): Tensor {
  if (dtype?.shape !== undefined) return tensor(shape, dtype.dtype ?? null);
  if (dtype === undefined || dtype.type === 'NoneType' || dtype.value === null) return tensor(shape, byDefault);
  return tensor(shape, dtypeAt(dtype));
}

/** In place of a formula, for an op whose arguments do not determine its work. */
export const NO_FORMULA = 'none: the arguments do not determine the work of the op';
