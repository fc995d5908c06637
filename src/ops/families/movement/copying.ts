/** Copies: between tensors, into another layout, into a padded or repeated tensor. */
import { named, type ByName } from '../../by-name.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import { dtypeShort } from '../../../record/element-types.js';
import { argument, numel, positional, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, OpCost } from '../../family.js';
import { resolveDimension, opName, tensorAt, integers } from '../../operands.js';
import { showShape, tensor, tensorParams } from '../../work.js';
import { withInput, workByFormulas, type CallFormula } from '../../schema/op-rules.js';
import { paddedShape } from './slicing.js';
import { elementAt } from '../../../containers/element.js';

const SOURCE = 'every element read once and written once';

/** copy_(target, source): the source may be broadcast and of another type. */
const copyInto = withInput((target, call) => {
  const source = tensorAt(call, 'src', 1) ?? tensorAt(call, 'source', 1) ?? tensorAt(call, 'other', 1);
  return source === null ? null : copied(target, source);
});

/** _copy_from(self, dst): the other way round. */
const copyFrom = withInput((source, call) => {
  const target = tensorAt(call, 'dst', 1);
  return target === null || !isDispatched(call) ? null : copied(target, source);
});

const copied = (target: Tensor, source: Tensor): OpCost => ({
  flops: 0,
  reads: [source],
  writes: [target],
  params: [
    ['T', showShape(target.shape)],
    ['', dtypeShort(source.dtype)],
    ['', dtypeShort(target.dtype)],
  ],
  formula: 'flops = 0; bytes = source + target',
});

/** A plain copy. A view launches no kernel, so that a kernel of `reshape` is a copy. */
const copy = withInput((input) => ({
  flops: 0,
  reads: [input],
  writes: [input],
  formula: 'flops = 0; bytes = 2·E·size',
}));

/** Extents after repeating: counts for the last dimensions, more counts than dimensions prepend new ones. */
function repeatedShape(input: Tensor, counts: readonly number[]): number[] | null {
  if (counts.some((count) => count < 0)) return null;
  const rank = Math.max(input.shape.length, counts.length);
  const extent = (list: readonly number[], i: number): number => list[i - rank + list.length] ?? 1;
  return Array.from({ length: rank }, (_, i) => extent(input.shape, i) * extent(counts, i));
}

/** Integers in one list, or as the positional arguments after the first. */
function sequence(call: OpCall, name: string): number[] | null {
  const spread = positional(call).slice(1);
  const numbers = spread.map(({ value }) => integers(value)).filter((list) => list !== null);
  if (spread.length > 1 && numbers.length === spread.length) return numbers.flat();
  return integers(argument(call, name, 1)?.value);
}

const UNSPECIFIED = {
  flops: 0,
  writes: null,
  formula: 'flops = 0',
  unknown: 'the size of the result is unspecified',
} as const;

/** The result of `repeat_interleave` of a tensor; null when its size is unspecified. */
function interleaved(bound: BoundArguments, input: Tensor): Tensor | null {
  const [times, extent, dim] = [bound.number('repeats'), bound.number('output_size'), bound.arg('dim')];
  // Without a dimension the input is flattened.
  if (dim?.value === null) return times === null ? null : tensor([numel(input.shape) * times], input.dtype);
  const at = resolveDimension(bound.number('dim') ?? NaN, input.shape.length);
  if (at === null) return null;
  const size = times === null ? extent : elementAt(input.shape, at) * times;
  if (size === null) return null;
  const shape = input.shape.map((old, i) => (i === at ? size : old));
  return tensor(shape, input.dtype);
}

/** The result of `repeat_interleave` of counts alone: indices. */
function repeatIndices(bound: BoundArguments, repeats: Tensor): Tensor | null {
  const size = bound.number('output_size');
  return size === null ? null : tensor([size], repeats.dtype);
}

/** Overloads with a tensor to repeat, and of the counts alone. */
const INTERLEAVE = ['@self repeats dim output_size', '@self @repeats dim output_size', '@repeats output_size'];

const repeatInterleave: CallFormula = (call) => {
  const bound = isDispatched(call) ? bind(call, ...INTERLEAVE) : null;
  const [self, repeats] = [bound?.tensor('self') ?? null, bound?.tensor('repeats') ?? null];
  const input = self ?? repeats;
  if (bound === null || input === null) return null;
  const params = tensorParams(input);
  const result = self === null ? repeatIndices(bound, input) : interleaved(bound, self);
  if (result === null) return { ...UNSPECIFIED, params };
  if (!result.shape.every((extent) => extent >= 0) || !Number.isSafeInteger(numel(result.shape))) return null;
  return { flops: 0, reads: [input], writes: [result], params, formula: 'flops = 0; bytes = input + result' };
};

const enlarged = withInput((input, call, { dir }) => {
  const pads = opName(call) !== 'repeat' && opName(call) !== 'tile';
  const given = pads ? integers(argument(call, 'pad', 1)?.value) : sequence(call, 'repeats');
  if (given === null) return isDispatched(call) ? UNSPECIFIED : null;
  const shape = (pads ? paddedShape : repeatedShape)(input, given);
  if (shape === null || !Number.isSafeInteger(numel(shape))) return null;
  const [from, to] = dir === 'bprop' ? [tensor(shape, input.dtype), input] : [input, tensor(shape, input.dtype)];
  const adds = dir === 'bprop' && !pads;
  return {
    flops: adds ? numel(shape) : 0,
    reads: [from],
    writes: [to],
    formula: `flops = ${adds ? 'E(result)' : '0'}; bytes = input + result`,
  };
});

const FORMULAS: ByName<CallFormula> = {
  ...named('copy_ copy', copyInto),
  ...named('_copy_from _copy_from_and_resize', copyFrom),
  ...named('repeat_interleave', repeatInterleave),
  ...named('clone contiguous reshape flatten ravel cuda cpu npu', copy),
  ...named('pad constant_pad_nd repeat tile', enlarged),
};

export const copying: Family = {
  id: 'copying',
  title: 'Copies: copy_, clone, contiguous, reshape, pad, repeat',
  ops: Object.keys(FORMULAS),
  formulas: [
    'flops = 0',
    'copy_: source + target, each with its own size; clone, contiguous, reshape: 2·E·size (a kernel is launched only when it copies)',
    'pad, repeat: input + result; backward of repeat: E(result) additions',
  ],
  work: workByFormulas(FORMULAS, SOURCE),
};
