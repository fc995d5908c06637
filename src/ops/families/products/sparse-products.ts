/**
 * Products with a sparse operand. With 2:4 sparsity the number of kept values is known, and only they are multiplied; of
 * an operand in a compressed format only the dense extents are, and the number of its non-zero values is data.
 */
import { extentAt, numel } from '../../call.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { shapeParams } from '../../product.js';
import { tensor } from '../../work.js';
import { resultType } from './products.js';

/** Extents of the result of a sparse factor `w` in the values that are kept, and a dense factor `x`. */
type ResultExtents = (w: readonly number[], x: readonly number[]) => readonly number[] | null;

/** w [m, k/2] by x [k, n]. */
const left: ResultExtents = ([m = 0, half = 0], [k = 0, n = 0]) => (2 * half === k ? [m, n] : null);

/** x [..., k] by the transpose of w [n, k/2]. */
const linear: ResultExtents = ([n = 0, half = 0], x) => (2 * half === x.at(-1) ? [...x.slice(0, -1), n] : null);

/** @param result null where the number of kept values is not known */
const sparse = (result: ResultExtents | null): RuleCost =>
  withTensors('w x', (w, x, bound) => {
    const shared = {
      matmul: true,
      params: shapeParams({ W: w, X: x }),
      formula: 'flops = 2·n·(values kept of the sparse factor), bytes = operands read, as stored + result written',
      source: 'a multiply-add counted as 2 for every value kept and every column of the dense factor',
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
