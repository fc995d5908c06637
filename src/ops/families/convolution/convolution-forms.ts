/**
 * Arguments of the dispatcher's convolutions and their gradients, by op.
 *
 * Names: input `x`, weight `w`, gradient of the output `dy`; `x_size` and `w_size` are the extents of a gradient.
 * Source: aten/src/ATen/native/native_functions.yaml of torch 1.8 to 2.13.
 */
import type { ByName } from '../../by-name.js';

/** A convolution; see `bind` for signatures. */
export interface ConvolutionForm {
  readonly signatures: readonly string[];
  /** Spatial dimensions; by default those of the weight. */
  readonly rank?: number;
  /** Whether it is transposed; by default the argument `transposed`. */
  readonly transposed?: boolean;
}

/** A gradient an op computes; each is a kernel's role. */
export type Gradient = 'dgrad' | 'wgrad' | 'bias';

export interface GradientForm extends ConvolutionForm {
  /** Gradients that the op can compute, in the order of its `output_mask`. */
  readonly gives: readonly Gradient[];
}

const PLAIN = ['@x @w @bias? stride padding dilation groups'];
const TRANSPOSED = ['@x @w @bias? stride padding output_padding groups dilation'];
const GENERAL = '@x @w @bias? stride padding dilation transposed output_padding groups';
const CUDNN_END = 'benchmark deterministic allow_tf32';
const MIOPEN_END = 'benchmark deterministic';
const SLOW = '@x @w kernel_size @bias? stride padding';

export const FORWARD_FORMS: ByName<ConvolutionForm> = {
  conv1d: { signatures: PLAIN, rank: 1, transposed: false },
  conv2d: { signatures: PLAIN, rank: 2, transposed: false },
  conv3d: { signatures: PLAIN, rank: 3, transposed: false },
  conv_transpose1d: { signatures: TRANSPOSED, rank: 1, transposed: true },
  conv_transpose2d: { signatures: TRANSPOSED, rank: 2, transposed: true },
  conv_transpose3d: { signatures: TRANSPOSED, rank: 3, transposed: true },
  convolution: { signatures: [GENERAL] },
  convolution_overrideable: { signatures: [GENERAL] },
  _convolution: { signatures: [`${GENERAL} benchmark deterministic cudnn_enabled allow_tf32`] },
  _convolution_mode: { signatures: PLAIN, transposed: false },
  cudnn_convolution: {
    signatures: [
      `@x @w padding:list stride:list dilation:list groups:int ${CUDNN_END}`,
      `@x @w @bias? padding:list stride:list dilation:list groups:int ${MIOPEN_END}`,
      `@x @w padding:list stride:list dilation:list groups:int ${MIOPEN_END}`,
    ],
    transposed: false,
  },
  cudnn_convolution_transpose: {
    signatures: [
      `@x @w padding:list output_padding:list stride:list dilation:list groups:int ${CUDNN_END}`,
      `@x @w @bias? padding:list output_padding:list stride:list dilation:list groups:int ${MIOPEN_END}`,
      `@x @w padding:list output_padding:list stride:list dilation:list groups:int ${MIOPEN_END}`,
    ],
    transposed: true,
  },
  cudnn_convolution_relu: { signatures: PLAIN, transposed: false },
  cudnn_convolution_add_relu: {
    signatures: ['@x @w @z alpha @bias? stride padding dilation groups'],
    transposed: false,
  },
  miopen_convolution: {
    signatures: [`@x @w @bias? padding stride dilation groups ${MIOPEN_END}`],
    transposed: false,
  },
  miopen_convolution_transpose: {
    signatures: [`@x @w @bias? padding output_padding stride dilation groups ${MIOPEN_END}`],
    transposed: true,
  },
  miopen_depthwise_convolution: {
    signatures: [`@x @w @bias? padding stride dilation groups ${MIOPEN_END}`],
    transposed: false,
  },
  miopen_convolution_relu: { signatures: PLAIN, transposed: false },
  miopen_convolution_add_relu: {
    signatures: ['@x @w @z alpha @bias? stride padding dilation groups'],
    transposed: false,
  },
  mkldnn_convolution: { signatures: ['@x @w @bias? padding stride dilation groups'], transposed: false },
  _nnpack_spatial_convolution: { signatures: ['@x @w @bias? padding stride'], rank: 2, transposed: false },
  _slow_conv2d_forward: { signatures: [SLOW], rank: 2, transposed: false },
  thnn_conv2d: { signatures: [SLOW], rank: 2, transposed: false },
  thnn_conv2d_forward: { signatures: [SLOW], rank: 2, transposed: false },
  slow_conv3d: { signatures: [SLOW], rank: 3, transposed: false },
  slow_conv3d_forward: { signatures: [SLOW], rank: 3, transposed: false },
  slow_conv_dilated2d: { signatures: [`${SLOW} dilation`], rank: 2, transposed: false },
  slow_conv_dilated3d: { signatures: [`${SLOW} dilation`], rank: 3, transposed: false },
  slow_conv_transpose2d: { signatures: [`${SLOW} output_padding dilation`], rank: 2, transposed: true },
  slow_conv_transpose3d: { signatures: [`${SLOW} output_padding dilation`], rank: 3, transposed: true },
  thnn_conv_depthwise2d: { signatures: [`${SLOW} dilation`], rank: 2, transposed: false },
  thnn_conv_depthwise2d_forward: { signatures: [`${SLOW} dilation`], rank: 2, transposed: false },
  _conv_depthwise2d: { signatures: [`${SLOW} dilation`], rank: 2, transposed: false },
  conv_depthwise3d: { signatures: [`${SLOW} dilation`], rank: 3, transposed: false },
};

const ALL: readonly Gradient[] = ['dgrad', 'wgrad', 'bias'];
const BOTH: readonly Gradient[] = ['dgrad', 'wgrad'];
const SLOW_GRADIENT = '@dy @x @w kernel_size stride padding';
/** Results of an `out=` overload; None for a gradient that is not computed. */
const INTO = '!dgrad? !wgrad? !bias?';

const GENERAL_GRADIENTS: ByName<GradientForm> = {
  convolution_backward: {
    signatures: ['@dy @x @w bias_sizes stride padding dilation transposed output_padding groups output_mask'],
    gives: ALL,
  },
  convolution_backward_overrideable: {
    signatures: ['@dy @x @w stride padding dilation transposed output_padding groups output_mask'],
    gives: ALL,
  },
  mkldnn_convolution_backward: {
    signatures: ['@x @dy @w padding stride dilation groups output_mask'],
    gives: ALL,
    transposed: false,
  },
  mkldnn_convolution_backward_input: {
    signatures: ['x_size @dy @w padding stride dilation groups bias_defined'],
    gives: ['dgrad'],
    transposed: false,
  },
  mkldnn_convolution_backward_weights: {
    signatures: ['w_size @dy @x padding stride dilation groups bias_defined'],
    gives: ['wgrad'],
    transposed: false,
  },
  _slow_conv2d_backward: {
    signatures: [
      `${SLOW_GRADIENT} output_mask`,
      SLOW_GRADIENT,
      `${SLOW_GRADIENT} ${INTO}`,
      `${SLOW_GRADIENT} @columns ${INTO}`,
    ],
    gives: ALL,
    transposed: false,
  },
  thnn_conv2d_backward: {
    signatures: [
      `${SLOW_GRADIENT} @columns? @ones? output_mask`,
      `${SLOW_GRADIENT} @columns? output_mask`,
      `${SLOW_GRADIENT} @columns? @ones? ${INTO}`,
      `${SLOW_GRADIENT} @columns ${INTO}`,
    ],
    gives: ALL,
    transposed: false,
  },
  slow_conv3d_backward: {
    signatures: [
      `${SLOW_GRADIENT} @columns? @ones? output_mask`,
      `${SLOW_GRADIENT} @columns? output_mask`,
      `${SLOW_GRADIENT} @columns? @ones? ${INTO}`,
      `${SLOW_GRADIENT} @columns ${INTO}`,
    ],
    gives: ALL,
    transposed: false,
  },
  slow_conv_dilated2d_backward: {
    signatures: [`${SLOW_GRADIENT} dilation output_mask`],
    gives: ALL,
    transposed: false,
  },
  slow_conv_dilated3d_backward: {
    signatures: [`${SLOW_GRADIENT} dilation output_mask`],
    gives: ALL,
    transposed: false,
  },
  slow_conv_transpose2d_backward: {
    signatures: [
      `${SLOW_GRADIENT} output_padding dilation @columns? @ones? output_mask`,
      `${SLOW_GRADIENT} output_padding dilation @columns? @ones? ${INTO}`,
    ],
    gives: ALL,
    transposed: true,
  },
  slow_conv_transpose3d_backward: {
    signatures: [
      `${SLOW_GRADIENT} output_padding dilation @columns? @ones? output_mask`,
      `${SLOW_GRADIENT} output_padding dilation @columns? @ones? ${INTO}`,
    ],
    gives: ALL,
    transposed: true,
  },
  thnn_conv_depthwise2d_backward: {
    signatures: [`${SLOW_GRADIENT} dilation output_mask`, `${SLOW_GRADIENT} dilation`],
    gives: BOTH,
    transposed: false,
  },
  _conv_depthwise2d_backward: {
    signatures: [`${SLOW_GRADIENT} dilation output_mask`, `${SLOW_GRADIENT} dilation`],
    gives: BOTH,
    transposed: false,
  },
  conv_depthwise3d_backward: { signatures: [`${SLOW_GRADIENT} dilation output_mask`], gives: ALL, transposed: false },
};

/** The gradients of a library's convolutions, one op for all of them and one for each. */
function libraryGradients(prefix: string, end: string, gives: readonly Gradient[]): ByName<GradientForm> {
  const settings = `padding stride dilation groups ${end}`;
  const widened = `padding output_padding stride dilation groups ${end}`;
  return {
    [`${prefix}_backward`]: { signatures: [`@x @dy @w ${settings} output_mask`], gives, transposed: false },
    [`${prefix}_backward_input`]: { signatures: [`x_size @dy @w ${settings}`], gives: ['dgrad'], transposed: false },
    [`${prefix}_backward_weight`]: { signatures: [`w_size @dy @x ${settings}`], gives: ['wgrad'], transposed: false },
    [`${prefix}_backward_bias`]: { signatures: ['@dy'], gives: ['bias'], transposed: false },
    [`${prefix}_transpose_backward`]: { signatures: [`@x @dy @w ${widened} output_mask`], gives, transposed: true },
    [`${prefix}_transpose_backward_input`]: { signatures: [`@dy @w ${settings}`], gives: ['dgrad'], transposed: true },
    [`${prefix}_transpose_backward_weight`]: {
      signatures: [`w_size @dy @x ${settings}`],
      gives: ['wgrad'],
      transposed: true,
    },
  };
}

const MIOPEN = libraryGradients('miopen_convolution', MIOPEN_END, ALL);

export const GRADIENT_FORMS: ByName<GradientForm> = {
  ...GENERAL_GRADIENTS,
  ...libraryGradients('cudnn_convolution', CUDNN_END, BOTH),
  ...MIOPEN,
  ...Object.fromEntries(
    ['_backward', '_backward_input', '_backward_weight'].map((end) => [
      `miopen_depthwise_convolution${end}`,
      MIOPEN[`miopen_convolution${end}`] ?? { signatures: [], gives: [] },
    ]),
  ),
};
