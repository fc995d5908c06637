/**
 * Random numbers and dropout.
 */
import { entryOf, named, type ByName } from '../by-name.js';
import { argument, broadcast, numel, positional, type Tensor } from '../call.js';
import type { Arg, OpCall } from '../../record/record.js';
import { isDispatched, tensorOfType } from '../schema/dispatched.js';
import type { Family, Work, WorkFormula } from '../family.js';
import { dtypeGiven } from '../schema/dtype-argument.js';
import { inputTensor, tensorOf, integer, integers } from '../operands.js';
import { tensor, tensorParams, workOf } from '../work.js';
import { filledBy } from './movement/dispatched-filling.js';

const SOURCE = 'PyProf (dropout 5 per element, randperm 3 per element); PyTorch native_dropout';

/** Forward: a random number, a comparison, a product with the mask, a scale; PyProf counts five. */
const DROPOUT_FLOPS = 5;
/** Backward: products with the mask and with the scale. */
const DROPOUT_BACKWARD_FLOPS = 2;

/** The mask is a result of the forward pass, one byte per element, and is read again in the backward pass. */
const dropout: WorkFormula = (call, kernel) => {
  const input = inputTensor(call);
  if (input === null) return null;
  const mask = tensor(input.shape, 'bool');
  const backward = kernel.dir === 'bprop';
  const perElement = backward ? DROPOUT_BACKWARD_FLOPS : DROPOUT_FLOPS;
  return workOf({
    flops: perElement * numel(input.shape),
    reads: backward ? [input, mask] : [input],
    writes: backward ? [input] : [input, mask],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E; bytes = 2·E·size + E (mask)`,
    source: SOURCE,
  });
};

const unspecified = (unknown: string): Work =>
  workOf({ writes: null, flops: null, params: [], formula: 'flops = E', source: SOURCE, unknown });

/** randperm(n, dtype, layout, device, pin_memory), with or without a generator second; an `out` tensor is last. */
function permutationType(call: OpCall): Arg | undefined {
  const last = call.args.at(-1);
  return last?.shape !== undefined ? last : call.args.at(-4);
}

const randperm: WorkFormula = (call) => {
  const count = integer((positional(call)[0] ?? call.args.find(({ name }) => name === 'n'))?.value);
  if (count === undefined && isDispatched(call)) return unspecified('the number of values drawn is unspecified');
  if (count === undefined || count < 0) return null;
  return workOf({
    flops: 3 * count,
    reads: [],
    writes: [isDispatched(call) ? tensorOfType([count], permutationType(call), 'int64') : tensor([count], 'int64')],
    params: [['N', count]],
    formula: 'flops = 3·n; bytes = n·size',
    source: SOURCE,
  });
};

/** One operation per number drawn. */
const draw = (result: Tensor, reads: readonly Tensor[] = []): Work | null =>
  Number.isSafeInteger(numel(result.shape))
    ? workOf({
        flops: numel(result.shape),
        reads,
        writes: [result],
        params: tensorParams(result),
        formula: reads.length === 0 ? 'flops = E; bytes = E·size' : 'flops = E; bytes = parameters + E·size',
        source: SOURCE,
      })
    : null;

const drawInto: WorkFormula = (call) => {
  const target = inputTensor(call);
  // bernoulli_(self, p) and the like may take their parameter as a tensor.
  const parameter = isDispatched(call) ? tensorOf(call.args[1]) : null;
  return target === null ? null : draw(target, parameter === null ? [] : [parameter]);
};

/** bernoulli(self): a number for each probability; bernoulli(self, p): as many as there are elements. */
const bernoulli: WorkFormula = (call, kernel) => {
  const probabilities = inputTensor(call);
  if (!isDispatched(call) || probabilities === null || call.args[1]?.type === 'float') return drawInto(call, kernel);
  return draw(probabilities, [probabilities]);
};

/** normal(mean, std), poisson(rates): tensors of parameters, one number for each. */
const drawFrom: WorkFormula = (call) => {
  const parameters = call.args.slice(0, 2).map(tensorOf);
  const given = parameters.filter((parameter) => parameter !== null);
  const shape = broadcast(...given.map((parameter) => parameter.shape));
  if (!isDispatched(call) || given.length === 0 || shape === null) return null;
  return draw(tensor(shape, given[0]?.dtype ?? null), given);
};

/** multinomial(self, num_samples): the weights of each row added up, then an operation per number. */
const multinomial: WorkFormula = (call) => {
  const weights = inputTensor(call);
  const samples = integer(argument(call, 'num_samples', 1)?.value);
  if (!isDispatched(call) || weights === null) return null;
  if (samples === undefined || samples < 0) return unspecified('the number of values drawn is unspecified');
  const drawn = tensor([...weights.shape.slice(0, -1), samples], 'int64');
  if (!Number.isSafeInteger(numel(drawn.shape))) return null;
  return workOf({
    flops: numel(weights.shape) + numel(drawn.shape),
    reads: [weights],
    writes: [drawn],
    params: tensorParams(weights),
    formula: 'flops = E + numbers drawn; bytes = weights + 8 per number',
    source: SOURCE,
  });
};

/** Extents: one sequence, or numbers one by one. */
function sizes(call: OpCall): number[] | null {
  const given = call.args.filter(({ name, type }) => name === 'size' || (name === '' && type !== 'NoneType'));
  const lists = given.map(({ value }) => integers(value));
  const shape = lists.some((list) => list === null) ? null : lists.flat().map(Number);
  return shape === null || shape.length === 0 || shape.some((extent) => extent < 0) ? null : shape;
}

const drawFresh: WorkFormula = (call) => {
  if (isDispatched(call)) {
    const filled = filledBy(call);
    return filled === null ? null : 'unspecified' in filled ? unspecified(filled.unspecified) : draw(filled);
  }
  const shape = sizes(call);
  return shape === null ? null : draw(tensor(shape, dtypeGiven(call) ?? 'float32'));
};

const FORMULAS: ByName<WorkFormula> = {
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
  ops: [...Object.keys(FORMULAS)],
  formulas: [
    'dropout: flops = 5·E; bytes = 2·E·size + E (mask); backward 2·E, the same bytes',
    'randperm: flops = 3·n; bytes = 8·n; others: flops = E (one operation per number); bytes = E·size, and tensors of parameters',
    'multinomial: flops = E + numbers drawn; bytes = weights + 8 per number',
  ],
  work: (call, kernel) => entryOf(FORMULAS, call)?.(call, kernel) ?? null,
};
