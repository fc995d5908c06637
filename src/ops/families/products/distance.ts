/** Distances between rows: of every row of one tensor to every row of another, or of all pairs in one. */
import { dispatcherNames } from '../../by-name.js';
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { broadcast, extentAt, numel, type Tensor } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { tensor, tensorListParams } from '../../work.js';

/** Distances [..., p, r] of rows a [..., p, m] and b [..., r, m]; null where they do not fit. */
function distances(a: Tensor, b: Tensor): Tensor | null {
  const [p, width] = a.shape.slice(-2);
  const [r, other] = b.shape.slice(-2);
  const batch = broadcast([a.shape.slice(0, -2), b.shape.slice(0, -2)]);
  if (p === undefined || r === undefined || width === undefined || width !== other || batch === null) return null;
  return tensor([...batch, p, r], a.dtype);
}

/** Two rows: a subtraction, a power and an addition for each value. */
const FLOPS_PER_VALUE = 3;
const FORMULA = 'flops = 3·pairs·m for rows of m values; bytes = operands read + distances written';
const SOURCE = 'operations of the definition (Σ|a − b|^p)^(1/p), the root not counted';

/** The cost of all pairs of rows, whose width is m. */
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

/** |a|² − 2·a·b + |b|² as one product of rows widened by two values. */
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

/** Gradient of the first tensor: the difference's power, weighted and summed, for every pair and value. */
const backward = ofPairs((pairs, m, a) => ({
  flops: (FLOPS_PER_VALUE + 1) * numel(pairs.shape) * m,
  writes: [a],
  formula: 'flops = 4·pairs·m for rows of m values; bytes = operands read + gradient written',
}));

const RULES = rules`
  ${direct} cdist _cdist_forward: @a @b p mode
  ${backward} _cdist_backward: @grad @a @b p @distances
  ${euclidean} _euclidean_dist: @a @b
  ${amongRows} pdist _pdist_forward: @a p
`;

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
