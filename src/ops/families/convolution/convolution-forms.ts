/**
 * The dispatcher's convolutions: arguments of the ops and of their gradients, and the cost of the forward pass, with or
 * without recorded settings.
 *
 * Names: input `x`, weight `w`, gradient of the output `dy`; `x_size` and `w_size` are the extents of a gradient. Source:
 * aten/src/ATen/native/native_functions.yaml of torch 1.8 to 2.13.
 *
 * Without stride, padding and dilation, the number of output positions, and so the FLOPs, is unknown; a transposed
 * convolution needs only the positions of its input. The output's extents may still be known from its gradient
 * (`OpCall.out`).
 */
import { opTable, withTensors, type BoundCall, type OpRules, type RuleCost } from '../../schema/op-rules.js';
import { mapEntries } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { ArgValue } from '../../../record/record.js';
import type { BoundArguments } from '../../schema/binding.js';
import { shapeParams } from '../../product.js';
import { tensor, writing } from '../../work.js';
import {
  convolutionFlops,
  convolutionFormula,
  geometryOf,
  geometryParams,
  spatialRank,
  type Geometry,
} from './convolution-geometry.js';

interface ConvolutionForm {
  /** Number of spatial dimensions; null when the weight determines it. */
  readonly rank: number | null;
  /** Whether it is transposed; null when the argument `transposed` determines it. */
  readonly transposed: boolean | null;
}

/** A gradient that an op computes; a kernel has one of them as its role. */
export type Gradient = 'dgrad' | 'wgrad' | 'bias';

export interface GradientForm extends ConvolutionForm {
  /** Gradients that the op can compute, in the order of its `output_mask`. */
  readonly gives: readonly Gradient[];
}

const plain = (rank: number | null = null): ConvolutionForm => ({ rank, transposed: false });
const transposed = (rank: number | null = null): ConvolutionForm => ({ rank, transposed: true });
const EITHER: ConvolutionForm = { rank: null, transposed: null };

const PLAIN = '@x @w @bias? stride padding dilation groups';
const TRANSPOSED = '@x @w @bias? stride padding output_padding groups dilation';
const GENERAL = '@x @w @bias? stride padding dilation transposed output_padding groups';
const ADDED = '@x @w @z alpha @bias? stride padding dilation groups';
const SLOW = '@x @w kernel_size @bias? stride padding';
const LISTS = 'padding:list stride:list dilation:list groups:int';
const WIDENED = 'padding:list output_padding:list stride:list dilation:list groups:int';
const CUDNN_END = 'benchmark deterministic allow_tf32';
const MIOPEN_END = 'benchmark deterministic';

const FORWARD_FORMS = opTable<ConvolutionForm>`
  ${plain(1)} conv1d: ${PLAIN}
  ${plain(2)} conv2d: ${PLAIN}
  ${plain(3)} conv3d: ${PLAIN}
  ${transposed(1)} conv_transpose1d: ${TRANSPOSED}
  ${transposed(2)} conv_transpose2d: ${TRANSPOSED}
  ${transposed(3)} conv_transpose3d: ${TRANSPOSED}
  ${EITHER} convolution convolution_overrideable: ${GENERAL}
  ${EITHER} _convolution: ${GENERAL} benchmark deterministic cudnn_enabled allow_tf32
  ${plain()} _convolution_mode: ${PLAIN}
  ${plain()} cudnn_convolution: @x @w ${LISTS} ${CUDNN_END}
    | @x @w @bias? ${LISTS} ${MIOPEN_END}
    | @x @w ${LISTS} ${MIOPEN_END}
  ${transposed()} cudnn_convolution_transpose: @x @w ${WIDENED} ${CUDNN_END}
    | @x @w @bias? ${WIDENED} ${MIOPEN_END}
    | @x @w ${WIDENED} ${MIOPEN_END}
  ${plain()} cudnn_convolution_relu: ${PLAIN}
  ${plain()} cudnn_convolution_add_relu: ${ADDED}
  ${plain()} miopen_convolution: @x @w @bias? padding stride dilation groups ${MIOPEN_END}
  ${transposed()} miopen_convolution_transpose: @x @w @bias? padding output_padding stride dilation groups ${MIOPEN_END}
  ${plain()} miopen_depthwise_convolution: @x @w @bias? padding stride dilation groups ${MIOPEN_END}
  ${plain()} miopen_convolution_relu: ${PLAIN}
  ${plain()} miopen_convolution_add_relu: ${ADDED}
  ${plain()} mkldnn_convolution: @x @w @bias? padding stride dilation groups
  ${plain(2)} _nnpack_spatial_convolution: @x @w @bias? padding stride
  ${plain(2)} _slow_conv2d_forward thnn_conv2d thnn_conv2d_forward: ${SLOW}
  ${plain(3)} slow_conv3d slow_conv3d_forward: ${SLOW}
  ${plain(2)} slow_conv_dilated2d: ${SLOW} dilation
  ${plain(3)} slow_conv_dilated3d: ${SLOW} dilation
  ${transposed(2)} slow_conv_transpose2d: ${SLOW} output_padding dilation
  ${transposed(3)} slow_conv_transpose3d: ${SLOW} output_padding dilation
  ${plain(2)} thnn_conv_depthwise2d thnn_conv_depthwise2d_forward _conv_depthwise2d: ${SLOW} dilation
  ${plain(3)} conv_depthwise3d: ${SLOW} dilation
`;

const ALL: readonly Gradient[] = ['dgrad', 'wgrad', 'bias'];

const gradients = (form: ConvolutionForm, ...gives: readonly Gradient[]): GradientForm => ({ ...form, gives });
const [ofPlain, ofTransposed] = [gradients(plain(), ...ALL), gradients(transposed(), ...ALL)];
const [dgrad, wgrad] = [gradients(plain(), 'dgrad'), gradients(plain(), 'wgrad')];
const both = gradients(plain(), 'dgrad', 'wgrad');

const SETTINGS = 'padding stride dilation groups';
const SLOW_GRADIENT = '@dy @x @w kernel_size stride padding';
const SLOW_TRANSPOSED = `${SLOW_GRADIENT} output_padding dilation @columns? @ones?`;
/** Result tensors of an `out=` overload; None for a gradient that is not computed. */
const INTO = '!dgrad? !wgrad? !bias?';

const GENERAL_GRADIENTS = opTable<GradientForm>`
  ${gradients(EITHER, ...ALL)} convolution_backward:
    @dy @x @w bias_sizes stride padding dilation transposed output_padding groups output_mask
  ${gradients(EITHER, ...ALL)} convolution_backward_overrideable:
    @dy @x @w stride padding dilation transposed output_padding groups output_mask
  ${ofPlain} mkldnn_convolution_backward: @x @dy @w ${SETTINGS} output_mask
  ${dgrad} mkldnn_convolution_backward_input: x_size @dy @w ${SETTINGS} bias_defined
  ${wgrad} mkldnn_convolution_backward_weights: w_size @dy @x ${SETTINGS} bias_defined
  ${ofPlain} _slow_conv2d_backward: ${SLOW_GRADIENT} output_mask
    | ${SLOW_GRADIENT}
    | ${SLOW_GRADIENT} ${INTO}
    | ${SLOW_GRADIENT} @columns ${INTO}
  ${ofPlain} thnn_conv2d_backward slow_conv3d_backward: ${SLOW_GRADIENT} @columns? @ones? output_mask
    | ${SLOW_GRADIENT} @columns? output_mask
    | ${SLOW_GRADIENT} @columns? @ones? ${INTO}
    | ${SLOW_GRADIENT} @columns ${INTO}
  ${ofPlain} slow_conv_dilated2d_backward slow_conv_dilated3d_backward: ${SLOW_GRADIENT} dilation output_mask
  ${ofTransposed} slow_conv_transpose2d_backward slow_conv_transpose3d_backward: ${SLOW_TRANSPOSED} output_mask
    | ${SLOW_TRANSPOSED} ${INTO}
  ${both} thnn_conv_depthwise2d_backward _conv_depthwise2d_backward: ${SLOW_GRADIENT} dilation output_mask
    | ${SLOW_GRADIENT} dilation
  ${ofPlain} conv_depthwise3d_backward: ${SLOW_GRADIENT} dilation output_mask
`;

/** The gradients of a library's convolutions: one op for all of them, and one op for each. */
const libraryGradients = (library: string, end: string, gives: readonly Gradient[]) => opTable<GradientForm>`
  ${gradients(plain(), ...gives)} ${library}_backward: @x @dy @w ${SETTINGS} ${end} output_mask
  ${dgrad} ${library}_backward_input: x_size @dy @w ${SETTINGS} ${end}
  ${wgrad} ${library}_backward_weight: w_size @dy @x ${SETTINGS} ${end}
  ${gradients(plain(), 'bias')} ${library}_backward_bias: @dy
  ${gradients(transposed(), ...gives)} ${library}_transpose_backward:
    @x @dy @w padding output_padding stride dilation groups ${end} output_mask
  ${gradients(transposed(), 'dgrad')} ${library}_transpose_backward_input: @dy @w ${SETTINGS} ${end}
  ${gradients(transposed(), 'wgrad')} ${library}_transpose_backward_weight: w_size @dy @x ${SETTINGS} ${end}
`;

export const GRADIENT_FORMS = {
  ...GENERAL_GRADIENTS,
  ...libraryGradients('cudnn_convolution', CUDNN_END, ['dgrad', 'wgrad']),
  ...libraryGradients('miopen_convolution', MIOPEN_END, ALL),
  ...opTable<GradientForm>`
    ${ofPlain} miopen_depthwise_convolution_backward: @x @dy @w ${SETTINGS} ${MIOPEN_END} output_mask
    ${dgrad} miopen_depthwise_convolution_backward_input: x_size @dy @w ${SETTINGS} ${MIOPEN_END}
    ${wgrad} miopen_depthwise_convolution_backward_weight: w_size @dy @x ${SETTINGS} ${MIOPEN_END}
  `,
};

/** Arguments that determine the number of output positions. */
const SHAPE_SETTINGS = ['stride', 'padding', 'dilation', 'output_padding', 'transposed'] as const;

/** The arguments among these whose value is unspecified. */
const unspecifiedSettings = (bound: BoundArguments): string[] =>
  SHAPE_SETTINGS.filter((name) => bound.arg(name) !== undefined && bound.value(name) === undefined);

/** Whether the convolution is transposed; null when that is unspecified. */
export function isTransposed(bound: BoundArguments, form: ConvolutionForm): boolean | null {
  return form.transposed ?? bound.flag('transposed');
}

/** The number of groups: as recorded, else the input's channels divided by the weight's. */
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

/** The output, when it is recorded: by the tensor of an `out=` overload, or by the extents of its gradient. */
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

/** The cost with unspecified settings: FLOPs depend on the positions of the input if transposed, else of the output. */
function unspecifiedCost(bound: BoundCall, x: Tensor, w: Tensor, transposed: boolean | null, out: Tensor | null) {
  const rank = w.shape.length - 2;
  const counted = transposed === true ? x : transposed === false ? out : null;
  const batch = x.shape.length === rank + 1 ? 1 : extentAt(x, 0);
  const flops = counted === null ? null : convolutionFlops(batch, numel(counted.shape.slice(-rank)), w);
  // The argument is not among the settings when its value is neither true nor false.
  const direction = transposed === null ? ['transposed'] : [];
  const settings = [...new Set([...unspecifiedSettings(bound), ...direction])].join(', ');
  const unknown = `the call does not specify ${settings}, so the output's shape is unknown`;
  return { flops, ...writing(flops === null ? null : out, unknown) };
}

export const FORWARD_RULES: OpRules = mapEntries(FORWARD_FORMS, ({ fact, signatures }) => ({
  fact: convolved(fact),
  signatures,
}));
