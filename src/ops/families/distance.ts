/**
 * Distances between rows: of every row of one tensor to every row of another, or of all pairs in one.
 */
import { broadcast, numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { bind } from '../binding.js';
import { ofDispatcher } from '../dispatcher-names.js';
import type { Family, Work } from '../family.js';
import { opName } from '../operands.js';
import { tensor, tensorListParams, trafficWork } from '../work.js';
import { matrixWork } from './products.js';

interface Pairs {
  readonly tensors: readonly Tensor[];
  /** Extents of the result. */
  readonly result: readonly number[];
  /** Values of a row. */
  readonly width: number;
}

/** x1 [..., p, m] and x2 [..., r, m] → [..., p, r]. */
function pairsOf(x1: Tensor | undefined, x2: Tensor | undefined): Pairs | null {
  if (x1 === undefined || x2 === undefined) return null;
  const [p, width] = x1.shape.slice(-2);
  const [r, other] = x2.shape.slice(-2);
  const batch = broadcast(x1.shape.slice(0, -2), x2.shape.slice(0, -2));
  if (p === undefined || r === undefined || width === undefined || width !== other || batch === null) return null;
  return { tensors: [x1, x2], result: [...batch, p, r], width };
}

/** Two rows: a subtraction, a power and an addition for each value. */
const FLOPS_PER_VALUE = 3;
const SOURCE = 'operations of the definition (Σ|a − b|^p)^(1/p), the root not counted';

function direct(found: Pairs, extra: readonly Tensor[] = []): Work {
  const [first] = found.tensors;
  return trafficWork({
    flops: FLOPS_PER_VALUE * numel(found.result) * found.width,
    reads: [...found.tensors, ...extra],
    writes: [tensor(found.result, first?.dtype ?? null)],
    params: tensorListParams(found.tensors),
    formula: 'flops = 3·pairs·m for rows of m values; bytes = operands read + distances written',
    source: SOURCE,
  });
}

const cdist = (call: OpCall): Work | null => {
  const bound = bind(call, '@a @b p mode');
  const found = pairsOf(bound?.tensors('a')[0], bound?.tensors('b')[0]);
  return found === null ? null : direct(found);
};

/** |a|² − 2·a·b + |b|² as one product of rows widened by two values. */
function euclidean(call: OpCall): Work | null {
  const bound = bind(call, '@a @b');
  const found = pairsOf(bound?.tensors('a')[0], bound?.tensors('b')[0]);
  if (found === null) return null;
  return matrixWork({
    flops: 2 * numel(found.result) * (found.width + 2),
    reads: found.tensors,
    writes: [tensor(found.result, found.tensors[0]?.dtype ?? null)],
    params: tensorListParams(found.tensors),
    formula: 'flops = 2·pairs·(m + 2), a product of rows of m values, their norm and 1; bytes = |a| + |b| + distances',
    source: 'PyTorch expands the squares into one matrix product',
  });
}

/** All pairs i < j of the rows of one tensor. */
function pdist(call: OpCall): Work | null {
  const bound = bind(call, '@a p');
  const [a] = bound?.tensors('a') ?? [];
  const [rows, width] = a?.shape ?? [];
  if (a?.shape.length !== 2 || rows === undefined || width === undefined) return null;
  return direct({ tensors: [a], result: [(rows * (rows - 1)) / 2], width });
}

/** Gradient of the first tensor: the difference's power, weighted and summed, for every pair and value. */
function backward(call: OpCall): Work | null {
  const bound = bind(call, '@grad @a @b p @distances');
  const found = pairsOf(bound?.tensors('a')[0], bound?.tensors('b')[0]);
  const [x1] = found?.tensors ?? [];
  if (bound === null || found === null || x1 === undefined) return null;
  return trafficWork({
    flops: (FLOPS_PER_VALUE + 1) * numel(found.result) * found.width,
    reads: bound.reads,
    writes: [x1],
    params: tensorListParams(found.tensors),
    formula: 'flops = 4·pairs·m for rows of m values; bytes = operands read + gradient written',
    source: SOURCE,
  });
}

const OPS: ReadonlyMap<string, (call: OpCall) => Work | null> = new Map([
  ['cdist', cdist],
  ['_cdist_forward', cdist],
  ['_cdist_backward', backward],
  ['_euclidean_dist', euclidean],
  ['pdist', pdist],
  ['_pdist_forward', pdist],
]);

export const distance: Family = {
  id: 'distance',
  title: 'Distances between rows: cdist, pdist',
  ops: ofDispatcher([...OPS.keys()]),
  formulas: [
    'flops = 3·pairs·m: a subtraction, a power and an addition for each of the m values of a row; gradient 4·pairs·m',
    '_euclidean_dist: flops = 2·pairs·(m + 2), one matrix product',
    'bytes = operands read + result written',
  ],
  work: (call) => (call.from === undefined ? null : (OPS.get(opName(call))?.(call) ?? null)),
};
