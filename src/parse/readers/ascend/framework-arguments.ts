/**
 * The two texts with which the profiler describes the arguments of an op: extents, `32,3,224,224;\r\n64,3,11,11;\r\n;`,
 * and types, `float;\r\nfloat;\r\nScalarList`, one slot an argument. Only tensors have extents: values of scalars and of
 * lists (strides, paddings) are not recorded.
 */
import type { Arg } from '../../../record/record.js';
import { isListType, isPlainType, scalarType } from '../../torch/scalar-types.js';

const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };
const UNKNOWN: Arg = { name: '', type: 'unknown' };
const LIST: Arg = { name: '', type: 'list' };
/** Type of a tensor that is not defined: an optional gradient, say. */
const UNDEFINED_TENSOR = 'nullptr (uninitialized)';

const slotsOf = (text: string): string[] => (text.trim() === '' ? [] : text.split(';').map((slot) => slot.trim()));

/**
 * Whether a text is a list of types: databases of some years have types and extents in each other's column. Types are
 * words, extents are digits and commas.
 */
export const isDtypeList = (text: string): boolean => /[A-Za-z]/.test(text);

/** The arguments of an op's call; none where the profile tells none. The texts may stand in each other's place. */
export function readFrameworkArguments(dims: string, types: string): Arg[] {
  const swapped = isDtypeList(dims) && !isDtypeList(types);
  const extents = slotsOf(swapped ? types : dims);
  const kinds = slotsOf(swapped ? dims : types);
  const count = Math.max(extents.length, kinds.length);
  return Array.from({ length: count }, (_, i) => readArgument(extents[i] ?? '', kinds[i] ?? ''));
}

/** Extents of one or more tensors, as a backward node is given them; null where those of the first are not told. */
export function readFrameworkExtents(dims: string): number[][] | null {
  const [first, ...rest] = slotsOf(dims).map(readExtents);
  if (first === undefined || first === null || first.length === 0) return null;
  return [first, ...rest.filter((shape) => shape !== null && shape.length > 0)] as number[][];
}

function readArgument(slot: string, kind: string): Arg {
  if (kind === UNDEFINED_TENSOR || kind === 'None') return NOT_GIVEN;
  const shape = readExtents(slot);
  // The tensors of a list have no extents here.
  if (kind === 'TensorList' || isListType(kind)) return LIST;
  if (isPlainType(kind) || shape === null) return UNKNOWN;
  const scalar = scalarType(kind);
  if (scalar !== null) return tensor(shape, scalar.dtype);
  return shape.length > 0 ? tensor(shape, kind) : UNKNOWN;
}

/** A type that is not known stands under the name that the profile gives it; '' is none. */
const tensor = (shape: readonly number[], dtype: string): Arg => ({
  name: '',
  type: 'tensor',
  shape,
  ...(dtype === '' ? undefined : { dtype }),
});

/** `32,3,224,224` → its numbers; [] for a tensor without dimensions, null for what is no list of extents. */
function readExtents(slot: string): number[] | null {
  if (slot === '') return [];
  const extents = slot.split(',').map((text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : NaN));
  return extents.every((extent) => Number.isSafeInteger(extent)) ? extents : null;
}
