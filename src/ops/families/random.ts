/**
 * Random numbers, and dropout, which is made of them.
 */
import { numel, positional, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { dtypeGiven } from '../dtype-argument.js';
import { opName, subject, whole, wholes } from '../operands.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'PyProf (dropout 5 per element, randperm 3 per element); PyTorch native_dropout';

/** Forward: a random number, a comparison, a product with the mask, a scale; PyProf counts five. */
const DROPOUT_FLOPS = 5;
/** Backward: products with the mask and with the scale. */
const DROPOUT_BACKWARD_FLOPS = 2;

type Formula = (call: OpCall, kernel: KernelFacts) => Work | null;

/** The mask is a result of the forward pass, one byte per element, and is read again in the backward pass. */
const dropout: Formula = (call, kernel) => {
  const input = subject(call);
  if (input === null) return null;
  const mask = tensor(input.shape, 'bool');
  const backward = kernel.dir === 'bprop';
  const perElement = backward ? DROPOUT_BACKWARD_FLOPS : DROPOUT_FLOPS;
  return trafficWork({
    flops: perElement * numel(input.shape),
    reads: backward ? [input, mask] : [input],
    writes: backward ? [input] : [input, mask],
    params: tensorParams(input),
    formula: `flops = ${perElement}·E; bytes = 2·E·size + E (mask)`,
    source: SOURCE,
  });
};

const randperm: Formula = (call) => {
  const count = whole((positional(call)[0] ?? call.args.find(({ name }) => name === 'n'))?.value);
  if (count === undefined || count < 0) return null;
  return trafficWork({
    flops: 3 * count,
    reads: [],
    writes: [tensor([count], 'int64')],
    params: [['N', count]],
    formula: 'flops = 3·n; bytes = 8·n',
    source: SOURCE,
  });
};

/** One operation per number drawn. */
const draw = (result: Tensor): Work | null =>
  Number.isSafeInteger(numel(result.shape))
    ? trafficWork({
        flops: numel(result.shape),
        reads: [],
        writes: [result],
        params: tensorParams(result),
        formula: 'flops = E; bytes = E·size',
        source: SOURCE,
      })
    : null;

const drawInto: Formula = (call) => {
  const target = subject(call);
  return target === null ? null : draw(target);
};

/** Extents: one sequence, or numbers one by one. */
function sizes(call: OpCall): number[] | null {
  const given = call.args.filter(({ name, type }) => name === 'size' || (name === '' && type !== 'NoneType'));
  const lists = given.map(({ value }) => wholes(value));
  const shape = lists.some((list) => list === null) ? null : lists.flat().map(Number);
  return shape === null || shape.length === 0 || shape.some((extent) => extent < 0) ? null : shape;
}

const drawFresh: Formula = (call) => {
  const shape = sizes(call);
  return shape === null ? null : draw(tensor(shape, dtypeGiven(call) ?? 'float32'));
};

const named = (names: string, formula: Formula): [string, Formula][] => names.split(' ').map((op) => [op, formula]);

const FORMULAS: ReadonlyMap<string, Formula> = new Map([
  ...named('dropout dropout_ native_dropout fused_dropout _fused_dropout alpha_dropout', dropout),
  ...named('randperm', randperm),
  ...named('rand_like randn_like randint_like uniform_ normal_ random_ exponential_ bernoulli_ bernoulli', drawInto),
  ...named('rand randn', drawFresh),
]);

export const random: Family = {
  id: 'random',
  title: 'Random numbers and dropout',
  ops: [...FORMULAS.keys()],
  formulas: [
    'dropout: flops = 5·E; bytes = 2·E·size + E (mask); backward 2·E, the same bytes',
    'randperm: flops = 3·n; bytes = 8·n; others: flops = E (one operation per number); bytes = E·size',
  ],
  work: (call, kernel) => FORMULAS.get(opName(call))?.(call, kernel) ?? null,
};
