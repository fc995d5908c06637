/**
 * Tensors quantised for storage and transfer by FBGEMM: to 8-bit floating point or whole numbers, and back. Formats by rows
 * keep the scale of each row behind its elements.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';
import { sparseType } from './sparse-types.js';

const SOURCE =
  'operations per element; arguments and extents: FBGEMM, fbgemm_gpu/src/quantize_ops (quantize_ops_cpu.cpp, common.cuh)';

/** A product with the scale, a clamp; with the absolute value and maximum of the row before. */
const [SCALED, DYNAMIC] = [2, 4];
/** Smallest and greatest element of the row, a difference, a product, rounding. */
const AFFINE = 5;

/** Bytes of a row of so many elements; or elements of a row of so many bytes. Null where an argument is unspecified. */
type RowLength = (length: number, bound: BoundCall) => number | null;

const toMultiple = (length: number, of: number): number => Math.ceil(length / of) * of;

/** A scale and a bias (or padding) of four bytes each behind elements of one byte, filled up to four. */
const byteRows: RowLength = (elements) => toMultiple(elements, 4) + 8;
/** Of two bytes each where an argument says so. */
const byteElements: RowLength = (bytes, bound) =>
  Math.max(0, toMultiple(bytes, 4) - (bound.flag('wide_scales') === false ? 4 : 8));

/** A scale and a bias of two bytes each behind several elements to a byte. */
const packedRows: RowLength = (elements, bound) => {
  const bits = bound.count('bits');
  return bits === null || bits === 0 ? null : Math.ceil((elements * bits) / 8) + 4;
};
const packedElements: RowLength = (bytes, bound) => {
  const bits = bound.count('bits');
  return bits === null || bits === 0 ? null : Math.max(0, bytes - 4) * Math.floor(8 / bits);
};

/** Blocks of so many elements, eight bytes behind each; how many of the last are padding is kept among these. */
const blockRows: RowLength = (elements, bound) => {
  const block = bound.count('block');
  return block === null || block === 0 ? null : Math.ceil(elements / block) * (block + 8);
};
const blockElements: RowLength = (_, bound) => bound.count('length');

const sameLength: RowLength = (length) => length;

/** A row of the result has another length, one that the op's arguments may leave open. */
function resized(input: Tensor, length: RowLength, dtype: string | null, bound: BoundCall): Tensor | null {
  const columns = length(extentAt(input, -1), bound);
  return columns === null ? null : tensor([...input.shape.slice(0, -1), columns], dtype);
}

/** @param flops per element of the input */
const quantized = (flops: number, length: RowLength): RuleCost =>
  withTensors('input', (input, bound) => {
    const result = bound.outs[0] ?? bound.writes[0] ?? resized(input, length, 'uint8', bound);
    return {
      flops: flops * numel(input.shape),
      writes: result === null ? null : [result],
      formula: `flops = ${flops}·E; bytes = input + result with the scales of its rows`,
      ...(result === null ? { unknown: 'the length of the rows of the result is unspecified' } : {}),
    };
  });

/** The type of a result; null where the number of the type is unspecified. */
type ResultType = (bound: BoundCall) => string | null;

const single: ResultType = () => 'float32';
const half: ResultType = () => 'float16';
/** Earlier versions have no such argument. */
const numbered: ResultType = (bound) =>
  bound.arg('output_dtype') === undefined ? 'float32' : sparseType(bound.count('output_dtype'));

/** @param flops per element of the result */
const restored = (flops: number, length: RowLength, type: ResultType): RuleCost =>
  withTensors('input', (input, bound) => {
    const result = bound.writes[0] ?? resized(input, length, type(bound), bound);
    return {
      flops: result === null ? null : flops * numel(result.shape),
      writes: result === null ? null : [result],
      formula: `flops = ${flops}·E(result); bytes = input with the scales of its rows + result`,
      ...(result === null ? { unknown: 'the length of the rows of the result is unspecified' } : {}),
    };
  });

/** With the scales as a tensor of their own. */
const scaledBy = (scales: (input: Tensor) => readonly number[]): RuleCost =>
  withTensors('input', (input) => ({
    flops: DYNAMIC * numel(input.shape),
    reads: [input],
    writes: [tensor(input.shape, 'float8_e4m3fn'), tensor(scales(input), 'float32')],
    formula: `flops = ${DYNAMIC}·E; bytes = input + result + scales`,
  }));

const converted = (dtype: string): RuleCost =>
  withTensors('input', (input) => ({
    flops: 0,
    writes: [tensor(input.shape, dtype)],
    formula: 'flops = 0; bytes = input + result',
  }));

const RULES = rules`
  ${quantized(SCALED, sameLength)} FloatToHFP8Quantized: @input exponent_bits exponent_bias largest
  ${restored(1, sameLength, single)} HFP8QuantizedToFloat: @input exponent_bits exponent_bias
  ${quantized(DYNAMIC, byteRows)} FloatToFP8RowwiseQuantized: @input forward
  ${restored(1, byteElements, numbered)} FP8RowwiseQuantizedToFloat: @input forward | @input forward output_dtype
  ${quantized(DYNAMIC, blockRows)} FloatToPaddedFP8RowwiseQuantized: @input forward block
  ${restored(1, blockElements, numbered)} PaddedFP8RowwiseQuantizedToFloat: @input forward block
      | @input forward block length output_dtype
  ${quantized(AFFINE, byteRows)} FloatToFused8BitRowwiseQuantized HalfToFused8BitRowwiseQuantized
      FloatOrHalfToFused8BitRowwiseQuantized: @input
  ${quantized(AFFINE, byteRows)} FloatToFused8BitRowwiseQuantizedOut: !result @input
  ${restored(2, byteElements, single)} Fused8BitRowwiseQuantizedToFloat: @input
  ${restored(2, byteElements, single)} Fused8BitRowwiseQuantizedToFloatOut: !result @input
  ${restored(2, byteElements, half)} Fused8BitRowwiseQuantizedToHalf: @input
  ${restored(2, byteElements, numbered)} Fused8BitRowwiseQuantizedToFloatOrHalf: @input output_dtype
      | @input output_dtype scale_last:bool wide_scales:bool
  ${quantized(AFFINE, packedRows)} FloatToFusedNBitRowwiseQuantizedSBHalf HalfToFusedNBitRowwiseQuantizedSBHalf
      FloatOrHalfToFusedNBitRowwiseQuantizedSBHalf: @input bits
  ${restored(2, packedElements, single)} FusedNBitRowwiseQuantizedSBHalfToFloat: @input bits
  ${restored(2, packedElements, half)} FusedNBitRowwiseQuantizedSBHalfToHalf: @input bits
  ${restored(2, packedElements, numbered)} FusedNBitRowwiseQuantizedSBHalfToFloatOrHalf: @input bits output_dtype
      | @input bits output_dtype scale_last
  ${scaledBy(({ shape }) => shape.slice(0, -1))} quantize_fp8_per_row: @input @counts? @largest? dtype random
      | @input @counts? @largest? dtype
  ${scaledBy((input) => [extentAt(input, -1)])} quantize_fp8_per_col: @input @counts? @largest?
  ${scaledBy(() => [1])} fbgemm.quantize_fp8_per_tensor mslk.quantize_fp8_per_tensor: @input @counts? @largest? random
      | @input @counts? @largest?
  ${converted('bfloat16')} FloatToBfloat16Quantized: @input
  ${converted('float32')} Bfloat16QuantizedToFloat: @input
`;

export const quantizedRows: Family = {
  id: 'quantized-rows',
  title: 'Tensors quantised for storage and transfer, and back (FBGEMM)',
  ops: Object.keys(RULES),
  formulas: [
    `to 8-bit floating point: flops = ${SCALED}·E (product, clamp), ${DYNAMIC}·E with a scale of each row; back E(result)`,
    `to whole numbers: flops = ${AFFINE}·E (least and greatest element of the row, difference, product, rounding); back 2·E(result)`,
    'bytes = input + result; a row has 8 bytes for its scale behind its elements, filled up to 4 bytes, with several elements to a byte 4 bytes; a block of padded rows 8 bytes',
  ],
  work: workByRules(RULES, SOURCE),
};
