/**
 * Matrix products of the dispatcher: the signatures of the ops, and one formula.
 *
 * Every op multiplies `a` (m×k, or a batch of such matrices) by `b` (k×n). Bytes: every operand read once (the factors,
 * C of C + A·B unless beta is 0, scales, a bias), the result written once.
 *
 * A grouped product is one matrix product for each group of rows, each with a separate weight (experts of a mixture).
 * The groups' rows are contiguous, and their offsets are tensor values. Their total is known, so the FLOPs are exact if
 * the groups fill the tensor; the weights of all groups count as read.
 *
 * With 2:4 sparsity the number of kept values is known, and only they are multiplied. For an operand in a compressed
 * format, only the dense extents are known; the number of its nonzero values depends on the data.
 */
import { numel, broadcast, extentAt, type Tensor } from '../../call.js';
import type { BoundArguments } from '../../schema/binding.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { dtypeAt } from '../../schema/dispatched.js';
import type { Param } from '../../family.js';
import { dtypeParams, shapeParams } from '../../product.js';
import { tensor } from '../../work.js';
import { elementAt } from '../../../containers/element.js';

interface GemmExtents {
  /** Broadcast extents of the batch, outermost first. */
  readonly batch: readonly number[];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Extents of the result; a vector factor contributes no extent. */
  readonly result: readonly number[];
}

/**
 * Extents of a·b: a vector is a row on the left and a column on the right, and batches broadcast; null when they do not
 * fit.
 */
export function gemmExtents(a: readonly number[], b: readonly number[]): GemmExtents | null {
  const left: readonly number[] = a.length === 1 ? [1, ...a] : a;
  const right: readonly number[] = b.length === 1 ? [...b, 1] : b;
  const [m, k] = left.slice(-2);
  const [inner, n] = right.slice(-2);
  const batch = broadcast([left.slice(0, -2), right.slice(0, -2)]);
  if (m === undefined || k === undefined || n === undefined || inner !== k || batch === null) return null;
  return { batch, m, n, k, result: [...batch, ...(a.length > 1 ? [m] : []), ...(b.length > 1 ? [n] : [])] };
}

/** Column-major M, N, K as in BLAS, after the batch extents. */
export const gemmParams = ({ batch, m, n, k }: GemmExtents): Param[] => [
  ...batch.map((extent): Param => ['B', extent]),
  ['M', n],
  ['N', m],
  ['K', k],
];

/** Whether a tensor broadcasts to the given extents. */
export const broadcastsTo = (shape: readonly number[], to: readonly number[]): boolean =>
  String(broadcast([shape, to])) === String(to);

export const PRODUCT_SOURCE = 'BLAS operation counts (2·m·n·k for xGEMM); as in torch.utils.flop_counter';

/** The form of a product of factors `a` and `b`, with addend `c` and result type `out_dtype`. */
interface ProductForm {
  /** Ranks of the factors; any ranks when absent. */
  readonly ranks?: readonly [a: number, b: number];
  /** Whether `b` is stored as n×k, so that its last extent is the summed one. */
  readonly rows?: boolean;
  /** Whether the products of a batch are summed into one matrix. */
  readonly summed?: boolean;
  /** Element type of the result, when it differs from that of `a`. */
  readonly type?: string;
  /** Number of values in an element along k in both factors, for 4-bit types stored in bytes. */
  readonly packed?: number;
}

/** Element type of the result: that of the `out` tensor, else `out_dtype`, else the op's, else that of `a`. */
export function resultType(bound: BoundArguments, a: Tensor, type?: string): string | null {
  return bound.outs[0]?.dtype ?? dtypeAt(bound.arg('out_dtype')) ?? type ?? a.dtype;
}

/** The tensors that the call's signature marks as written, else the result. */
export const writesOr = ({ writes }: BoundArguments, result: Tensor): readonly Tensor[] =>
  writes.length > 0 ? writes : [result];

/** A tensor whose elements each hold several values along dimension `dim`, as the tensor of these values. */
function unpacked({ shape, dtype }: Tensor, dim: number, values: number): Tensor {
  const at = dim < 0 ? shape.length + dim : dim;
  return { shape: shape.map((extent, i) => (i === at ? extent * values : extent)), dtype };
}

/** Each element of `float4_e2m1fn_x2` holds two values, but its extents count elements. */
const pairs = ({ dtype }: Tensor): number => (dtype === 'float4_e2m1fn_x2' ? 2 : 1);

/** Both factors with all their values along k, and `b` as k×n. */
function factors(bound: BoundArguments, form: ProductForm): readonly [Tensor, Tensor] | null {
  const [a, b] = [bound.tensor('a'), bound.tensor('b')];
  if (a === null || b === null) return null;
  if (form.ranks !== undefined && (a.shape.length !== form.ranks[0] || b.shape.length !== form.ranks[1])) return null;
  if (form.rows === true && b.shape.length !== 2) return null;
  const right = form.rows === true ? { ...b, shape: [...b.shape].reverse() } : b;
  return [
    unpacked(a, -1, form.packed ?? pairs(a)),
    unpacked(right, right.shape.length > 1 ? -2 : -1, form.packed ?? pairs(b)),
  ];
}

/** The operands that are read; C only if beta is not 0. */
function operandsRead(bound: BoundArguments): readonly Tensor[] {
  const unread = bound.number('beta') === 0 ? bound.tensor('c') : null;
  return bound.reads.filter((read) => read !== unread);
}

/** M, N, K as in BLAS; the operands' extents when batches broadcast or rows are folded. */
function paramsOf(a: Tensor, b: Tensor, e: GemmExtents): Param[] {
  const folded = a.shape.length !== b.shape.length && Math.max(a.shape.length, b.shape.length) > 2;
  const broadcast = a.shape.length > 3 || b.shape.length > 3;
  return folded || broadcast ? shapeParams({ A: a, B: b }) : [...gemmParams(e), ...dtypeParams(a, b)];
}

/** Extents of the result; null when the addend does not broadcast to them. */
function resultShape(e: GemmExtents, form: ProductForm, addend: Tensor | null): readonly number[] | null {
  const shape = form.summed === true ? e.result.slice(1) : e.result;
  return addend === null || broadcastsTo(addend.shape, shape) ? shape : null;
}

/** The cost of a matrix product of this form. */
export const product =
  (form: ProductForm = {}): RuleCost =>
  (bound) => {
    const both = factors(bound, form);
    const e = both === null ? null : gemmExtents(both[0].shape, both[1].shape);
    if (both === null || e === null) return null;
    const shape = resultShape(e, form, bound.tensor('c'));
    if (shape === null) return null;
    const [a, b] = both;
    const batched = e.batch.length > 0 ? 'b·' : '';
    return {
      flops: 2 * numel(e.batch) * e.m * e.n * e.k,
      reads: operandsRead(bound),
      writes: writesOr(bound, tensor(shape, resultType(bound, a, form.type))),
      params: paramsOf(a, b, e),
      matmul: e.m > 1 || e.n > 1 || a.shape.length > 1 || b.shape.length > 1,
      formula: `flops = 2·${batched}m·n·k (addend, scales and bias not counted), bytes = operands read + |A·B| written`,
    };
  };

const ADDMM = '@c @a @b beta alpha | @c @a @b out_dtype beta alpha';
const IN_PLACE = '@!c @a @b beta alpha';
const PLAIN = '@a @b | @a @b out_dtype';

/** Products of two matrices, of two batches, and of a matrix and a vector. */
const [matrices, batches, vector] = [
  product({ ranks: [2, 2] }),
  product({ ranks: [3, 3] }),
  product({ ranks: [2, 1] }),
];
const summed = product({ ranks: [3, 3], summed: true });

/** Signatures: aten/src/ATen/native/native_functions.yaml of torch 1.8 to 2.13. */
export const ATEN_PRODUCTS = rules`
  ${matrices} mm: ${PLAIN}
  ${batches} bmm: ${PLAIN}
  ${vector} mv: ${PLAIN}
  ${product({ ranks: [1, 1] })} dot vdot: ${PLAIN}
  ${product()} matmul: ${PLAIN}
  ${product({ rows: true })} linear mkldnn_linear: @a @b @bias?
  ${matrices} addmm: ${ADDMM}
  ${matrices} addmm_: ${IN_PLACE}
  ${matrices} _addmm_activation: @c @a @b beta alpha use_gelu
  ${batches} baddbmm: ${ADDMM}
  ${batches} baddbmm_: ${IN_PLACE}
  ${summed} addbmm: ${ADDMM}
  ${summed} addbmm_: ${IN_PLACE}
  ${vector} addmv: ${ADDMM}
  ${vector} addmv_: ${IN_PLACE}
  ${product({ ranks: [2, 2], type: 'int32' })} _int_mm: ${PLAIN}
  // Before torch 2.4, and since.
  ${matrices} _scaled_mm: @a @b @scale_a @scale_b @bias? @scale_result? out_dtype use_fast_accum
    | @a @b @bias? out_dtype @scale_a? @scale_b? @scale_result? use_fast_accum
  ${matrices} _scaled_mm_v2:
    @a @b @scale_a recipe_a swizzle_a @scale_b recipe_b swizzle_b @bias? out_dtype contraction_dim use_fast_accum
  ${product({ ranks: [2, 2], rows: true })} _weight_int8pack_mm: @a @b @scales
`;

const SOURCE = '2·m·n·k summed over the groups; the groups together have the rows of the tensor';

interface GroupedProduct {
  readonly flops: number;
  readonly result: readonly number[];
}

/** Rows of all groups [m, k] by weights [g, k, n] or [g, n, k]: each row is multiplied by one weight. */
function rowsByWeights([m = 0, k = 0]: readonly number[], b: readonly number[]): GroupedProduct | null {
  const [, first = 0, last = 0] = b;
  if (first !== k && last !== k) return null;
  const n = first === k ? last : first;
  return { flops: 2 * m * k * n, result: [m, n] };
}

/** The ranks of the factors determine which extent is divided among the groups. */
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

/** The extents of a factor in values, when its elements hold several along its last dimension. */
const groupedUnpacked = ({ shape }: Tensor, values: number): readonly number[] => [
  ...shape.slice(0, -1),
  ...shape.slice(-1).map((extent) => extent * values),
];

/** @param packed values in an element along k: 2 for 4 bits, in which case the weight is n×k */
const grouped = (packed = 1): RuleCost =>
  withTensors('a b', (a, b, bound) => {
    const amount = groupedExtents(
      groupedUnpacked(a, packed),
      groupedUnpacked(b, packed),
      bound.tensor('offs')?.shape[0],
    );
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

/** Factors `a` and `b`, group boundaries `offs`, and the result `out` if it is an argument. */
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

/** Extents of the result of a sparse factor `w`, given by its stored values, and a dense factor `x`. */
type ResultExtents = (w: readonly number[], x: readonly number[]) => readonly number[] | null;

/** w [m, k/2] by x [k, n]. */
const left: ResultExtents = ([m = 0, half = 0], [k = 0, n = 0]) => (2 * half === k ? [m, n] : null);

/** x [..., k] by the transpose of w [n, k/2]. */
const linear: ResultExtents = ([n = 0, half = 0], x) => (2 * half === x.at(-1) ? [...x.slice(0, -1), n] : null);

/** @param result null when the number of stored values is unknown */
const sparse = (result: ResultExtents | null): RuleCost =>
  withTensors('w x', (w, x, bound) => {
    const shared = {
      matmul: true,
      params: shapeParams({ W: w, X: x }),
      formula: 'flops = 2·n·(stored values of the sparse factor), bytes = operands as stored + result',
      source: '2 per multiply-add, for every stored value and every column of the dense factor',
    };
    if (result === null) return { ...shared, flops: null, writes: null, unknown: UNSPECIFIED };
    const shape = result(w.shape, x.shape);
    if (shape === null) return null;
    const columns = result === linear ? numel(x.shape.slice(0, -1)) : extentAt(x, 1);
    return { ...shared, flops: 2 * columns * numel(w.shape), writes: [tensor(shape, resultType(bound, x))] };
  });

const UNSPECIFIED = 'the number of non-zero values of the sparse factor is unspecified';

export const SPARSE_PRODUCTS = rules`
  ${sparse(left)} _sparse_semi_structured_mm: @w @meta @x out_dtype
  ${sparse(left)} _sparse_semi_structured_addmm: @c @w @meta @x alpha beta out_dtype
  ${sparse(linear)} _sparse_semi_structured_linear: @x @w @meta @bias? activation out_dtype
  ${sparse(null)} _cslt_sparse_mm: @w @x @bias? @alpha? out_dtype transpose algorithm split_k split_k_mode
  ${sparse(null)} _sparse_mm: @w @x
  ${sparse(null)} _sparse_addmm: @c @w @x beta alpha
  ${sparse(null)} _sparse_sparse_matmul: @w @x
  ${sparse(null)} sspaddmm: @c @w @x beta alpha
  ${sparse(null)} hspmm: @w @x
`;
