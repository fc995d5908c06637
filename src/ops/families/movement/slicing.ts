/** Slices copied out of a tensor, padding, the gradients of both, and joined tensors: cat and stack. */
import { ruleWork, rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { numel, elementCount, type Tensor } from '../../call.js';
import { ALL_OPS, type Family } from '../../family.js';
import { integers } from '../../operands.js';
import { tensor, writing, helperCost, tensorListParams } from '../../work.js';
import type { BoundArguments } from '../../schema/binding.js';
import { promote } from '../../schema/promotion.js';

const JOINING_SOURCE = 'reads and writes each element once; PyTorch type promotion';

const unspecified = (unknown: string) => ({ writes: null, flops: 0, params: [], formula: 'flops = 0', unknown });

/** The call does not fit when no argument can be the tensors. */
const withoutParts = (bound: BoundArguments) =>
  bound.arg('tensors') === undefined ? null : unspecified('the joined tensors are unspecified');

/**
 * Forward, all parts are read and the whole is written; backward, the reverse. Further kernels of the call are helpers
 * of the first.
 */
const joined: RuleCost = (bound) => {
  const parts = bound.tensors('tensors');
  const params = tensorListParams(parts);
  if (parts.length === 0) return withoutParts(bound);
  if (bound.kernel.sub > 0) return helperCost(params);
  const whole = tensor([elementCount(parts)], bound.outs[0]?.dtype ?? promote(parts));
  return { flops: 0, writes: [whole], params, formula: 'flops = 0; bytes = operands + result' };
};

/** Every part is padded to whole chunks; null when their extents are unspecified. */
function chunked(bound: BoundArguments, parts: readonly Tensor[]): Tensor | null {
  const [out] = bound.outs;
  if (out !== undefined) return out;
  const [dim, chunks] = [bound.number('dim'), bound.count('chunks')];
  if (dim === null || chunks === null || chunks < 1) return null;
  const sizes = parts.map(({ shape }) => {
    const extent = shape[dim] ?? 1;
    return extent === 0 ? 0 : (numel(shape) / extent) * Math.ceil(extent / chunks) * chunks;
  });
  const count = sizes.reduce((sum, size) => sum + size, 0);
  return Number.isSafeInteger(count) ? tensor([count], promote(parts)) : null;
}

const joinedInChunks: RuleCost = (bound) => {
  const parts = bound.tensors('tensors');
  if (parts.length === 0) return withoutParts(bound);
  const result = chunked(bound, parts);
  if (result === null) return unspecified('the number of chunks is unspecified');
  const formula = 'flops = 0; bytes = operands + result, padded to whole chunks';
  return { flops: 0, writes: [result], params: tensorListParams(parts), formula };
};

/** With a dimension, without one, in chunks; the last form for lists whose tensors are unspecified. */
const JOINING_RULES = rules`
  ${joined} cat concat concatenate stack hstack vstack dstack _cat _stack: @tensors[] dim | @tensors[] | tensors ...
  ${joinedInChunks} aten._chunk_cat: @tensors[] dim chunks | tensors ...
`;

export const joining: Family = {
  id: 'joining',
  title: 'Joining: cat, stack',
  category: 'copy',
  ops: Object.keys(JOINING_RULES),
  onlyMoves: ALL_OPS,
  formulas: ['flops = 0; bytes = operands + result (backward: the same, reads and writes swapped)'],
  work: (call, kernel) => ruleWork(JOINING_RULES, call, kernel, JOINING_SOURCE),
};

/** Extents after padding: pairs of (before, after), last dimension first; negative padding crops. */
export function paddedShape(input: Tensor, pad: readonly number[]): number[] | null {
  if (pad.length % 2 === 1 || pad.length > 2 * input.shape.length) return null;
  const shape = input.shape.map((extent, i) => {
    const at = 2 * (input.shape.length - 1 - i);
    const [before = 0, after = 0] = pad.slice(at, at + 2);
    return extent + before + after;
  });
  return shape.every((extent) => extent >= 0) ? shape : null;
}

const SOURCE = 'reads and writes each element once';

/** Cost of reading the input and writing a result of these extents; unknown when they are null. */
const moved = (input: Tensor, result: readonly number[] | null, flops = 0) => ({
  flops,
  reads: [input],
  ...writing(result === null ? null : tensor(result, input.dtype), 'the size of the result is unspecified'),
  formula: `flops = ${flops === 0 ? '0' : 'E(gradient)'}${result === null ? '' : '; bytes = input + result'}`,
});

/** The parts together contain all elements. */
const parts = withTensors('self', (input) => moved(input, input.shape));

/** Zeros with the input's extents, into which the gradient is copied or, for windows, added. */
const placed = (perElement: number): RuleCost =>
  withTensors('grad', (gradient, bound) =>
    moved(gradient, integers(bound.value('input_sizes')), perElement * numel(gradient.shape)),
  );

/** Padding copies elements of the input. */
const padded = withTensors('self', (input, bound) => {
  const margins = integers(bound.value('padding'));
  const shape = margins === null ? null : paddedShape(input, margins);
  return margins !== null && shape === null ? null : moved(input, shape);
});

/** Gradients of padding are added to those of the copied elements. */
const unpadded = withTensors('grad self', (gradient, self) => moved(gradient, self.shape, numel(gradient.shape)));

const KINDS = ['reflection', 'replication'];
const pads = (suffix: string): string =>
  KINDS.flatMap((kind) => [1, 2, 3].map((rank) => `${kind}_pad${rank}d${suffix}`)).join(' ');

const RULES = rules`
  ${parts} split_copy split_with_sizes_copy unbind_copy view_copy permute_copy transpose_copy t_copy unsqueeze_copy
      squeeze_copy alias_copy detach_copy _reshape_copy _reshape_alias_copy lift_fresh_copy: @self ...
  ${placed(0)} slice_backward: @grad input_sizes dim start end step
  ${placed(0)} select_backward: @grad input_sizes dim index
  ${placed(0)} diagonal_backward: @grad input_sizes offset dim1 dim2
  ${placed(1)} unfold_backward: @grad input_sizes dim size step
  ${padded} ${pads('')}: @self padding
  ${unpadded} ${pads('_backward')}: @grad @self padding
`;

export const slicing: Family = {
  id: 'slicing',
  title: 'Slices and padding: split_copy, slice_backward, reflection_pad, replication_pad',
  category: 'copy',
  ops: Object.keys(RULES),
  onlyMoves: /^(?!unfold_backward|re\w+_pad\dd_backward)/,
  formulas: [
    'split, view and similar ops that copy: flops = 0; bytes = 2·E·size',
    'slice_backward, select_backward: gradient + result; unfold_backward adds E(gradient)',
    'reflection_pad, replication_pad: input + result; backward the same, with E(gradient) additions',
  ],
  work: workByRules(RULES, SOURCE),
};
