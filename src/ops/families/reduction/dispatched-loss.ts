/** Losses of the dispatcher. Where PyTorch reduces with a separate op (mean, sum), that op has the reduction. */
import { largest } from '../../../containers/lists.js';
import { extentAt, numel } from '../../call.js';
import { promote } from '../../schema/promotion.js';
import { rules, withTensors, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';

/** One result per element, before any reduction. */
const each = (perElement: number): RuleCost =>
  withTensors('self target', (input, target, bound) => {
    const flops = perElement + bound.tensors('weight').length;
    return {
      flops: flops * numel(input.shape),
      writes: [tensor(input.shape, promote([input, target]))],
      formula: `flops = ${flops}·E; bytes = input + target + one result per element (a mean or sum of them is an op of its own)`,
    };
  });

/** The gradient of the input, from the gradient of the result and both operands. */
const eachBackward = (perElement: number): RuleCost =>
  withTensors('self target', (input, _, bound) => {
    const flops = perElement + bound.tensors('weight').length;
    const formula = `flops = ${flops}·E; bytes = gradient + input + target + gradient of the input`;
    return { flops: flops * numel(input.shape), writes: [input], formula };
  });

/** −y·g, of which the input has no part. */
const divergenceBackward = withTensors('self target', (input, _, bound) => ({
  flops: 2 * numel(input.shape),
  reads: bound.tensorsOf('grad_output target'),
  writes: [input],
  formula: 'flops = 2·E (product, sign); bytes = gradient + target + gradient of the input',
}));

const NONE = 0;

/** Targets pick one element of a class each; with weights one more product. */
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

/** The gradient is zero but for one element per target; all of it is written. */
const pickedBackward = withTensors('self target', (input, target, bound) => {
  if (numel(target.shape) > numel(input.shape)) return null;
  return {
    flops: (1 + bound.tensors('weight').length) * numel(target.shape),
    reads: bound.tensorsOf('grad_output target weight total_weight'),
    writes: [input],
    formula: 'flops = n (2·n with weights); bytes = gradient + targets + weights + gradient of the whole input',
  };
});

/** Per state and time step: the maximum of three, their differences, exponentials, sum, logarithm, and the probability. */
const CTC_FLOPS = 13;

/** States of one target: a blank between any two labels, and at both ends. */
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

export const LOSS_RULES = rules`
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
  // Older versions run these as one op; later ones take them apart. Sign of the difference, gradient, norm:
  ${eachBackward(3)} l1_loss_backward: @grad_output ${PAIR} reduction
  ${divergenceBackward} kl_div_backward: @grad_output ${PAIR} reduction log_target
  ${picked} nll_loss nll_loss2d nll_loss_nd nll_loss_forward nll_loss2d_forward: ${NLL}
  ${pickedBackward} nll_loss_backward nll_loss2d_backward: @grad_output ${NLL} @total_weight
  ${ctc(1)} _ctc_loss: ${CTC} blank zero_infinity
      | @log_probs @targets input_lengths target_lengths blank zero_infinity
  // These make the gradient at once, in a workspace of their own.
  ${ctc(2)} _cudnn_ctc_loss miopen_ctc_loss: ${CTC} blank deterministic zero_infinity
      | @log_probs @targets input_lengths target_lengths blank deterministic zero_infinity
  ${ctc(2)} _ctc_loss_backward: @grad @log_probs @targets input_lengths target_lengths @neg_log_likelihood @log_alpha
      blank zero_infinity
      | @grad ${CTC} @neg_log_likelihood @log_alpha blank zero_infinity
`;
