/**
 * Batch normalisation ops of the dispatcher: PyTorch's own, cuDNN's and MIOpen's, whole or in parts.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { tensor, tensorParams } from '../../work.js';
import { accumulated, BACKWARD, FORWARD, gradients, wantedGradients } from './layer-normalization.js';
import type { OpCost } from '../../family.js';

/** With given statistics: one multiplication and one addition for each element. */
const WITH_STATISTICS = 2;

/** For each channel: mean, variance, ε added, reciprocal root, and the scale and shift computed from them. */
const PER_CHANNEL = 6;

/** Gradient of a scale and shift: one multiplication; the sums for weight and bias: subtraction, two sums, a product. */
const PASSED_ON = 1;
const SUMS = 4;

/** Application of the sums in a kernel of its own: together with them the whole gradient. */
const APPLICATION = BACKWARD.centred - SUMS;

/** The mode by a kernel's name, for calls where the argument is unspecified. */
const MODES: readonly (readonly [RegExp, boolean])[] = [
  [/bn_fw_tr|FwdTrain|BwdSpatial|collect_statistics|welford|bn_bw_/i, true],
  [/bn_fw_inf|FwdInfer/i, false],
];

/** Whether the statistics are those of the batch; null when neither the call nor the kernel's name determines it. */
function isTraining(bound: BoundCall): boolean | null {
  const training = bound.flag('training');
  if (training !== null) return training;
  // Statistics are saved in training only; otherwise the tensor is empty.
  const saved = bound.tensor('save_mean');
  if (saved !== null) return numel(saved.shape) > 0;
  return MODES.find(([pattern]) => pattern.test(bound.kernel.name))?.[1] ?? null;
}

const channelsOf = (input: Tensor): number => input.shape[1] ?? extentAt(input, 0);

const UNSPECIFIED = 'the argument training is unspecified';

/** @param mode fixed by the op, else null */
function forwardAmounts(bound: BoundCall, mode: boolean | null, channels: (input: Tensor) => number): OpCost | null {
  const input = bound.tensor('input');
  if (input === null) return null;
  const training = mode ?? isTraining(bound);
  const count = channels(input);
  const saved = tensor([count], accumulated(input.dtype));
  const running = bound.tensorsOf('running_mean running_var');
  const [subject, elements] = [input, numel(input.shape)];
  if (training === null) {
    const formula = 'bytes = input + parameters + result';
    return { params: tensorParams(subject), flops: null, writes: [input], formula, unknown: UNSPECIFIED };
  }
  if (!training) {
    const formula = `flops = ${WITH_STATISTICS}·E; bytes = input + parameters + result`;
    return { params: tensorParams(subject), flops: WITH_STATISTICS * elements, writes: [input], formula };
  }
  const perElement = FORWARD.channels;
  return {
    params: tensorParams(subject),
    flops: perElement * elements + PER_CHANNEL * count,
    writes: [input, ...running, saved, saved],
    formula: `flops = ${perElement}·E + ${PER_CHANNEL}·C; bytes = input + parameters + result + running and saved statistics`,
  };
}

const forward =
  (mode: boolean | null = null) =>
  (bound: BoundCall): OpCost | null =>
    forwardAmounts(bound, mode, channelsOf);

/** Every sample has statistics of its own. */
const instance = (bound: BoundCall): OpCost | null =>
  forwardAmounts(bound, null, (input) => channelsOf(input) * (input.shape.length > 1 ? extentAt(input, 0) : 1));

/** @param mode fixed by the op, else null */
const backward =
  (mode: boolean | null = null) =>
  (bound: BoundCall): OpCost | null => {
    const input = bound.tensor('input');
    if (input === null) return null;
    const training = mode ?? isTraining(bound);
    const want = wantedGradients(bound, true);
    const sums = want.weight || want.bias ? SUMS : 0;
    const parameter = bound.tensor('weight') ?? tensor([channelsOf(input)], input.dtype);
    const inTraining = want.input ? BACKWARD.centred : sums;
    const perElement = training === true ? inTraining : (want.input ? PASSED_ON : 0) + sums;
    const used = training === false ? 'running_mean running_var' : 'save_mean save_var';
    return {
      params: tensorParams(input),
      flops: training === null ? null : perElement * numel(input.shape),
      reads: bound.tensorsOf(`grad_out input weight ${used}`),
      writes: gradients(want, input, parameter),
      formula: `${training === null ? '' : `flops = ${perElement}·E; `}bytes = gradient + input + weight + statistics + the gradients computed`,
      ...(training === null ? { unknown: UNSPECIFIED } : {}),
    };
  };

/** Mean and reciprocal deviation of each channel. */
const statistics = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('input');
  if (input === null) return null;
  const saved = tensor([channelsOf(input)], accumulated(input.dtype));
  return {
    params: tensorParams(input),
    flops: 2 * numel(input.shape),
    writes: [saved, saved, ...bound.tensorsOf('running_mean running_var')],
    formula: 'flops = 2·E; bytes = input + statistics',
  };
};

const application = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('input');
  if (input === null) return null;
  const formula = `flops = ${WITH_STATISTICS}·E; bytes = input + parameters + statistics + result`;
  return { params: tensorParams(input), flops: WITH_STATISTICS * numel(input.shape), writes: [input], formula };
};

const gradientSums = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('input');
  if (input === null) return null;
  const sum = tensor([channelsOf(input)], accumulated(input.dtype));
  const parameter = bound.tensor('weight') ?? sum;
  const requested = ['input_g', 'weight_g', 'bias_g'].map((name) => bound.flag(name) !== false);
  const [inputGradient, weightGradient, biasGradient] = requested;
  return {
    params: tensorParams(input),
    flops: SUMS * numel(input.shape),
    reads: bound.tensorsOf('grad_out input mean invstd'),
    writes: [
      ...(inputGradient === true ? [sum, sum] : []),
      ...(weightGradient === true ? [parameter] : []),
      ...(biasGradient === true ? [parameter] : []),
    ],
    formula: `flops = ${SUMS}·E; bytes = gradient + input + statistics + sums`,
  };
};

const gradientApplication = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('input');
  if (input === null) return null;
  const formula = `flops = ${APPLICATION}·E; bytes = gradient + input + weight + statistics + sums + gradient of the input`;
  return { params: tensorParams(input), flops: APPLICATION * numel(input.shape), writes: [input], formula };
};

/** Statistics of several devices merged, without reading the input. */
const gathered = (bound: BoundCall): OpCost | null => {
  const [input, means] = [bound.tensor('input'), bound.tensor('mean')];
  if (input === null || means === null) return null;
  const merged = tensor(means.shape.slice(1), means.dtype);
  const running = bound.tensorsOf('running_mean running_var');
  return {
    params: tensorParams(means),
    // Variance from the reciprocal deviation 3, mean 2, distance of means 1, its square into the variance 3.
    flops: 9 * numel(means.shape),
    reads: bound.tensorsOf('mean invstd running_mean running_var counts'),
    writes: [merged, merged, ...running],
    formula: 'flops = 9·n (statistics gathered); bytes = statistics + running statistics + result',
  };
};

const PARAMETERS = '@input @weight? @bias? @running_mean? @running_var?';
const WITHOUT_RUNNING = '@input @weight? @bias? training momentum eps';
const LIBRARY = '@weight? @running_mean? @running_var? @save_mean? @save_var? eps @reserve?';
const NATIVE = '@grad_out @input @weight? @running_mean? @running_var? @save_mean? @save_var?';

/** Arguments as in PyTorch's native_functions.yaml. */
export const BATCH_RULES: OpRules = {
  ...ruleFor(
    'native_batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional',
    [`${PARAMETERS} training momentum eps`, WITHOUT_RUNNING],
    forward(),
  ),
  ...ruleFor('batch_norm _batch_norm_impl_index', `${PARAMETERS} training momentum eps cudnn_enabled`, forward()),
  ...ruleFor('instance_norm', `${PARAMETERS} training momentum eps cudnn_enabled`, instance),
  ...ruleFor('_batch_norm_with_update _batch_norm_with_update_functional', `${PARAMETERS} momentum eps`, forward(true)),
  ...ruleFor(
    '_native_batch_norm_legit_no_training _batch_norm_no_update',
    `${PARAMETERS} momentum eps`,
    forward(false),
  ),
  ...ruleFor('native_batch_norm_backward', `${NATIVE} training eps output_mask`, backward()),
  ...ruleFor('batch_norm_backward', `${NATIVE} training eps output_mask @reserve?`, backward()),
  // These two run in training only.
  ...ruleFor('cudnn_batch_norm_backward miopen_batch_norm_backward', `@input @grad_out ${LIBRARY}`, backward(true)),
  ...ruleFor('batch_norm_stats', '@input eps', statistics),
  ...ruleFor('batch_norm_update_stats', '@input @running_mean? @running_var? momentum', statistics),
  ...ruleFor('batch_norm_elemt', '@input @weight? @bias? @mean @invstd eps', application),
  ...ruleFor(
    'batch_norm_backward_reduce',
    '@grad_out @input @mean @invstd @weight? input_g weight_g bias_g',
    gradientSums,
  ),
  ...ruleFor(
    'batch_norm_backward_elemt',
    [
      '@grad_out @input @mean @invstd @weight? @sum_dy @sum_dy_xmu @count',
      '@grad_out @input @mean @invstd @weight? @mean_dy @mean_dy_xmu',
    ],
    gradientApplication,
  ),
  ...ruleFor(
    'batch_norm_gather_stats batch_norm_gather_stats_with_counts',
    '@input @mean @invstd @running_mean? @running_var? momentum eps @counts?',
    gathered,
  ),
};
