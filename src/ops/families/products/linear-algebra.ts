/**
 * Factorisations and solutions of linear systems: dense ones whose operation count follows from the extents alone.
 *
 * Singular and eigenvalues are found by iteration: how many steps that takes is in the values.
 */
import { dispatcherNames } from '../../by-name.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import type { Family, OpCost } from '../../family.js';
import { realPartType } from '../../schema/promotion.js';
import { tensor, tensorParams } from '../../work.js';

const SOURCE = 'operation counts of LAPACK Working Note 41 (leading terms), a multiply-add counted as 2';

interface Matrices {
  readonly of: Tensor;
  readonly batch: readonly number[];
  readonly rows: number;
  readonly columns: number;
}

/** [..., m, n] */
function matrices(bound: BoundCall, name: string): Matrices | null {
  const of = bound.tensor(name);
  const [rows, columns] = of?.shape.slice(-2) ?? [];
  if (of === null || rows === undefined || columns === undefined) return null;
  return { of, batch: of.shape.slice(0, -2), rows, columns };
}

const square = (found: Matrices | null): Matrices | null => (found?.rows === found?.columns ? found : null);

/** FLOPs of a batch, rounded. */
const counted = (batch: readonly number[], each: number): number => Math.round(numel(batch) * each);

/** The status of each factorisation. */
const info = ({ batch }: Matrices): Tensor => tensor(batch, 'int32');

/** LU of an m × n matrix with m ≥ n: m·n² − n³/3 operations, half of them multiplications. */
const luFlops = (m: number, n: number): number => {
  const [long, short] = [Math.max(m, n), Math.min(m, n)];
  return long * short ** 2 - short ** 3 / 3;
};

/** A factorisation of a matrix's size. @param extra small further results */
const factored =
  (flops: (m: number, n: number) => number, text: string, squareOnly: boolean, extra: (of: Matrices) => Tensor[]) =>
  (bound: BoundCall): OpCost | null => {
    const found = matrices(bound, 'self');
    const fitting = squareOnly ? square(found) : found;
    if (fitting === null) return null;
    return {
      params: tensorParams(fitting.of),
      flops: counted(fitting.batch, flops(fitting.rows, fitting.columns)),
      writes: [fitting.of, ...extra(fitting)],
      formula: `flops = ${text} for each matrix; bytes = matrices + factors`,
    };
  };

const pivots = (found: Matrices): Tensor => tensor([...found.batch, Math.min(found.rows, found.columns)], 'int32');

/** A·X = B: LU of A [n, n] and two triangular solutions for each of the k columns. */
const solved = (bound: BoundCall): OpCost | null => {
  const [a, b] = [square(matrices(bound, 'A')), bound.tensor('B')];
  if (a === null || b === null) return null;
  const isVector = b.shape.length === 1 || b.shape.length === a.of.shape.length - 1;
  const columns = isVector ? 1 : (b.shape.at(-1) ?? 1);
  const n = a.rows;
  return {
    params: tensorParams(a.of),
    flops: counted(a.batch, luFlops(n, n) + 2 * n ** 2 * columns),
    writes: [b, a.of, pivots(a), info(a)],
    formula: 'flops = 2·n³/3 + 2·n²·k for each matrix; bytes = A + B + X + factors',
  };
};

/** Solutions by triangular factors of A [n, n]: n² operations for each column and factor. */
const substituted =
  (a: string, b: string, factors: number) =>
  (bound: BoundCall): OpCost | null => {
    const [triangle, right] = [square(matrices(bound, a)), matrices(bound, b)];
    const batch = triangle === null || right === null ? null : broadcast(triangle.batch, right.batch);
    if (triangle === null || right === null || batch === null) return null;
    const [n, k] = [triangle.rows, numel(right.of.shape.slice(-2)) / Math.max(1, triangle.rows)];
    return {
      params: tensorParams(triangle.of),
      flops: counted(batch, factors * n ** 2 * k),
      writes: [tensor([...batch, right.rows, right.columns], right.of.dtype)],
      formula: `flops = ${factors}·n²·k for each matrix; bytes = A + B + X`,
    };
  };

/** Q and R of A [m, n] by Householder reflections: R, then Q built from them. */
const qr = (bound: BoundCall): OpCost | null => {
  const a = matrices(bound, 'self');
  if (a === null) return null;
  const { rows: m, columns: n } = a;
  const k = Math.min(m, n);
  const mode = bound.value('mode');
  const factor = 2 * (Math.max(m, n) * k ** 2 - k ** 3 / 3);
  // Strings are rarely recorded; by default Q has as many columns as there are reflections.
  const q = mode === 'r' ? 0 : mode === 'complete' ? m : k;
  const build = q === 0 ? 0 : 4 * m * q * k - 2 * (m + q) * k ** 2 + (4 * k ** 3) / 3;
  return {
    params: tensorParams(a.of),
    flops: counted(a.batch, factor + build),
    writes: [tensor([...a.batch, m, q], a.of.dtype), tensor([...a.batch, mode === 'complete' ? m : k, n], a.of.dtype)],
    formula: 'flops = 2·(m·n² − n³/3) for R, and 4·m·q·k − 2·(m + q)·k² + 4·k³/3 for q columns of Q; bytes = A + Q + R',
  };
};

const ITERATIVE = 'how many steps the iteration takes depends on the values';

/** Eigenvalues of [n, n], and where they are wanted as many vectors. */
const eigen = (bound: BoundCall): OpCost | null => {
  const a = square(matrices(bound, 'self'));
  if (a === null) return null;
  const values = tensor([...a.batch, a.rows], realPartType(a.of.dtype) ?? a.of.dtype);
  const vectors = bound.flag('vectors') === false ? [] : [a.of];
  const formula = 'bytes = matrices + values + vectors';
  return { params: tensorParams(a.of), flops: null, writes: [values, ...vectors], formula, unknown: ITERATIVE };
};

/** Singular values of [m, n], and where they are wanted the thin U and V. */
const svd = (bound: BoundCall): OpCost | null => {
  const a = matrices(bound, 'self');
  if (a === null) return null;
  const { of, batch, rows: m, columns: n } = a;
  const k = Math.min(m, n);
  const [full, wanted] = [bound.flag('full') === true, bound.flag('vectors') !== false];
  const vectors = [tensor([...batch, m, full ? m : k], of.dtype), tensor([...batch, full ? n : k, n], of.dtype)];
  const values = tensor([...batch, k], realPartType(of.dtype) ?? of.dtype);
  const formula = 'bytes = matrices + values + vectors';
  return {
    params: tensorParams(of),
    flops: null,
    writes: [values, ...(wanted ? vectors : [])],
    formula,
    unknown: ITERATIVE,
  };
};

/** Arguments as in PyTorch's native_functions.yaml. */
const RULES: OpRules = {
  ...ruleFor(
    'linalg_cholesky_ex',
    '@self upper check_errors',
    factored(
      (n) => n ** 3 / 3,
      'n³/3',
      true,
      (of) => [info(of)],
    ),
  ),
  ...ruleFor(
    'cholesky',
    '@self upper',
    factored(
      (n) => n ** 3 / 3,
      'n³/3',
      true,
      () => [],
    ),
  ),
  ...ruleFor(
    'linalg_lu_factor_ex',
    '@self pivot check_errors',
    factored(luFlops, 'm·n² − n³/3', false, (of) => [pivots(of), info(of)]),
  ),
  ...ruleFor(
    'linalg_inv_ex',
    '@self check_errors',
    factored(
      (n) => 2 * n ** 3,
      '2·n³',
      true,
      (of) => [info(of)],
    ),
  ),
  ...ruleFor(
    '_linalg_det _linalg_slogdet',
    '@self',
    factored(luFlops, '2·n³/3', true, (of) => [pivots(of)]),
  ),
  ...ruleFor('_linalg_solve_ex', '@A @B left check_errors', solved),
  ...ruleFor('linalg_solve_triangular', '@A @B upper left unitriangular', substituted('A', 'B', 1)),
  ...ruleFor('triangular_solve', '@B @A upper transpose unitriangular', substituted('A', 'B', 1)),
  ...ruleFor('linalg_lu_solve', '@A @pivots @B left adjoint', substituted('A', 'B', 2)),
  ...ruleFor('cholesky_solve _cholesky_solve_helper', '@B @A upper', substituted('A', 'B', 2)),
  ...ruleFor('linalg_qr', '@self mode', qr),
  ...ruleFor('_linalg_eigh', '@self UPLO vectors', eigen),
  ...ruleFor('_linalg_svd', '@self full vectors driver', svd),
};

export const linearAlgebra: Family = {
  id: 'linear-algebra',
  title: 'Linear algebra: factorisations, solutions, inverses',
  ops: dispatcherNames(Object.keys(RULES)),
  formulas: [
    'Cholesky n³/3; LU m·n² − n³/3 (2·n³/3 of a square); inverse 2·n³; solution LU + 2·n²·k; by one triangle n²·k, by two 2·n²·k; QR 2·(m·n² − n³/3) and the columns of Q',
    'singular and eigenvalues: unknown, the number of steps depends on the values',
    'bytes = matrices read + results written',
  ],
  work: workByRules(RULES, SOURCE),
};
