/** Random numbers and dropout. */
import { broadcast, numel, type Tensor } from '../call.js';
import { tensorOfType } from '../schema/dispatched.js';
import type { Family, OpCost } from '../family.js';
import { tensor, tensorParams } from '../work.js';
import { ruleWork, rules, withTensors, type RuleCost } from '../schema/op-rules.js';
import { filledBy } from './movement/filling.js';

const SOURCE = 'PyProf (dropout 5 per element, randperm 3 per element); PyTorch native_dropout';

/** Forward: a random number, a comparison, a product with the mask, a scale; PyProf counts five. */
const DROPOUT_FLOPS = 5;
/** Backward: products with the mask and with the scale. */
const DROPOUT_BACKWARD_FLOPS = 2;

/** The mask is a result of the forward pass, one byte per element, and is read again in the backward pass. */
const dropout = withTensors('self', (input, { kernel }) => {
  const mask = tensor(input.shape, 'bool');
  const backward = kernel.dir === 'bprop';
  const perElement = backward ? DROPOUT_BACKWARD_FLOPS : DROPOUT_FLOPS;
  return {
    flops: perElement * numel(input.shape),
    reads: backward ? [input, mask] : [input],
    writes: backward ? [input] : [input, mask],
    formula: `flops = ${perElement}·E; bytes = 2·E·size + E (mask)`,
  };
});

const unspecified = (unknown: string): OpCost => ({
  ...{ flops: null, writes: null, params: [], formula: 'flops = E', unknown },
});

const UNSPECIFIED = 'the number of values drawn is unspecified';

const randperm: RuleCost = (bound) => {
  const [arg, count] = [bound.arg('n'), bound.count('n')];
  if (count === null) return arg === undefined || arg.value !== undefined ? null : unspecified(UNSPECIFIED);
  const drawn = tensorOfType([count], bound.arg('dtype'), 'int64');
  const [out] = bound.outs;
  return {
    flops: 3 * count,
    writes: [out === undefined ? drawn : tensor([count], out.dtype)],
    params: [['N', count]],
    formula: 'flops = 3·n; bytes = n·size',
  };
};

/** A rule with one operation for each number drawn. */
const draw = (result: Tensor, reads: readonly Tensor[] = []): OpCost => ({
  flops: numel(result.shape),
  reads,
  writes: [result],
  params: tensorParams(result),
  formula: reads.length === 0 ? 'flops = E; bytes = E·size' : 'flops = E; bytes = parameters + E·size',
});

/** bernoulli_(self, p) and similar ops may take their parameter as a tensor. */
const drawInto = withTensors('self', (target, bound) => draw(target, bound.tensorsOf('p')));

/** bernoulli(self): one number for each probability; bernoulli(self, p): one for each element. */
const bernoulli = withTensors('self', (probabilities, bound) =>
  draw(probabilities, bound.arg('p')?.type === 'float' ? [] : [probabilities]),
);

/** normal(mean, std), poisson(rates): tensors of parameters, with one number drawn for each. */
const drawFrom: RuleCost = (bound) => {
  const [first] = bound.reads;
  const shape = broadcast(bound.reads.map((parameter) => parameter.shape));
  return first === undefined || shape === null ? null : draw(tensor(shape, first.dtype), bound.reads);
};

/** The weights of each row added up, then an operation per number. */
const multinomial = withTensors('self', (weights, bound) => {
  const [arg, samples] = [bound.arg('num_samples'), bound.count('num_samples')];
  if (samples === null) return arg === undefined ? null : unspecified(UNSPECIFIED);
  const drawn = tensor([...weights.shape.slice(0, -1), samples], 'int64');
  return {
    flops: numel(weights.shape) + numel(drawn.shape),
    writes: [drawn],
    formula: 'flops = E + numbers drawn; bytes = weights + 8 per number',
  };
});

const drawFresh: RuleCost = ({ call }) => {
  const filled = filledBy(call);
  return filled === null ? null : 'unspecified' in filled ? unspecified(filled.unspecified) : draw(filled);
};

const OPTIONS = 'dtype layout device pin_memory';

const RULES = rules`
  ${dropout} dropout dropout_ native_dropout fused_dropout _fused_dropout alpha_dropout: @self ...
  ${randperm} randperm: n ${OPTIONS} | n generator ${OPTIONS} | n | n generator
  ${drawInto} rand_like randn_like randint_like uniform_ normal_ random_ exponential_ bernoulli_ geometric_ cauchy_
      log_normal_: @self @p ... | @self ...
  ${bernoulli} bernoulli: @self p ...
  ${drawFrom} normal poisson binomial _standard_gamma _sample_dirichlet: mean std ... | @mean @std ... | @mean ...
      | mean @std ...
  ${multinomial} multinomial: @self num_samples ...
  ${drawFresh} rand randn: size ...
`;

export const random: Family = {
  id: 'random',
  title: 'Random numbers and dropout',
  category: 'random',
  ops: Object.keys(RULES),
  formulas: [
    'dropout: flops = 5·E; bytes = 2·E·size + E (mask); backward 2·E, the same bytes',
    'randperm: flops = 3·n; bytes = 8·n; others: flops = E (one per number); bytes = E·size + parameter tensors',
    'multinomial: flops = E + numbers drawn; bytes = weights + 8 per number',
  ],
  work: (call, kernel) => ruleWork(RULES, call, kernel, SOURCE),
};
