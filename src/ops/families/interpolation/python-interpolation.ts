/** `torch.nn.functional.interpolate` as the dispatcher's op that it becomes, forward or backward. */
import type { Arg, ArgValue, OpCall } from '../../../record/record.js';
import { argument, argumentValue } from '../../call.js';
import type { KernelFacts } from '../../family.js';
import { tensorAt } from '../../operands.js';
import { elementAt } from '../../../containers/element.js';

/** Mode → op of the dispatcher, by the number of spatial dimensions. */
const OPS: Readonly<Record<string, readonly (string | null)[]>> = {
  nearest: ['upsample_nearest1d', 'upsample_nearest2d', 'upsample_nearest3d'],
  'nearest-exact': ['_upsample_nearest_exact1d', '_upsample_nearest_exact2d', '_upsample_nearest_exact3d'],
  linear: ['upsample_linear1d', null, null],
  bilinear: [null, 'upsample_bilinear2d', null],
  bicubic: [null, 'upsample_bicubic2d', null],
  trilinear: [null, null, 'upsample_trilinear3d'],
};

const listArg = (list: readonly number[]): Arg => ({ name: '', type: 'list', value: list });
const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };

/** One number for each dimension, or one for all; null when it is neither. */
function perDimension(given: ArgValue | undefined, rank: number): number[] | null {
  const list = Array.isArray(given) ? (given as readonly ArgValue[]) : [given];
  const numbers = list.filter((item): item is number => typeof item === 'number' && item > 0);
  if (numbers.length !== list.length || (numbers.length !== 1 && numbers.length !== rank)) return null;
  return Array.from({ length: rank }, (_, i) => numbers[i] ?? numbers[0] ?? 1);
}

/**
 * The call of the dispatcher; null when the extents of the result are unspecified, or the mode fits no op.
 * interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, …)
 */
export function interpolationCall(call: OpCall, { dir }: Pick<KernelFacts, 'dir'>): OpCall | null {
  const input = tensorAt(call, 'input', 0);
  const given = argumentValue(call, 'mode', 3) ?? 'nearest';
  const mode = typeof given === 'string' ? given : '';
  if (input === null) return null;
  const rank = input.shape.length - 2;
  const op = Object.hasOwn(OPS, mode) ? OPS[mode]?.[rank - 1] : undefined;
  if (typeof op !== 'string') return null;
  const own = input.shape.slice(2);
  const scales = perDimension(argumentValue(call, 'scale_factor', 2), rank);
  const size =
    perDimension(argumentValue(call, 'size', 1), rank) ??
    scales?.map((scale, i) => Math.floor(elementAt(own, i) * scale));
  if (size === undefined) return null;
  const corners = mode.startsWith('nearest') ? [] : [argument(call, 'align_corners', 4) ?? NOT_GIVEN];
  const rest = [...corners.map((arg): Arg => ({ ...arg, name: '' })), NOT_GIVEN];
  const tensor = (shape: readonly number[]): Arg => ({ name: '', type: 'tensor', shape, dtype: input.dtype });
  const args =
    dir === 'bprop'
      ? [tensor([...input.shape.slice(0, 2), ...size]), listArg(size), listArg(input.shape), ...rest]
      : [tensor(input.shape), listArg(size), ...rest];
  return { mod: 'aten', op: dir === 'bprop' ? `${op}_backward` : op, args, from: 'dispatcher' };
}
