/** Quantisation by ATen: to whole numbers and back, and fake quantisation, which does both at once. */
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { elementCount } from '../../call.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';

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
const perElement = (flops: number, ...results: readonly ResultType[]): RuleCost =>
  withTensors('self', (_, bound) => {
    const inputs = bound.tensors('self');
    const made = results.flatMap((type) => inputs.map(({ shape, dtype }) => tensor(shape, type(bound, dtype))));
    return {
      flops: flops * elementCount(inputs),
      writes: bound.outs.length > 0 ? bound.outs : made,
      formula: `flops = ${flops}·E; bytes = operands read + ${results.length} result${results.length > 1 ? 's' : ''} of E elements`,
    };
  });

const PER_TENSOR = '@self scale zero_point min max | @self @scale @zero_point min max';
const PER_CHANNEL = '@self @scale @zero_point axis min max';
const OBSERVED =
  '@self @observer_on @fake_quant_on @!running_min @!running_max @!scale @!zero_point averaging min max axis per_row symmetric';

/** The extremes and the fake quantisation are ops of their own; these kernels only keep the averages and the scales. */
const averages = withTensors('self', (_, bound) => {
  const kept = bound.tensorsOf('running_min running_max');
  return {
    flops: null,
    reads: [...bound.tensorsOf('observer_on fake_quant_on'), ...kept],
    writes: [...kept, ...bound.tensorsOf('scale zero_point')],
    formula: 'bytes = averages read and written + scales and zero points written',
    unknown: 'whether it observes and quantises are values of tensors',
  };
});

const RULES = rules`
  ${perElement(QUANTIZED, requested)} aten.quantize_per_tensor: @self scale zero_point dtype
      | @self @scale @zero_point dtype
  ${perElement(QUANTIZED, requested)} aten.quantize_per_channel: @self @scale @zero_point axis dtype
  ${perElement(DEQUANTIZED, single)} aten.dequantize: @self
  ${perElement(FAKE, same)} aten.fake_quantize_per_tensor_affine: ${PER_TENSOR}
  ${perElement(FAKE, same)} aten.fake_quantize_per_channel_affine: ${PER_CHANNEL}
  ${perElement(MASKED, same, mask)} fake_quantize_per_tensor_affine_cachemask: ${PER_TENSOR}
  ${perElement(MASKED, same, mask)} fake_quantize_per_channel_affine_cachemask: ${PER_CHANNEL}
  ${perElement(MASKED, same, mask)} _fake_quantize_per_tensor_affine_cachemask_tensor_qparams: @self @scale
      @zero_point @enabled min max
  ${perElement(1, same)} fake_quantize_per_tensor_affine_cachemask_backward
      fake_quantize_per_channel_affine_cachemask_backward: @self @mask
  ${perElement(FAKE, same)} _fake_quantize_learnable_per_tensor_affine: @self @scale @zero_point min max grad_factor
  ${perElement(FAKE, same)} _fake_quantize_learnable_per_channel_affine: ${PER_CHANNEL} grad_factor
  ${perElement(LEARNED, same, same, same)} _fake_quantize_learnable_per_tensor_affine_backward: @grad @self @scale
      @zero_point min max grad_factor
  ${perElement(LEARNED, same, same, same)} _fake_quantize_learnable_per_channel_affine_backward: @grad @self @scale
      @zero_point axis min max grad_factor
  ${averages} _fused_moving_avg_obs_fq_helper aten.fused_moving_avg_obs_fake_quant: ${OBSERVED}
`;

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
