/**
 * Calls of the dispatcher: arguments in the order of the op's schema, some of them not told.
 */
import type { Arg, OpCall } from '../../record/record.js';
import type { Tensor } from '../call.js';
import { dtypeAt } from './dtype-argument.js';
import type { Param, Work } from '../family.js';
import { tensor } from '../work.js';

/** Whether the call's arguments stand in the order of the op's schema. */
export const isDispatched = (call: OpCall): boolean => call.from === 'dispatcher';

/** A tensor of these extents and of the type that the `dtype` argument names, or an out tensor has, else of the default. */
export function typed(shape: readonly number[], dtype: Arg | undefined, byDefault: string): Tensor {
  if (dtype?.shape !== undefined) return tensor(shape, dtype.dtype ?? null);
  if (dtype === undefined || dtype.type === 'NoneType' || dtype.value === null) return tensor(shape, byDefault);
  return tensor(shape, dtypeAt(dtype));
}

/** Work whose amounts do not all follow from what the call tells. */
interface Untold {
  /** Null when the operation count is not told either. */
  readonly flops: number | null;
  readonly params: readonly Param[];
  readonly formula: string;
  readonly source: string;
  /** What is missing. */
  readonly unknown: string;
}

/** In place of a formula, for an op whose arguments tell next to nothing. */
export const NO_FORMULA = 'none: the arguments do not tell what the op needs';

/** The op's main kernel with unknown traffic. */
export const untoldWork = (untold: Untold): Work => ({ role: 'main', bytes: null, matmul: false, ...untold });
