/**
 * Normalisation over a batch, a layer, groups, instances or by a root mean square: the dispatcher's ops, and Python
 * functions that run them, some with several kernels that compute one part each.
 */
import { entryOf, named, type ByName } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { Arg, ArgValue, OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, OpCost, Work } from '../../family.js';
import { isDispatched } from '../../schema/dispatched.js';
import { inputTensors, integer, integers, tensorOf } from '../../operands.js';
import { pythonArguments } from '../../schema/binding.js';
import { ruleWork, type OpRules, rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { helperWork, tensor, tensorParams, workOf } from '../../work.js';
import { FUSED_RULES } from './fused-normalization.js';
import {
  accumulated,
  BACKWARD,
  FORWARD,
  LAYER_RULES,
  STATISTICS,
  SUMS,
  gradients,
  wantedGradients,
} from './layer-normalization.js';

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

/** Dispatcher ops for batch normalisation: PyTorch's, cuDNN's and MIOpen's, whole or in parts. */
const BATCH_RULES = rules`
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

const RULES: OpRules = { ...LAYER_RULES, ...BATCH_RULES, ...FUSED_RULES };
const SOURCE =
  'fvcore (rows, forward); otherwise the operations of the definition, a multiply-add counted as 2; PyTorch native_functions.yaml';

interface PythonForm {
  /** The dispatcher's op; it determines what has separate statistics: channels, channels of a sample, groups, rows. */
  readonly op: 'batch_norm' | 'instance_norm' | 'group_norm' | 'layer_norm' | 'rms_norm';
  /** The function's parameters in order. */
  readonly order: string;
  /**
   * Whether it uses the statistics of the batch when the argument is not passed; null when the argument has no default.
   */
  readonly training: boolean | null;
}

const form = (op: PythonForm['op'], order: string, training: boolean | null = null): PythonForm => ({
  ...{ op, order, training },
});

const CHANNELS = 'input weight bias running_mean running_var';

const PYTHON_FORMS: ByName<PythonForm> = {
  batch_norm: form('batch_norm', 'input running_mean running_var weight bias training', false),
  ...named(
    'torch.batch_norm native_batch_norm cudnn_batch_norm miopen_batch_norm _batch_norm_impl_index',
    form('batch_norm', `${CHANNELS} training`),
  ),
  instance_norm: form('instance_norm', 'input running_mean running_var weight bias use_input_stats', true),
  'torch.instance_norm': form('instance_norm', `${CHANNELS} use_input_stats`),
  group_norm: form('group_norm', 'input num_groups weight bias'),
  native_group_norm: form('group_norm', 'input weight bias N C HxW num_groups'),
  ...named('layer_norm native_layer_norm', form('layer_norm', 'input normalized_shape weight bias')),
  ...named('rms_norm _fused_rms_norm', form('rms_norm', 'input normalized_shape weight')),
};

const plain = (value: ArgValue, type: string = typeof value): Arg => ({ name: '', type, value });
const NOT_GIVEN = plain(null, 'NoneType');
const likeTensor = ({ shape, dtype }: Tensor): Arg => ({ name: '', type: 'tensor', shape, dtype });

/** A Python call: its arguments by name, and one of the statistics tensors that the forward pass saves. */
interface PythonCall {
  readonly op: PythonForm['op'];
  readonly input: Tensor;
  readonly given: (name: string) => Arg;
  readonly training: Arg;
  readonly saved: Tensor;
}

function read(call: OpCall, { op, order, training }: PythonForm): PythonCall | null {
  const find = pythonArguments(call, order);
  const given = (name: string): Arg => ({ ...(find(name) ?? NOT_GIVEN), name: '' });
  const input = tensorOf(find('input') ?? find('self'));
  if (input === null || inputTensors(call) === null) return null;
  const byDefault = training === null ? NOT_GIVEN : plain(training);
  const mode = find('training') ?? find('use_input_stats');
  const saved = tensor([statisticsOf(op, input, given)], accumulated(input.dtype));
  return { op, input, given, training: mode === undefined ? byDefault : { ...mode, name: '' }, saved };
}

/** Number of means that the op computes. */
function statisticsOf(op: PythonForm['op'], input: Tensor, given: PythonCall['given']): number {
  const samples = extentAt(input, 0);
  if (op === 'batch_norm') return input.shape[1] ?? samples;
  if (op === 'instance_norm') return samples * extentAt(input, 1);
  if (op === 'group_norm') return samples * (integer(given('num_groups').value) ?? 0);
  const row = integers(given('normalized_shape').value) ?? given('weight').shape ?? input.shape.slice(-1);
  return numel(row) > 0 ? Math.ceil(numel(input.shape) / numel(row)) : 0;
}

const isRows = (op: PythonForm['op']): boolean => op === 'layer_norm' || op === 'rms_norm';

const dispatched = (op: string, ...args: readonly Arg[]): OpCall => ({ mod: 'aten', op, from: 'dispatcher', args });

function forwardCall({ op, input, given, training }: PythonCall): OpCall {
  const [x, weight, bias] = [likeTensor(input), given('weight'), given('bias')];
  if (op === 'layer_norm') return dispatched(op, x, given('normalized_shape'), weight, bias, NOT_GIVEN);
  if (op === 'rms_norm') return dispatched(op, x, given('normalized_shape'), weight, NOT_GIVEN);
  if (op === 'group_norm') return dispatched(op, x, given('num_groups'), weight, bias);
  return dispatched(op, x, weight, bias, given('running_mean'), given('running_var'), training);
}

/** @param ofInput whether to compute the gradient of the input @param ofWeights those of weight and bias, if they exist */
function backwardCall({ op, input, given, training, saved }: PythonCall, ofInput: boolean, ofWeights: boolean): OpCall {
  const [x, weight, statistics] = [likeTensor(input), given('weight'), likeTensor(saved)];
  const [hasWeight, hasBias] = ['weight', 'bias'].map((name) => ofWeights && given(name).shape !== undefined);
  const mask = plain([ofInput, hasWeight === true, hasBias === true], 'list');
  const [shape, unspecified] = [given('normalized_shape'), NOT_GIVEN];
  if (op === 'layer_norm')
    return dispatched('native_layer_norm_backward', x, x, shape, statistics, statistics, weight, given('bias'), mask);
  if (op === 'rms_norm') return dispatched('_fused_rms_norm_backward', x, x, shape, statistics, weight, mask);
  if (op === 'group_norm') {
    const extents = [unspecified, unspecified, unspecified, given('num_groups')];
    return dispatched('native_group_norm_backward', x, x, statistics, statistics, weight, ...extents, mask);
  }
  const used = [given('running_mean'), given('running_var'), statistics, statistics, training, unspecified, mask];
  return dispatched('native_batch_norm_backward', x, x, weight, ...used);
}

type NormalizationPart = 'helper' | 'statistics' | 'sums' | 'weights' | 'application' | 'input' | 'whole';

/** The part of a normalisation that a kernel computes, by its name; the first match is used. */
const PARTS: readonly (readonly [RegExp, NormalizationPart])[] = [
  [/FusedParams/i, 'helper'],
  [/RowwiseMoments|collect_statistics|welford/i, 'statistics'],
  [/ComputeInternalGradients|backward_reduce/i, 'sums'],
  [/GammaBeta/i, 'weights'],
  [/grad_input/i, 'input'],
  [/LayerNorm(For|Back)ward|transform_input|backward_elemt/i, 'application'],
  [/(layer|group|batch|rms)_?norm|bn_[fb]w/i, 'whole'],
];

/**
 * By default the first kernel computes everything; a later elementwise kernel of a group norm applies the statistics. The
 * weight gradients of a group norm follow from the sums, without reading the input again.
 */
function partOf(op: PythonForm['op'], kernel: KernelFacts): NormalizationPart {
  const part = PARTS.find(([pattern]) => pattern.test(kernel.name))?.[1];
  if (part !== undefined) return part === 'weights' && op === 'group_norm' ? 'helper' : part;
  if (kernel.sub === 0) return 'whole';
  return op === 'group_norm' && /elementwise/.test(kernel.name) ? 'application' : 'helper';
}

type PartCost = Pick<OpCost, 'flops' | 'reads' | 'writes' | 'formula'>;

/** The cost of a kernel that only computes statistics, or only applies them. */
function forwardPart(part: 'statistics' | 'application', { op, input, given, saved }: PythonCall): PartCost {
  const statistics = op === 'rms_norm' ? [saved] : [saved, saved];
  const [first, elements] = [STATISTICS[isRows(op) ? 'rows' : 'channels'], numel(input.shape)];
  if (part === 'statistics')
    return {
      ...{ flops: first * elements, reads: [input], writes: statistics },
      formula: `flops = ${first}·E; bytes = input + statistics`,
    };
  const parameters = ['weight', 'bias'].map((name) => tensorOf(given(name))).filter((found) => found !== null);
  const affine = isRows(op) && parameters.length > 0 ? FORWARD.affine : 0;
  const whole = isRows(op) ? FORWARD[op === 'rms_norm' ? 'rms' : 'centred'] : FORWARD.channels;
  const perElement = whole - first + affine;
  return {
    ...{ flops: perElement * elements, reads: [input, ...parameters, ...statistics], writes: [input] },
    formula: `flops = ${perElement}·E; bytes = input + parameters + statistics + result`,
  };
}

/** The cost of a kernel that only computes the sums for the input's gradient, or only applies them. */
function backwardPart(part: 'sums' | 'application', { op, input, given, saved }: PythonCall): PartCost {
  const kind = op === 'rms_norm' ? 'rms' : 'centred';
  const statistics = kind === 'rms' ? [saved] : [saved, saved];
  const weight = tensorOf(given('weight'));
  const reads = [input, input, ...statistics, ...(weight === null ? [] : [weight])];
  const weighting = isRows(op) && weight !== null ? BACKWARD.weighting : 0;
  const perElement = part === 'sums' ? SUMS[kind] + weighting : BACKWARD[kind] - SUMS[kind];
  return {
    flops: perElement * numel(input.shape),
    reads: part === 'sums' ? reads : [...reads, ...statistics],
    writes: part === 'sums' ? statistics : [input],
    formula: `flops = ${perElement}·E; bytes = gradient + input + statistics + weight + sums${part === 'sums' ? '' : ' + gradient of the input'}`,
  };
}

/** PyProf's count of a batch norm: 8 operations per element. */
function batchOfPyprof({ input, given }: PythonCall, { dir }: KernelFacts): PartCost {
  const flops = 8 * numel(input.shape);
  const tensorsOf = (...names: string[]): Tensor[] =>
    names.map((name) => tensorOf(given(name))).filter((found) => found !== null);
  if (dir !== 'bprop') {
    const parameters = tensorsOf('weight', 'bias', 'running_mean', 'running_var');
    return {
      ...{ flops, reads: [input, ...parameters], writes: [input] },
      formula: 'flops = 8·E; bytes = input + parameters + result',
    };
  }
  return {
    ...{ flops, reads: [input, input, ...tensorsOf('weight')], writes: [input, ...tensorsOf('weight', 'bias')] },
    formula: 'flops = 8·E; bytes = input + gradient + weight + gradients of input, weight and bias',
  };
}

function pythonWork(call: OpCall, found: PythonForm, kernel: KernelFacts): Work | null {
  const python = read(call, found);
  if (python === null) return null;
  const { op } = python;
  const params = tensorParams(python.input);
  const costed = (cost: PartCost, source = SOURCE): Work => workOf({ ...cost, params, source });
  const part = partOf(op, kernel);
  if (part === 'helper') return helperWork(params, SOURCE);
  if (op === 'batch_norm' && kernel.convention === 'pyprof') return costed(batchOfPyprof(python, kernel), 'PyProf');
  if (kernel.dir !== 'bprop') {
    if (part === 'statistics' || part === 'application') return costed(forwardPart(part, python));
    return ruleWork(RULES, forwardCall(python), kernel, SOURCE);
  }
  if (part === 'sums' || part === 'application') return costed(backwardPart(part, python));
  const gradients = ruleWork(RULES, backwardCall(python, part !== 'weights', part !== 'input'), kernel, SOURCE);
  return gradients === null || part !== 'weights' ? gradients : { ...gradients, role: 'wgrad' };
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const python = isDispatched(call) ? undefined : entryOf(PYTHON_FORMS, call);
  return python === undefined ? ruleWork(RULES, call, kernel, SOURCE) : pythonWork(call, python, kernel);
}

export const normalization: Family = {
  id: 'normalization',
  title: 'Normalisation: batch, layer, group, instance, root mean square',
  category: 'normalization',
  ops: [...new Set([...Object.keys(PYTHON_FORMS), ...Object.keys(RULES)])],
  formulas: [
    'rows: flops = 4·E (5·E with weights), RMS 3·E (4·E with weight); channels: batch_norm 5·E + 6·C, 2·E with given statistics; group_norm 5·E; + E for an added residual, + E for a quantisation scale',
    'backward: input gradient 9·E (RMS 6·E), + E for rows with weight; gradient of a row weight 2·E, of its bias E',
    'bytes = input + parameters + result + statistics; backward: input + gradient + statistics + weight + gradients',
    'a Python call may run as several kernels (statistics, application, sums, weight gradients); the name of a kernel shows which part of the work it did',
    '`--convention pyprof`: batch_norm 8·E forward and backward; bytes without statistics',
  ],
  work,
};
