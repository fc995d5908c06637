/** Random numbers and dropout. */
import { named, type ByName } from '../by-name.js';
import { argument, broadcast, numel, positional, type Tensor } from '../call.js';
import type { Arg, OpCall } from '../../record/record.js';
import { isDispatched, tensorOfType, dtypeGiven } from '../schema/dispatched.js';
import type { Family, OpCost } from '../family.js';
import { tensorOf, tensorsAmong, integer, integers } from '../operands.js';
import { tensor, tensorParams } from '../work.js';
import { withInput, workByFormulas, type CallFormula } from '../schema/op-rules.js';
import { filledBy } from './movement/filling.js';

const SOURCE = 'PyProf (dropout 5 per element, randperm 3 per element); PyTorch native_dropout';

/** Forward: a random number, a comparison, a product with the mask, a scale; PyProf counts five. */
const DROPOUT_FLOPS = 5;
/** Backward: products with the mask and with the scale. */
const DROPOUT_BACKWARD_FLOPS = 2;

/** The mask is a result of the forward pass, one byte per element, and is read again in the backward pass. */
const dropout = withInput((input, _, { dir }) => {
  const mask = tensor(input.shape, 'bool');
  const backward = dir === 'bprop';
  const perElement = backward ? DROPOUT_BACKWARD_FLOPS : DROPOUT_FLOPS;
  return {
    flops: perElement * numel(input.shape),
    reads: backward ? [input, mask] : [input],
    writes: backward ? [input] : [input, mask],
    formula: `flops = ${perElement}·E; bytes = 2·E·size + E (mask)`,
  };
});

const unspecified = (unknown: string): OpCost => ({
  flops: null,
  writes: null,
  params: [],
  formula: 'flops = E',
  unknown,
});

/** randperm(n, dtype, layout, device, pin_memory), with or without a generator second; an `out` tensor is last. */
function permutationType(call: OpCall): Arg | undefined {
  const last = call.args.at(-1);
  return last?.shape !== undefined ? last : call.args.at(-4);
}

const randperm: CallFormula = (call) => {
  const count = integer((positional(call)[0] ?? call.args.find(({ name }) => name === 'n'))?.value);
  if (count === undefined && isDispatched(call)) return unspecified('the number of values drawn is unspecified');
  if (count === undefined || count < 0) return null;
  const drawn = isDispatched(call) ? tensorOfType([count], permutationType(call), 'int64') : tensor([count], 'int64');
  return { flops: 3 * count, writes: [drawn], params: [['N', count]], formula: 'flops = 3·n; bytes = n·size' };
};

/** One operation per number drawn. */
const draw = (result: Tensor, reads: readonly Tensor[] = []): OpCost | null =>
  Number.isSafeInteger(numel(result.shape))
    ? {
        flops: numel(result.shape),
        reads,
        writes: [result],
        params: tensorParams(result),
        formula: reads.length === 0 ? 'flops = E; bytes = E·size' : 'flops = E; bytes = parameters + E·size',
      }
    : null;

/** bernoulli_(self, p) and the like may take their parameter as a tensor. */
const drawInto = withInput((target, call) => {
  const parameter = isDispatched(call) ? tensorOf(call.args[1]) : null;
  return draw(target, parameter === null ? [] : [parameter]);
});

/** bernoulli(self): a number for each probability; bernoulli(self, p): as many as there are elements. */
const bernoulli = withInput((probabilities, call, kernel) => {
  if (!isDispatched(call) || call.args[1]?.type === 'float') return drawInto(call, kernel);
  return draw(probabilities, [probabilities]);
});

/** normal(mean, std), poisson(rates): tensors of parameters, one number for each. */
const drawFrom: CallFormula = (call) => {
  const given = tensorsAmong(call.args.slice(0, 2));
  const [first] = given;
  const shape = broadcast(given.map((parameter) => parameter.shape));
  return !isDispatched(call) || first === undefined || shape === null ? null : draw(tensor(shape, first.dtype), given);
};

/** multinomial(self, num_samples): the weights of each row added up, then an operation per number. */
const multinomial = withInput((weights, call) => {
  const samples = integer(argument(call, 'num_samples', 1)?.value);
  if (!isDispatched(call)) return null;
  if (samples === undefined || samples < 0) return unspecified('the number of values drawn is unspecified');
  const drawn = tensor([...weights.shape.slice(0, -1), samples], 'int64');
  if (!Number.isSafeInteger(numel(drawn.shape))) return null;
  return {
    flops: numel(weights.shape) + numel(drawn.shape),
    reads: [weights],
    writes: [drawn],
    formula: 'flops = E + numbers drawn; bytes = weights + 8 per number',
  };
});

/** Extents: one sequence, or numbers one by one. */
function sizes(call: OpCall): number[] | null {
  const given = call.args.filter(({ name, type }) => name === 'size' || (name === '' && type !== 'NoneType'));
  const lists = given.map(({ value }) => integers(value));
  const shape = lists.some((list) => list === null) ? null : lists.flat().map(Number);
  return shape === null || shape.length === 0 || shape.some((extent) => extent < 0) ? null : shape;
}

const drawFresh: CallFormula = (call) => {
  if (isDispatched(call)) {
    const filled = filledBy(call);
    return filled === null ? null : 'unspecified' in filled ? unspecified(filled.unspecified) : draw(filled);
  }
  const shape = sizes(call);
  return shape === null ? null : draw(tensor(shape, dtypeGiven(call) ?? 'float32'));
};

const FORMULAS: ByName<CallFormula> = {
  ...named('dropout dropout_ native_dropout fused_dropout _fused_dropout alpha_dropout', dropout),
  ...named('randperm', randperm),
  ...named('rand_like randn_like randint_like uniform_ normal_ random_ exponential_ bernoulli_', drawInto),
  ...named('bernoulli', bernoulli),
  ...named('geometric_ cauchy_ log_normal_', (call, kernel) => (isDispatched(call) ? drawInto(call, kernel) : null)),
  ...named('normal poisson binomial _standard_gamma _sample_dirichlet', drawFrom),
  ...named('multinomial', multinomial),
  ...named('rand randn', drawFresh),
};

export const random: Family = {
  id: 'random',
  title: 'Random numbers and dropout',
  ops: Object.keys(FORMULAS),
  formulas: [
    'dropout: flops = 5·E; bytes = 2·E·size + E (mask); backward 2·E, the same bytes',
    'randperm: flops = 3·n; bytes = 8·n; others: flops = E (one operation per number); bytes = E·size, and tensors of parameters',
    'multinomial: flops = E + numbers drawn; bytes = weights + 8 per number',
  ],
  work: workByFormulas(FORMULAS, SOURCE),
};
