/**
 * TransformerEngine's ops for export (`tex_ts`): casts to 8 bits and back, activations and normalisations that cast.
 *
 * An 8-bit result is multiplied by its scale and clamped, and the largest magnitude is kept for the next scale.
 */
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { numel } from '../../call.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';
import { FORWARD, type NormKind } from '../normalization/layer-normalization.js';

const SOURCE =
  'operations per element; arguments: transformer_engine/pytorch/csrc/ts_fp8_op.cpp of TransformerEngine 0.x and 1.x';

/** Product with the scale, clamp, magnitude, maximum. */
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
    formula: `flops = ${each}·E(result), ${CAST} of them where that has 8 bits; bytes = input + parameters + result`,
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

/** A gate is half of the input. */
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

const RULES = rules`
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

export const eightBitKernels: Family = {
  id: 'eight-bit-kernels',
  title: 'TransformerEngine for export: casts to 8 bits and back, activations, normalisations',
  ops: Object.keys(RULES),
  formulas: [
    'cast to 8 bits: flops = 4·E (scale, clamp, largest magnitude); bytes = input + result',
    'cast from 8 bits: flops = E; bytes = input + result in the type of its argument',
    'activation: flops = E(result), gated 2·E(result); normalisation: 5·E, root mean square 4·E; 4·E more where the result has 8 bits',
  ],
  work: workByRules(RULES, SOURCE),
};
