/**
 * Factorisations and solutions of dense linear systems, whose operation count follows from the shapes.
 *
 * Singular values and eigenvalues are found by iteration, and the number of steps depends on the values. Also distances
 * between rows: of every row of one tensor to every row of another, or of all pairs in one.
 */
import { dispatcherNames } from '../../by-name.js';
import { broadcast, numel, extentAt, type Tensor } from '../../call.js';
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import type { Family, OpCost } from '../../family.js';
import { realPartType } from '../../schema/promotion.js';
import { tensor, tensorListParams } from '../../work.js';

/** Distances [..., p, r] of rows a [..., p, m] and b [..., r, m]; null when they do not fit. */
function distances(a: Tensor, b: Tensor): Tensor | null {
  const [p, width] = a.shape.slice(-2);
  const [r, other] = b.shape.slice(-2);
  const batch = broadcast([a.shape.slice(0, -2), b.shape.slice(0, -2)]);
  if (p === undefined || r === undefined || width === undefined || width !== other || batch === null) return null;
  return tensor([...batch, p, r], a.dtype);
}

/** For two rows: a subtraction, a power and an addition for each value. */
const FLOPS_PER_VALUE = 3;
const FORMULA = 'flops = 3·pairs·m for rows of m values; bytes = operands read + distances written';
const DISTANCE_SOURCE = 'operations of the definition (Σ|a − b|^p)^(1/p), the root not counted';

/** The cost for all pairs of rows, each of width m. */
const ofPairs = (cost: (pairs: Tensor, m: number, a: Tensor) => Omit<OpCost, 'params'>): RuleCost =>
  withTensors('a b', (a, b) => {
    const result = distances(a, b);
    return result === null ? null : { params: tensorListParams([a, b]), ...cost(result, extentAt(a, -1), a) };
  });

const direct = ofPairs((result, m) => ({
  flops: FLOPS_PER_VALUE * numel(result.shape) * m,
  writes: [result],
  formula: FORMULA,
}));

/** |a|² − 2·a·b + |b|² as one product of rows with two additional values. */
const euclidean = ofPairs((result, m) => ({
  flops: 2 * numel(result.shape) * (m + 2),
  writes: [result],
  formula: 'flops = 2·pairs·(m + 2), a product of rows of m values, their norm and 1; bytes = |a| + |b| + distances',
  source: 'PyTorch expands the squares into one matrix product',
  matmul: true,
}));

/** All pairs i < j of the rows of one tensor. */
const amongRows = withTensors('a', (a) => {
  const [rows, width] = a.shape;
  if (a.shape.length !== 2 || rows === undefined || width === undefined) return null;
  const result = tensor([(rows * (rows - 1)) / 2], a.dtype);
  const flops = FLOPS_PER_VALUE * numel(result.shape) * width;
  return { flops, writes: [result], params: tensorListParams([a]), formula: FORMULA };
});

/** Gradient of the first tensor: for every pair and value, the power of the difference is weighted and summed. */
const backward = ofPairs((pairs, m, a) => ({
  flops: (FLOPS_PER_VALUE + 1) * numel(pairs.shape) * m,
  writes: [a],
  formula: 'flops = 4·pairs·m for rows of m values; bytes = operands read + gradient written',
}));

const DISTANCE_RULES = rules`
  ${direct} cdist _cdist_forward: @a @b p mode
  ${backward} _cdist_backward: @grad @a @b p @distances
  ${euclidean} _euclidean_dist: @a @b
  ${amongRows} pdist _pdist_forward: @a p
`;

export const distance: Family = {
  id: 'distance',
  title: 'Distances between rows: cdist, pdist',
  category: 'reduction',
  ops: dispatcherNames(Object.keys(DISTANCE_RULES)),
  formulas: [
    'flops = 3·pairs·m: a subtraction, a power and an addition per value of a row; gradient 4·pairs·m',
    '_euclidean_dist: flops = 2·pairs·(m + 2), one matrix product',
    'bytes = operands read + result written',
  ],
  work: workByRules(DISTANCE_RULES, DISTANCE_SOURCE),
};

const SOURCE = 'operation counts of LAPACK Working Note 41 (leading terms), 2 per multiply-add';

interface Matrices {
  readonly batch: readonly number[];
  readonly rows: number;
  readonly columns: number;
}

/** Matrices [..., m, n]. */
function matrices(operand: Tensor): Matrices | null {
  const [rows, columns] = operand.shape.slice(-2);
  return rows === undefined || columns === undefined ? null : { batch: operand.shape.slice(0, -2), rows, columns };
}

const square = (operand: Tensor): Matrices | null => {
  const found = matrices(operand);
  return found?.rows === found?.columns ? found : null;
};

const counted = (batch: readonly number[], each: number): number => Math.round(numel(batch) * each);

/** The status of each factorisation. */
const info = ({ batch }: Matrices): Tensor => tensor(batch, 'int32');
const pivots = ({ batch, rows, columns }: Matrices): Tensor => tensor([...batch, Math.min(rows, columns)], 'int32');

/** LU of an m × n matrix with m ≥ n: m·n² − n³/3 operations, half of them multiplications. */
const luFlops = (m: number, n: number): number => {
  const [long, short] = [Math.max(m, n), Math.min(m, n)];
  return long * short ** 2 - short ** 3 / 3;
};

interface Factorisation {
  readonly flops: (m: number, n: number) => number;
  /** Formula for the operations of one matrix. */
  readonly text: string;
  readonly squareOnly?: boolean;
  /** Additional small results. */
  readonly extra?: readonly ((shape: Matrices) => Tensor)[];
}

/** A factorisation whose result has the size of the matrix. */
const factored = ({ flops, text, squareOnly = true, extra = [] }: Factorisation): RuleCost =>
  withTensors('self', (self) => {
    const found = squareOnly ? square(self) : matrices(self);
    if (found === null) return null;
    return {
      flops: counted(found.batch, flops(found.rows, found.columns)),
      writes: [self, ...extra.map((result) => result(found))],
      formula: `flops = ${text} for each matrix; bytes = matrices + factors`,
    };
  });

const CHOLESKY: Factorisation = { flops: (n) => n ** 3 / 3, text: 'n³/3' };
const LU: Factorisation = { flops: luFlops, text: 'm·n² − n³/3', squareOnly: false, extra: [pivots, info] };
const INVERSE: Factorisation = { flops: (n) => 2 * n ** 3, text: '2·n³', extra: [info] };
const DETERMINANT: Factorisation = { flops: luFlops, text: '2·n³/3', extra: [pivots] };

/** A·X = B: LU of A [n, n] and two triangular solves for each of the k columns. */
const solved = withTensors('A B', (left, b) => {
  const a = square(left);
  if (a === null) return null;
  const isVector = b.shape.length === 1 || b.shape.length === left.shape.length - 1;
  const columns = isVector ? 1 : (b.shape.at(-1) ?? 1);
  return {
    flops: counted(a.batch, luFlops(a.rows, a.rows) + 2 * a.rows ** 2 * columns),
    writes: [b, left, pivots(a), info(a)],
    formula: 'flops = 2·n³/3 + 2·n²·k for each matrix; bytes = A + B + X + factors',
  };
});

/** Solves with triangular factors of A [n, n]: n² operations for each column and factor. */
const substituted = (factors: number): RuleCost =>
  withTensors('A B', (a, b) => {
    const [triangle, right] = [square(a), matrices(b)];
    const batch = triangle === null || right === null ? null : broadcast([triangle.batch, right.batch]);
    if (triangle === null || right === null || batch === null) return null;
    const [n, k] = [triangle.rows, numel(b.shape.slice(-2)) / Math.max(1, triangle.rows)];
    return {
      flops: counted(batch, factors * n ** 2 * k),
      writes: [tensor([...batch, right.rows, right.columns], b.dtype)],
      formula: `flops = ${factors}·n²·k for each matrix; bytes = A + B + X`,
    };
  });

/** Q and R of A [m, n] by Householder reflections: R, then Q built from them. */
const qr = withTensors('self', (self, bound) => {
  const a = matrices(self);
  if (a === null) return null;
  const { batch, rows: m, columns: n } = a;
  const k = Math.min(m, n);
  const mode = bound.value('mode');
  const factor = 2 * (Math.max(m, n) * k ** 2 - k ** 3 / 3);
  // Strings are rarely recorded; by default Q has as many columns as there are reflections.
  const q = mode === 'r' ? 0 : mode === 'complete' ? m : k;
  const build = q === 0 ? 0 : 4 * m * q * k - 2 * (m + q) * k ** 2 + (4 * k ** 3) / 3;
  return {
    flops: counted(batch, factor + build),
    writes: [tensor([...batch, m, q], self.dtype), tensor([...batch, mode === 'complete' ? m : k, n], self.dtype)],
    formula: 'flops = 2·(m·n² − n³/3) for R, and 4·m·q·k − 2·(m + q)·k² + 4·k³/3 for q columns of Q; bytes = A + Q + R',
  };
});

/** The cost of an iteration that computes values and vectors. */
const iterated = (writes: readonly Tensor[]) => ({
  flops: null,
  writes,
  formula: 'bytes = matrices + values + vectors',
  unknown: 'the number of iterations depends on the values',
});

/** Eigenvalues of [n, n], and the same number of eigenvectors if requested. */
const eigen = withTensors('self', (self, bound) => {
  const a = square(self);
  if (a === null) return null;
  const values = tensor([...a.batch, a.rows], realPartType(self.dtype) ?? self.dtype);
  return iterated([values, ...(bound.flag('vectors') === false ? [] : [self])]);
});

/** Singular values of [m, n], and the thin U and V if requested. */
const svd = withTensors('self', (self, bound) => {
  const a = matrices(self);
  if (a === null) return null;
  const { batch, rows: m, columns: n } = a;
  const k = Math.min(m, n);
  const [full, wanted] = [bound.flag('full') === true, bound.flag('vectors') !== false];
  const vectors = [tensor([...batch, m, full ? m : k], self.dtype), tensor([...batch, full ? n : k, n], self.dtype)];
  const values = tensor([...batch, k], realPartType(self.dtype) ?? self.dtype);
  return iterated([values, ...(wanted ? vectors : [])]);
});

const RULES = rules`
  ${factored({ ...CHOLESKY, extra: [info] })} linalg_cholesky_ex: @self upper check_errors
  ${factored(CHOLESKY)} cholesky: @self upper
  ${factored(LU)} linalg_lu_factor_ex: @self pivot check_errors
  ${factored(INVERSE)} linalg_inv_ex: @self check_errors
  ${factored(DETERMINANT)} _linalg_det _linalg_slogdet: @self
  ${solved} _linalg_solve_ex: @A @B left check_errors
  ${substituted(1)} linalg_solve_triangular: @A @B upper left unitriangular
  ${substituted(1)} triangular_solve: @B @A upper transpose unitriangular
  ${substituted(2)} linalg_lu_solve: @A @pivots @B left adjoint
  ${substituted(2)} cholesky_solve _cholesky_solve_helper: @B @A upper
  ${qr} linalg_qr: @self mode
  ${eigen} _linalg_eigh: @self UPLO vectors
  ${svd} _linalg_svd: @self full vectors driver
`;

export const linearAlgebra: Family = {
  id: 'linear-algebra',
  title: 'Linear algebra: factorisations, solves, inverses',
  category: 'linear-algebra',
  ops: dispatcherNames(Object.keys(RULES)),
  formulas: [
    'Cholesky n³/3; LU m·n² − n³/3 (2·n³/3 if square); inverse 2·n³; solve: LU + 2·n²·k; with one triangular factor n²·k, with two 2·n²·k; QR 2·(m·n² − n³/3), plus the columns of Q',
    'singular values and eigenvalues: unknown, because the number of iterations depends on the values',
    'bytes = matrices read + results written',
  ],
  work: workByRules(RULES, SOURCE),
};
