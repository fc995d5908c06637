/**
 * Losses of the dispatcher. Where PyTorch reduces with a separate op (mean, sum), that op has the reduction.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { promote } from '../../schema/promotion.js';
import { ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { tensor, tensorParams } from '../../work.js';
import type { OpCost } from '../../family.js';

const two = (bound: BoundCall): readonly [input: Tensor, target: Tensor] | null => {
  const [input, target] = [bound.tensor('self'), bound.tensor('target')];
  return input === null || target === null ? null : [input, target];
};

/** One result per element, before any reduction. */
const each =
  (perElement: number) =>
  (bound: BoundCall): OpCost | null => {
    const operands = two(bound);
    if (operands === null) return null;
    const [input, target] = operands;
    const weights = bound.tensorsOf('weight').length;
    return {
      params: tensorParams(input),
      flops: (perElement + weights) * numel(input.shape),
      writes: [tensor(input.shape, promote([input, target]))],
      formula: `flops = ${perElement + weights}·E; bytes = input + target + one result per element (a mean or sum of them is an op of its own)`,
    };
  };

/** The gradient of the input, from the gradient of the result and both operands. */
const eachBackward =
  (perElement: number) =>
  (bound: BoundCall): OpCost | null => {
    const operands = two(bound);
    if (operands === null) return null;
    const weights = bound.tensorsOf('weight').length;
    return {
      params: tensorParams(operands[0]),
      flops: (perElement + weights) * numel(operands[0].shape),
      writes: [operands[0]],
      formula: `flops = ${perElement + weights}·E; bytes = gradient + input + target + gradient of the input`,
    };
  };

/** −y·g, of which the input has no part. */
const divergenceBackward = (bound: BoundCall): OpCost | null => {
  const operands = two(bound);
  if (operands === null) return null;
  const [input] = operands;
  return {
    params: tensorParams(input),
    flops: 2 * numel(input.shape),
    reads: bound.tensorsOf('grad_output target'),
    writes: [input],
    formula: 'flops = 2·E (product, sign); bytes = gradient + target + gradient of the input',
  };
};

const NONE = 0;

/** Targets pick one element of a class each; with weights one more product. */
const picked = (bound: BoundCall): OpCost | null => {
  const operands = two(bound);
  if (operands === null || numel(operands[1].shape) > numel(operands[0].shape)) return null;
  const [input, target] = operands;
  const weights = bound.tensorsOf('weight');
  const elements = tensor(target.shape, input.dtype);
  const scalar = tensor([], input.dtype);
  return {
    params: tensorParams(input),
    flops: (1 + weights.length) * numel(target.shape),
    reads: [target, elements, ...weights],
    writes: [bound.count('reduction') === NONE ? elements : scalar, scalar],
    formula: 'flops = n (2·n with weights); bytes = targets + one element per target + weights + result + total weight',
  };
};

/** The gradient is zero but for one element per target; all of it is written. */
const pickedBackward = (bound: BoundCall): OpCost | null => {
  const operands = two(bound);
  if (operands === null || numel(operands[1].shape) > numel(operands[0].shape)) return null;
  const [input, target] = operands;
  return {
    params: tensorParams(input),
    flops: (1 + bound.tensorsOf('weight').length) * numel(target.shape),
    reads: bound.tensorsOf('grad_output target weight total_weight'),
    writes: [input],
    formula: 'flops = n (2·n with weights); bytes = gradient + targets + weights + gradient of the whole input',
  };
};

/** Per state and time step: the maximum of three, their differences, exponentials, sum, logarithm, and the probability. */
const CTC_FLOPS = 13;

/** States of one target: a blank between any two labels, and at both ends. */
function ctcStates(bound: BoundCall, batch: number): number | null {
  const known = bound.tensor('log_alpha')?.shape.at(-1);
  if (known !== undefined) return known;
  const labels = bound.tensor('targets')?.shape;
  const lengths = bound.integers('target_lengths');
  const longest = labels?.length === 2 ? labels[1] : lengths?.length === batch ? Math.max(...lengths) : undefined;
  return longest === undefined ? null : 2 * longest + 1;
}

const ctc =
  (passes: number) =>
  (bound: BoundCall): OpCost | null => {
    const input = bound.tensor('log_probs');
    if (input === null) return null;
    const [steps, batch] = [extentAt(input, 0), input.shape.length > 2 ? extentAt(input, 1) : 1];
    const states = ctcStates(bound, batch);
    const formula = `flops = ${CTC_FLOPS}·N·T·S, S = 2·target length + 1; bytes = probabilities + targets + states${passes > 1 ? ' + gradient' : ''}`;
    if (states === null) {
      return {
        params: tensorParams(input),
        flops: null,
        writes: null,
        formula,
        unknown: 'the longest target is unspecified',
      };
    }
    const alpha = tensor([batch, steps, states], input.dtype);
    return {
      params: tensorParams(input),
      flops: CTC_FLOPS * numel(alpha.shape),
      writes: [alpha, passes > 1 ? input : tensor([batch], input.dtype)],
      formula,
    };
  };

/** Operations per element of definitions: forward, backward. */
const LOSSES: Readonly<Record<string, readonly [forward: number, backward: number, options: string]>> = {
  // (x − y)²; difference, norm, gradient
  mse_loss: [2, 3, 'reduction'],
  // difference, absolute value, comparison, square, scale; difference, comparison, quotient, norm, gradient
  smooth_l1_loss: [5, 5, 'reduction beta'],
  huber_loss: [5, 5, 'reduction delta'],
  // y·log x + (1 − y)·log(1 − x); (x − y)/max(x·(1 − x), ε), gradient, norm
  binary_cross_entropy: [7, 7, '@weight? reduction'],
  // margin − y's element + element, comparison, sum
  multi_margin_loss: [4, 3, 'p margin @weight? reduction'],
};

const BY_ELEMENT: OpRules = Object.fromEntries(
  Object.entries(LOSSES).flatMap(([op, [perElement, perElementBackward, options]]) =>
    Object.entries({
      ...ruleFor(op, `@self @target ${options}`, each(perElement)),
      ...ruleFor(`${op}_backward`, `@grad_output @self @target ${options}`, eachBackward(perElementBackward)),
    }),
  ),
);

const NLL = '@self @target @weight? reduction ignore_index';
const CTC = '@log_probs @targets @input_lengths? @target_lengths?';

/** Arguments as in PyTorch's native_functions.yaml. */
export const LOSS_RULES: OpRules = {
  ...BY_ELEMENT,
  // Older versions run these as one op; later ones take them apart. Sign of the difference, gradient, norm:
  ...ruleFor('l1_loss_backward', '@grad_output @self @target reduction', eachBackward(3)),
  ...ruleFor('kl_div_backward', '@grad_output @self @target reduction log_target', divergenceBackward),
  ...ruleFor('nll_loss nll_loss2d nll_loss_nd nll_loss_forward nll_loss2d_forward', NLL, picked),
  ...ruleFor('nll_loss_backward nll_loss2d_backward', `@grad_output ${NLL} @total_weight`, pickedBackward),
  ...ruleFor(
    '_ctc_loss',
    [`${CTC} blank zero_infinity`, '@log_probs @targets input_lengths target_lengths blank zero_infinity'],
    ctc(1),
  ),
  // These make the gradient at once, in a workspace of their own.
  ...ruleFor(
    '_cudnn_ctc_loss miopen_ctc_loss',
    [
      `${CTC} blank deterministic zero_infinity`,
      '@log_probs @targets input_lengths target_lengths blank deterministic zero_infinity',
    ],
    ctc(2),
  ),
  ...ruleFor(
    '_ctc_loss_backward',
    [
      '@grad @log_probs @targets input_lengths target_lengths @neg_log_likelihood @log_alpha blank zero_infinity',
      `@grad ${CTC} @neg_log_likelihood @log_alpha blank zero_infinity`,
    ],
    ctc(2),
  ),
};
