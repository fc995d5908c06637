/** Arguments of op calls as profilers record them: in the order of the op's schema, without names. */
import type { Arg } from '../../record/record.js';

export const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };
/** An argument of which neither kind nor value is recorded. */
export const UNKNOWN: Arg = { name: '', type: 'unknown' };

/** PyTorch's type of an undefined tensor, such as an optional gradient. */
export const UNDEFINED_TENSOR = 'nullptr (uninitialized)';

/** @param dtype an unknown element type keeps the profile's name for it; '' for none */
export const tensorArg = (shape: readonly number[], dtype: string): Arg => ({
  name: '',
  type: 'tensor',
  shape,
  ...(dtype === '' ? undefined : { dtype }),
});
