/**
 * Quantisation by ATen: to whole numbers and back, and fake quantisation, which does both at once.
 */
import { workByRules, ruleFor, type BoundCall, type OpRule, type OpRules } from '../../schema/op-rules.js';
import { elementCount } from '../../call.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import type { Family } from '../../family.js';
import { tensor, tensorParams } from '../../work.js';

const SOURCE = 'operations per element; arguments: aten/src/ATen/native/native_functions.yaml';

/** A division by the scale, the zero point added, rounding, a clamp. */
const QUANTIZED = 4;
/** The zero point subtracted, a product with the scale. */
const DEQUANTIZED = 2;
/** One after the other, and whether the element was in range. */
const FAKE = QUANTIZED + DEQUANTIZED;
const MASKED = FAKE + 1;
/** The element chosen or dropped; the gradient of its scale: quantised again, a difference and three products. */
const LEARNED = MASKED + 4;

/** The type of one result; null where it is unspecified. */
type ResultType = (bound: BoundCall, self: string) => string | null;

const same: ResultType = (_, self) => self;
const mask: ResultType = () => 'bool';
const single: ResultType = () => 'float32';
const requested: ResultType = (bound) => dtypeAt(bound.arg('dtype'));

/** @param flops operations per element of `self` or of all its tensors; each result has their extents */
const perElement =
  (flops: number, ...results: readonly ResultType[]): OpRule['cost'] =>
  (bound) => {
    const inputs = bound.tensors('self');
    const [subject] = inputs;
    if (subject === undefined) return null;
    const made = results.map((type) => inputs.map(({ shape, dtype }) => tensor(shape, type(bound, dtype))));
    return {
      params: tensorParams(subject),
      flops: flops * elementCount(inputs),
      writes: bound.outs.length > 0 ? bound.outs : made.flat(),
      formula: `flops = ${flops}·E; bytes = operands read + ${results.length} result${results.length > 1 ? 's' : ''} of E elements`,
    };
  };

const PER_TENSOR = ['@self scale zero_point min max', '@self @scale @zero_point min max'];
const PER_CHANNEL = '@self @scale @zero_point axis min max';
const OBSERVED =
  '@self @observer_on @fake_quant_on @!running_min @!running_max @!scale @!zero_point averaging min max axis per_row symmetric';

/** The extremes and the fake quantisation are ops of their own; these kernels only keep the averages and the scales. */
const averages: OpRule['cost'] = (bound) => {
  const [subject] = bound.tensors('self');
  if (subject === undefined) return null;
  const kept = bound.tensorsOf('running_min running_max');
  return {
    params: tensorParams(subject),
    flops: null,
    reads: [...bound.tensorsOf('observer_on fake_quant_on'), ...kept],
    writes: [...kept, ...bound.tensorsOf('scale zero_point')],
    formula: 'bytes = averages read and written + scales and zero points written',
    unknown: 'whether it observes and quantises are values of tensors',
  };
};

const RULES: OpRules = {
  ...ruleFor(
    'aten.quantize_per_tensor',
    ['@self scale zero_point dtype', '@self @scale @zero_point dtype'],
    perElement(QUANTIZED, requested),
  ),
  ...ruleFor('aten.quantize_per_channel', '@self @scale @zero_point axis dtype', perElement(QUANTIZED, requested)),
  ...ruleFor('aten.dequantize', '@self', perElement(DEQUANTIZED, single)),
  ...ruleFor('aten.fake_quantize_per_tensor_affine', PER_TENSOR, perElement(FAKE, same)),
  ...ruleFor('aten.fake_quantize_per_channel_affine', PER_CHANNEL, perElement(FAKE, same)),
  ...ruleFor('fake_quantize_per_tensor_affine_cachemask', PER_TENSOR, perElement(MASKED, same, mask)),
  ...ruleFor('fake_quantize_per_channel_affine_cachemask', PER_CHANNEL, perElement(MASKED, same, mask)),
  ...ruleFor(
    '_fake_quantize_per_tensor_affine_cachemask_tensor_qparams',
    '@self @scale @zero_point @enabled min max',
    perElement(MASKED, same, mask),
  ),
  ...ruleFor(
    'fake_quantize_per_tensor_affine_cachemask_backward fake_quantize_per_channel_affine_cachemask_backward',
    '@self @mask',
    perElement(1, same),
  ),
  ...ruleFor(
    '_fake_quantize_learnable_per_tensor_affine',
    '@self @scale @zero_point min max grad_factor',
    perElement(FAKE, same),
  ),
  ...ruleFor('_fake_quantize_learnable_per_channel_affine', `${PER_CHANNEL} grad_factor`, perElement(FAKE, same)),
  ...ruleFor(
    '_fake_quantize_learnable_per_tensor_affine_backward',
    '@grad @self @scale @zero_point min max grad_factor',
    perElement(LEARNED, same, same, same),
  ),
  ...ruleFor(
    '_fake_quantize_learnable_per_channel_affine_backward',
    '@grad @self @scale @zero_point axis min max grad_factor',
    perElement(LEARNED, same, same, same),
  ),
  ...ruleFor('_fused_moving_avg_obs_fq_helper aten.fused_moving_avg_obs_fake_quant', OBSERVED, averages),
};

export const quantization: Family = {
  id: 'quantization',
  title: 'Quantisation: quantize_per_tensor, dequantize, fake quantisation and its gradients',
  ops: Object.keys(RULES),
  formulas: [
    `quantised: flops = ${QUANTIZED}·E, back: ${DEQUANTIZED}·E; bytes = operands read + result of the requested type`,
    `fake quantisation: flops = ${FAKE}·E, with the mask of what was in range ${MASKED}·E; bytes = operands read + result + mask`,
    `its gradient: flops = E; with a learned scale ${LEARNED}·E; bytes = operands read + a result of E elements, three where the scale is learned (their sums are ops of their own)`,
  ],
  work: workByRules(RULES, SOURCE),
};
