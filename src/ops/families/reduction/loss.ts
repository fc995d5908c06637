/** Losses. */
import { entryOf, named, type ByName } from '../../by-name.js';
import { argument, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { inputTensors, tensorAt } from '../../operands.js';
import { promote } from '../../schema/promotion.js';
import { tensor, total, tensorParams, workOf } from '../../work.js';
import { ruleWork } from '../../schema/op-rules.js';
import { LOSS_RULES } from './dispatched-loss.js';
import { softmaxWork } from './softmax.js';

const SOURCE = 'PyProf (mse_loss); per element otherwise: the operations of the definition in torch.nn.functional';

/** 'mean' unless the call says otherwise; aten writes 0, 1 and 2. */
function reductionOf(call: OpCall, position: number): string {
  const given = argument(call, 'reduction', position)?.value;
  const words = ['none', 'mean', 'sum'];
  if (typeof given === 'number') return words[given] ?? 'mean';
  return typeof given === 'string' && words.includes(given) ? given : 'mean';
}

/** Two tensors of one shape. */
function pair(call: OpCall): [input: Tensor, target: Tensor] | null {
  const [input, target] = [tensorAt(call, 'input', 0), tensorAt(call, 'target', 1)];
  if (input === null || target === null || numel(input.shape) !== numel(target.shape)) return null;
  return [input, target];
}

/** PyProf's count: two operations per element read or written, one for the result. */
const meanSquaredError: Family['work'] = (call, kernel) => {
  const operands = pair(call);
  if (operands === null) return null;
  const [input, target] = operands;
  // F.mse_loss has size_average and reduce between target and reduction.
  const reduction = reductionOf(call, call.mod === 'torch.nn.functional' ? 4 : 2);
  const backward = kernel.dir === 'bprop';
  const each = tensor(input.shape, promote([input, target]));
  const extra = (reduction === 'none' ? 1 : 0) + (backward ? 1 : 0);
  const passes = 2 + extra;
  return workOf({
    flops: 2 * passes * numel(input.shape) + 1,
    reads: [input, target],
    writes: new Array<Tensor>(extra).fill(each),
    params: [...tensorParams(input), ['red', reduction]],
    formula: `flops = 2·${passes}·E + 1; bytes = ${passes}·E·size`,
    source: SOURCE,
  });
};

/** Operations per element of a loss before its reduction. */
const PER_ELEMENT: ByName<number> = {
  // |x − y|
  l1_loss: 2,
  // difference, absolute value, comparison, square, scale
  smooth_l1_loss: 5,
  huber_loss: 5,
  // y·log x + (1 − y)·log(1 − x)
  binary_cross_entropy: 7,
  // max(x, 0) − x·y + log(1 + exp(−|x|))
  binary_cross_entropy_with_logits: 8,
  // y·(log y − x)
  kl_div: 3,
};

const elementwiseLoss: Family['work'] = (call, kernel) => {
  const operands = pair(call);
  const perElement = entryOf(PER_ELEMENT, call);
  if (operands === null || perElement === undefined) return null;
  const [input, target] = operands;
  const each = tensor(input.shape, promote([input, target]));
  const named = call.args.find(({ name }) => name === 'reduction')?.value;
  const result = named === 'none' ? each : tensor([], each.dtype);
  const reduced = named === 'none' ? 0 : 1;
  const backward = kernel.dir === 'bprop';
  return workOf({
    flops: (perElement + reduced) * numel(input.shape),
    reads: backward ? [input, target, result] : [input, target],
    writes: backward ? [each] : [result],
    params: tensorParams(input),
    formula: `flops = ${perElement + reduced}·E; bytes = input + target + ${backward ? 'gradients' : 'result'}`,
    source: SOURCE,
  });
};

/** One element per target is read (forward) or written (backward). */
function pickedLoss(input: Tensor, target: Tensor, kernel: KernelFacts): Work {
  const picked = tensor(target.shape, input.dtype);
  const backward = kernel.dir === 'bprop';
  return workOf({
    flops: numel(target.shape),
    reads: backward ? [target] : [target, picked],
    writes: backward ? [picked] : [tensor([], input.dtype)],
    params: tensorParams(input),
    formula: 'flops = n; bytes = targets + one element per target (+ result)',
    source: SOURCE,
  });
}

/** Inputs (N, C, …) and whole-number targets (N, …), or one sample (C) with one target. */
function classes(call: OpCall): [input: Tensor, target: Tensor] | null {
  const [input, target] = [tensorAt(call, 'input', 0) ?? tensorAt(call, 'self', 0), tensorAt(call, 'target', 1)];
  const given = inputTensors(call);
  if (given === null || input === null || target === null) return null;
  return numel(target.shape) <= numel(input.shape) ? [input, target] : null;
}

const negativeLogLikelihood: Family['work'] = (call, kernel) => {
  const operands = classes(call);
  return operands === null ? null : pickedLoss(...operands, kernel);
};

/** log_softmax and nll_loss in one call: kernels named after one of them compute it, any other kernel computes both. */
const crossEntropy: Family['work'] = (call, kernel) => {
  const operands = classes(call);
  if (operands === null) return null;
  const [input, target] = operands;
  const logarithms = softmaxWork('log_softmax', input, input, kernel);
  const loss = pickedLoss(input, target, kernel);
  // A call of the dispatcher has its whole work here, whatever the kernel.
  const byName = !isDispatched(call);
  if (byName && /nll/i.test(kernel.name)) return loss;
  if (byName && /softmax/i.test(kernel.name)) return logarithms;
  const formula = `log_softmax (${logarithms.formula}) and nll_loss (${loss.formula})`;
  const flops = total([logarithms.flops, loss.flops]);
  const bytes = total([logarithms.bytes, loss.bytes]);
  const unknown = logarithms.unknown ?? loss.unknown;
  return { ...logarithms, flops, bytes, formula, source: SOURCE, ...(unknown === undefined ? {} : { unknown }) };
};

const FORMULAS: ByName<Family['work']> = {
  ...named('mse_loss', meanSquaredError),
  ...named(Object.keys(PER_ELEMENT).join(' '), elementwiseLoss),
  ...named('nll_loss nll_loss2d nll_loss_nd nll_loss_forward nll_loss2d_forward', negativeLogLikelihood),
  ...named('cross_entropy cross_entropy_loss', crossEntropy),
};

const RULES_SOURCE = 'per element: the operations of the definition; arguments: PyTorch native_functions.yaml';

/** A call of the dispatcher by its rule; where there is none, and for any other call, by the formula of the function. */
function work(call: OpCall, kernel: KernelFacts): Work | null {
  const formula = entryOf(FORMULAS, call);
  const byRule = formula === undefined || isDispatched(call);
  const ruled = byRule ? ruleWork(LOSS_RULES, call, kernel, RULES_SOURCE) : null;
  return ruled ?? formula?.(call, kernel) ?? null;
}

export const loss: Family = {
  id: 'loss',
  title: 'Losses: mse_loss, nll_loss, cross_entropy and others',
  ops: [...new Set([...Object.keys(FORMULAS), ...Object.keys(LOSS_RULES)])],
  formulas: [
    'mse_loss: flops = 2·p·E + 1; bytes = p·E·size; p = 2, one more for reduction none, one more backward',
    'nll_loss: flops = n; bytes = targets + one element per target + result',
    'cross_entropy: the log_softmax kernel 5·E, the nll_loss kernel n; a fused kernel both',
    'others: flops = (operations of the definition + 1 for the reduction)·E; bytes = input + target + result, backward input + target + gradients',
    'ops of the dispatcher: operations of the definition (mse_loss 2·E, backward 3·E) without a reduction that is an op of its own; nll_loss_backward writes the whole gradient',
  ],
  work,
};
