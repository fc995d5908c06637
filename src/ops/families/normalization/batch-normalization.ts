/** Batch normalisation ops of the dispatcher: PyTorch's, cuDNN's and MIOpen's, whole or in parts. */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';
import { accumulated, BACKWARD, FORWARD, gradients, STATISTICS, SUMS, wantedGradients } from './layer-normalization.js';

/** Operations per element when the statistics are given: a multiplication and an addition. */
const WITH_STATISTICS = 2;

/** For each channel: mean, variance, addition of ε, reciprocal root, and the scale and shift computed from them. */
const PER_CHANNEL = 6;

/** Gradient of a scale and shift: one multiplication. */
const PASSED_ON = 1;

/** A separate kernel applies the sums; together they are the whole gradient. */
const APPLICATION = BACKWARD.centred - SUMS.centred;

/** The mode by a kernel's name, for calls with an unspecified argument. */
const MODES: readonly (readonly [RegExp, boolean])[] = [
  [/bn_fw_tr|FwdTrain|BwdSpatial|collect_statistics|welford|bn_bw_/i, true],
  [/bn_fw_inf|FwdInfer/i, false],
];

/** Whether the batch's statistics are used; null when neither the call nor the kernel's name determines it. */
function isTraining(bound: BoundCall): boolean | null {
  const training = bound.flag('training');
  if (training !== null) return training;
  // Statistics are saved only in training; otherwise the tensor is empty.
  const saved = bound.tensor('save_mean');
  if (saved !== null) return numel(saved.shape) > 0;
  return MODES.find(([pattern]) => pattern.test(bound.kernel.name))?.[1] ?? null;
}

const channelsOf = (input: Tensor): number => input.shape[1] ?? extentAt(input, 0);

const UNSPECIFIED = 'the argument training is unspecified';

/** `mode` is null unless the op fixes it; `channels` returns how many groups have separate statistics. */
const forward = (mode: boolean | null = null, channels = channelsOf): RuleCost =>
  withTensors('input', (input, bound) => {
    const training = mode ?? isTraining(bound);
    const [elements, bytes] = [numel(input.shape), 'bytes = input + parameters + result'];
    if (training === null) return { flops: null, writes: [input], formula: bytes, unknown: UNSPECIFIED };
    if (!training) return withGivenStatistics(input, bytes);
    const count = channels(input);
    const saved = tensor([count], accumulated(input.dtype));
    return {
      flops: FORWARD.channels * elements + PER_CHANNEL * count,
      writes: [input, ...bound.tensorsOf('running_mean running_var'), saved, saved],
      formula: `flops = ${FORWARD.channels}·E + ${PER_CHANNEL}·C; ${bytes} + running and saved statistics`,
    };
  });

const withGivenStatistics = (input: Tensor, bytes: string) => ({
  flops: WITH_STATISTICS * numel(input.shape),
  writes: [input],
  formula: `flops = ${WITH_STATISTICS}·E; ${bytes}`,
});

/** Every sample has separate statistics. */
const instance = forward(null, (input) => channelsOf(input) * (input.shape.length > 1 ? extentAt(input, 0) : 1));

/** @param mode the mode if the op fixes it, else null */
const backward = (mode: boolean | null = null): RuleCost =>
  withTensors('input', (input, bound) => {
    const training = mode ?? isTraining(bound);
    const want = wantedGradients(bound, true);
    const sums = want.weight || want.bias ? SUMS.centred : 0;
    const inTraining = want.input ? BACKWARD.centred : sums;
    const perElement = training === true ? inTraining : (want.input ? PASSED_ON : 0) + sums;
    const used = training === false ? 'running_mean running_var' : 'save_mean save_var';
    const bytes = 'bytes = gradient + input + weight + statistics + the gradients computed';
    return {
      reads: bound.tensorsOf(`grad_out input weight ${used}`),
      writes: gradients(want, input, bound.tensor('weight') ?? tensor([channelsOf(input)], input.dtype)),
      ...(training === null
        ? { flops: null, formula: bytes, unknown: UNSPECIFIED }
        : { flops: perElement * numel(input.shape), formula: `flops = ${perElement}·E; ${bytes}` }),
    };
  });

/** Mean and reciprocal deviation of each channel. */
const statistics = withTensors('input', (input, bound) => {
  const saved = tensor([channelsOf(input)], accumulated(input.dtype));
  return {
    flops: STATISTICS.channels * numel(input.shape),
    writes: [saved, saved, ...bound.tensorsOf('running_mean running_var')],
    formula: `flops = ${STATISTICS.channels}·E; bytes = input + statistics`,
  };
});

const application = withTensors('input', (input) =>
  withGivenStatistics(input, 'bytes = input + parameters + statistics + result'),
);

const gradientSums = withTensors('input', (input, bound) => {
  const sum = tensor([channelsOf(input)], accumulated(input.dtype));
  const parameter = bound.tensor('weight') ?? sum;
  const results = { input_g: [sum, sum], weight_g: [parameter], bias_g: [parameter] };
  return {
    flops: SUMS.centred * numel(input.shape),
    reads: bound.tensorsOf('grad_out input mean invstd'),
    writes: Object.entries(results).flatMap(([name, written]) => (bound.flag(name) === false ? [] : written)),
    formula: `flops = ${SUMS.centred}·E; bytes = gradient + input + statistics + sums`,
  };
});

const gradientApplication = withTensors('input', (input) => ({
  flops: APPLICATION * numel(input.shape),
  writes: [input],
  formula: `flops = ${APPLICATION}·E; bytes = gradient + input + weight + statistics + sums + gradient of the input`,
}));

/** Statistics of several devices are merged, without reading the input. */
const gathered = withTensors('mean input', (means, _, bound) => {
  const merged = tensor(means.shape.slice(1), means.dtype);
  return {
    // Variance from the reciprocal deviation 3, mean 2, distance of means 1, its square added to the variance 3.
    flops: 9 * numel(means.shape),
    reads: bound.tensorsOf('mean invstd running_mean running_var counts'),
    writes: [merged, merged, ...bound.tensorsOf('running_mean running_var')],
    formula: 'flops = 9·n (statistics gathered); bytes = statistics + running statistics + result',
  };
});

const PARAMETERS = '@input @weight? @bias? @running_mean? @running_var?';
const WITHOUT_RUNNING = '@input @weight? @bias? training momentum eps';
const LIBRARY = '@weight? @running_mean? @running_var? @save_mean? @save_var? eps @reserve?';
const NATIVE = '@grad_out @input @weight? @running_mean? @running_var? @save_mean? @save_var?';

export const BATCH_RULES = rules`
  ${forward()} native_batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit
      _native_batch_norm_legit_functional: ${PARAMETERS} training momentum eps
      | ${WITHOUT_RUNNING}
  ${forward()} batch_norm _batch_norm_impl_index: ${PARAMETERS} training momentum eps cudnn_enabled
  ${instance} instance_norm: ${PARAMETERS} training momentum eps cudnn_enabled
  ${forward(true)} _batch_norm_with_update _batch_norm_with_update_functional: ${PARAMETERS} momentum eps
  ${forward(false)} _native_batch_norm_legit_no_training _batch_norm_no_update: ${PARAMETERS} momentum eps
  ${backward()} native_batch_norm_backward: ${NATIVE} training eps output_mask
  ${backward()} batch_norm_backward: ${NATIVE} training eps output_mask @reserve?
  // These two run only in training.
  ${backward(true)} cudnn_batch_norm_backward miopen_batch_norm_backward: @input @grad_out ${LIBRARY}
  ${statistics} batch_norm_stats: @input eps
  ${statistics} batch_norm_update_stats: @input @running_mean? @running_var? momentum
  ${application} batch_norm_elemt: @input @weight? @bias? @mean @invstd eps
  ${gradientSums} batch_norm_backward_reduce: @grad_out @input @mean @invstd @weight? input_g weight_g bias_g
  ${gradientApplication} batch_norm_backward_elemt: @grad_out @input @mean @invstd @weight? @sum_dy @sum_dy_xmu @count
      | @grad_out @input @mean @invstd @weight? @mean_dy @mean_dy_xmu
  ${gathered} batch_norm_gather_stats batch_norm_gather_stats_with_counts: @input @mean @invstd @running_mean?
      @running_var? momentum eps @counts?
`;
