/** Slices copied out of a tensor, padding, the gradients of both, and tensors joined: cat and stack. */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { numel, elementCount, type Tensor } from '../../call.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { integers, inputTensors, opName } from '../../operands.js';
import { tensor, writing, helperWork, tensorListParams, workOf } from '../../work.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import { promote } from '../../schema/promotion.js';

const JOINING_SOURCE = 'every element read and written once; PyTorch type promotion';

/** All parts read, the whole of this type written. */
function joined(parts: readonly Tensor[], dtype: string | null): Work | null {
  const count = elementCount(parts);
  if (!Number.isSafeInteger(count)) return null;
  return workOf({
    flops: 0,
    reads: parts,
    writes: [tensor([count], dtype)],
    params: tensorListParams(parts),
    formula: 'flops = 0; bytes = operands + result',
    source: JOINING_SOURCE,
  });
}

/** Every part is filled up to whole chunks; null when their extents are unspecified. */
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

const unspecified = (unknown: string): Work =>
  workOf({ writes: null, flops: 0, params: [], formula: 'flops = 0', source: JOINING_SOURCE, unknown });

const CHUNKED = '_chunk_cat';

/** Arguments as in PyTorch's native_functions.yaml: with a dimension, without one, in chunks. */
const SIGNATURES = ['@tensors[] dim', '@tensors[]'];
const IN_CHUNKS = '@tensors[] dim chunks';

function dispatchedWork(call: OpCall): Work | null {
  const inChunks = opName(call) === CHUNKED;
  const bound = bind(call, ...(inChunks ? [IN_CHUNKS] : SIGNATURES));
  if (bound === null) return unspecified('which tensors are joined is unspecified');
  const parts = bound.tensors('tensors');
  if (!inChunks) return joined(parts, bound.outs[0]?.dtype ?? promote(parts));
  const result = chunked(bound, parts);
  if (result === null) return unspecified('the number of chunks is unspecified');
  const params = tensorListParams(parts);
  const formula = 'flops = 0; bytes = operands + result, filled up to whole chunks';
  return workOf({ flops: 0, reads: parts, writes: [result], params, formula, source: JOINING_SOURCE });
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (isDispatched(call)) return dispatchedWork(call);
  const parts = inputTensors(call);
  if (parts === null || parts.length === 0) return null;
  if (kernel.sub > 0) return helperWork(tensorListParams(parts), JOINING_SOURCE);
  return joined(parts, promote(parts));
}

export const joining: Family = {
  id: 'joining',
  title: 'Joining: cat, stack',
  ops: ['cat', 'concat', 'concatenate', 'stack', 'hstack', 'vstack', 'dstack', '_cat', '_stack', `aten.${CHUNKED}`],
  formulas: ['flops = 0; bytes = operands + result (backward the same, the other way round)'],
  work,
};

/** Extents after padding: pairs of (before, after), last dimension first; negative ones cut. */
export function paddedShape(input: Tensor, pad: readonly number[]): number[] | null {
  if (pad.length % 2 === 1 || pad.length > 2 * input.shape.length) return null;
  const shape = input.shape.map((extent, i) => {
    const at = 2 * (input.shape.length - 1 - i);
    const [before = 0, after = 0] = pad.slice(at, at + 2);
    return extent + before + after;
  });
  return shape.every((extent) => extent >= 0) ? shape : null;
}

const SOURCE = 'every element read once and written once';

/** Cost of reading the input and writing a result of these extents, null where they are unspecified. */
const moved = (input: Tensor, result: readonly number[] | null, flops = 0) => ({
  flops,
  reads: [input],
  ...writing(result === null ? null : tensor(result, input.dtype), 'the size of the result is unspecified'),
  formula: `flops = ${flops === 0 ? '0' : 'E(gradient)'}${result === null ? '' : '; bytes = input + result'}`,
});

/** The parts together have all elements. */
const parts = withTensors('self', (input) => moved(input, input.shape));

/** Zeros of the input's extents, into which the gradient is copied or, for windows, added. */
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

/** Gradients of padding are added to those of the elements copied. */
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
  title: 'Parts and margins: split_copy, slice_backward, reflection_pad, replication_pad',
  ops: Object.keys(RULES),
  formulas: [
    'split, view and their like that copy: flops = 0; bytes = 2·E·size',
    'slice_backward, select_backward: gradient + result; unfold_backward adds E(gradient)',
    'reflection_pad, replication_pad: input + result; backward the same, with E(gradient) additions',
  ],
  work: workByRules(RULES, SOURCE),
};
