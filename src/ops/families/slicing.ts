/**
 * Parts of a tensor copied out of it, and gradients put back where parts were taken or margins were added.
 */
import { argument, numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { isDispatched, untoldWork } from '../dispatched.js';
import type { Family, Work } from '../family.js';
import { opName, subject, tensorAt, wholes } from '../operands.js';
import { tensor, tensorParams, trafficWork } from '../work.js';
import { paddedShape } from './padded-shape.js';

const SOURCE = 'every element read once and written once';

type Formula = (call: OpCall, input: Tensor) => Work | null;

const moved = (input: Tensor, result: Tensor, flops = 0): Work =>
  trafficWork({
    flops,
    reads: [input],
    writes: [result],
    params: tensorParams(input),
    formula: `flops = ${flops === 0 ? '0' : 'E(gradient)'}; bytes = input + result`,
    source: SOURCE,
  });

const untold = (input: Tensor, flops: number): Work =>
  untoldWork({
    flops,
    params: tensorParams(input),
    formula: `flops = ${flops === 0 ? '0' : 'E(gradient)'}`,
    source: SOURCE,
    unknown: 'the size of the result is not told',
  });

/** All parts together are the tensor. */
const parts: Formula = (_, input) => moved(input, input);

/** op(grad, input_sizes, …): zeros as large as the input, the gradient placed in them or, of windows, added up. */
const placed =
  (flopsPerElement: number): Formula =>
  (call, gradient) => {
    const flops = flopsPerElement * numel(gradient.shape);
    const shape = wholes(argument(call, 'input_sizes', 1)?.value);
    if (shape === null) return untold(gradient, flops);
    if (shape.some((extent) => extent < 0) || !Number.isSafeInteger(numel(shape))) return null;
    return moved(gradient, tensor(shape, gradient.dtype), flops);
  };

/** reflection_pad2d(self, padding): the margins are copies. */
const padded: Formula = (call, input) => {
  const margins = wholes(argument(call, 'padding', 1)?.value);
  if (margins === null) return untold(input, 0);
  const shape = paddedShape(input, margins);
  return shape === null || !Number.isSafeInteger(numel(shape)) ? null : moved(input, tensor(shape, input.dtype));
};

/** reflection_pad2d_backward(grad, self, padding): the gradients of copies are added to that of their origin. */
const unpadded: Formula = (call, gradient) => {
  const self = tensorAt(call, 'self', 1);
  return self === null ? null : moved(gradient, tensor(self.shape, gradient.dtype), numel(gradient.shape));
};

const named = (names: string, formula: Formula): [string, Formula][] => names.split(' ').map((op) => [op, formula]);

const KINDS = ['reflection', 'replication'];
const pads = (suffix: string): string =>
  KINDS.flatMap((kind) => [1, 2, 3].map((rank) => `${kind}_pad${rank}d${suffix}`)).join(' ');

const FORMULAS: ReadonlyMap<string, Formula> = new Map([
  ...named('split_copy split_with_sizes_copy unbind_copy view_copy permute_copy transpose_copy t_copy', parts),
  ...named(
    'unsqueeze_copy squeeze_copy alias_copy detach_copy _reshape_copy _reshape_alias_copy lift_fresh_copy',
    parts,
  ),
  ...named('slice_backward select_backward diagonal_backward', placed(0)),
  ...named('unfold_backward', placed(1)),
  ...named(pads(''), padded),
  ...named(pads('_backward'), unpadded),
]);

export const slicing: Family = {
  id: 'slicing',
  title: 'Parts and margins: split_copy, slice_backward, reflection_pad, replication_pad',
  ops: [...FORMULAS.keys()],
  formulas: [
    'split, view and their like that copy: flops = 0; bytes = 2·E·size',
    'slice_backward, select_backward: gradient + result; unfold_backward adds E(gradient)',
    'reflection_pad, replication_pad: input + result; backward the same, with E(gradient) additions',
  ],
  work: (call) => {
    const input = isDispatched(call) ? subject(call) : null;
    return input === null ? null : (FORMULAS.get(opName(call))?.(call, input) ?? null);
  },
};
