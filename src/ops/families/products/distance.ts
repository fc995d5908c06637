/**
 * Distances between rows: of every row of one tensor to every row of another, or of all pairs in one.
 */
import { dispatcherNames } from '../../by-name.js';
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { tensor, tensorListParams } from '../../work.js';

interface RowPairs {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly result: Tensor;
  /** Values of a row. */
  readonly width: number;
}

/** a [..., p, m] and b [..., r, m] → [..., p, r]. */
function pairsOf(bound: BoundCall): RowPairs | null {
  const [a, b] = [bound.tensor('a'), bound.tensor('b')];
  if (a === null || b === null) return null;
  const [p, width] = a.shape.slice(-2);
  const [r, other] = b.shape.slice(-2);
  const batch = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
  if (p === undefined || r === undefined || width === undefined || width !== other || batch === null) return null;
  return { a, b, result: tensor([...batch, p, r], a.dtype), width };
}

/** Two rows: a subtraction, a power and an addition for each value. */
const FLOPS_PER_VALUE = 3;
const FORMULA = 'flops = 3·pairs·m for rows of m values; bytes = operands read + distances written';
const SOURCE = 'operations of the definition (Σ|a − b|^p)^(1/p), the root not counted';

const direct = (bound: BoundCall): OpCost | null => {
  const found = pairsOf(bound);
  if (found === null) return null;
  const { a, b, result, width } = found;
  return {
    flops: FLOPS_PER_VALUE * numel(result.shape) * width,
    writes: [result],
    params: tensorListParams([a, b]),
    formula: FORMULA,
  };
};

/** |a|² − 2·a·b + |b|² as one product of rows widened by two values. */
const euclidean = (bound: BoundCall): OpCost | null => {
  const found = pairsOf(bound);
  if (found === null) return null;
  const { a, b, result, width } = found;
  return {
    flops: 2 * numel(result.shape) * (width + 2),
    writes: [result],
    params: tensorListParams([a, b]),
    formula: 'flops = 2·pairs·(m + 2), a product of rows of m values, their norm and 1; bytes = |a| + |b| + distances',
    source: 'PyTorch expands the squares into one matrix product',
    matmul: true,
  };
};

/** All pairs i < j of the rows of one tensor. */
const amongRows = (bound: BoundCall): OpCost | null => {
  const a = bound.tensor('a');
  const [rows, width] = a?.shape ?? [];
  if (a?.shape.length !== 2 || rows === undefined || width === undefined) return null;
  const result = tensor([(rows * (rows - 1)) / 2], a.dtype);
  const flops = FLOPS_PER_VALUE * numel(result.shape) * width;
  return { flops, writes: [result], params: tensorListParams([a]), formula: FORMULA };
};

/** Gradient of the first tensor: the difference's power, weighted and summed, for every pair and value. */
const backward = (bound: BoundCall): OpCost | null => {
  const found = pairsOf(bound);
  if (found === null) return null;
  const { a, b, result, width } = found;
  return {
    flops: (FLOPS_PER_VALUE + 1) * numel(result.shape) * width,
    writes: [a],
    params: tensorListParams([a, b]),
    formula: 'flops = 4·pairs·m for rows of m values; bytes = operands read + gradient written',
  };
};

/** Arguments as in PyTorch's native_functions.yaml. */
const RULES: OpRules = {
  ...ruleFor('cdist _cdist_forward', '@a @b p mode', direct),
  ...ruleFor('_cdist_backward', '@grad @a @b p @distances', backward),
  ...ruleFor('_euclidean_dist', '@a @b', euclidean),
  ...ruleFor('pdist _pdist_forward', '@a p', amongRows),
};

export const distance: Family = {
  id: 'distance',
  title: 'Distances between rows: cdist, pdist',
  ops: dispatcherNames(Object.keys(RULES)),
  formulas: [
    'flops = 3·pairs·m: a subtraction, a power and an addition for each of the m values of a row; gradient 4·pairs·m',
    '_euclidean_dist: flops = 2·pairs·(m + 2), one matrix product',
    'bytes = operands read + result written',
  ],
  work: workByRules(RULES, SOURCE),
};
