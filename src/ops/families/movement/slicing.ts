/**
 * Slices copied out of a tensor, padding, and the gradients of both.
 */
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { integers } from '../../operands.js';
import { tensor, tensorParams } from '../../work.js';
import { paddedShape } from './padded-shape.js';

const SOURCE = 'every element read once and written once';

/** Cost of reading the input and writing a result of these extents, null where they are unspecified. */
function moved(input: Tensor, result: readonly number[] | null, flops = 0): OpCost {
  const formula = `flops = ${flops === 0 ? '0' : 'E(gradient)'}`;
  const about = { params: tensorParams(input), flops, reads: [input] };
  if (result === null) return { ...about, writes: null, formula, unknown: 'the size of the result is unspecified' };
  return { ...about, writes: [tensor(result, input.dtype)], formula: `${formula}; bytes = input + result` };
}

/** The parts together have all elements. */
const parts = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('self');
  return input === null ? null : moved(input, input.shape);
};

/** Zeros of the input's extents, into which the gradient is copied or, for windows, added. */
const placed =
  (flopsPerElement: number) =>
  (bound: BoundCall): OpCost | null => {
    const gradient = bound.tensor('grad');
    if (gradient === null) return null;
    return moved(gradient, integers(bound.value('input_sizes')), flopsPerElement * numel(gradient.shape));
  };

/** Padding copies elements of the input. */
const padded = (bound: BoundCall): OpCost | null => {
  const [input, margins] = [bound.tensor('self'), integers(bound.value('padding'))];
  if (input === null) return null;
  const shape = margins === null ? null : paddedShape(input, margins);
  return margins !== null && shape === null ? null : moved(input, shape);
};

/** Gradients of padding are added to those of the elements copied. */
const unpadded = (bound: BoundCall): OpCost | null => {
  const [gradient, self] = [bound.tensor('grad'), bound.tensor('self')];
  return gradient === null || self === null ? null : moved(gradient, self.shape, numel(gradient.shape));
};

const KINDS = ['reflection', 'replication'];
const pads = (suffix: string): string =>
  KINDS.flatMap((kind) => [1, 2, 3].map((rank) => `${kind}_pad${rank}d${suffix}`)).join(' ');

/** Arguments as in PyTorch's native_functions.yaml. */
const RULES: OpRules = {
  ...ruleFor(
    'split_copy split_with_sizes_copy unbind_copy view_copy permute_copy transpose_copy t_copy unsqueeze_copy ' +
      'squeeze_copy alias_copy detach_copy _reshape_copy _reshape_alias_copy lift_fresh_copy',
    '@self ...',
    parts,
  ),
  ...ruleFor('slice_backward', '@grad input_sizes dim start end step', placed(0)),
  ...ruleFor('select_backward', '@grad input_sizes dim index', placed(0)),
  ...ruleFor('diagonal_backward', '@grad input_sizes offset dim1 dim2', placed(0)),
  ...ruleFor('unfold_backward', '@grad input_sizes dim size step', placed(1)),
  ...ruleFor(pads(''), '@self padding', padded),
  ...ruleFor(pads('_backward'), '@grad @self padding', unpadded),
};

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
