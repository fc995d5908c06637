/** Dispatcher ops for layer, RMS, group and weight normalisation. */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';

/**
 * Operations per element, forward. Rows: mean, variance, subtraction, scaling (without a mean: square, sum, scaling), and
 * one for weights: fvcore's count. Channels: sum 1, square and its sum 2, scale and shift 2, which include the weights.
 */
export const FORWARD = { centred: 4, rms: 3, affine: 1, channels: 5 } as const;

/**
 * Operations per element, backward. The gradient of the input: the normalised input 2, sums of the gradient and of its
 * product with that 3, their removal 3, scaling 1; without a mean 1 + 2 + 2 + 1. For channels, the gradients of weight and
 * bias come from the same sums; for rows, they are separate sums.
 */
export const BACKWARD = { centred: 9, rms: 6, weighting: 1, weight: 2, bias: 1 } as const;

/** The forward operations that compute the statistics. The other operations apply them. */
export const STATISTICS = { rows: 2, channels: 3 } as const;

/**
 * The backward operations that compute the two sums (of the centred gradient: a difference, a product, two sums). The
 * other operations apply them.
 */
export const SUMS = { centred: 4, rms: 3 } as const;

/** Operations for only the normalised input. */
const NORMALISED = { centred: 2, rms: 1 } as const;

/** Normalisation with mean and variance, or only by the root mean square. */
export type NormKind = 'centred' | 'rms';

/** Element type of saved statistics: that of the accumulator. */
export const accumulated = (dtype: string): string => (/^(half|b?float16|float8)/.test(dtype) ? 'float32' : dtype);

/**
 * Number of elements that are normalised together: from `normalized_shape`, else from the weight, else from the last
 * dimension.
 */
function rowLength(bound: BoundCall, input: Tensor): number {
  const shape = bound.integers('normalized_shape') ?? bound.integers('length') ?? bound.tensor('weight')?.shape;
  return shape === undefined ? (input.shape.at(-1) ?? 1) : numel(shape);
}

function rows(bound: BoundCall, input: Tensor): number {
  const length = rowLength(bound, input);
  return length > 0 ? Math.ceil(numel(input.shape) / length) : 0;
}

const isAffine = (bound: BoundCall): boolean => bound.tensor('weight') !== null || bound.tensor('bias') !== null;

/** Operations per element of a forward pass over rows. */
export const forwardFlops = (kind: NormKind, bound: BoundCall): number =>
  FORWARD[kind] + (isAffine(bound) ? FORWARD.affine : 0);

const FORWARD_BYTES = 'bytes = input + parameters + result + saved statistics';

const forward = (kind: NormKind): RuleCost =>
  withTensors('input', (input, bound) => {
    const perElement = forwardFlops(kind, bound);
    const saved = tensor([rows(bound, input)], accumulated(input.dtype));
    return {
      flops: perElement * numel(input.shape),
      writes: [input, ...(kind === 'rms' ? [saved] : [saved, saved])],
      formula: `flops = ${perElement}·E; ${FORWARD_BYTES}`,
    };
  });

const groupForward = withTensors('input', (input, bound) => {
  const groups = bound.count('group');
  const saved = groups === null ? [] : [tensor([extentAt(input, 0), groups], input.dtype)];
  return {
    flops: FORWARD.channels * numel(input.shape),
    writes: [input, ...saved, ...saved],
    formula: `flops = ${FORWARD.channels}·E; ${FORWARD_BYTES}${groups === null ? ' (whose number is unspecified)' : ''}`,
  };
});

/** The gradients to compute: by output_mask, or all of the op when that is unspecified. */
interface WantedGradients {
  readonly input: boolean;
  readonly weight: boolean;
  readonly bias: boolean;
}

export function wantedGradients(bound: BoundCall, hasBias: boolean): WantedGradients {
  const mask = bound.value('output_mask');
  const weighted = bound.tensor('weight') !== null;
  if (!Array.isArray(mask)) return { input: true, weight: weighted, bias: weighted && hasBias };
  const [input, weight, bias] = mask as readonly unknown[];
  return { input: input === true, weight: weight === true, bias: bias === true };
}

/** The tensors that a backward pass writes. */
export const gradients = (want: WantedGradients, input: Tensor, parameter: Tensor): Tensor[] => [
  ...(want.input ? [input] : []),
  ...(want.weight ? [parameter] : []),
  ...(want.bias ? [parameter] : []),
];

const BACKWARD_BYTES = 'bytes = gradient + input + statistics + weight + the gradients computed';

const backward = (kind: NormKind): RuleCost =>
  withTensors('input', (input, bound) => {
    const weight = bound.tensor('weight');
    const want = wantedGradients(bound, kind === 'centred');
    const perElement =
      (want.input ? BACKWARD[kind] + (weight === null ? 0 : BACKWARD.weighting) : 0) +
      (want.weight ? BACKWARD.weight + (want.input ? 0 : NORMALISED[kind]) : 0) +
      (want.bias ? BACKWARD.bias : 0);
    return {
      flops: perElement * numel(input.shape),
      // No gradient reads the bias.
      reads: bound.tensorsOf('grad_out input mean rstd weight'),
      writes: gradients(want, input, weight ?? tensor([rowLength(bound, input)], input.dtype)),
      formula: `flops = ${perElement}·E; ${BACKWARD_BYTES}`,
    };
  });

const groupBackward = withTensors('input', (input, bound) => {
  const want = wantedGradients(bound, true);
  // Without the input's gradient, only two sums are needed: over the gradient, and over its product with the input.
  const perElement = want.input ? BACKWARD.centred : BACKWARD.weight + BACKWARD.bias;
  return {
    flops: perElement * numel(input.shape),
    writes: gradients(want, input, bound.tensor('weight') ?? tensor([extentAt(input, 1)], input.dtype)),
    formula: `flops = ${perElement}·E; ${BACKWARD_BYTES}`,
  };
});

/** v·g/‖v‖: squares and their sum, and the scaling. */
const weightNorm = withTensors('v g', (direction, length) => ({
  flops: 3 * numel(direction.shape),
  writes: [direction, tensor(length.shape, accumulated(length.dtype))],
  formula: 'flops = 3·E (square and sum, scale); bytes = v + g + result + norms',
}));

const weightNormBackward = withTensors('v g', (direction, length) => ({
  flops: 5 * numel(direction.shape),
  writes: [direction, length],
  formula:
    'flops = 5·E (sum of gradient·v, subtraction, scale); bytes = gradient + v + g + norms + gradients of v and g',
}));

export const LAYER_RULES = rules`
  // Older versions have the number of rows and their length instead of the normalised extents.
  ${forward('centred')} native_layer_norm layer_norm: @input normalized_shape @weight? @bias? eps
      | @input @weight? @bias? rows length eps
  ${forward('rms')} rms_norm _fused_rms_norm: @input normalized_shape @weight? eps
  ${groupForward} native_group_norm: @input @weight? @bias? N C HxW group eps
  ${groupForward} group_norm: @input group @weight? @bias? eps cudnn_enabled
  ${backward('centred')} native_layer_norm_backward: @grad_out @input normalized_shape @mean @rstd @weight? @bias?
      output_mask
      | @grad_out @input @mean @rstd @weight? rows length output_mask
  ${backward('rms')} _fused_rms_norm_backward: @grad_out @input normalized_shape @rstd @weight? output_mask
  ${groupBackward} native_group_norm_backward: @grad_out @input @mean @rstd @weight? N C HxW group output_mask
  // Older versions have "cuda" in the names.
  ${weightNorm} _weight_norm_interface _weight_norm_cuda_interface: @v @g dim
  ${weightNormBackward} _weight_norm_interface_backward _weight_norm_cuda_interface_backward: @grad_w @v @g @norms dim
`;
