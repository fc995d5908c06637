/**
 * Quantisation by ATen (to integers and back, and fake quantisation, which does both at once), and TransformerEngine's ops
 * for export (`tex_ts`): casts to 8 bits and back, activations and normalisations that cast.
 *
 * Their 8-bit results are multiplied by a scale and clamped, and the largest magnitude is kept for the next scale.
 */
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { entryOf, named, type ByName } from '../../by-name.js';
import { elementCount, numel } from '../../call.js';
import type { Category } from '../../category.js';
import { dtypeAt } from '../../schema/dispatched.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';
import { FORWARD, type NormKind } from '../normalization/layer-normalization.js';

const EIGHT_BIT_SOURCE =
  'operations per element; arguments: transformer_engine/pytorch/csrc/ts_fp8_op.cpp of TransformerEngine 0.x and 1.x';

/** Operations: product with the scale, clamp, magnitude, maximum. */
const CAST = 4;

/** The library's numbers of element types before 2.0 (common/include/transformer_engine/transformer_engine.h). */
const TYPES = ['uint8', 'int32', 'int64', 'float32', 'float16', 'bfloat16', 'float8_e4m3fn', 'float8_e5m2'];

function typeOf(bound: BoundCall): string | null {
  const type = bound.count('type');
  return type === null ? null : (TYPES[type] ?? null);
}

const isEightBit = (dtype: string | null): boolean => dtype?.startsWith('float8') === true;

function costByType(bound: BoundCall, shape: readonly number[], perElement: number, reads: string) {
  const dtype = typeOf(bound);
  const each = perElement + (isEightBit(dtype) ? CAST : 0);
  return {
    flops: dtype === null ? null : each * numel(shape),
    reads: bound.tensorsOf(reads),
    writes: [tensor(shape, dtype)],
    formula: `flops = ${each}·E(result), ${CAST} of them for an 8-bit result; bytes = input + parameters + result`,
    ...(dtype === null ? { unknown: 'the type of the result is unspecified' } : undefined),
  };
}

/** Both FP8 types have one byte. */
const toEightBits = (perElement: number): RuleCost =>
  withTensors('input', (input, bound) => ({
    flops: (perElement + CAST) * numel(input.shape),
    reads: [input],
    writes: [tensor(input.shape, typeOf(bound) ?? 'float8_e4m3fn')],
    formula: `flops = ${perElement + CAST}·E; bytes = input + result in 8 bits`,
  }));

const fromEightBits = withTensors('input', (input, bound) => costByType(bound, input.shape, 1, 'input'));

/** Half of the input is the gate. */
const activated = (perElement: number, gated: boolean): RuleCost =>
  withTensors('input', (input, bound) => {
    const width = input.shape.at(-1);
    if (width === undefined || (gated && width % 2 !== 0)) return null;
    const shape = gated ? [...input.shape.slice(0, -1), width / 2] : input.shape;
    return costByType(bound, shape, perElement, 'input');
  });

const normalized = (kind: NormKind, cast: boolean): RuleCost =>
  withTensors('input', (input, bound) => {
    const perElement = FORWARD[kind] + FORWARD.affine;
    if (cast) return costByType(bound, input.shape, perElement, 'input weight bias');
    const formula = `flops = ${perElement}·E; bytes = input + parameters + result`;
    return { flops: perElement * numel(input.shape), writes: [input], formula };
  });

const SCALES = '@scale @amax @scale_inv index type';

const EIGHT_BIT_RULES = rules`
  ${toEightBits(0)} tex_ts.cast_to_fp8_ts: @input ${SCALES}
  ${toEightBits(0)} tex_ts.cast_to_fp8_noalloc_ts: @input @scale !result @amax @scale_inv index type
  ${toEightBits(1)} tex_ts.fp8_gelu_ts: @input ${SCALES}
  ${fromEightBits} tex_ts.cast_from_fp8_ts: @input @scale_inv index input_type type
  ${activated(1, false)} tex_ts.gelu_ts tex_ts.relu_ts tex_ts.qgelu_ts tex_ts.srelu_ts: @input ${SCALES}
  ${activated(2, true)} tex_ts.geglu_ts tex_ts.reglu_ts tex_ts.swiglu_ts: @input ${SCALES}
  ${normalized('centred', true)} tex_ts.layernorm_fwd_fp8_inf_ts: @input @weight @bias eps ${SCALES} ...
  ${normalized('centred', false)} tex_ts.layernorm_fwd_inf_ts: @input @weight @bias eps ...
  ${normalized('rms', true)} tex_ts.rmsnorm_fwd_fp8_inf_ts: @input @weight eps ${SCALES} ...
  ${normalized('rms', false)} tex_ts.rmsnorm_fwd_inf_ts: @input @weight eps ...
`;

/** Categories of the ops that are not elementwise. */
const EIGHT_BIT_CATEGORIES: ByName<Category> = {
  ...named('tex_ts.cast_to_fp8_ts tex_ts.cast_to_fp8_noalloc_ts tex_ts.cast_from_fp8_ts', 'quantization'),
  ...named(
    'tex_ts.layernorm_fwd_fp8_inf_ts tex_ts.layernorm_fwd_inf_ts tex_ts.rmsnorm_fwd_fp8_inf_ts tex_ts.rmsnorm_fwd_inf_ts',
    'normalization',
  ),
};

export const eightBitKernels: Family = {
  id: 'eight-bit-kernels',
  title: 'TransformerEngine for export: casts to 8 bits and back, activations, normalisations',
  category: (call) => entryOf(EIGHT_BIT_CATEGORIES, call) ?? 'elementwise',
  ops: Object.keys(EIGHT_BIT_RULES),
  formulas: [
    'cast to 8 bits: flops = 4·E (scale, clamp, largest magnitude); bytes = input + result',
    'cast from 8 bits: flops = E; bytes = input + result in the requested type',
    'activation: flops = E(result), gated 2·E(result); normalisation: 5·E, RMS 4·E; + 4·E if the result has 8 bits',
  ],
  work: workByRules(EIGHT_BIT_RULES, EIGHT_BIT_SOURCE),
};

const SOURCE = 'operations per element; arguments: aten/src/ATen/native/native_functions.yaml';

/** Division by the scale, addition of the zero point, rounding, clamp. */
const QUANTIZED = 4;
/** Subtraction of the zero point, product with the scale. */
const DEQUANTIZED = 2;
/** Quantisation followed by dequantisation. */
const FAKE = QUANTIZED + DEQUANTIZED;
const MASKED = FAKE + 1;
/**
 * The element is kept or dropped; the gradient of its scale takes another quantisation, a difference and three products.
 */
const LEARNED = MASKED + 4;

/** The type of one result; null when it is unspecified. */
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

/**
 * The minimum and maximum and the fake quantisation are separate ops; these kernels only update the averages and the
 * scales.
 */
const averages = withTensors('self', (_, bound) => {
  const kept = bound.tensorsOf('running_min running_max');
  return {
    flops: null,
    reads: [...bound.tensorsOf('observer_on fake_quant_on'), ...kept],
    writes: [...kept, ...bound.tensorsOf('scale zero_point')],
    formula: 'bytes = averages read and written + scales and zero points written',
    unknown: 'values in tensors decide whether it observes or quantises',
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
  category: 'quantization',
  ops: Object.keys(RULES),
  formulas: [
    `quantised: flops = ${QUANTIZED}·E, back: ${DEQUANTIZED}·E; bytes = operands read + result of the requested type`,
    `fake quantisation: flops = ${FAKE}·E, with a range mask ${MASKED}·E; bytes = operands read + result + mask`,
    `gradient: flops = E, with a learned scale ${LEARNED}·E; bytes = operands read + one result of E elements (three with a learned scale; their sums are separate ops)`,
  ],
  work: workByRules(RULES, SOURCE),
};
