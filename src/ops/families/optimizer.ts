/**
 * Optimiser steps in which one op handles all parameters: PyTorch's `_fused_adam_` and similar ops, loss scaling, apex's
 * Adam.
 */
import { dtypeShort } from '../../record/element-types.js';
import { numel, elementCount, positional, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { inputTensors } from '../operands.js';
import { helperWork, tensorParams, workOf } from '../work.js';
import { entryOf } from '../by-name.js';
import { bind, type BoundArguments } from '../schema/binding.js';
import { ofDispatcher, opTable, type OpRow } from '../schema/op-rules.js';
import { isUnspecifiedList, listParams, unspecifiedLists, withTypes } from './pointwise/foreach.js';

const FUSED_SOURCE = 'PyTorch torch.optim (Adam, AdamW, SGD, Adagrad: updates as documented), one FLOP per operator';

interface OptimizerStep {
  /** Operations per parameter element. */
  readonly flops: (bound: BoundArguments) => number;
  readonly formula: string;
}

const isGiven = (bound: BoundArguments, name: string): boolean => bound.tensor(name) !== null;
/** Division of the gradient by the loss scale, and its negation when maximising. */
const prepared = (bound: BoundArguments): number =>
  (isGiven(bound, 'grad_scale') ? 1 : 0) + (bound.flag('maximize') === true ? 1 : 0);

/**
 * First moment m + (1 − β₁)(g − m): 3; second β₂·v + (1 − β₂)·g·g: 4; √v / c + ε: 3; p − s·m / (that): 3; weight decay: 2;
 * maximum of second moments: 1.
 */
const adam =
  (decay: number) =>
  (bound: BoundArguments): number =>
    13 +
    ((bound.number('weight_decay') ?? decay) === 0 ? 0 : 2) +
    (isGiven(bound, 'max_exp_avg_sqs') ? 1 : 0) +
    prepared(bound);

/** FLOPs of a weight decay, which is 0 by default. */
const decayFlops = (bound: BoundArguments): number => ([null, 0].includes(bound.number('weight_decay')) ? 0 : 2);

/** p − η·g: 2; decay: 2; momentum μ·b + (1 − τ)·g: 3; Nesterov g + μ·b: 2. */
const sgd = (bound: BoundArguments): number =>
  2 +
  decayFlops(bound) +
  (isGiven(bound, 'momentum_buffers') ? (bound.flag('nesterov') === true ? 5 : 3) : 0) +
  prepared(bound);

/** s + g·g: 2; p − η·g / (√s + ε): 5; decay: 2. */
const adagrad = (bound: BoundArguments): number => 7 + decayFlops(bound) + prepared(bound);

/** The learning rate is a number, or a tensor on the device. */
const withRate = (before: string, after: string): string => `${before} lr ${after} | ${before} @lr ${after}`;

const SCALE_END = '@grad_scale? @found_inf?';
const ADAM = withRate(
  '@!self[] @grads[] @!exp_avgs[] @!exp_avg_sqs[] @!max_exp_avg_sqs[]? @state_steps[]?',
  `beta1 beta2 weight_decay eps amsgrad maximize ${SCALE_END}`,
);
const SGD = withRate(
  '@!self[] @grads[] @!momentum_buffers[]? weight_decay momentum',
  `dampening nesterov maximize is_first_step ${SCALE_END}`,
);
const ADAGRAD = withRate(
  '@!self[] @grads[] @!state_sums[] @!state_steps[]?',
  `lr_decay weight_decay eps maximize ${SCALE_END}`,
);

const LAST = '+ 1 to unscale, + 1 to maximise';
const adamStep = (decay: number): OptimizerStep => ({
  flops: adam(decay),
  formula: `13 per element, + 2 with weight decay, + 1 with amsgrad, ${LAST}`,
});
const sgdStep: OptimizerStep = {
  flops: sgd,
  formula: `2 per element, + 2 with weight decay, + 3 with momentum (5 with Nesterov), ${LAST}`,
};
const adagradStep: OptimizerStep = { flops: adagrad, formula: `7 per element, + 2 with weight decay, ${LAST}` };
/** A product, and a check of the exponent. */
const unscaleStep: OptimizerStep = { flops: () => 2, formula: '2 per element' };

const STEPS = opTable<OptimizerStep>`
  ${adamStep(0)} _fused_adam_: ${ADAM}
  ${adamStep(0.01)} _fused_adamw_: ${ADAM}
  ${sgdStep} _fused_sgd_: ${SGD}
  ${adagradStep} _fused_adagrad_: ${ADAGRAD}
  ${unscaleStep} _amp_foreach_non_finite_check_and_unscale_: @!self[] !found_inf @inv_scale
`;

/** The scale grows or shrinks by a factor: one product on numbers that stay on the device. */
const SCALE = '@!self @!growth_tracker @found_inf scale_growth_factor scale_backoff_factor growth_interval';

/** Gradients that are unscaled are written too. */
const unscaled = (bound: BoundArguments): readonly Tensor[] =>
  isGiven(bound, 'grad_scale') ? bound.tensors('grads') : [];

function stepWork({ fact: step, signatures }: OpRow<OptimizerStep>, call: OpCall): Work | null {
  const [list, gradients] = positional(call);
  if (isUnspecifiedList(list) || (gradients?.type === 'list' && isUnspecifiedList(gradients)))
    return unspecifiedLists(FUSED_SOURCE);
  const bound = bind(call, ...signatures);
  if (bound === null) return null;
  const self = bound.tensors('self');
  const [reads = [], writes = []] = withTypes(bound.reads, [...bound.writes, ...unscaled(bound)]);
  return workOf({
    flops: step.flops(bound) * elementCount(self),
    reads,
    writes,
    params: listParams(self),
    formula: `flops = ${step.formula}; bytes = parameters and state read and written + gradients read`,
    source: FUSED_SOURCE,
  });
}

function scaleWork(call: OpCall): Work | null {
  const bound = bind(call, SCALE);
  if (bound === null) return null;
  const { reads, writes } = bound;
  const formula = 'flops = 1; bytes = scale and tracker read and written + flag read';
  return workOf({ flops: 1, reads, writes, params: [], formula, source: FUSED_SOURCE });
}

export const fusedOptimizer: Family = {
  id: 'fused-optimizer',
  title: 'Fused optimiser steps and loss scaling of PyTorch',
  category: 'optimizer',
  ops: [...Object.keys(STEPS), '_amp_update_scale_'],
  formulas: [
    'flops per element: Adam, AdamW 13 (first moment 3, second 4, root 3, update 3), SGD 2, Adagrad 7; + 2 with weight decay, + 3 with momentum (5 with Nesterov), + 1 each for amsgrad, unscaling and maximising',
    'bytes = parameters, moments and step counts read and written + gradients read (and written if unscaled)',
    'unscaling of gradients: 2·E; bytes = gradients read and written',
  ],
  work: ofDispatcher((call) => {
    const step = entryOf(STEPS, call);
    return step === undefined ? scaleWork(call) : stepWork(step, call);
  }),
};

const SOURCE = 'apex fused_adam_cuda.adam; Kingma & Ba, Adam (algorithm 1)';

/**
 * Per weight: gradient unscaled (1), first moment (two products, a sum), second moment (three products, a sum),
 * root and epsilon (2), quotient, product with the step size, subtraction (3).
 */
export const ADAM_FLOPS = 13;

/** adam(weights, half-precision copy or empty, first moment, second moment, gradient, …). */
function work(call: OpCall, kernel: KernelFacts): Work | null {
  const [weights, copy, first, second, gradient] = inputTensors(call) ?? [];
  if (!weights || !copy || !first || !second || !gradient) return null;
  if ([first, second, gradient].some(({ shape }) => numel(shape) !== numel(weights.shape))) return null;
  const params = [...tensorParams(weights), ['', dtypeShort(gradient.dtype)] as const];
  if (kernel.sub > 0) return helperWork(params, SOURCE);
  // When the gradient's type differs, a copy of the weights in that type is written, as in PyProf.
  const copies = gradient.dtype === weights.dtype ? [] : [gradient];
  const state = [weights, first, second];
  return workOf({
    flops: ADAM_FLOPS * numel(weights.shape),
    reads: [...state, gradient],
    writes: [...state, ...copies],
    params,
    formula: `flops = ${ADAM_FLOPS}·E; bytes = 2·(weights + both moments) + gradient (+ weights in the gradient's type)`,
    source: SOURCE,
  });
}

export const optimizer: Family = {
  id: 'optimizer',
  title: 'Fused optimiser step: apex Adam',
  category: 'optimizer',
  ops: ['fused_adam_cuda.adam'],
  formulas: [
    'flops = 13·E; bytes = 2·(weights + both moments) + gradient (+ a copy of the weights if the gradient has another type)',
  ],
  work,
};
