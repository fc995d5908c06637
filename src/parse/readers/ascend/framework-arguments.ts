/**
 * Arguments of an op from the profiler's two texts: shapes, `32,3,224,224;\r\n64,3,11,11;\r\n;`, and types,
 * `float;\r\nfloat;\r\nScalarList`, one slot an argument. Only tensors have shapes: values of scalars and of lists
 * (strides, paddings) are not recorded.
 */
import { elementType } from '../../../record/element-types.js';
import type { Arg } from '../../../record/record.js';
import { NOT_GIVEN, tensorArg, UNDEFINED_TENSOR, UNKNOWN } from '../../trace/unnamed-args.js';
import { isListType, isPlainType } from '../../torch/host-events.js';

const LIST: Arg = { name: '', type: 'list' };

const slotsOf = (text: string): string[] => (text.trim() === '' ? [] : text.split(';').map((slot) => slot.trim()));

/** Whether a text lists types, not shapes, which are digits and commas: some databases have the two columns swapped. */
export const isDtypeList = (text: string): boolean => /[A-Za-z]/.test(text);

/** The arguments of an op's call; none when both texts are empty. The texts may be swapped. */
export function readFrameworkArguments(dims: string, types: string): Arg[] {
  const swapped = isDtypeList(dims) && !isDtypeList(types);
  const extents = slotsOf(swapped ? types : dims);
  const kinds = slotsOf(swapped ? dims : types);
  const count = Math.max(extents.length, kinds.length);
  return Array.from({ length: count }, (_, i) => readArgument(extents[i], kinds[i]));
}

/** Shapes of the inputs of a backward node; null when the first is unknown. */
export function readFrameworkExtents(dims: string): number[][] | null {
  const [first, ...rest] = slotsOf(dims).map(readExtents);
  if (first === undefined || first === null || first.length === 0) return null;
  return [first, ...rest.filter((shape) => shape !== null && shape.length > 0)] as number[][];
}

function readArgument(slot = '', kind = ''): Arg {
  if (kind === UNDEFINED_TENSOR || kind === 'None') return NOT_GIVEN;
  const shape = readExtents(slot);
  // Tensors of a list have no shapes here.
  if (kind === 'TensorList' || isListType(kind)) return LIST;
  if (isPlainType(kind) || shape === null) return UNKNOWN;
  const scalar = elementType(kind);
  if (scalar !== null) return tensorArg(shape, scalar.dtype);
  return shape.length > 0 ? tensorArg(shape, kind) : UNKNOWN;
}

/** `32,3,224,224` → its numbers; [] for a tensor without dimensions, null for an invalid text. */
function readExtents(slot: string): number[] | null {
  if (slot === '') return [];
  const extents = slot.split(',').map((text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : NaN));
  return extents.every((extent) => Number.isSafeInteger(extent)) ? extents : null;
}
