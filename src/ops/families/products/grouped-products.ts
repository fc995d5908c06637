/**
 * Grouped GEMM: one matrix product for each group of rows, each with a weight of its own (experts of a mixture).
 *
 * The groups' rows are contiguous, and their offsets are data. Their total is known, so the FLOPs are exact where the
 * groups fill the tensor; every group's weight counts as read.
 */
import { mapEntries, type ByName } from '../../by-name.js';
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind } from '../../schema/binding.js';
import type { Work } from '../../family.js';
import { dtypeParams } from '../../product.js';
import { showShape, tensor, workOf } from '../../work.js';
import { resultType, type ProductFormula } from './products.js';
import { elementAt } from '../../../containers/element.js';

const SOURCE = '2·m·n·k summed over the groups; rows of all groups together are those of the tensor';

/** Factors of 4 bits, two to a byte along k. */
const PACKED = 2;
const FP4 = '!out @a @b @a_scales @b_scales';

/** Ops whose factors are packed; the weight is n×k. */
const PACKED_SIGNATURES: ByName<readonly string[]> = {
  '_C.cutlass_fp4_group_mm': [
    `${FP4} @alphas @sizes @offs @scale_offs`,
    `${FP4} @alphas @ab_strides @c_strides @sizes @offs @scale_offs`,
  ],
  'sgl_kernel.cutlass_fp4_group_mm': [`${FP4} @alphas @ab_strides @c_strides @sizes @offs @scale_offs`],
  '_C.cutlass_mxfp4_group_mm': [`${FP4} @sizes @offs @scale_offs`],
};

/** Arguments of the ops; factors `a` and `b`, group boundaries `offs`, the result `out` where it is given. */
const SIGNATURES: ByName<readonly string[]> = {
  _grouped_mm: ['@a @b @offs? @bias? out_dtype'],
  _scaled_grouped_mm: ['@a @b @scale_a @scale_b @offs? @bias? @scale_result? out_dtype use_fast_accum'],
  _scaled_grouped_mm_v2: [
    '@a @b @scale_a recipe_a swizzle_a @scale_b recipe_b swizzle_b @offs? @bias? out_dtype contraction use_fast_accum',
  ],
  '_C.cutlass_moe_mm': [
    '!out @a @b @a_scales @b_scales @offs @sizes @a_strides @b_strides @c_strides per_act per_out',
    '!out @a @b @a_scales @b_scales @offs @sizes @a_strides @b_strides @c_strides',
  ],
  // The operands follow five tensors of pointers; strides, layouts and a workspace come last.
  'sgl_kernel.fp8_blockwise_scaled_grouped_mm': [
    '!out @a_ptrs @b_ptrs @out_ptrs @a_scales_ptrs @b_scales_ptrs @a @b @a_scales @b_scales ...',
  ],
  '_C.cutlass_mxfp8_grouped_mm': ['@a @b @a_scales @b_scales !out @sizes @offs @scale_offs'],
  'primus_turbo.grouped_gemm': ['@a @b @lens @offs trans_a trans_b cus'],
  'primus_turbo.grouped_gemm_impl': ['@a @b @lens @offs trans_a trans_b cus'],
  'primus_turbo_cpp_extension.grouped_gemm': ['@a @b @lens @offs trans_a trans_b cus'],
};

interface GroupedProduct {
  readonly flops: number;
  readonly result: readonly number[];
}

/** Rows of all groups [m, k] by weights [g, k, n] or [g, n, k]: each row meets one weight. */
function rowsByWeights([m = 0, k = 0]: readonly number[], b: readonly number[]): GroupedProduct | null {
  const [, first = 0, last = 0] = b;
  if (first !== k && last !== k) return null;
  const n = first === k ? last : first;
  return { flops: 2 * m * k * n, result: [m, n] };
}

/** By the ranks of the factors, which extent is divided among the groups. */
function groupedExtents(a: readonly number[], b: readonly number[], groups: number | undefined): GroupedProduct | null {
  const [m = 0, k = 0] = a.slice(-2);
  const [inner = 0, n = 0] = b.slice(-2);
  if (a.length === 2 && b.length === 3) return rowsByWeights(a, b);
  if (inner !== k) return null;
  if (a.length === 3 && b.length === 2) return { flops: 2 * m * k * n, result: [m, n] };
  if (a.length === 2 && b.length === 2) return { flops: 2 * m * k * n, result: [groups ?? 1, m, n] };
  if (a.length !== 3 || b.length !== 3 || a[0] !== b[0]) return null;
  return { flops: 2 * numel(a) * n, result: [elementAt(a, 0), m, n] };
}

/** The extents of all values of a factor whose elements hold several along its last dimension. */
const unpacked = ({ shape }: Tensor, values: number): readonly number[] => [
  ...shape.slice(0, -1),
  ...shape.slice(-1).map((extent) => extent * values),
];

function groupedProduct(call: OpCall, signatures: readonly string[], packed = 1): Work | null {
  const bound = bind(call, ...signatures);
  const [a, b] = [bound?.tensor('a') ?? null, bound?.tensor('b') ?? null];
  if (bound === null || a === null || b === null) return null;
  const amount = groupedExtents(unpacked(a, packed), unpacked(b, packed), bound.tensor('offs')?.shape[0]);
  if (amount === null) return null;
  const result: Tensor = tensor(amount.result, resultType(bound, a));
  return workOf({
    matmul: true,
    flops: amount.flops,
    reads: bound.reads,
    writes: bound.writes.length > 0 ? bound.writes : [result],
    params: [['A', showShape(a.shape)], ['B', showShape(b.shape)], ...dtypeParams(a, b)],
    formula: 'flops = 2·m·n·k with the rows (or inner extents) of all groups, bytes = operands read + result written',
    source: SOURCE,
  });
}

export const GROUPED_PRODUCTS: ByName<ProductFormula> = {
  ...mapEntries(
    SIGNATURES,
    (signatures): ProductFormula =>
      (call) =>
        groupedProduct(call, signatures),
  ),
  ...mapEntries(
    PACKED_SIGNATURES,
    (signatures): ProductFormula =>
      (call) =>
        groupedProduct(call, signatures, PACKED),
  ),
};
