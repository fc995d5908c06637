/**
 * Matrix products of the dispatcher: the signatures of the ops, and one formula.
 *
 * Every op multiplies `a` (m×k, or a batch of such) by `b` (k×n). Bytes: every operand read once (the factors, C of
 * C + A·B unless beta is 0, scales, a bias), the result written once.
 */
import { numel, type Tensor } from '../../call.js';
import type { BoundArguments } from '../../schema/binding.js';
import { rules, type RuleCost } from '../../schema/op-rules.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import type { Param } from '../../family.js';
import { dtypeParams, shapeParams } from '../../product.js';
import { tensor } from '../../work.js';
import { gemmParams, gemmExtents, broadcastsTo, type GemmExtents } from './matrix-extents.js';

export const PRODUCT_SOURCE = 'BLAS operation counts (2·m·n·k for xGEMM); as in torch.utils.flop_counter';

/** The form of a product of factors `a` and `b`, with addend `c` and element type of the result `out_dtype`. */
interface ProductForm {
  /** Ranks of the factors; any where absent. */
  readonly ranks?: readonly [a: number, b: number];
  /** Whether `b` is stored as n×k: its last extent is the one summed over. */
  readonly rows?: boolean;
  /** Whether the products of a batch are summed into one matrix. */
  readonly summed?: boolean;
  /** Element type of the result, where it is not that of `a`. */
  readonly type?: string;
  /** Values to an element along k in both factors, for 4-bit types in bytes. */
  readonly packed?: number;
}

/** Element type of the result: of the `out` tensor, else `out_dtype`, the op's own, that of `a`. */
export function resultType(bound: BoundArguments, a: Tensor, type?: string): string | null {
  return bound.outs[0]?.dtype ?? dtypeAt(bound.arg('out_dtype')) ?? type ?? a.dtype;
}

/** The tensors that the call says it writes, else the result. */
export const writesOr = ({ writes }: BoundArguments, result: Tensor): readonly Tensor[] =>
  writes.length > 0 ? writes : [result];

/** A tensor whose elements each hold several values along dimension `dim`, as the tensor of those values. */
function unpacked({ shape, dtype }: Tensor, dim: number, values: number): Tensor {
  const at = dim < 0 ? shape.length + dim : dim;
  return { shape: shape.map((extent, i) => (i === at ? extent * values : extent)), dtype };
}

/** `float4_e2m1fn_x2` holds two values in each of the elements that its extents count. */
const pairs = ({ dtype }: Tensor): number => (dtype === 'float4_e2m1fn_x2' ? 2 : 1);

/** Both factors with all their values along k, `b` as k×n. */
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

/** The operands read; C only where beta is not 0. */
function operandsRead(bound: BoundArguments): readonly Tensor[] {
  const unread = bound.number('beta') === 0 ? bound.tensor('c') : null;
  return bound.reads.filter((read) => read !== unread);
}

/** M, N, K as BLAS has them; the operands' extents where batches broadcast or rows are folded. */
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
  // Before and since torch 2.4.
  ${matrices} _scaled_mm: @a @b @scale_a @scale_b @bias? @scale_result? out_dtype use_fast_accum
    | @a @b @bias? out_dtype @scale_a? @scale_b? @scale_result? use_fast_accum
  ${matrices} _scaled_mm_v2:
    @a @b @scale_a recipe_a swizzle_a @scale_b recipe_b swizzle_b @bias? out_dtype contraction_dim use_fast_accum
  ${product({ ranks: [2, 2], rows: true })} _weight_int8pack_mm: @a @b @scales
`;
