/**
 * Forward convolutions of the dispatcher, with or without recorded settings.
 *
 * Without stride, padding and dilation the positions of the output are not known, and with them the FLOPs; a transposed
 * convolution needs only the positions of its input. The output's extents may still be known
 * from its gradient (`OpCall.out`).
 */
import { entryOf } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { ArgValue, OpCall } from '../../../record/record.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import type { Work } from '../../family.js';
import { shapeParams } from '../../product.js';
import { tensor, workOf } from '../../work.js';
import type { OpRow } from '../../schema/op-table.js';
import { FORWARD_FORMS, type ConvolutionForm } from './convolution-forms.js';
import {
  CONVOLUTION_SOURCE,
  convolutionFlops,
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

const formulaOf = (transposed: boolean): string =>
  transposed
    ? 'flops = 2·N·C·prod(in)·(K/g)·prod(kernel), bytes = operands read + |y|'
    : 'flops = 2·N·K·prod(out)·(C/g)·prod(kernel), bytes = operands read + |y|';

/** The output, where it is recorded: of an `out=` overload, or by the extents of its gradient. */
function recordedOutput(call: OpCall, bound: BoundArguments, x: Tensor): Tensor | null {
  const [shape] = call.out ?? [];
  return bound.outs[0] ?? (shape?.length === x.shape.length ? tensor(shape, x.dtype) : null);
}

interface ConvolutionOperands {
  readonly bound: BoundArguments;
  readonly x: Tensor;
  readonly w: Tensor;
  readonly rank: number;
}

function operandsOf(call: OpCall, { fact, signatures }: OpRow<ConvolutionForm>): ConvolutionOperands | null {
  const bound = bind(call, ...signatures);
  const [x, w] = [bound?.tensor('x') ?? null, bound?.tensor('w') ?? null];
  const rank = w === null ? null : spatialRank(w, fact.rank);
  if (bound === null || x === null || w === null || rank === null) return null;
  return x.shape.length === rank + 2 || x.shape.length === rank + 1 ? { bound, x, w, rank } : null;
}

const shared = ({ bound, x, w }: ConvolutionOperands, transposed: boolean | null) => ({
  matmul: true,
  reads: bound.reads,
  params: shapeParams({ X: x, W: w }),
  formula: formulaOf(transposed === true),
  source: CONVOLUTION_SOURCE,
});

/** The work where all settings are known. */
function knownWork(operands: ConvolutionOperands, geometry: Geometry, transposed: boolean, out: Tensor | null): Work {
  const { x, w, rank } = operands;
  const { batch, filters, input, output } = geometry;
  const shape = [...(x.shape.length === rank + 1 ? [] : [batch]), filters, ...output];
  return workOf({
    ...shared(operands, transposed),
    params: geometryParams(geometry, x, w),
    flops: convolutionFlops(batch, numel(transposed ? input : output), w),
    writes: [tensor(shape, out?.dtype ?? x.dtype)],
  });
}

/** The work with unspecified settings: FLOPs need the positions of the input if transposed, else of the output. */
function unspecifiedWork(operands: ConvolutionOperands, transposed: boolean | null, out: Tensor | null): Work {
  const { bound, x, w, rank } = operands;
  const counted = transposed === true ? x : transposed === false ? out : null;
  const batch = x.shape.length === rank + 1 ? 1 : extentAt(x, 0);
  const flops = counted === null ? null : convolutionFlops(batch, numel(counted.shape.slice(-rank)), w);
  const cost = { ...shared(operands, transposed), flops };
  if (out !== null && flops !== null) return workOf({ ...cost, writes: [out] });
  const settings = unspecifiedSettings(bound).join(', ');
  const unknown = `${settings} of the convolution unspecified, so its output's extents are not known`;
  return workOf({ ...cost, writes: null, unknown });
}

/** The work of a dispatched convolution; null when the op is none, or its arguments do not fit. */
export function forwardConvolution(call: OpCall): Work | null {
  const form = entryOf(FORWARD_FORMS, call);
  const operands = form === undefined ? null : operandsOf(call, form);
  if (form === undefined || operands === null) return null;
  const transposed = isTransposed(operands.bound, form.fact);
  const out = recordedOutput(call, operands.bound, operands.x);
  if (transposed === null || unspecifiedSettings(operands.bound).length > 0)
    return unspecifiedWork(operands, transposed, out);
  const geometry = knownGeometry(operands.bound, operands.x, operands.w, transposed, operands.rank);
  return geometry === null ? null : knownWork(operands, geometry, transposed, out);
}
