/**
 * Products with a sparse operand. With 2:4 sparsity the number of kept values is known, and only they are multiplied; of
 * an operand in a compressed format only the dense extents are, and the number of its non-zero values is data.
 */
import { mapEntries, type ByName } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import type { Param, Work } from '../../family.js';
import { dtypeParams } from '../../product.js';
import { showShape, tensor, workOf } from '../../work.js';
import { resultType, type ProductFormula } from './products.js';

/** Sparse factor `w` in the values that are kept, dense factor `x`; null where the values are not known. */
interface SparseForm {
  readonly signature: string;
  /** Extents of the result; null where the number of kept values is not known. */
  readonly result: ((w: readonly number[], x: readonly number[]) => readonly number[] | null) | null;
}

/** w [m, k/2] by x [k, n]. */
const left = ([m = 0, half = 0]: readonly number[], [k = 0, n = 0]: readonly number[]): readonly number[] | null =>
  2 * half === k ? [m, n] : null;

/** x [..., k] by the transpose of w [n, k/2]. */
const linear = ([n = 0, half = 0]: readonly number[], x: readonly number[]): readonly number[] | null =>
  2 * half === x.at(-1) ? [...x.slice(0, -1), n] : null;

const FORMS: ByName<SparseForm> = {
  _sparse_semi_structured_mm: { signature: '@w @meta @x out_dtype', result: left },
  _sparse_semi_structured_addmm: { signature: '@c @w @meta @x alpha beta out_dtype', result: left },
  _sparse_semi_structured_linear: { signature: '@x @w @meta @bias? activation out_dtype', result: linear },
  _cslt_sparse_mm: {
    signature: '@w @x @bias? @alpha? out_dtype transpose algorithm split_k split_k_mode',
    result: null,
  },
  _sparse_mm: { signature: '@w @x', result: null },
  _sparse_addmm: { signature: '@c @w @x beta alpha', result: null },
  _sparse_sparse_matmul: { signature: '@w @x', result: null },
  sspaddmm: { signature: '@c @w @x beta alpha', result: null },
  hspmm: { signature: '@w @x', result: null },
};

const FORMULA = 'flops = 2·n·(values kept of the sparse factor), bytes = operands read, as stored + result written';
const SOURCE = 'a multiply-add counted as 2 for every value kept and every column of the dense factor';

const productParams = (w: Tensor, x: Tensor): Param[] => [
  ['W', showShape(w.shape)],
  ['X', showShape(x.shape)],
  ...dtypeParams(w, x),
];

const shared = (bound: BoundArguments, w: Tensor, x: Tensor) => ({
  matmul: true,
  reads: bound.reads,
  params: productParams(w, x),
  formula: FORMULA,
  source: SOURCE,
});

function sparseProduct(call: OpCall, form: SparseForm): Work | null {
  const bound = bind(call, form.signature);
  const [w, x] = [bound?.tensor('w') ?? null, bound?.tensor('x') ?? null];
  if (bound === null || w === null || x === null) return null;
  if (form.result === null) {
    const unknown = 'the number of non-zero values of the sparse factor is unspecified';
    return workOf({ ...shared(bound, w, x), flops: null, writes: null, unknown });
  }
  const shape = form.result(w.shape, x.shape);
  if (shape === null) return null;
  const columns = form.result === linear ? numel(x.shape.slice(0, -1)) : extentAt(x, 1);
  const result = tensor(shape, resultType(bound, x));
  return workOf({ ...shared(bound, w, x), flops: 2 * columns * numel(w.shape), writes: [result] });
}

export const SPARSE_PRODUCTS: ByName<ProductFormula> = mapEntries(FORMS, (form) => (call) => sparseProduct(call, form));
