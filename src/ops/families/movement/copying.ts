/** Copies: between tensors, into another layout, or into a padded or repeated tensor. */
import type { BoundArguments } from '../../schema/binding.js';
import { dtypeShort } from '../../../record/element-types.js';
import { numel, type Tensor } from '../../call.js';
import { ALL_OPS, type Family, type OpCost } from '../../family.js';
import { resolveDimension, integers } from '../../operands.js';
import { showShape, tensor, tensorParams } from '../../work.js';
import { ruleWork, rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { paddedShape } from './slicing.js';
import { elementAt } from '../../../containers/element.js';

const SOURCE = 'reads and writes each element once';

/** The source may be broadcast and of another type. */
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

/** A plain copy. A view launches no kernel, so a kernel of `reshape` is a copy. */
const copy = withTensors('self', (input) => ({
  flops: 0,
  reads: [input],
  writes: [input],
  formula: 'flops = 0; bytes = 2·E·size',
}));

/** Extents after repeating: counts apply to the last dimensions, and additional counts prepend new ones. */
function repeatedShape(input: Tensor, counts: readonly number[]): number[] | null {
  if (counts.some((count) => count < 0)) return null;
  const rank = Math.max(input.shape.length, counts.length);
  const extent = (list: readonly number[], i: number): number => list[i - rank + list.length] ?? 1;
  return Array.from({ length: rank }, (_, i) => extent(input.shape, i) * extent(counts, i));
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

/** The result of `repeat_interleave` when only counts are passed: indices. */
function repeatIndices(bound: BoundArguments, repeats: Tensor): Tensor | null {
  const size = bound.number('output_size');
  return size === null ? null : tensor([size], repeats.dtype);
}

const repeatInterleave: RuleCost = (bound) => {
  const [self, repeats] = [bound.tensor('self'), bound.tensor('repeats')];
  const input = self ?? repeats;
  if (input === null) return null;
  const params = tensorParams(input);
  const result = self === null ? repeatIndices(bound, input) : interleaved(bound, self);
  if (result === null) return { ...UNSPECIFIED, params };
  return { flops: 0, reads: [input], writes: [result], params, formula: 'flops = 0; bytes = input + result' };
};

/**
 * @param name name of the argument with margins or counts
 * @param shapeOf returns the extents of the result; gradients
 *   of repeated elements are added up
 */
const enlarged = (name: string, shapeOf: typeof paddedShape): RuleCost =>
  withTensors('self', (input, bound) => {
    const given = integers(bound.value(name));
    if (given === null) return bound.arg(name) === undefined ? null : UNSPECIFIED;
    const shape = shapeOf(input, given);
    if (shape === null) return null;
    const result = tensor(shape, input.dtype);
    const [from, to] = bound.kernel.dir === 'bprop' ? [result, input] : [input, result];
    const adds = bound.kernel.dir === 'bprop' && shapeOf === repeatedShape;
    return {
      flops: adds ? numel(shape) : 0,
      reads: [from],
      writes: [to],
      formula: `flops = ${adds ? 'E(result)' : '0'}; bytes = input + result`,
    };
  });

/** Numbers that a Python call passes one by one are a list. */
const RULES = rules`
  ${withTensors('self src', copied)} copy_ copy: @self @src ...
  ${withTensors('dst self', copied)} _copy_from _copy_from_and_resize: @self @dst ...
  // The first form repeats a tensor; the second one has only the counts.
  ${repeatInterleave} repeat_interleave: @self repeats dim output_size | @self @repeats dim output_size
      | @repeats output_size
  ${copy} clone contiguous reshape flatten ravel cuda cpu npu: @self ...
  ${enlarged('pad', paddedShape)} pad constant_pad_nd: @self pad ...
  ${enlarged('repeats', repeatedShape)} repeat: @self repeats:list
  ${enlarged('dims', repeatedShape)} tile: @self dims:list
`;

export const copying: Family = {
  id: 'copying',
  title: 'Copies: copy_, clone, contiguous, reshape, pad, repeat',
  category: 'copy',
  ops: Object.keys(RULES),
  onlyMoves: ALL_OPS,
  formulas: [
    'flops = 0',
    'copy_: source + target, each with its element size; clone, contiguous, reshape: 2·E·size (they launch a kernel only to copy)',
    'pad, repeat: input + result; backward of repeat: E(result) additions',
  ],
  work: (call, kernel) => ruleWork(RULES, call, kernel, SOURCE),
};
