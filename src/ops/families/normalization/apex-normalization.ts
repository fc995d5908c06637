/** Normalisation that apex registers with the dispatcher: of rows, and of groups of channels with an activation. */
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';
import { accumulated, BACKWARD, FORWARD, forwardFlops, type NormKind } from './layer-normalization.js';

const SOURCE =
  'operations per element as for layer_norm; arguments: apex/normalization/fused_layer_norm.py and ' +
  'apex/contrib/group_norm/group_norm.py of apex';

/** Elements that are normalised together. */
const rowLength = (bound: BoundCall): number => {
  const shape = bound.integers('normalized_shape') ?? bound.tensor('weight')?.shape;
  return shape === undefined ? 0 : numel(shape);
};

const BYTES = 'bytes = input + parameters + result + saved statistics';

const forward = (kind: NormKind): RuleCost =>
  withTensors('input', (input, bound) => {
    const [perElement, length] = [forwardFlops(kind, bound), rowLength(bound)];
    const flops = perElement * numel(input.shape);
    const formula = `flops = ${perElement}·E; ${BYTES}`;
    if (length === 0) return { flops, formula, writes: null, unknown: 'the length of a row is unspecified' };
    const saved = tensor([Math.ceil(numel(input.shape) / length)], accumulated(input.dtype));
    return { flops, formula, writes: [input, saved, ...(kind === 'centred' ? [saved] : [])] };
  });

/** The gradients of the input and of all parameters; none depends on the bias. */
const backward = (kind: NormKind): RuleCost =>
  withTensors('saved', (input, bound) => {
    const [weights, biases] = [bound.tensors('weight'), bound.tensors('bias')];
    const perElement =
      BACKWARD[kind] + weights.length * (BACKWARD.weighting + BACKWARD.weight) + biases.length * BACKWARD.bias;
    return {
      flops: perElement * numel(input.shape),
      reads: bound.tensorsOf('grad_out mean rstd saved weight'),
      writes: [input, ...weights, ...biases],
      formula: `flops = ${perElement}·E; bytes = gradient + saved input or result + statistics + weight + gradients`,
    };
  });

/** SiLU, or none: one operation per element. */
const activations = (bound: BoundCall): number => {
  const name = bound.value('act');
  return typeof name === 'string' && name !== '' ? 1 : 0;
};

/** Two sums of each group of each sample. */
const sums = ({ shape: [samples = 0] }: Tensor, groups: number): Tensor => tensor([2 * samples * groups], 'float32');

const groupForward = withTensors('input', (input, bound) => {
  const perElement = FORWARD.channels + activations(bound);
  const flops = perElement * numel(input.shape);
  const [formula, groups] = [`flops = ${perElement}·E; ${BYTES}`, bound.count('groups')];
  if (groups === null) return { flops, formula, writes: null, unknown: 'the number of groups is unspecified' };
  return { flops, formula, writes: [input, sums(input, groups)] };
});

const groupBackward = withTensors('input', (input, bound) => {
  const perElement = BACKWARD.centred + activations(bound);
  return {
    flops: perElement * numel(input.shape),
    writes: [input, ...bound.tensorsOf('weight bias')],
    formula: `flops = ${perElement}·E; bytes = gradient + input + sums + parameters + gradients of input and parameters`,
  };
});

const TAIL = 'eps memory_efficient';

const RULES = rules`
  ${forward('centred')} apex.fused_layer_norm_affine_fwd: @input @weight @bias normalized_shape ${TAIL}
  ${forward('centred')} apex.fused_layer_norm_fwd: @input normalized_shape ${TAIL}
  ${forward('rms')} apex.fused_rms_norm_affine_fwd: @input @weight normalized_shape ${TAIL}
  ${forward('rms')} apex.fused_rms_norm_fwd: @input normalized_shape ${TAIL}
  ${backward('centred')} apex.fused_layer_norm_affine_bwd: @grad_out @mean? @rstd @saved normalized_shape @weight
      @bias ${TAIL}
  ${backward('centred')} apex.fused_layer_norm_bwd: @grad_out @mean? @rstd @saved normalized_shape ${TAIL}
  ${backward('rms')} apex.fused_rms_norm_affine_bwd: @grad_out @rstd @saved normalized_shape @weight ${TAIL}
  ${backward('rms')} apex.fused_rms_norm_bwd: @grad_out @rstd @saved normalized_shape ${TAIL}
  ${groupForward} apex.group_norm_nhwc_fprop: @input groups @weight @bias eps act passes
  ${groupBackward} apex.group_norm_nhwc_bprop: @grad_out @sums @input groups @weight @bias eps act passes
`;

export const apexNormalization: Family = {
  id: 'apex-normalization',
  title: 'Normalisation that apex registers: fused_layer_norm, fused_rms_norm, group_norm_nhwc',
  ops: Object.keys(RULES),
  formulas: [
    'rows: flops = 4·E, root mean square 3·E, with weights E more; backward 9·E and 6·E, with weights 3·E, with a bias E more',
    'groups of channels: flops = 5·E, backward 9·E; with an activation E more',
    'bytes = operands + results, saved statistics among them',
  ],
  work: workByRules(RULES, SOURCE),
};
