/**
 * Losses: the dispatcher's ops, and functions of torch.nn.functional that run them. When PyTorch reduces with a separate op
 * (mean, sum), that op has the reduction's work.
 */
import { largest } from '../../../containers/element.js';
import type { Arg, OpCall } from '../../../record/record.js';
import { entryOf, type ByName } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { kernelKind } from '../../kernels/kernel-name.js';
import { inputTensors, opName, tensorAt } from '../../operands.js';
import { isDispatched } from '../../schema/dispatched.js';
import { ruleWork, rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { promote } from '../../schema/promotion.js';
import { pythonArguments } from '../../schema/binding.js';
import { helperWork, tensor, tensorParams, total, workOf } from '../../work.js';
import { softmaxWork } from './softmax.js';

/** No reduction, as the dispatcher's number; 1 is the mean, 2 the sum. */
const NONE = 0;

/** One result for each element, before any reduction. */
const each = (perElement: number): RuleCost =>
  withTensors('self target', (input, target, bound) => {
    const flops = perElement + bound.tensors('weight').length;
    return {
      flops: flops * numel(input.shape),
      writes: [tensor(input.shape, promote([input, target]))],
      formula: `flops = ${flops}·E; bytes = input + target + one result per element (their mean or sum is a separate op)`,
    };
  });

/** Includes the mean or sum in the same op, for ops that later versions split. */
const reduced = (perElement: number): RuleCost =>
  withTensors('self target', (input, target, bound) => {
    const isReduced = bound.count('reduction') !== NONE;
    const flops = perElement + bound.tensors('weight').length + (isReduced ? 1 : 0);
    const result = tensor(isReduced ? [] : input.shape, promote([input, target]));
    const formula = `flops = ${flops}·E; bytes = input + target + result`;
    return { flops: flops * numel(input.shape), writes: [result], formula };
  });

/** The gradient of the input, from the gradient of the result and both operands. */
const eachBackward = (perElement: number): RuleCost =>
  withTensors('self target', (input, _, bound) => {
    const flops = perElement + bound.tensors('weight').length;
    const formula = `flops = ${flops}·E; bytes = gradient + input + target + gradient of the input`;
    return { flops: flops * numel(input.shape), writes: [input], formula };
  });

/** −y·g, which does not depend on the input. */
const divergenceBackward = withTensors('self target', (input, _, bound) => ({
  flops: 2 * numel(input.shape),
  reads: bound.tensorsOf('grad_output target'),
  writes: [input],
  formula: 'flops = 2·E (product, sign); bytes = gradient + target + gradient of the input',
}));

/** Each target picks one element of a class; with weights there is one more product. */
const picked = withTensors('self target', (input, target, bound) => {
  if (numel(target.shape) > numel(input.shape)) return null;
  const weights = bound.tensors('weight');
  const [elements, scalar] = [tensor(target.shape, input.dtype), tensor([], input.dtype)];
  return {
    flops: (1 + weights.length) * numel(target.shape),
    reads: [target, elements, ...weights],
    writes: [bound.count('reduction') === NONE ? elements : scalar, scalar],
    formula: 'flops = n (2·n with weights); bytes = targets + one element per target + weights + result + total weight',
  };
});

/** Ascend's kernel also writes the zeros of the gradient. Source: formula of aclnnNLLLossBackward. */
const WRITES_ZEROS = /NLLLossGrad/i;

/** One element of the gradient for each target; on GPUs, a separate op or kernel writes the zeros before. */
const pickedBackward = withTensors('self target', (input, target, bound) => {
  if (numel(target.shape) > numel(input.shape)) return null;
  const byName = WRITES_ZEROS.test(bound.kernel.name);
  return {
    byName,
    flops: (1 + bound.tensors('weight').length) * numel(target.shape),
    reads: bound.tensorsOf('grad_output target weight total_weight'),
    writes: [byName ? input : tensor(target.shape, input.dtype)],
    formula:
      'flops = n (2·n with weights); bytes = gradient + targets + weights + one element per target (Ascend: the whole gradient)',
  };
});

/**
 * For each state and time step: the maximum of three, their differences, exponentials, sum, logarithm, and the probability.
 */
const CTC_FLOPS = 13;

/** Number of states of one target: a blank between any two labels, and at both ends. */
function ctcStates(bound: BoundCall, batch: number): number | null {
  const known = bound.tensor('log_alpha')?.shape.at(-1);
  if (known !== undefined) return known;
  const labels = bound.tensor('targets')?.shape;
  const lengths = bound.integers('target_lengths');
  const longest = labels?.length === 2 ? labels[1] : lengths?.length === batch ? largest(lengths) : undefined;
  return longest === undefined ? null : 2 * longest + 1;
}

const ctc = (passes: number): RuleCost =>
  withTensors('log_probs', (input, bound) => {
    const [steps, batch] = [extentAt(input, 0), input.shape.length > 2 ? extentAt(input, 1) : 1];
    const states = ctcStates(bound, batch);
    const formula = `flops = ${CTC_FLOPS}·N·T·S, S = 2·target length + 1; bytes = probabilities + targets + states${passes > 1 ? ' + gradient' : ''}`;
    if (states === null) return { flops: null, writes: null, formula, unknown: 'the longest target is unspecified' };
    const alpha = tensor([batch, steps, states], input.dtype);
    const writes = [alpha, passes > 1 ? input : tensor([batch], input.dtype)];
    return { flops: CTC_FLOPS * numel(alpha.shape), writes, formula };
  });

const PAIR = '@self @target';
const NLL = '@self @target @weight? reduction ignore_index';
const CTC = '@log_probs @targets @input_lengths? @target_lengths?';

const LOSS_RULES = rules`
  // (x − y)²; difference, norm, gradient
  ${each(2)} mse_loss: ${PAIR} reduction
  ${eachBackward(3)} mse_loss_backward: @grad_output ${PAIR} reduction
  // difference, absolute value, comparison, square, scale; difference, comparison, quotient, norm, gradient
  ${each(5)} smooth_l1_loss: ${PAIR} reduction beta
  ${eachBackward(5)} smooth_l1_loss_backward: @grad_output ${PAIR} reduction beta
  ${each(5)} huber_loss: ${PAIR} reduction delta
  ${eachBackward(5)} huber_loss_backward: @grad_output ${PAIR} reduction delta
  // y·log x + (1 − y)·log(1 − x); (x − y)/max(x·(1 − x), ε), gradient, norm
  ${each(7)} binary_cross_entropy: ${PAIR} @weight? reduction
  ${eachBackward(7)} binary_cross_entropy_backward: @grad_output ${PAIR} @weight? reduction
  // margin − y's element + element, comparison, sum
  ${each(4)} multi_margin_loss: ${PAIR} p margin @weight? reduction
  ${eachBackward(3)} multi_margin_loss_backward: @grad_output ${PAIR} p margin @weight? reduction
  // |x − y|; y·(log y − x); max(x, 0) − x·y + log(1 + exp(−|x|))
  ${reduced(2)} l1_loss: ${PAIR} reduction
  ${reduced(3)} kl_div: ${PAIR} reduction log_target
  ${reduced(8)} binary_cross_entropy_with_logits: ${PAIR} @weight? @pos_weight? reduction
  // Older versions run these as one op; later ones split them up. Sign of the difference, gradient, norm:
  ${eachBackward(3)} l1_loss_backward: @grad_output ${PAIR} reduction
  ${divergenceBackward} kl_div_backward: @grad_output ${PAIR} reduction log_target
  ${picked} nll_loss nll_loss2d nll_loss_nd nll_loss_forward nll_loss2d_forward: ${NLL}
  ${pickedBackward} nll_loss_backward nll_loss2d_backward: @grad_output ${NLL} @total_weight
  ${ctc(1)} _ctc_loss: ${CTC} blank zero_infinity
      | @log_probs @targets input_lengths target_lengths blank zero_infinity
  // These compute the gradient immediately, in a separate workspace.
  ${ctc(2)} _cudnn_ctc_loss miopen_ctc_loss: ${CTC} blank deterministic zero_infinity
      | @log_probs @targets input_lengths target_lengths blank deterministic zero_infinity
  ${ctc(2)} _ctc_loss_backward: @grad @log_probs @targets input_lengths target_lengths @neg_log_likelihood @log_alpha
      blank zero_infinity
      | @grad ${CTC} @neg_log_likelihood @log_alpha blank zero_infinity
`;

const SOURCE = 'per element: the operations of the definition; arguments: PyTorch native_functions.yaml';

/** Argument order of torch.nn.functional, when it differs from the dispatcher's. */
const ORDERS: ByName<string> = {
  mse_loss: 'input target size_average reduce reduction weight',
  smooth_l1_loss: 'input target size_average reduce reduction beta',
  l1_loss: 'input target size_average reduce reduction',
  kl_div: 'input target size_average reduce reduction log_target',
  binary_cross_entropy: 'input target weight size_average reduce reduction',
  binary_cross_entropy_with_logits: 'input target weight size_average reduce reduction pos_weight',
  nll_loss: 'input target weight size_average ignore_index reduce reduction',
  cross_entropy: 'input target weight size_average ignore_index reduce reduction label_smoothing',
};

const REDUCTIONS = ['none', 'mean', 'sum'];

/** A Python loss: its operands, and the reduction as the dispatcher's number. */
interface PythonLoss {
  readonly input: Arg;
  readonly target: Arg;
  readonly weight: Arg;
  readonly reduction: number;
}

function read(call: OpCall): PythonLoss | null {
  const isFunctional = call.mod === 'torch.nn.functional';
  const order = (isFunctional ? entryOf(ORDERS, call) : undefined) ?? 'input target reduction';
  const given = pythonArguments(call, order);
  const [input, target] = [given('input') ?? given('self'), given('target')];
  if (input?.shape === undefined || target?.shape === undefined || inputTensors(call) === null) return null;
  const { value } = given('reduction') ?? {};
  const reduction = typeof value === 'number' ? value : REDUCTIONS.indexOf(String(value));
  return { input, target, weight: given('weight') ?? NOT_GIVEN, reduction: reduction in REDUCTIONS ? reduction : 1 };
}

const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };
const number = (value: number): Arg => ({ name: '', type: 'int', value });
const plain = (arg: Arg): Arg => ({ ...arg, name: '' });
const like = ({ dtype = 'na' }: Arg, shape: readonly number[]): Arg => ({ name: '', type: 'tensor', shape, dtype });

/** The dispatcher op that a kernel of the Python function runs; in the backward pass the backward op, if there is one. */
function dispatchedOp(call: OpCall, { input, target, weight, reduction }: PythonLoss, dir: KernelFacts['dir']): OpCall {
  const op = opName(call) === 'cross_entropy' ? 'nll_loss' : opName(call);
  const isPicked = op.startsWith('nll_loss');
  const weights = isPicked || op.startsWith('binary_cross_entropy') ? [plain(weight)] : [];
  const end = op === 'binary_cross_entropy_with_logits' ? [NOT_GIVEN, number(reduction)] : [number(reduction)];
  const args = [plain(input), plain(target), ...weights, ...end, ...(isPicked ? [number(-100)] : [])];
  if (dir !== 'bprop') return { mod: 'aten', op, from: 'dispatcher', args };
  const gradient = like(input, reduction === NONE ? ((isPicked ? target : input).shape ?? []) : []);
  const saved = isPicked ? [like(input, [])] : [];
  return {
    ...{ mod: 'aten', from: 'dispatcher' },
    op: isPicked ? 'nll_loss_backward' : `${op}_backward`,
    args: [gradient, ...args, ...saved],
  };
}

/** The mean or sum of the results, in a separate kernel. */
function reductionWork(input: Tensor, target: Tensor): Work {
  const each = tensor(input.shape, promote([input, target]));
  return workOf({
    flops: numel(input.shape),
    reads: [each],
    writes: [tensor([], each.dtype)],
    params: tensorParams(input),
    formula: 'flops = E; bytes = one result per element + their mean or sum',
    source: SOURCE,
  });
}

/** PyProf's count: two operations for each element read or written, one for the result. */
function meanSquaredErrorOfPyprof(input: Tensor, target: Tensor, reduction: number, { dir }: KernelFacts): Work {
  const each = tensor(input.shape, promote([input, target]));
  const extra = (reduction === NONE ? 1 : 0) + (dir === 'bprop' ? 1 : 0);
  const passes = 2 + extra;
  return workOf({
    flops: 2 * passes * numel(input.shape) + 1,
    reads: [input, target],
    writes: new Array<Tensor>(extra).fill(each),
    params: [...tensorParams(input), ['red', REDUCTIONS[reduction] ?? 'mean']],
    formula: `flops = 2·${passes}·E + 1; bytes = ${passes}·E·size`,
    source: 'PyProf',
  });
}

/**
 * Losses that PyTorch computes with other ops, so that the gradient has no op. It counts as many operations as the
 * forward pass.
 */
const WITHOUT_BACKWARD = 'binary_cross_entropy_with_logits';

/** The work of a kernel of a Python function. */
function pythonWork(call: OpCall, kernel: KernelFacts): Work | null {
  const found = read(call);
  const [input, target] = [tensorAt(call, 'input', 0) ?? tensorAt(call, 'self', 0), tensorAt(call, 'target', 1)];
  if (found === null || input === null || target === null) return null;
  const op = opName(call);
  const isPair = !/^(nll_loss|cross_entropy)/.test(op);
  if (isPair && numel(input.shape) !== numel(target.shape)) return null;
  if (kernel.convention === 'pyprof' && op === 'mse_loss')
    return meanSquaredErrorOfPyprof(input, target, found.reduction, kernel);
  // The gradient of picked elements is filled with zeros first.
  if (kernelKind(kernel) === 'helper') return helperWork(tensorParams(input), 'kernel name');
  const isReduction = kernel.dir !== 'bprop' && kernel.sub > 0 && kernelKind(kernel) === 'reduction';
  if (isPair && isReduction && found.reduction !== NONE) return reductionWork(input, target);
  const dir = op === WITHOUT_BACKWARD ? 'fprop' : kernel.dir;
  const loss = ruleWork(LOSS_RULES, dispatchedOp(call, found, dir), kernel, SOURCE);
  return op === 'cross_entropy' && loss !== null ? crossEntropy(input, loss, kernel, true) : loss;
}

/**
 * log_softmax and nll_loss in one call: kernels named after one of them compute that one, any other kernel computes both.
 */
function crossEntropy(input: Tensor, loss: Work, kernel: KernelFacts, byName: boolean): Work {
  const logarithms = softmaxWork('log_softmax', input, input, kernel);
  if (byName && /nll/i.test(kernel.name)) return loss;
  if (byName && /softmax/i.test(kernel.name)) return logarithms;
  const formula = `log_softmax (${logarithms.formula}) and nll_loss (${loss.formula})`;
  const flops = total([logarithms.flops, loss.flops]);
  const bytes = total([logarithms.bytes, loss.bytes]);
  const unknown = logarithms.unknown ?? loss.unknown;
  return { ...logarithms, flops, bytes, formula, source: SOURCE, ...(unknown === undefined ? {} : { unknown }) };
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (!isDispatched(call)) return pythonWork(call, kernel);
  // For a dispatcher call, this is the whole work, whatever the kernel.
  if (opName(call) !== 'cross_entropy_loss') return ruleWork(LOSS_RULES, call, kernel, SOURCE);
  const input = tensorAt(call, 'self', 0);
  const loss = ruleWork(LOSS_RULES, { ...call, op: 'nll_loss' }, kernel, SOURCE);
  return input === null || loss === null ? null : crossEntropy(input, loss, kernel, false);
}

export const loss: Family = {
  id: 'loss',
  title: 'Losses: mse_loss, nll_loss, cross_entropy and others',
  category: 'loss',
  ops: [...Object.keys(LOSS_RULES), 'cross_entropy', 'cross_entropy_loss'],
  formulas: [
    'flops = operations per element of the definition (mse_loss 2·E, backward 3·E), + E for a separate reduction kernel; bytes = input + target + one result per element, backward gradient + input + target + gradient of the input',
    'l1_loss, kl_div, binary_cross_entropy_with_logits: including the reduction; bytes = input + target + result',
    'nll_loss: flops = n; bytes = targets + one element per target + result + total weight; backward gradient + targets + one element per target; zeroing is separate work (Ascend: included)',
    'cross_entropy: 5·E in the log_softmax kernel and n in the nll_loss kernel; 5·E + n if fused',
    '`--convention pyprof`: mse_loss has 2·p·E + 1 operations and p·E·size bytes; p = 2, + 1 for reduction none, + 1 backward',
  ],
  work,
};
