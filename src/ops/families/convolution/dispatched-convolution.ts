/**
 * Forward convolutions of the dispatcher, with or without recorded settings.
 *
 * Without stride, padding and dilation the positions of the output are not known, and with them the FLOPs; a transposed
 * convolution needs only the positions of its input. The output's extents may still be known
 * from its gradient (`OpCall.out`).
 */
import { mapEntries } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { ArgValue } from '../../../record/record.js';
import type { BoundArguments } from '../../schema/binding.js';
import { withTensors, type BoundCall, type OpRules, type RuleCost } from '../../schema/op-rules.js';
import { shapeParams } from '../../product.js';
import { tensor, writing } from '../../work.js';
import { FORWARD_FORMS, type ConvolutionForm } from './convolution-forms.js';
import {
  convolutionFlops,
  convolutionFormula,
  geometryOf,
  geometryParams,
  spatialRank,
  type Geometry,
} from './convolution-geometry.js';

/** Arguments that determine the number of output positions. */
const SHAPE_SETTINGS = ['stride', 'padding', 'dilation', 'output_padding', 'transposed'] as const;

/** Names of those arguments whose value is unspecified. */
const unspecifiedSettings = (bound: BoundArguments): string[] =>
  SHAPE_SETTINGS.filter((name) => bound.arg(name) !== undefined && bound.value(name) === undefined);

/** Whether the convolution is transposed; null when that is unspecified. */
export function isTransposed(bound: BoundArguments, form: ConvolutionForm): boolean | null {
  return form.transposed ?? bound.flag('transposed');
}

/** The groups: as recorded, else the input's channels divided by the weight's. */
function groupsOf(bound: BoundArguments, channels: number, w: Tensor, transposed: boolean): ArgValue {
  const groups = bound.value('groups');
  if (groups !== undefined) return groups;
  const [, second = 0] = w.shape;
  return transposed || second === 0 ? 1 : channels / second;
}

/** The geometry of the convolution; null when a setting is unspecified, or the numbers do not fit. */
export function knownGeometry(
  bound: BoundArguments,
  x: Tensor,
  w: Tensor,
  transposed: boolean,
  rank: number,
): Geometry | null {
  if (unspecifiedSettings(bound).length > 0) return null;
  const channels = extentAt(x, -rank - 1);
  const at = (name: string): ArgValue | undefined =>
    name === 'groups' ? groupsOf(bound, channels, w, transposed) : (bound.value(name) ?? undefined);
  return geometryOf(at, rank, x, w, transposed);
}

/** The output, where it is recorded: of an `out=` overload, or by the extents of its gradient. */
function recordedOutput({ call, outs }: BoundCall, x: Tensor): Tensor | null {
  const [shape] = call.out ?? [];
  return outs[0] ?? (shape?.length === x.shape.length ? tensor(shape, x.dtype) : null);
}

const convolved = (form: ConvolutionForm): RuleCost =>
  withTensors('x w', (x, w, bound) => {
    const rank = spatialRank(w, form.rank);
    if (rank === null || (x.shape.length !== rank + 2 && x.shape.length !== rank + 1)) return null;
    const transposed = isTransposed(bound, form);
    const out = recordedOutput(bound, x);
    const cost = { matmul: true, formula: convolutionFormula(transposed === true, 'operands read') };
    if (transposed === null || unspecifiedSettings(bound).length > 0)
      return { ...cost, params: shapeParams({ X: x, W: w }), ...unspecifiedCost(bound, x, w, transposed, out) };
    const geometry = knownGeometry(bound, x, w, transposed, rank);
    if (geometry === null) return null;
    const { batch, filters, input, output } = geometry;
    const shape = [...(x.shape.length === rank + 1 ? [] : [batch]), filters, ...output];
    return {
      ...cost,
      params: geometryParams(geometry, x, w),
      flops: convolutionFlops(batch, numel(transposed ? input : output), w),
      writes: [tensor(shape, out?.dtype ?? x.dtype)],
    };
  });

/** The cost with unspecified settings: FLOPs need the positions of the input if transposed, else of the output. */
function unspecifiedCost(bound: BoundCall, x: Tensor, w: Tensor, transposed: boolean | null, out: Tensor | null) {
  const rank = w.shape.length - 2;
  const counted = transposed === true ? x : transposed === false ? out : null;
  const batch = x.shape.length === rank + 1 ? 1 : extentAt(x, 0);
  const flops = counted === null ? null : convolutionFlops(batch, numel(counted.shape.slice(-rank)), w);
  // Not among the settings where the value is none: neither true nor false.
  const direction = transposed === null ? ['transposed'] : [];
  const settings = [...new Set([...unspecifiedSettings(bound), ...direction])].join(', ');
  const unknown = `${settings} of the convolution unspecified, so its output's extents are not known`;
  return { flops, ...writing(flops === null ? null : out, unknown) };
}

export const FORWARD_RULES: OpRules = mapEntries(FORWARD_FORMS, ({ fact, signatures }) => ({
  fact: convolved(fact),
  signatures,
}));
