/**
 * Matrix products of the dispatcher: the signatures of the ops, and one formula.
 *
 * Every op multiplies `a` (m×k, or a batch of such) by `b` (k×n). Bytes: every operand read once (the factors, C of
 * C + A·B unless beta is 0, scales, a bias), the result written once.
 */
import { mapEntries, type ByName } from '../../by-name.js';
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import type { Param, Work } from '../../family.js';
import { dtypeParams } from '../../product.js';
import { showShape, tensor, workOf } from '../../work.js';
import { gemmParams, gemmExtents, broadcastsTo, type GemmExtents } from './matrix-extents.js';

export const PRODUCT_SOURCE = 'BLAS operation counts (2·m·n·k for xGEMM); as in torch.utils.flop_counter';

/** One op: factors `a` and `b`, addend `c`, element type of the result `out_dtype`. */
export interface ProductForm {
  /** See `bind`; one of each version of the op. */
  readonly signatures: readonly string[];
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

const ADDMM = ['@c @a @b beta alpha', '@c @a @b out_dtype beta alpha'];
const IN_PLACE = ['@!c @a @b beta alpha'];
const PLAIN = ['@a @b', '@a @b out_dtype'];
const LINEAR: ProductForm = { signatures: ['@a @b @bias?'], rows: true };

/** Arguments of the scaled product before and since torch 2.4. */
const SCALED = [
  '@a @b @scale_a @scale_b @bias? @scale_result? out_dtype use_fast_accum',
  '@a @b @bias? out_dtype @scale_a? @scale_b? @scale_result? use_fast_accum',
];
const SCALED_2 =
  '@a @b @scale_a recipe_a swizzle_a @scale_b recipe_b swizzle_b @bias? out_dtype contraction_dim use_fast_accum';

/** Signatures: aten/src/ATen/native/native_functions.yaml of torch 1.8 to 2.13. */
const FORMS: ByName<ProductForm> = {
  mm: { signatures: PLAIN, ranks: [2, 2] },
  bmm: { signatures: PLAIN, ranks: [3, 3] },
  mv: { signatures: PLAIN, ranks: [2, 1] },
  dot: { signatures: PLAIN, ranks: [1, 1] },
  vdot: { signatures: PLAIN, ranks: [1, 1] },
  matmul: { signatures: PLAIN },
  linear: LINEAR,
  mkldnn_linear: LINEAR,
  addmm: { signatures: ADDMM, ranks: [2, 2] },
  addmm_: { signatures: IN_PLACE, ranks: [2, 2] },
  _addmm_activation: { signatures: ['@c @a @b beta alpha use_gelu'], ranks: [2, 2] },
  baddbmm: { signatures: ADDMM, ranks: [3, 3] },
  baddbmm_: { signatures: IN_PLACE, ranks: [3, 3] },
  addbmm: { signatures: ADDMM, ranks: [3, 3], summed: true },
  addbmm_: { signatures: IN_PLACE, ranks: [3, 3], summed: true },
  addmv: { signatures: ADDMM, ranks: [2, 1] },
  addmv_: { signatures: IN_PLACE, ranks: [2, 1] },
  _int_mm: { signatures: PLAIN, ranks: [2, 2], type: 'int32' },
  _scaled_mm: { signatures: SCALED, ranks: [2, 2] },
  _scaled_mm_v2: { signatures: [SCALED_2], ranks: [2, 2] },
  _weight_int8pack_mm: { signatures: ['@a @b @scales'], ranks: [2, 2], rows: true },
};

/** Element type of the result: of the `out` tensor, else `out_dtype`, the op's own, that of `a`. */
export function resultType(bound: BoundArguments, a: Tensor, type?: string): string | null {
  return bound.outs[0]?.dtype ?? dtypeAt(bound.arg('out_dtype')) ?? type ?? a.dtype;
}

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

/** The operands read, with packed values unpacked; C only where beta is not 0. */
function operandsRead(bound: BoundArguments): readonly Tensor[] {
  const unread = bound.number('beta') === 0 ? bound.tensor('c') : null;
  return bound.reads.filter((read) => read !== unread).map((read) => unpacked(read, -1, pairs(read)));
}

/** M, N, K as BLAS has them; the operands' extents where batches broadcast or rows are folded. */
function paramsOf(a: Tensor, b: Tensor, e: GemmExtents): Param[] {
  const folded = a.shape.length !== b.shape.length && Math.max(a.shape.length, b.shape.length) > 2;
  const broadcast = a.shape.length > 3 || b.shape.length > 3;
  const shapes: Param[] = [
    ['A', showShape(a.shape)],
    ['B', showShape(b.shape)],
  ];
  return [...(folded || broadcast ? shapes : gemmParams(e)), ...dtypeParams(a, b)];
}

/** Extents of the result; null when the addend does not broadcast to them. */
function resultShape(e: GemmExtents, form: ProductForm, addend: Tensor | null): readonly number[] | null {
  const shape = form.summed === true ? e.result.slice(1) : e.result;
  return addend === null || broadcastsTo(addend.shape, shape) ? shape : null;
}

/**
 * The work of a call in the form of a matrix product.
 * @returns null when the arguments do not fit the form
 */
export function productForm(call: OpCall, form: ProductForm): Work | null {
  const bound = bind(call, ...form.signatures);
  const both = bound === null ? null : factors(bound, form);
  const e = both === null ? null : gemmExtents(both[0].shape, both[1].shape);
  if (bound === null || both === null || e === null) return null;
  const shape = resultShape(e, form, bound.tensor('c'));
  if (shape === null) return null;
  const [a, b] = both;
  const result = tensor(shape, resultType(bound, a, form.type));
  const batched = e.batch.length > 0 ? 'b·' : '';
  return workOf({
    flops: 2 * numel(e.batch) * e.m * e.n * e.k,
    reads: operandsRead(bound),
    writes: bound.writes.length > 0 ? bound.writes : [result],
    params: paramsOf(a, b, e),
    matmul: e.m > 1 || e.n > 1 || a.shape.length > 1 || b.shape.length > 1,
    formula: `flops = 2·${batched}m·n·k (addend, scales and bias not counted), bytes = operands read + |A·B| written`,
    source: PRODUCT_SOURCE,
  });
}

/** From a call of the op to its work; null when its arguments do not fit. */
export type ProductFormula = (call: OpCall) => Work | null;

/** Ops of ATen. */
export const ATEN_PRODUCTS: ByName<ProductFormula> = mapEntries(FORMS, (form) => (call) => productForm(call, form));
