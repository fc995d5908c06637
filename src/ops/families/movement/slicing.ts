/** Slices copied out of a tensor, padding, and the gradients of both. */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { integers } from '../../operands.js';
import { tensor, writing } from '../../work.js';
import { paddedShape } from './padded-shape.js';

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
