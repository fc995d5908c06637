/**
 * Grouped GEMM: one matrix product for each group of rows, each with a weight of its own (experts of a mixture).
 *
 * The groups' rows are contiguous, and their offsets are data. Their total is known, so the FLOPs are exact where the
 * groups fill the tensor; every group's weight counts as read.
 */
import { numel, type Tensor } from '../../call.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { shapeParams } from '../../product.js';
import { tensor } from '../../work.js';
import { resultType, writesOr } from './products.js';
import { elementAt } from '../../../containers/element.js';

const SOURCE = '2·m·n·k summed over the groups; rows of all groups together are those of the tensor';

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

/** @param packed values to an element along k: 2 for 4 bits, where the weight is n×k */
const grouped = (packed = 1): RuleCost =>
  withTensors('a b', (a, b, bound) => {
    const amount = groupedExtents(unpacked(a, packed), unpacked(b, packed), bound.tensor('offs')?.shape[0]);
    if (amount === null) return null;
    return {
      matmul: true,
      flops: amount.flops,
      writes: writesOr(bound, tensor(amount.result, resultType(bound, a))),
      params: shapeParams({ A: a, B: b }),
      formula: 'flops = 2·m·n·k with the rows (or inner extents) of all groups, bytes = operands read + result written',
      source: SOURCE,
    };
  });

const MOE = '!out @a @b @a_scales @b_scales';
const FP4 = `${MOE} @alphas @ab_strides @c_strides @sizes @offs @scale_offs`;

/** Factors `a` and `b`, group boundaries `offs`, the result `out` where it is given. */
export const GROUPED_PRODUCTS = rules`
  ${grouped()} _grouped_mm: @a @b @offs? @bias? out_dtype
  ${grouped()} _scaled_grouped_mm: @a @b @scale_a @scale_b @offs? @bias? @scale_result? out_dtype use_fast_accum
  ${grouped()} _scaled_grouped_mm_v2:
    @a @b @scale_a recipe_a swizzle_a @scale_b recipe_b swizzle_b @offs? @bias? out_dtype contraction use_fast_accum
  ${grouped()} _C.cutlass_moe_mm: ${MOE} @offs @sizes @a_strides @b_strides @c_strides per_act per_out
    | ${MOE} @offs @sizes @a_strides @b_strides @c_strides
  // The operands follow five tensors of pointers; strides, layouts and a workspace come last.
  ${grouped()} sgl_kernel.fp8_blockwise_scaled_grouped_mm:
    !out @a_ptrs @b_ptrs @out_ptrs @a_scales_ptrs @b_scales_ptrs @a @b @a_scales @b_scales ...
  ${grouped()} _C.cutlass_mxfp8_grouped_mm: @a @b @a_scales @b_scales !out @sizes @offs @scale_offs
  ${grouped()} primus_turbo.grouped_gemm primus_turbo.grouped_gemm_impl primus_turbo_cpp_extension.grouped_gemm:
    @a @b @lens @offs trans_a trans_b cus
  ${grouped(2)} _C.cutlass_fp4_group_mm: ${MOE} @alphas @sizes @offs @scale_offs | ${FP4}
  ${grouped(2)} sgl_kernel.cutlass_fp4_group_mm: ${FP4}
  ${grouped(2)} _C.cutlass_mxfp4_group_mm: ${MOE} @sizes @offs @scale_offs
`;
