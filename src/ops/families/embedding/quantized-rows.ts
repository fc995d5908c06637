/**
 * Tensors quantised by FBGEMM for storage and transfer, to 8-bit floating point or integers and back, and inference lookups
 * in tables of such rows. Row-wise formats store the scale of each row after its elements.
 */
import { extentAt, numel, elementCount, type Tensor } from '../../call.js';
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';
import { lookupParams } from './embedding.js';

/** SparseType numbers; other numbers are quantised types. */
const OUTPUT_TYPES: Readonly<Record<number, string>> = { 0: 'float32', 1: 'float16', 5: 'bfloat16' };

/** The type for a number of FBGEMM's SparseType; null when it is unspecified, or quantised. */
export const sparseType = (number: number | null): string | null =>
  (number === null ? undefined : OUTPUT_TYPES[number]) ?? null;

/** PoolingMode in which rows are copied one by one. */
export const NO_POOLING = 2;

const SOURCE =
  'operations per element; arguments and shapes: FBGEMM, fbgemm_gpu/src/quantize_ops (quantize_ops_cpu.cpp, common.cuh)';

/**
 * FLOPs per element: a product with the scale, and a clamp; with a dynamic scale also the absolute value and maximum of the
 * row.
 */
const [SCALED, DYNAMIC] = [2, 4];
/** FLOPs per element: minimum and maximum of the row, a difference, a product, rounding. */
const AFFINE = 5;

/**
 * Converts a number of elements to the bytes of a row, or the bytes to a number of elements. Null when an argument is
 * unspecified.
 */
type RowLength = (length: number, bound: BoundCall) => number | null;

const toMultiple = (length: number, multiple: number): number => Math.ceil(length / multiple) * multiple;

/** Elements of one byte, padded to a multiple of four, followed by a scale and a bias (or padding) of four bytes each. */
const byteRows: RowLength = (elements) => toMultiple(elements, 4) + 8;
/** Scale and bias have two bytes each if an argument requests it. */
const byteElements: RowLength = (bytes, bound) =>
  Math.max(0, toMultiple(bytes, 4) - (bound.flag('wide_scales') === false ? 4 : 8));

/** Several elements per byte, followed by a scale and a bias of two bytes each. */
const packedRows: RowLength = (elements, bound) => {
  const bits = bound.count('bits');
  return bits === null || bits === 0 ? null : Math.ceil((elements * bits) / 8) + 4;
};
const packedElements: RowLength = (bytes, bound) => {
  const bits = bound.count('bits');
  return bits === null || bits === 0 ? null : Math.max(0, bytes - 4) * Math.floor(8 / bits);
};

/**
 * Blocks of this many elements, each followed by eight bytes, which also store how many elements of the last block are
 * padding.
 */
const blockRows: RowLength = (elements, bound) => {
  const block = bound.count('block');
  return block === null || block === 0 ? null : Math.ceil(elements / block) * (block + 8);
};
const blockElements: RowLength = (_, bound) => bound.count('length');

const sameLength: RowLength = (length) => length;

/** The input with another row length, which the op's arguments may leave unspecified. */
function resized(input: Tensor, length: RowLength, dtype: string | null, bound: BoundCall): Tensor | null {
  const columns = length(extentAt(input, -1), bound);
  return columns === null ? null : tensor([...input.shape.slice(0, -1), columns], dtype);
}

/** @param flops operations per element of the input */
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

/** The type of a result; null when the number of the type is unspecified. */
type ResultType = (bound: BoundCall) => string | null;

const single: ResultType = () => 'float32';
const half: ResultType = () => 'float16';
/** Earlier versions do not have this argument. */
const numbered: ResultType = (bound) =>
  bound.arg('output_dtype') === undefined ? 'float32' : sparseType(bound.count('output_dtype'));

/** @param flops operations per element of the result */
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

/** Formats with the scales in a separate tensor. */
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
  title: 'Quantises tensors for storage and transfer, and dequantises them (FBGEMM)',
  category: 'quantization',
  ops: Object.keys(RULES),
  formulas: [
    `to 8-bit floating point: flops = ${SCALED}·E (product, clamp), ${DYNAMIC}·E with a scale per row; back E(result)`,
    `to integers: flops = ${AFFINE}·E (row minimum and maximum, difference, product, rounding); back 2·E(result)`,
    'bytes = input + result; each row stores its scale after its elements in 8 bytes (4 bytes if elements are smaller than a byte), aligned to 4 bytes; blocks of padded rows use 8 bytes',
  ],
  work: workByRules(RULES, SOURCE),
};

const LOOKUP_SOURCE =
  'FBGEMM, fbgemm_gpu/codegen/inference (embedding_forward_quantized_host.cpp) and embedding_common.h';

/** How rows are stored: the argument with the width of the widest table in this format, and the size of one element. */
interface RowFormat {
  readonly widest: string;
  readonly bits: number;
  /** Whether elements are integers, with a scale and a bias of two bytes each before the row. */
  readonly whole: boolean;
}

const FORMATS: readonly RowFormat[] = [
  { widest: 'max_int2', bits: 2, whole: true },
  { widest: 'max_int4', bits: 4, whole: true },
  { widest: 'max_int8', bits: 8, whole: true },
  { widest: 'max_float8', bits: 8, whole: false },
  { widest: 'max_float16', bits: 16, whole: false },
  { widest: 'max_float32', bits: 32, whole: false },
];

/** The format of all tables, if they share one and have equal widths; null if they do not, or if it is unspecified. */
function onlyFormat(bound: BoundCall, width: number): RowFormat | null {
  // None stands for a table that does not exist.
  const used = FORMATS.filter(
    ({ widest }) => bound.arg(widest) !== undefined && bound.value(widest) !== 0 && bound.value(widest) !== null,
  );
  const [format] = used;
  return format === undefined || used.length > 1 || bound.count(format.widest) !== width ? null : format;
}

/** Byte alignment of rows, unless an argument states another. */
const ALIGNMENT = 16;

function storedBytes({ bits, whole }: RowFormat, width: number, bound: BoundCall): number {
  const alignment = Math.max(1, bound.count('row_alignment') ?? ALIGNMENT);
  const bytes = Math.ceil((width * bits) / 8) + (whole ? 4 : 0);
  return Math.ceil(bytes / alignment) * alignment;
}

/** Operations per element of a row: scale and bias, addition to the sum, weight. */
const perElement = ({ whole }: RowFormat, isSummed: boolean, weights: number): number =>
  (whole ? 2 : 0) + (isSummed ? 1 : 0) + weights;

const lookup = withTensors('weights indices offsets D_offsets', (weights, indices, offsets, starts, bound) => {
  const [total, mode, tables] = [bound.count('total_D'), bound.count('pooling_mode'), numel(starts.shape) - 1];
  const width = total === null || tables < 1 ? 0 : total / tables;
  const format = onlyFormat(bound, width);
  const about = {
    params: lookupParams(weights, indices),
    formula:
      'flops = (2 for integers + 1 for the sum + 1 with a weight)·n·D; bytes = indices + offsets + n rows + results',
    source: LOOKUP_SOURCE,
  };
  if (mode === null || format === null)
    return {
      ...about,
      flops: null,
      writes: null,
      unknown: "the tables' widths or types differ or are unspecified",
    };
  const [count, isSummed] = [numel(indices.shape), mode !== NO_POOLING];
  const given = bound.tensorsOf('indice_weights');
  const bytes = Math.min(
    count * storedBytes(format, width, bound),
    elementCount(bound.tensorsOf('weights uvm_weights')),
  );
  const rows: Tensor = tensor([bytes], 'uint8');
  const results = isSummed ? Math.max(0, numel(offsets.shape) - 1) : count;
  return {
    ...about,
    flops: perElement(format, isSummed, given.length) * count * width,
    reads: [indices, offsets, ...given, rows],
    writes: [tensor([results, width], sparseType(bound.count('output_dtype')))],
  };
});

const ARGUMENTS =
  '@weights @uvm_weights @placements @weights_offsets @types @D_offsets total_D max_int2 max_int4 max_int8 ' +
  'max_float16 max_float32 @indices @offsets pooling_mode @indice_weights? output_dtype @lxu_cache? @locations?';

export const QUANTIZED_LOOKUP = rules`
  // Earlier versions have no alignment, and no 8-bit floating point.
  ${lookup} int_nbit_split_embedding_codegen_lookup_function
      int_nbit_split_embedding_uvm_caching_codegen_lookup_function: ${ARGUMENTS} row_alignment max_float8 ...
      | ${ARGUMENTS}
`;
